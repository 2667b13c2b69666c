//! The files of a project beneath its root, without the index's symbols: listing, globs, reading, and searching their text.

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
