//! Code that is specific to one operating system, Linux so far: starting, watching and ending processes, opening
//! beneath a directory, waiting for the disk. Independent of the rest of symd.

pub mod allocator;
pub mod beneath;
pub mod child_end;
pub mod clock;
pub mod descendants;
pub mod disk;
pub mod file_system;
pub mod file_watch;
pub mod group;
pub mod life_line;
pub mod memory;
pub mod memory_limit;
pub mod process_handle;
pub mod processes;
mod processor_waits;
pub mod standard_streams;
pub mod tether;

pub use child_end::ChildEnd;
pub use process_handle::ProcessHandle;
pub use processor_waits::ProcessorWaits;
