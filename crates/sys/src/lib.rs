//! What is particular to one system, Linux so far: processes and groups of them, opening beneath a directory. Knows nothing of
//! symd.

pub mod beneath;
pub mod group;
pub mod processes;
