//! All symbols of the project: rows per file, name tables over them, queries, and the cache on disk. Readers
//! hold an immutable [`Snapshot`]; only the engine creates new ones. Invariant: the content equals that of an
//! index built from nothing (a file's symbols are replaced whole, keyed by content hash).

pub mod cache;
mod digest;
mod file;
mod files;
mod query;
mod segment;
mod similar;
mod snapshot;
pub mod tables;

pub use file::{Content, FileEntry, Origin, Skipped};
pub use files::FileMap;
pub use query::{Hit, Locals, Query, Scope};
pub use segment::Segment;
pub use snapshot::{BuiltSegment, IndexState, SegmentPlan, SegmentThresholds, Snapshot};

#[cfg(test)]
mod tests;
