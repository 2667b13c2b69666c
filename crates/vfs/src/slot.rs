//! One name in a directory that is held open: what lies there, and the single steps of a write. Every step is one
//! system call or can be repeated, so that whoever orders them (`edit`) can say what a crash leaves behind. Invariant:
//! no step follows a link; only regular files are read, replaced, moved or removed.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;

use rustix::fs::{Access, AtFlags, FileType, Gid, Mode, OFlags, RenameFlags, Uid, XattrFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::root::{describe, stat_of};
use super::{MAX_FILE_BYTES, Root, Stat, VfsError};
use symd_base::RelPath;

/// How the names of files begin that exist only while an edit is under way.
pub const TEMPORARY_PREFIX: &str = ".symd-edit-";

/// The permission bits that a file keeps.
const MODE_BITS: u32 = 0o7777;

/// Attributes larger than this are not carried over; Linux allows 64 KiB a value and a list.
const MAX_XATTR_BYTES: usize = 64 << 10;

/// Who may do what with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Permission bits, with set-user-id and its like.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
}

/// What lies under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotContent {
    /// Nothing.
    Nothing,
    /// A regular file.
    File {
        /// Its state.
        stat: Stat,
        /// Its permissions.
        meta: Meta,
        /// How many names it has: more than one are hard links.
        names: u64,
    },
    /// Anything else: "a directory", "a link" …
    Other(&'static str),
}

/// Whose permissions a new file gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Like {
    /// The process's own: 0666 without its umask.
    New,
    /// The process's own, for a program: 0777 without its umask.
    NewProgram,
    /// These.
    Meta(Meta),
    /// Those of a file that is there, extended attributes (and with them access control lists) included.
    File(RelPath),
}

/// A name in an open directory.
#[derive(Debug)]
pub struct Slot<'r> {
    root: &'r Root,
    path: RelPath,
    directory: OwnedFd,
}

impl Root {
    /// The place `path` in its directory, which must exist and be reached without links ([`Root::resolve`]).
    pub fn slot(&self, path: &RelPath) -> Result<Slot<'_>, VfsError> {
        let Some(parent) = path.parent() else {
            return Err(VfsError::NotAFile { path: path.clone(), what: "a directory" });
        };
        let directory = self.open_directory_exactly(&parent)?;
        Ok(Slot { root: self, path: path.clone(), directory })
    }
}

impl Slot<'_> {
    /// The path of this name.
    pub fn path(&self) -> &RelPath {
        &self.path
    }

    /// What lies here now.
    pub fn look(&self) -> Result<SlotContent, VfsError> {
        match rustix::fs::statat(&self.directory, self.path.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(raw) => Ok(match FileType::from_raw_mode(raw.st_mode) {
                FileType::RegularFile => {
                    SlotContent::File { stat: stat_of(&raw), meta: meta_of(&raw), names: names_of(&raw) }
                }
                other => SlotContent::Other(describe(other)),
            }),
            Err(Errno::NOENT) => Ok(SlotContent::Nothing),
            Err(errno) => Err(self.failed(errno)),
        }
    }

    /// The bytes of the regular file here and what it was when they were read; `None` for nothing.
    pub fn read(&self) -> Result<Option<(Vec<u8>, SlotContent)>, VfsError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let not_a_file = |what| Err(VfsError::NotAFile { path: self.path.clone(), what });
        let mut file = match rustix::fs::openat(&self.directory, self.path.file_name(), flags, Mode::empty())
        {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return not_a_file("a link"),
            Err(Errno::NXIO) => return not_a_file("a socket"),
            Err(errno) => return Err(self.unreadable(errno.into())),
        };
        let raw = rustix::fs::fstat(&file).map_err(|errno| self.unreadable(errno.into()))?;
        match FileType::from_raw_mode(raw.st_mode) {
            FileType::RegularFile => {}
            other => return not_a_file(describe(other)),
        }
        let stat = stat_of(&raw);
        let mut bytes = Vec::new();
        if stat.size <= MAX_FILE_BYTES {
            bytes.reserve_exact(usize::try_from(stat.size).unwrap_or(0) + 1);
            Read::by_ref(&mut file)
                .take(MAX_FILE_BYTES + 1)
                .read_to_end(&mut bytes)
                .map_err(|source| self.unreadable(source))?;
        }
        let size = stat.size.max(bytes.len() as u64);
        if size > MAX_FILE_BYTES {
            return Err(VfsError::TooLarge { path: self.path.clone(), bytes: size, limit: MAX_FILE_BYTES });
        }
        Ok(Some((bytes, SlotContent::File { stat, meta: meta_of(&raw), names: names_of(&raw) })))
    }

    /// Refuses when the directory does not let us make or take away names, or when the file is read-only: also for
    /// root, whom the system would let through. An engineer who takes the write bit away means it.
    pub fn check_writable(&self) -> Result<(), VfsError> {
        let read_only = |directory| VfsError::ReadOnly { path: self.path.clone(), directory };
        let refused = |errno, directory| match errno {
            Errno::ACCESS | Errno::ROFS | Errno::PERM => read_only(directory),
            other => self.failed(other),
        };
        let enter = Access::WRITE_OK | Access::EXEC_OK;
        rustix::fs::accessat(&self.directory, ".", enter, AtFlags::EACCESS)
            .map_err(|errno| refused(errno, true))?;
        if let SlotContent::File { meta, .. } = self.look()? {
            if meta.mode & 0o222 == 0 {
                return Err(read_only(false));
            }
            rustix::fs::accessat(&self.directory, self.path.file_name(), Access::WRITE_OK, AtFlags::EACCESS)
                .map_err(|errno| refused(errno, false))?;
        }
        Ok(())
    }

    /// Writes `bytes` to a new file `temporary` in this directory, with the permissions of `like`. What the system
    /// does not let us keep (another's ownership, some attributes) is left at its default; set-user-id bits go with
    /// the owner they were for. The file returned is not synced.
    pub fn stage(&self, temporary: &str, bytes: &[u8], like: &Like) -> Result<File, VfsError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let (mode, source) = match like {
            Like::New => (0o666, None),
            Like::NewProgram => (0o777, None),
            Like::Meta(_) => (0o600, None),
            Like::File(path) => (0o600, self.open_model(path)?),
        };
        let file = rustix::fs::openat(&self.directory, temporary, flags, Mode::from_raw_mode(mode)).map_err(
            |errno| {
                if errno == Errno::EXIST {
                    return self.write_failed(errno);
                }
                self.failed(errno)
            },
        )?;
        let mut file = File::from(file);
        let written =
            file.write_all(bytes).map_err(|source| VfsError::Write { path: self.path.clone(), source });
        let dressed = written.and_then(|()| match (like, source) {
            (Like::Meta(meta), _) => self.dress(&file, *meta),
            (_, Some(source)) => {
                copy_attributes(&source, &file);
                let raw = rustix::fs::fstat(&source).map_err(|errno| self.write_failed(errno))?;
                self.dress(&file, meta_of(&raw))
            }
            _ => Ok(()),
        });
        match dressed {
            Ok(()) => Ok(file),
            Err(error) => {
                let _ = self.unstage(temporary);
                Err(error)
            }
        }
    }

    fn open_model(&self, path: &RelPath) -> Result<Option<OwnedFd>, VfsError> {
        let slot = self.root.slot(path)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        match rustix::fs::openat(&slot.directory, path.file_name(), flags, Mode::empty()) {
            Ok(file) => Ok(Some(file)),
            Err(errno) => Err(slot.failed(errno)),
        }
    }

    fn dress(&self, file: &File, meta: Meta) -> Result<(), VfsError> {
        let raw = rustix::fs::fstat(file).map_err(|errno| self.write_failed(errno))?;
        let mut mode = meta.mode;
        if (raw.st_uid, raw.st_gid) != (meta.uid, meta.gid) {
            let (owner, group) = (Uid::from_raw(meta.uid), Gid::from_raw(meta.gid));
            let owned = rustix::fs::fchown(file, Some(owner), Some(group)).is_ok();
            if !owned {
                // The group alone may be ours to give.
                let _ = rustix::fs::fchown(file, None, Some(group));
                mode &= 0o777;
            }
        }
        // After the owner: changing it clears the set-id bits.
        rustix::fs::fchmod(file, Mode::from_raw_mode(mode & MODE_BITS))
            .map_err(|errno| self.write_failed(errno))
    }

    /// Keeps what is here alive on the disk until the handle is dropped, also when it is replaced or removed meanwhile:
    /// so that its blocks are freed after the edit, not within it.
    pub fn hold(&self) -> Option<OwnedFd> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.directory, self.path.file_name(), flags, Mode::empty()).ok()
    }

    /// Puts the staged file in the place of the one that is here, in one step.
    pub fn replace_by(&self, temporary: &str) -> Result<(), VfsError> {
        rustix::fs::renameat(&self.directory, temporary, &self.directory, self.path.file_name())
            .map_err(|errno| self.write_failed(errno))
    }

    /// Puts the staged file here, where nothing may be yet.
    pub fn create_by(&self, temporary: &str) -> Result<(), VfsError> {
        move_exclusively(&self.directory, temporary, &self.directory, self.path.file_name())
            .map_err(|errno| self.write_failed(errno))
    }

    /// Moves the file that is here to `to`, where nothing may be yet.
    pub fn move_to(&self, to: &Slot<'_>) -> Result<(), VfsError> {
        move_exclusively(&self.directory, self.path.file_name(), &to.directory, to.path.file_name())
            .map_err(|errno| to.write_failed(errno))
    }

    /// Takes the file away that is here.
    pub fn remove(&self) -> Result<(), VfsError> {
        rustix::fs::unlinkat(&self.directory, self.path.file_name(), AtFlags::empty())
            .map_err(|errno| self.write_failed(errno))
    }

    /// Takes a staged file away; that it is not there is no error.
    pub fn unstage(&self, temporary: &str) -> Result<(), VfsError> {
        match rustix::fs::unlinkat(&self.directory, temporary, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(self.write_failed(errno)),
        }
    }

    /// Makes this name a directory; `false` when it is one already.
    pub fn make_directory(&self) -> Result<bool, VfsError> {
        match rustix::fs::mkdirat(&self.directory, self.path.file_name(), Mode::from_raw_mode(0o777)) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) if matches!(self.look()?, SlotContent::Other("a directory")) => Ok(false),
            Err(errno) => Err(self.write_failed(errno)),
        }
    }

    /// Takes away the directory of this name if it is empty; `false` when it is not, or is none.
    pub fn remove_directory(&self) -> Result<bool, VfsError> {
        match rustix::fs::unlinkat(&self.directory, self.path.file_name(), AtFlags::REMOVEDIR) {
            Ok(()) => Ok(true),
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT | Errno::NOTDIR) => Ok(false),
            Err(errno) => Err(self.write_failed(errno)),
        }
    }

    /// Waits until the names in this directory are on the disk.
    pub fn sync_directory(&self) -> Result<(), VfsError> {
        rustix::fs::fsync(&self.directory).map_err(|errno| self.write_failed(errno))
    }

    fn unreadable(&self, source: std::io::Error) -> VfsError {
        VfsError::Io { path: self.path.clone(), source }
    }

    fn failed(&self, errno: Errno) -> VfsError {
        match errno {
            Errno::NOENT => VfsError::NotFound { path: self.path.clone() },
            Errno::LOOP => VfsError::NotAFile { path: self.path.clone(), what: "a link" },
            other => self.write_failed(other),
        }
    }

    fn write_failed(&self, errno: Errno) -> VfsError {
        match errno {
            Errno::EXIST => VfsError::Exists { path: self.path.clone() },
            Errno::ISDIR => VfsError::NotAFile { path: self.path.clone(), what: "a directory" },
            other => VfsError::Write { path: self.path.clone(), source: other.into() },
        }
    }
}

/// Renames where the target must not exist. File systems without that kind of rename get a second name and lose the
/// first one: in between both are there.
fn move_exclusively(from: &OwnedFd, old: &str, to: &OwnedFd, new: &str) -> Result<(), Errno> {
    match rustix::fs::renameat_with(from, old, to, new, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) => {
            rustix::fs::linkat(from, old, to, new, AtFlags::empty())?;
            rustix::fs::unlinkat(from, old, AtFlags::empty())
        }
        answer => answer,
    }
}

/// Copies the extended attributes that we may read and set; the others are lost, as with any editor that replaces.
fn copy_attributes(from: &OwnedFd, to: &File) {
    let mut names = vec![0; MAX_XATTR_BYTES];
    let Ok(length) = rustix::fs::flistxattr(from, &mut names[..]) else { return };
    let mut value = vec![0; if length == 0 { 0 } else { MAX_XATTR_BYTES }];
    for name in names[..length].split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        if let Ok(length) = rustix::fs::fgetxattr(from, name, &mut value[..]) {
            let _ = rustix::fs::fsetxattr(to, name, &value[..length], XattrFlags::empty());
        }
    }
}

fn meta_of(raw: &rustix::fs::Stat) -> Meta {
    Meta { mode: raw.st_mode & MODE_BITS, uid: raw.st_uid, gid: raw.st_gid }
}

#[allow(clippy::useless_conversion, reason = "the type of st_nlink differs between architectures")]
fn names_of(raw: &rustix::fs::Stat) -> u64 {
    u64::from(raw.st_nlink)
}
