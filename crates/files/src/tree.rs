//! The project's files as one question sees them: access to the disk, the list of files that are not ignored,
//! and the errors about a path that a client wrote. Not the index. Invariant: every path that an operation
//! uses comes from [`Tree::locate`] or from [`FileList`].

use std::fmt;
use std::path::Path;

use symd_base::path::PathError;
use symd_base::{Cancel, RelPath};
use symd_index::SnapshotFiles;
use symd_vfs::{EntryKind, Files, VfsError};

/// The project's files as one question sees them, shared by the threads that work on that question.
#[derive(Clone, Copy)]
pub struct Tree<'a> {
    /// The files' contents and states.
    pub files: &'a dyn Files,
    /// All regular files that are not ignored.
    pub listed: &'a dyn FileList,
    /// Whether symd ignores a path, by a rule for the path itself or for a directory above it.
    pub ignored: &'a (dyn Fn(&RelPath, EntryKind) -> bool + Sync),
    /// Whether a file belongs to a language in languages.toml.
    pub is_code: &'a (dyn Fn(&RelPath) -> bool + Sync),
    /// The path of symd's own executable, whose helper processes run searches that may take long; `None` runs
    /// them on the threads of the search.
    pub program: Option<&'a Path>,
}

impl fmt::Debug for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tree({})", self.files.path().display())
    }
}

/// An ordered list of files.
pub trait FileList: Sync {
    /// Returns the files beneath `directory` (all of them for the root), in byte order of their paths.
    fn within<'a>(&'a self, directory: &RelPath) -> Box<dyn Iterator<Item = &'a RelPath> + 'a>;
}

/// A list that is already sorted.
impl FileList for Vec<RelPath> {
    fn within<'a>(&'a self, directory: &RelPath) -> Box<dyn Iterator<Item = &'a RelPath> + 'a> {
        if directory.is_root() {
            return Box::new(self.iter());
        }
        let prefix = format!("{}/", directory.as_str());
        let first = self.partition_point(|path| path.as_str() < prefix.as_str());
        Box::new(self[first..].iter().take_while(move |path| path.as_str().starts_with(&prefix)))
    }
}

/// The index's files.
impl FileList for SnapshotFiles {
    fn within<'a>(&'a self, directory: &RelPath) -> Box<dyn Iterator<Item = &'a RelPath> + 'a> {
        Box::new(self.paths_within(directory))
    }
}

/// Why a path that a client wrote cannot be used. The messages are symd's own, and quote the path as the client
/// wrote it; a contract with sentences of its own matches the variants.
#[derive(Debug, thiserror::Error)]
pub enum LocateError {
    /// The text is not a valid path in a project.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Nothing exists at the path.
    #[error("Path does not exist: {0}")]
    Missing(String),
    /// A link on the way leads out of the project.
    #[error("Path is outside the project: {0}")]
    Outside(String),
    /// The ignore rules exclude the path.
    #[error("Path is ignored: {0}")]
    Ignored(String),
    /// The operating system refused access, or failed.
    #[error("Path cannot be accessed: {path}: {reason}")]
    Unreadable {
        /// The path as the client wrote it.
        path: String,
        /// The operating system's message.
        reason: String,
        /// The kind of the operating system's error.
        kind: std::io::ErrorKind,
    },
}

impl LocateError {
    /// Converts `error` about the path that a client wrote as `text`.
    pub fn of(error: VfsError, text: &str) -> LocateError {
        match error {
            VfsError::NotFound { .. } => LocateError::Missing(text.to_owned()),
            VfsError::Outside { .. } => LocateError::Outside(text.to_owned()),
            other => {
                let (reason, kind) = os_error_text(&other);
                LocateError::Unreadable { path: text.to_owned(), reason, kind }
            }
        }
    }
}

/// A path that exists in the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The path from the project's root.
    pub path: RelPath,
    /// The kind of the entry; of a link, that of its target.
    pub kind: EntryKind,
}

impl Tree<'_> {
    /// Finds the entry that `text` names, ignored or not.
    pub fn locate(&self, text: &str) -> Result<Located, LocateError> {
        let path = RelPath::new(text)?;
        match self.files.stat(&path) {
            Ok((kind, _)) => Ok(Located { path, kind }),
            Err(error) => Err(LocateError::of(error, text)),
        }
    }

    /// Finds the entry that `text` names; fails if the ignore rules exclude it.
    pub fn locate_unignored(&self, text: &str) -> Result<Located, LocateError> {
        let found = self.locate(text)?;
        if !found.path.is_root() && (self.ignored)(&found.path, found.kind) {
            return Err(LocateError::Ignored(text.to_owned()));
        }
        Ok(found)
    }
}

/// Returns the operating system's message without the path, which the caller quotes as the client wrote it.
fn os_error_text(error: &VfsError) -> (String, std::io::ErrorKind) {
    match error {
        VfsError::Io { source, .. } => (source.to_string(), source.kind()),
        other => (other.to_string(), std::io::ErrorKind::Other),
    }
}

/// The error of an operation on files.
#[derive(Debug, thiserror::Error)]
pub enum FileOpError {
    /// The path cannot be used.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// A file was expected, and the path is a directory.
    #[error("Expected a file path, but got a directory path: {0}")]
    IsDirectory(String),
    /// A directory was expected, and the path is a file.
    #[error("Expected a directory path, but got a file path: {0}")]
    IsFile(String),
    /// The file contains a NUL byte.
    #[error("{0} is a binary file, it has no text to show")]
    Binary(String),
    /// An invalid range of lines.
    #[error("{0}")]
    Range(String),
    /// A mask or glob that does not compile.
    #[error(transparent)]
    Glob(#[from] super::glob::GlobError),
    /// The file could not be read.
    #[error(transparent)]
    Vfs(#[from] VfsError),
    /// The request was cancelled.
    #[error(transparent)]
    Cancelled(#[from] symd_base::cancel::Cancelled),
}

/// Checks `cancel` at every `step`th call, for loops with small steps; returns an error once it is raised.
pub(super) fn check_every(step: usize, count: &mut usize, cancel: &Cancel) -> Result<(), FileOpError> {
    *count += 1;
    if count.is_multiple_of(step) {
        cancel.check()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_holds_what_lies_beneath_it() {
        let files: Vec<RelPath> = ["a-b", "a.c", "a/b", "a/b.c", "a0", "b"]
            .into_iter()
            .map(|path| RelPath::new(path).expect(path))
            .collect();
        let within = |dir: &str| -> Vec<&str> {
            files.within(&RelPath::new(dir).expect(dir)).map(RelPath::as_str).collect()
        };
        assert_eq!(within("a"), ["a/b", "a/b.c"]);
        assert_eq!(within(""), ["a-b", "a.c", "a/b", "a/b.c", "a0", "b"]);
        assert!(within("a/b").is_empty());
        assert!(within("zzz").is_empty());
    }
}
