//! Edits as transactions: plan → check → journal of the inverse → apply → commit, with undo. The only module
//! that changes the project's files. Knows nothing of symbols, servers or tools. Invariants: the tree is
//! entirely old or entirely new after a failure, and after a crash once recovery has run; a file that another
//! program changed meanwhile is never overwritten.
//!
//! Crash safety: a plan is reduced to at most one change per path, each of which is a single `rename` or
//! `unlink`, so every path is always in either its old or its new state. The journal contains both hashes and
//! the old bytes of each path, and is on the disk before the first file is touched. Renaming the journal into
//! the history *is* the commit. So a journal that is found was not committed: a file with its new hash is put
//! back, one with its old hash is left alone, and one with any other hash belongs to the user, is left alone
//! and reported. If that journal is also damaged, its head is used, of which the lock file has a second copy:
//! if the required old bytes are still intact the edit is put back all the same, else nothing is touched and
//! all files of the edit are reported.

mod apply;
mod change;
mod deferred;
mod diff;
mod editor;
mod editor_conflicts;
mod entry;
mod error;
mod head_copy;
mod history;
mod in_place_journal;
mod lock_cache;
mod plan;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "it is for tests")]
pub mod properties;
mod put_back;
mod rebase;
mod saved_texts;
mod settings;
mod splice;
mod stages;
mod steps;
mod store;
mod tree;
mod unsaved_parts;

pub use change::{FileChange, StagedContent};
pub use diff::FileDiff;
pub use editor::{Applied, Editor, Options};
pub use editor_conflicts::{ClosedConflict, ConflictEnd};
pub use error::{ChangedPlace, ChangedSince, Conflict, EditError};
pub use history::{Operation, OperationKind, UndoTarget};
pub use plan::{Access, Originator, Plan, PlanStep};
pub use put_back::{InterruptionCause, Recovered, RecoveredOperation, Resolution, UnrestoredFile};
pub use stages::{ClosedGate, EditStage, EditorTurn, FailedEdit, StagedEdit, StagedRecord};
pub use steps::{Hook, Step};
pub use store::OperationId;
pub use unsaved_parts::{PartState, UnsavedPart, UnsavedParts};
