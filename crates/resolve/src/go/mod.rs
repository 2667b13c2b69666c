//! What is true of Go alone.

pub(crate) mod hazards;
pub(crate) mod renames;
pub(crate) mod value_types;
