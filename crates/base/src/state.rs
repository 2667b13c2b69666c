//! symd's own files: where they are and how they are written. All of them are outside the project. Invariant:
//! directories have mode 0700, files 0600 (they contain source code), and a file is replaced whole or not at
//! all. The only module that may write with `std::fs`.
#![allow(clippy::disallowed_methods)]

mod dirs;
pub mod durable;
pub mod nonblocking;
pub mod presence;
mod unnamed_file;

use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

pub use self::dirs::{PersistentDirs, SYMD_HOME, StateDirs};
pub use self::unnamed_file::{KeptBytes, UnnamedFile};

/// Why symd's own files cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Neither the account, HOME nor the XDG variables name a directory for the files.
    #[error(
        "cannot find a place for symd's files: the account has no home, and HOME is not set; set HOME, or SYMD_HOME to a directory for all of them"
    )]
    NoHome,
    /// `SYMD_HOME` is not an absolute path.
    #[error("SYMD_HOME is {}, which is not an absolute path; set it to the absolute path of a directory for symd's files", .0.display())]
    RelativeHome(PathBuf),
    /// A file operation that the operating system rejected.
    #[error("{what} {}: {source}", path.display())]
    Io {
        /// What was attempted, as the start of a sentence: "cannot create".
        what: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// A directory that must belong to this user alone, and does not.
    #[error("{} {why}; symd does not use it, because another user could listen in, or put files there; `chmod 700` it if it is yours, else remove it, or name a directory for all of symd's files with SYMD_HOME", path.display())]
    DirectoryNotPrivate {
        path: PathBuf,
        /// What is wrong with it, as a predicate: "is not a directory".
        why: String,
    },
    /// A file that must belong to this user alone, and does not.
    #[error("{} {why}; symd uses it only if it is yours and no other user may read or write it: `chmod 600` it, or remove it", path.display())]
    FileNotPrivate {
        path: PathBuf,
        /// What is wrong with it, as a predicate: "is a link".
        why: String,
    },
}

/// Creates `path` and missing parents with mode 0700, and verifies that `path` is a real directory (no link)
/// that belongs to this user and that no other user may enter.
pub fn private_dir(path: &Path) -> Result<(), StateError> {
    if let Some(parent) = path.parent() {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(parent)
            .map_err(|source| StateError::Io { what: "cannot create", path: parent.to_owned(), source })?;
    }
    match std::fs::DirBuilder::new().mode(0o700).create(path) {
        Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
            return Err(StateError::Io { what: "cannot create", path: path.to_owned(), source });
        }
        _ => {}
    }
    let meta = std::fs::symlink_metadata(path).map_err(|source| StateError::Io {
        what: "cannot inspect",
        path: path.to_owned(),
        source,
    })?;
    let not_ours = |why: String| Err(StateError::DirectoryNotPrivate { path: path.to_owned(), why });
    if !meta.is_dir() {
        return not_ours("is not a directory (or is a link to one)".to_owned());
    }
    let me = rustix::process::geteuid().as_raw();
    if meta.uid() != me {
        return not_ours(format!("belongs to user {}, not to user {me}", meta.uid()));
    }
    if meta.mode() & 0o077 != 0 {
        return not_ours(format!("can be entered by others (mode {:o})", meta.mode() & 0o777));
    }
    Ok(())
}

/// Replaces (or creates) the file `path`, mode 0600, with `parts` written one after the other. A reader sees
/// the old content or the new. Not synced to disk: for files that can be created again.
pub fn replace_file(path: &Path, parts: &[&[u8]]) -> Result<(), StateError> {
    replace_file_with(path, |file| parts.iter().try_for_each(|part| file.write_all(part)))
}

/// Like [`replace_file`], with what `write` writes to the new file, which is empty and can be written at any offset: for content that
/// is too much for memory.
pub fn replace_file_with(
    path: &Path,
    write: impl FnOnce(&mut std::fs::File) -> io::Result<()>,
) -> Result<(), StateError> {
    let temporary = path.with_extension(format!("tmp{:016x}", fastrand::u64(..)));
    let io = |what, source| StateError::Io { what, path: path.to_owned(), source };
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&temporary)
        .map_err(|source| io("cannot create", source))?;
    let rename = || std::fs::rename(&temporary, path);
    let replaced = write(&mut file).and_then(|()| {
        rename().or_else(|error| match error.kind() {
            // An empty one is no file of symd's; every later attempt would fail, too.
            io::ErrorKind::IsADirectory => std::fs::remove_dir(path).and_then(|()| rename()),
            _ => Err(error),
        })
    });
    replaced.map_err(|source| {
        let _ = std::fs::remove_file(&temporary);
        io("cannot write", source)
    })
}

/// Reads one of symd's own files whole; `None` when it does not exist.
pub fn read_file(path: &Path) -> Result<Option<Vec<u8>>, StateError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StateError::Io { what: "cannot read", path: path.to_owned(), source }),
    }
}

/// Reads the start of a file that the project may have made, at most `most` bytes; `None` unless it is a regular file that can be
/// read. Opening it does not wait: not for the writer of a pipe.
pub fn read_start(path: &Path, most: u64) -> Option<Vec<u8>> {
    let flags = rustix::fs::OFlags::RDONLY
        | rustix::fs::OFlags::NONBLOCK
        | rustix::fs::OFlags::NOCTTY
        | rustix::fs::OFlags::CLOEXEC;
    let file = std::fs::File::from(rustix::fs::open(path, flags, rustix::fs::Mode::empty()).ok()?);
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Opens one of symd's own files for reading if it is private: a regular file (no link) of this user that no
/// other user may read or write. `None` otherwise.
pub fn open_private(path: &Path) -> Option<std::fs::File> {
    let no_links = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    let flags = rustix::fs::OFlags::RDONLY | no_links;
    let file = std::fs::File::from(rustix::fs::open(path, flags, rustix::fs::Mode::empty()).ok()?);
    file.metadata().is_ok_and(|meta| is_private(&meta)).then_some(file)
}

/// Whether `meta` describes a regular file of this user that no other user may read or write.
fn is_private(meta: &std::fs::Metadata) -> bool {
    meta.is_file() && meta.uid() == rustix::process::geteuid().as_raw() && meta.mode() & 0o077 == 0
}

/// Reads a private file (see [`open_private`]) of at most `most` bytes; `None` when it does not exist.
pub fn read_private(path: &Path, most: u64) -> Result<Option<Vec<u8>>, StateError> {
    let failed = |source| StateError::Io { what: "cannot read", path: path.to_owned(), source };
    let Some(file) = open_private(path) else {
        let why = match std::fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(failed(source)),
            Ok(meta) => why_not_private(&meta),
        };
        return Err(StateError::FileNotPrivate { path: path.to_owned(), why });
    };
    let mut bytes = Vec::new();
    // Reading one byte past the limit shows whether the file is longer.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > most {
        return Err(failed(io::Error::other(format!("it is longer than {most} bytes"))));
    }
    Ok(Some(bytes))
}

fn why_not_private(meta: &std::fs::Metadata) -> String {
    let me = rustix::process::geteuid().as_raw();
    if meta.is_symlink() {
        "is a link".to_owned()
    } else if !meta.is_file() {
        "is not a regular file".to_owned()
    } else if meta.uid() != me {
        format!("belongs to user {}, not to user {me}", meta.uid())
    } else {
        format!("can be read or written by others, or not by you (mode {:o})", meta.mode() & 0o777)
    }
}

/// Gives one of symd's own files another name in the same directory; what had that name is replaced.
pub fn move_file(path: &Path, to: &Path) -> Result<(), StateError> {
    std::fs::rename(path, to).map_err(|source| StateError::Io {
        what: "cannot rename",
        path: path.to_owned(),
        source,
    })
}

/// Removes one of symd's own files; succeeds when it does not exist.
pub fn remove_file(path: &Path) -> Result<(), StateError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(StateError::Io { what: "cannot remove", path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

/// Creates one of symd's own programs: a file that its owner may execute (mode 0700). It must not exist yet.
pub fn create_program(path: &Path, content: &[u8]) -> Result<(), StateError> {
    let io = |source| StateError::Io { what: "cannot create", path: path.to_owned(), source };
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o700).open(path).map_err(io)?;
    file.write_all(content).map_err(io)
}

/// Replaces (or creates) the symbolic link `path`; at every moment it has the old target or the new.
pub fn replace_link(path: &Path, target: &Path) -> Result<(), StateError> {
    let temporary = path.with_extension(format!("tmp{:016x}", fastrand::u64(..)));
    let made = std::os::unix::fs::symlink(target, &temporary);
    made.and_then(|()| std::fs::rename(&temporary, path)).map_err(|source| {
        let _ = std::fs::remove_file(&temporary);
        StateError::Io { what: "cannot link", path: path.to_owned(), source }
    })
}

/// Removes one of symd's own directories with its contents, following no link; succeeds when it does not
/// exist.
pub fn remove_tree(path: &Path) -> Result<(), StateError> {
    match std::fs::remove_dir_all(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(StateError::Io { what: "cannot remove", path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_others_may_enter_is_refused() {
        let scratch = tempfile::tempdir().expect("scratch");
        let open = scratch.path().join("open");
        std::fs::DirBuilder::new().mode(0o755).create(&open).expect("created");
        assert!(matches!(private_dir(&open), Err(StateError::DirectoryNotPrivate { .. })));
        let link = scratch.path().join("link");
        let private = scratch.path().join("a/private");
        private_dir(&private).expect("made");
        std::os::unix::fs::symlink(&private, &link).expect("linked");
        assert!(matches!(private_dir(&link), Err(StateError::DirectoryNotPrivate { .. })));
    }

    #[test]
    fn files_are_replaced_whole_and_private() {
        let scratch = tempfile::tempdir().expect("scratch");
        let path = scratch.path().join("f");
        replace_file(&path, &[b"one"]).expect("written");
        replace_file(&path, &[b"t", b"wo"]).expect("written");
        assert_eq!(read_file(&path).expect("read"), Some(b"two".to_vec()));
        assert_eq!(std::fs::metadata(&path).expect("there").mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(scratch.path()).expect("listed").count(), 1);
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let scratch = tempfile::tempdir().expect("scratch");
        let at = |name: &str| scratch.path().join(name);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), kind, rustix::fs::Mode::RWXU, 0).expect("made");
        replace_file(&at("file"), &[b"text"]).expect("written");
        std::os::unix::fs::symlink("/dev/zero", at("zeroes")).expect("linked");
        assert_eq!(read_start(&at("file"), 3), Some(b"tex".to_vec()));
        assert_eq!((read_start(&at("pipe"), 3), read_start(&at("zeroes"), 3)), (None, None));
    }

    #[test]
    fn a_link_is_replaced_at_once_and_a_tree_removed_beside_what_it_points_to() {
        let scratch = tempfile::tempdir().expect("scratch");
        let at = |name: &str| scratch.path().join(name);
        private_dir(&at("kept/inside")).expect("made");
        private_dir(&at("tree")).expect("made");
        replace_link(&at("tree/link"), Path::new("elsewhere")).expect("linked");
        replace_link(&at("tree/link"), &at("kept")).expect("linked again");
        create_program(&at("tree/program"), b"#!/bin/sh\n").expect("made");
        assert_eq!(std::fs::metadata(at("tree/program")).expect("there").mode() & 0o777, 0o700);
        assert!(at("tree/link/inside").exists());
        remove_tree(&at("tree")).expect("removed");
        remove_tree(&at("tree")).expect("gone already");
        assert!(at("kept/inside").exists() && !at("tree").exists());
    }
}
