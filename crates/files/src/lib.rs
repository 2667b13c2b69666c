//! The project's files as files, without the index's symbols: listing, globs, reading and text search.

pub mod find_file;
pub mod glob;
pub mod grep;
pub mod levels;
pub mod list_dir;
#[allow(clippy::unwrap_used, reason = "it is for tests")]
pub mod properties;
pub mod read_bytes;
pub mod read_file;
pub mod scope;
pub mod scratch;
pub mod search;
pub mod tree;
pub mod walk;
