//! Code that is specific to one operating system, Linux so far: processes and process groups, opening beneath
//! a directory. Independent of the rest of symd.

pub mod beneath;
pub mod group;
pub mod processes;
mod processor_waits;

pub use processor_waits::ProcessorWaits;
