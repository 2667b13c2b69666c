//! The only access to the project's files. Everything is opened beneath the descriptor of the root, so no
//! path, link or race that a client causes leads outside. `slot` holds the steps of a write; only `edit`
//! takes them.

mod change;
mod files;
mod git_paths;
mod ignore;
mod memory;
mod overlay;
mod root;
mod slot;
pub mod spelling;
mod tree_walk;

pub use change::Change;
pub use files::Files;
pub use git_paths::GitPaths;
pub use ignore::{Ignore, IgnoreSettings, Rules, Vendored};
pub use memory::MemoryFiles;
pub use overlay::{Overlay, TextOrigin, UnsavedTexts};
pub use root::{Entry, EntryKind, FileBytes, FileId, MAX_FILE_BYTES, Root, Stat, VfsError};
pub use root::{kind_of, stat_of};
pub use slot::{Meta, PermissionSource, Slot, SlotContent, SlotOpener, TEMPORARY_PREFIX};
pub use tree_walk::{TreeWalk, WalkRest};
