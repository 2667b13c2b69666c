//! What is true of Rust alone.

pub(crate) mod doc_links;
pub(crate) mod hazards;
pub(crate) mod locals;
pub(crate) mod names;
