//! Edits as transactions: plan → check → journal of the inverse → apply → commit, with undo. The one module that
//! changes the project's files. Knows no symbols, servers or tools. Invariants: a tree is entirely old or entirely
//! new after a failure, and after a crash once recovery has run; a file that changed underneath is never overwritten.
//!
//! How a crash is survived. A plan is reduced to at most one change per path, each of which is a single `rename` or
//! `unlink`: every path is at every moment in its old or in its new state and in no third. The journal holds both
//! hashes and the old bytes of each, and is on the disk before the first file is touched. Committing *is* renaming the
//! journal into the history. So a journal that is found was not committed: what has its new hash is put back, what has
//! its old one is left, and what has any other is the user's and is left as it is, and named. A journal that is damaged
//! as well is read by its head, of which the lock file has a second one: if the old bytes that are needed are still whole
//! it is put back all the same, else nothing is touched and all its files are named.

mod afterwards;
mod apply;
mod change;
mod diff;
mod editor;
mod entry;
mod error;
mod gate;
mod history;
mod ledger;
mod plan;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "it is for tests")]
pub mod properties;
mod put_back;
mod second_head;
mod settings;
mod slot;
mod splice;
mod steps;
mod store;
mod tree;

pub use change::FileChange;
pub use diff::FileDiff;
pub use editor::{Applied, Editor, Options};
pub use error::{Conflict, EditError};
pub use gate::{Closed, ReaderGate};
pub use history::{Happened, Operation, Which};
pub use plan::{Access, By, Plan, PlanStep};
pub use put_back::{LeftFile, Recovered, RecoveredOperation, Resolution};
pub use steps::{Hook, Step};
pub use store::OperationId;
