//! The project's files as one question sees them: the door to the disk, the list of files that are not
//! ignored, and what may be said about a path that a client wrote. Not the index. Invariant: every path an
//! op touches came through [`Tree::locate`] or out of [`Files`].

use std::fmt;
use std::path::Path;

use symd_base::path::PathError;
use symd_base::{Cancel, RelPath};
use symd_index::FileMap;
use symd_vfs::{EntryKind, Root, VfsError};

/// The project's files as one question sees them. Shared by the threads that work on the question.
#[derive(Clone, Copy)]
pub struct Tree<'a> {
    /// Where files are read.
    pub root: &'a Root,
    /// All regular files that are not ignored.
    pub files: &'a dyn Files,
    /// Whether symd leaves a path out: by its own rule or by that of a directory above it.
    pub ignored: &'a (dyn Fn(&RelPath, EntryKind) -> bool + Sync),
    /// Whether a file belongs to a language of languages.toml.
    pub is_code: &'a (dyn Fn(&RelPath) -> bool + Sync),
    /// symd itself, whose processes search what may take long; without it that is done on the threads of the search.
    pub program: Option<&'a Path>,
}

impl fmt::Debug for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tree({})", self.root.path().display())
    }
}

/// An ordered list of files.
pub trait Files: Sync {
    /// The files beneath `directory` (all of them for the root), in byte order of their paths.
    fn within<'a>(&'a self, directory: &RelPath) -> Box<dyn Iterator<Item = &'a RelPath> + 'a>;
}

/// A list that is sorted already.
impl Files for Vec<RelPath> {
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
impl Files for FileMap {
    fn within<'a>(&'a self, directory: &RelPath) -> Box<dyn Iterator<Item = &'a RelPath> + 'a> {
        Box::new(FileMap::within(self, directory).map(|file| &file.path))
    }
}

/// Why a path that a client wrote is of no use. The texts are those of the serena contract's path
/// validation, without its prefix; paths are quoted as the client wrote them.
#[derive(Debug, thiserror::Error)]
pub enum LocateError {
    /// It cannot name anything in the project.
    #[error(transparent)]
    Path(#[from] PathError),
    /// There is nothing of that name.
    #[error("Path does not exist: {0}")]
    Missing(String),
    /// A link on the way leads out of the project.
    #[error("Path is outside the project: {0}")]
    Outside(String),
    /// The ignore rules leave it out.
    #[error("Path is ignored: {0}")]
    Ignored(String),
    /// The system would not say.
    #[error("Path cannot be looked at: {path}: {reason}")]
    Unreadable {
        /// As the client wrote it.
        path: String,
        /// What the system said.
        reason: String,
        /// The kind of what it said.
        kind: std::io::ErrorKind,
    },
}

impl LocateError {
    /// What `error` says of the path that a client wrote as `text`.
    pub fn of(error: VfsError, text: &str) -> LocateError {
        match error {
            VfsError::NotFound { .. } => LocateError::Missing(text.to_owned()),
            VfsError::Outside { .. } => LocateError::Outside(text.to_owned()),
            other => {
                let (reason, kind) = said(&other);
                LocateError::Unreadable { path: text.to_owned(), reason, kind }
            }
        }
    }
}

/// A path that exists in the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Relative to the root.
    pub path: RelPath,
    /// What is there; a link counts as what it leads to.
    pub kind: EntryKind,
}

impl Tree<'_> {
    /// Finds what `text` names, ignored or not.
    pub fn locate(&self, text: &str) -> Result<Located, LocateError> {
        let path = RelPath::new(text)?;
        match self.root.stat(&path) {
            Ok((kind, _)) => Ok(Located { path, kind }),
            Err(error) => Err(LocateError::of(error, text)),
        }
    }

    /// Finds what `text` names, and refuses what the ignore rules leave out.
    pub fn locate_unignored(&self, text: &str) -> Result<Located, LocateError> {
        let found = self.locate(text)?;
        if !found.path.is_root() && (self.ignored)(&found.path, found.kind) {
            return Err(LocateError::Ignored(text.to_owned()));
        }
        Ok(found)
    }
}

/// The system's words without the path, which the caller quotes as the client wrote it.
fn said(error: &VfsError) -> (String, std::io::ErrorKind) {
    match error {
        VfsError::Io { source, .. } => (source.to_string(), source.kind()),
        other => (other.to_string(), std::io::ErrorKind::Other),
    }
}

/// What every op here may fail with.
#[derive(Debug, thiserror::Error)]
pub enum FileOpError {
    /// The path is of no use.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// A file was meant, and it is a directory.
    #[error("Expected a file path, but got a directory path: {0}")]
    IsDirectory(String),
    /// A directory was meant, and it is a file.
    #[error("Expected a directory path, but got a file path: {0}")]
    IsFile(String),
    /// It holds a NUL byte.
    #[error("{0} is a binary file, it has no text to show")]
    Binary(String),
    /// Lines that cannot be meant.
    #[error("{0}")]
    Range(String),
    /// A mask or glob that does not compile.
    #[error(transparent)]
    Glob(#[from] super::glob::GlobError),
    /// It could not be read.
    #[error(transparent)]
    Vfs(#[from] VfsError),
    /// The asker went away.
    #[error(transparent)]
    Cancelled(#[from] symd_base::cancel::Cancelled),
}

/// `Err` once the asker is gone; for loops that work in small steps.
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
