//! The working directory of a command: a directory of the project, opened beneath its root. Invariant: it was
//! inside the project when it was opened, and a command starts in that very directory, whatever its path
//! leads to by then.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use symd_base::RelPath;
use symd_files::tree::{FileOpError, LocateError};
use symd_vfs::{EntryKind, Root, VfsError};

/// An open directory of the project.
#[derive(Debug)]
pub struct Directory {
    descriptor: OwnedFd,
    path: PathBuf,
}

impl Directory {
    /// Opens the directory that a client named as `text`, beneath `root`; `.` is the root itself.
    pub fn open(root: &Root, text: &str) -> Result<Directory, FileOpError> {
        let path = Directory::named(text)?;
        let located = |error: VfsError| match error {
            VfsError::NotFound { .. } => FileOpError::Locate(LocateError::Missing(text.to_owned())),
            VfsError::Outside { .. } => FileOpError::Locate(LocateError::Outside(text.to_owned())),
            other => FileOpError::Vfs(other),
        };
        let (kind, _) = root.stat(&path).map_err(located)?;
        if kind != EntryKind::Directory {
            return Err(FileOpError::IsFile(text.to_owned()));
        }
        let descriptor = root.open_directory(&path).map_err(located)?;
        let resolved = root.resolve(&path).map_err(located)?;
        let path =
            if resolved.is_root() { root.path().to_owned() } else { root.path().join(resolved.as_path()) };
        Ok(Directory { descriptor, path })
    }

    /// Parses `text` as a path, which need not exist.
    pub fn named(text: &str) -> Result<RelPath, FileOpError> {
        Ok(RelPath::new(text).map_err(LocateError::Path)?)
    }

    /// Returns the absolute path, with symlinks resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    #[test]
    fn only_directories_of_the_project_are_opened() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("root");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("file"), "").unwrap();
        std::os::unix::fs::symlink("a", root.join("in")).unwrap();
        std::os::unix::fs::symlink("/tmp", root.join("out")).unwrap();
        let root = Root::open(&root).unwrap();
        let open = |text: &str| match Directory::open(&root, text) {
            Ok(directory) => directory.path().strip_prefix(root.path()).unwrap().display().to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(
            (open("."), open(""), open("a/b/"), open("in/b")),
            ("".into(), "".into(), "a/b".into(), "a/b".into())
        );
        assert_eq!(open("file"), "Expected a directory path, but got a file path: file");
        assert_eq!(open("gone"), "Path does not exist: gone");
        assert_eq!(open("out"), "Path is outside the project: out");
        assert_eq!(open("a/../.."), "Path is outside the project: a/../..");
        assert_eq!(open("/tmp"), "Path must be relative, got: /tmp");
    }
}
