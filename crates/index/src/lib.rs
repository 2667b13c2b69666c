//! All symbols of the project: rows per file, name tables over them, queries, and the cache on disk. Readers
//! hold an immutable [`Snapshot`]; only the engine creates new ones. Invariant: the content equals that of an
//! index built from nothing (a file's symbols are replaced whole, keyed by content hash).

pub mod cache;
mod digest;
mod entry_memory;
mod entry_outline;
mod fields;
mod file;
mod files;
mod incomplete_files;
mod index_state;
mod live_segment;
mod needed_words;
mod outline_summaries;
mod postings;
mod query;
mod segment;
mod segment_plan;
mod similar;
mod snapshot;
mod snapshot_files;
mod spilled_bytes;
pub mod stored_index;
pub mod tables;
mod unread;
mod word_filter;

pub use entry_outline::{EntryOutline, OutlineReader, StoredOutline};
pub use file::{Content, FileEntry, Origin, Skipped};
pub use files::{EntryChange, FileMap};
pub use index_state::{IndexMemory, IndexState, SegmentThresholds};
pub use needed_words::{NeededWords, SearchedText};
pub use outline_summaries::{OutlineSummaries, OutlineSummary};
pub use query::{Hit, Locals, Query, Scope};
pub use segment_plan::{BuiltSegment, SegmentPlan};
pub use snapshot::Snapshot;
pub use snapshot_files::SnapshotFiles;
pub use spilled_bytes::kept_piece_bytes;
pub use unread::{MetNeeds, Need, UnreadFiles};

#[cfg(test)]
mod tests;
