//! What is true of Rust alone.

pub(crate) mod locals;
pub(crate) mod names;
