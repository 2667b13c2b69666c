//! The project's files as questions read them: from the disk, or from the disk beneath texts that an editor has
//! not saved yet. Paths are relative to the project's root; nothing outside it is reached.

use std::fmt;
use std::path::Path;

use super::root::{Entry, EntryKind, FileBytes, Root, Stat, VfsError};
use symd_base::RelPath;

/// Read access to a project's files. "Follows links" means links that stay inside the root; others yield
/// [`VfsError::Outside`].
pub trait Files: fmt::Debug + Send + Sync {
    /// Returns the root's absolute path, links resolved.
    fn path(&self) -> &Path;

    /// Reads a regular file whole; follows links.
    fn read(&self, path: &RelPath) -> Result<FileBytes, VfsError>;

    /// Reads a regular file of at most `max_bytes` whole, unless `path` itself is a link.
    fn read_no_follow(&self, path: &RelPath, max_bytes: u64) -> Result<FileBytes, VfsError>;

    /// As [`Files::read_no_follow`], from the disk even where an editor has not saved its text.
    fn read_saved(&self, path: &RelPath, max_bytes: u64) -> Result<FileBytes, VfsError> {
        self.read_no_follow(path, max_bytes)
    }

    /// Reads `length` bytes from byte `offset` of a regular file; fewer at its end. Follows links.
    fn read_at(&self, path: &RelPath, offset: u64, length: usize) -> Result<FileBytes, VfsError>;

    /// Returns what `path` is, and its state; follows links.
    fn stat(&self, path: &RelPath) -> Result<(EntryKind, Stat), VfsError>;

    /// Returns what `path` itself is, and its state: a link is reported as a link.
    fn stat_link(&self, path: &RelPath) -> Result<(EntryKind, Stat), VfsError>;

    /// Returns what the file names `names` refer to in `directory`, and their states, in the order of the names;
    /// follows links to the directory, and reports a link in it as a link. `None` for a name that is gone.
    /// Faster than one call per file.
    fn stat_children(&self, directory: &RelPath, names: &[&str]) -> Vec<Option<(EntryKind, Stat)>>;

    /// Lists a directory, sorted by name, and counts the names that are not UTF-8, which are omitted; follows
    /// links.
    fn list(&self, directory: &RelPath) -> Result<(Vec<Entry>, usize), VfsError>;

    /// As [`Files::list`]; a link in the directory's place yields [`VfsError::NotFound`].
    fn list_no_follow(&self, directory: &RelPath) -> Result<(Vec<Entry>, usize), VfsError>;

    /// Returns the path that `path` names once every link in it is followed. Components that do not exist yet
    /// are kept as written.
    fn resolve(&self, path: &RelPath) -> Result<RelPath, VfsError>;

    /// Whether the text of `path` is one that an editor has not saved; links are not followed.
    fn is_unsaved(&self, path: &RelPath) -> bool {
        let _ = path;
        false
    }
}

impl Files for Root {
    fn path(&self) -> &Path {
        Root::path(self)
    }

    fn read(&self, path: &RelPath) -> Result<FileBytes, VfsError> {
        Root::read(self, path)
    }

    fn read_no_follow(&self, path: &RelPath, max_bytes: u64) -> Result<FileBytes, VfsError> {
        Root::read_no_follow(self, path, max_bytes)
    }

    fn read_at(&self, path: &RelPath, offset: u64, length: usize) -> Result<FileBytes, VfsError> {
        Root::read_at(self, path, offset, length)
    }

    fn stat(&self, path: &RelPath) -> Result<(EntryKind, Stat), VfsError> {
        Root::stat(self, path)
    }

    fn stat_link(&self, path: &RelPath) -> Result<(EntryKind, Stat), VfsError> {
        Root::stat_link(self, path)
    }

    fn stat_children(&self, directory: &RelPath, names: &[&str]) -> Vec<Option<(EntryKind, Stat)>> {
        let opened = self.open_directory(directory);
        let stat = |name: &&str| Root::stat_in(opened.as_ref().ok()?, name).ok();
        names.iter().map(stat).collect()
    }

    fn list(&self, directory: &RelPath) -> Result<(Vec<Entry>, usize), VfsError> {
        self.list_opened(directory, self.open_directory(directory)?)
    }

    fn list_no_follow(&self, directory: &RelPath) -> Result<(Vec<Entry>, usize), VfsError> {
        self.list_opened(directory, self.open_directory_no_follow(directory)?)
    }

    fn resolve(&self, path: &RelPath) -> Result<RelPath, VfsError> {
        Root::resolve(self, path)
    }
}
