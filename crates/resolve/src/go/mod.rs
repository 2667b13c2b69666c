//! What is true of Go alone.

pub(crate) mod renames;
pub(crate) mod value_types;
