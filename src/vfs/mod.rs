//! The one door to the project's files. Everything is opened beneath the descriptor of the root, so no
//! path, link or race of a client's making leads outside. Reads only; writes belong to `edit`.

mod beneath;
mod ignore;
mod root;

pub use ignore::{Ignore, IgnoreSettings, Rules, Vendored};
pub use root::{Entry, EntryKind, FileBytes, MAX_FILE_BYTES, Root, Stat, VfsError};
pub(crate) use root::{kind_of, stat_of};
