//! Code that is specific to one operating system, Linux so far: processes and process groups, opening beneath
//! a directory, waiting for the disk. Independent of the rest of symd.

pub mod beneath;
pub mod disk;
pub mod group;
pub mod processes;
mod processor_waits;

pub use processor_waits::ProcessorWaits;
