//! One name in a directory that is held open: what it refers to, and the single steps of a write. Every step
//! is one system call or can be repeated, so that the caller (`edit`) knows what a crash can leave behind.
//! Invariant: no step follows a link; only regular files are read, replaced, moved or removed.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::{Access, AtFlags, FileType, Gid, Mode, OFlags, Uid, XattrFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::root::{describe, read_to_end, stat_of};
use super::{MAX_FILE_BYTES, Root, Stat, VfsError};
use symd_base::RelPath;
use symd_sys::disk;

/// Name prefix of files that exist only while an edit is under way.
pub const TEMPORARY_PREFIX: &str = ".symd-edit-";

/// The permission bits that a replaced file keeps.
const MODE_BITS: u32 = 0o7777;

/// The permissions of a file whose final ones are not known yet.
const PRIVATE_MODE: u32 = 0o600;

/// Size limit of an extended attribute that is copied; Linux allows 64 KiB for a value and for the list of
/// names.
const MAX_XATTR_BYTES: usize = 64 << 10;

/// Permissions and ownership of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Permission bits, including set-user-id, set-group-id and sticky.
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
}

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotContent {
    Nothing,
    File {
        stat: Stat,
        meta: Meta,
        /// Number of its names; more than one means hard links.
        names: u64,
    },
    /// Anything else, as a phrase: "a directory", "a link" …
    Other(&'static str),
}

/// Which permissions a new file gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermissionSource {
    /// The process's default: 0666 without its umask.
    New,
    /// The process's default for a program: 0777 without its umask.
    NewProgram,
    /// The given permissions.
    Meta(Meta),
    /// Those of an existing file, with its extended attributes (and so its access control lists).
    File(RelPath),
}

/// A name in an open directory.
#[derive(Debug)]
pub struct Slot<'r> {
    root: &'r Root,
    path: RelPath,
    directory: Arc<OwnedFd>,
}

/// Opens names one after the other and keeps the last directory open: the files of an edit are mostly beside each
/// other. Only for checks: a directory may be moved while it is open, so each change of a file opens the directory anew.
#[derive(Debug)]
pub struct SlotOpener<'r> {
    root: &'r Root,
    last: Option<(RelPath, Arc<OwnedFd>)>,
}

impl<'r> SlotOpener<'r> {
    pub fn new(root: &'r Root) -> SlotOpener<'r> {
        SlotOpener { root, last: None }
    }

    /// Opens the directory of `path` as [`Root::slot`] does, unless it is the one of the path before.
    pub fn slot(&mut self, path: &RelPath) -> Result<Slot<'r>, VfsError> {
        if let Some((directory, opened)) = &self.last
            && path.parent().as_ref() == Some(directory)
        {
            return Ok(Slot { root: self.root, path: path.clone(), directory: Arc::clone(opened) });
        }
        let slot = self.root.slot(path)?;
        self.last = path.parent().map(|directory| (directory, Arc::clone(&slot.directory)));
        Ok(slot)
    }
}

impl Root {
    /// Opens the directory of `path`, which must exist and be reached without links ([`Root::resolve`]).
    pub fn slot(&self, path: &RelPath) -> Result<Slot<'_>, VfsError> {
        let Some(parent) = path.parent() else {
            return Err(VfsError::NotAFile { path: path.clone(), what: "a directory" });
        };
        let directory = Arc::new(self.open_no_symlinks(&parent)?);
        Ok(Slot { root: self, path: path.clone(), directory })
    }
}

impl Slot<'_> {
    pub fn path(&self) -> &RelPath {
        &self.path
    }

    /// Returns what the name refers to now.
    pub fn inspect(&self) -> Result<SlotContent, VfsError> {
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

    /// Returns the bytes of the regular file and its state when they were read; `None` when the name does not
    /// exist.
    pub fn read(&self) -> Result<Option<(Vec<u8>, SlotContent)>, VfsError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let not_a_file = |what| Err(VfsError::NotAFile { path: self.path.clone(), what });
        let file = match rustix::fs::openat(&self.directory, self.path.file_name(), flags, Mode::empty()) {
            Ok(file) => file,
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
        let bytes = if stat.size <= MAX_FILE_BYTES {
            read_to_end(&file, stat.size, MAX_FILE_BYTES).map_err(|source| self.unreadable(source))?
        } else {
            Vec::new()
        };
        let size = stat.size.max(bytes.len() as u64);
        if size > MAX_FILE_BYTES {
            return Err(VfsError::TooLarge { path: self.path.clone(), bytes: size, limit: MAX_FILE_BYTES });
        }
        Ok(Some((bytes, SlotContent::File { stat, meta: meta_of(&raw), names: names_of(&raw) })))
    }

    /// Returns an error when the directory does not allow creating and removing names, or when the file is
    /// read-only. A missing write bit counts for root too, whom the system would allow to write: it was
    /// removed on purpose. `known` are the file's permissions, if it was just read.
    pub fn check_writable(&self, known: Option<Meta>) -> Result<(), VfsError> {
        let read_only = |directory| VfsError::ReadOnly { path: self.path.clone(), directory };
        let refused = |errno, directory| match errno {
            Errno::ACCESS | Errno::ROFS | Errno::PERM => read_only(directory),
            other => self.failed(other),
        };
        let enter = Access::WRITE_OK | Access::EXEC_OK;
        rustix::fs::accessat(&self.directory, ".", enter, AtFlags::EACCESS)
            .map_err(|errno| refused(errno, true))?;
        let found = match known {
            Some(meta) => Some(meta),
            None => match self.inspect()? {
                SlotContent::File { meta, .. } => Some(meta),
                _ => None,
            },
        };
        if let Some(meta) = found {
            if meta.mode & 0o222 == 0 {
                return Err(read_only(false));
            }
            rustix::fs::accessat(&self.directory, self.path.file_name(), Access::WRITE_OK, AtFlags::EACCESS)
                .map_err(|errno| refused(errno, false))?;
        }
        Ok(())
    }

    /// Writes `bytes` to a new file `temporary` in this directory, with the permissions of `like`. What the
    /// system does not let us keep (another user's ownership, some attributes) stays at its default;
    /// set-user-id bits are dropped with the owner they were for. The returned file is not synced.
    pub fn stage(&self, temporary: &str, bytes: &[u8], like: &PermissionSource) -> Result<File, VfsError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let source = match like {
            PermissionSource::File(path) => Some(self.open_permission_source(path)?),
            _ => None,
        };
        let mode = match (like, &source) {
            (PermissionSource::New, _) => 0o666,
            (PermissionSource::NewProgram, _) => 0o777,
            (_, Some(source)) if source.is_plain => source.meta.mode,
            _ => PRIVATE_MODE,
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
        match self.fill(&mut file, bytes, like, source) {
            Ok(()) => Ok(file),
            Err(error) => {
                let _ = self.unstage(temporary);
                Err(error)
            }
        }
    }

    /// Writes `bytes` to a new file, and gives it the permissions of `like`.
    fn fill(
        &self,
        file: &mut File,
        bytes: &[u8],
        like: &PermissionSource,
        source: Option<SourceFile>,
    ) -> Result<(), VfsError> {
        let meta = match (like, &source) {
            (PermissionSource::Meta(meta), _) => Some(*meta),
            (_, Some(source)) => Some(source.meta),
            _ => None,
        };
        let is_plain = source.as_ref().is_some_and(|source| source.is_plain);
        // Created as it is to be, unless the umask or the directory's group was against it.
        let is_done = is_plain && meta == Some(self.meta_of(file)?);
        if is_plain && !is_done {
            // While it is empty: others may not read what only another group may.
            rustix::fs::fchmod(&*file, Mode::from_raw_mode(PRIVATE_MODE))
                .map_err(|errno| self.write_failed(errno))?;
        }
        file.write_all(bytes).map_err(|source| VfsError::Write { path: self.path.clone(), source })?;
        let Some(meta) = meta.filter(|_| !is_done) else { return Ok(()) };
        if let Some(source) = source.filter(|source| !source.is_plain) {
            copy_attributes(&source.file, file);
        }
        self.apply_metadata(file, meta)
    }

    fn meta_of(&self, file: &File) -> Result<Meta, VfsError> {
        Ok(meta_of(&rustix::fs::fstat(file).map_err(|errno| self.write_failed(errno))?))
    }

    fn open_permission_source(&self, path: &RelPath) -> Result<SourceFile, VfsError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let open = |slot: &Slot<'_>| {
            rustix::fs::openat(&slot.directory, path.file_name(), flags, Mode::empty())
                .map_err(|errno| slot.failed(errno))
        };
        // Most files keep their own permissions.
        let file = if *path == self.path { open(self)? } else { open(&self.root.slot(path)?)? };
        let meta = meta_of(&rustix::fs::fstat(&file).map_err(|errno| self.write_failed(errno))?);
        let is_plain = meta.mode & !0o777 == 0 && has_no_attributes(&file);
        Ok(SourceFile { file, meta, is_plain })
    }

    fn apply_metadata(&self, file: &File, meta: Meta) -> Result<(), VfsError> {
        let found = self.meta_of(file)?;
        let mut mode = meta.mode;
        if (found.uid, found.gid) != (meta.uid, meta.gid) {
            let (owner, group) = (Uid::from_raw(meta.uid), Gid::from_raw(meta.gid));
            let owned = rustix::fs::fchown(file, Some(owner), Some(group)).is_ok();
            if !owned {
                // This process may be allowed to set the group alone.
                let _ = rustix::fs::fchown(file, None, Some(group));
                mode &= 0o777;
            }
        }
        // After the owner: changing the owner clears the set-id bits.
        rustix::fs::fchmod(file, Mode::from_raw_mode(mode & MODE_BITS))
            .map_err(|errno| self.write_failed(errno))
    }

    /// Keeps the current file allocated on the disk until the handle is dropped, even if it is replaced or
    /// removed meanwhile: its blocks are then freed after the edit, not during it.
    pub fn keep_allocated(&self) -> Option<OwnedFd> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.directory, self.path.file_name(), flags, Mode::empty()).ok()
    }

    /// Replaces the current file by the staged one, in one step.
    pub fn replace_by(&self, temporary: &str) -> Result<(), VfsError> {
        disk::replace(&self.directory, temporary, self.path.file_name())
            .map_err(|errno| self.write_failed(errno))
    }

    /// Gives the staged file this name, which must not exist yet.
    pub fn create_by(&self, temporary: &str) -> Result<(), VfsError> {
        disk::move_exclusively(&self.directory, temporary, &self.directory, self.path.file_name())
            .map_err(|errno| self.write_failed(errno))
    }

    /// Moves the current file to `to`, which must not exist yet.
    pub fn move_to(&self, to: &Slot<'_>) -> Result<(), VfsError> {
        disk::move_exclusively(&self.directory, self.path.file_name(), &to.directory, to.path.file_name())
            .map_err(|errno| to.write_failed(errno))
    }

    /// Removes the current file.
    pub fn remove(&self) -> Result<(), VfsError> {
        rustix::fs::unlinkat(&self.directory, self.path.file_name(), AtFlags::empty())
            .map_err(|errno| self.write_failed(errno))
    }

    /// Removes a staged file; succeeds when it does not exist.
    pub fn unstage(&self, temporary: &str) -> Result<(), VfsError> {
        match rustix::fs::unlinkat(&self.directory, temporary, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(self.write_failed(errno)),
        }
    }

    /// Creates a directory of this name; `false` when it exists already.
    pub fn make_directory(&self) -> Result<bool, VfsError> {
        match rustix::fs::mkdirat(&self.directory, self.path.file_name(), Mode::from_raw_mode(0o777)) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) if matches!(self.inspect()?, SlotContent::Other("a directory")) => Ok(false),
            Err(errno) => Err(self.write_failed(errno)),
        }
    }

    /// Removes the directory of this name if it is empty; `false` when it is not empty, or not a directory.
    pub fn remove_directory(&self) -> Result<bool, VfsError> {
        match rustix::fs::unlinkat(&self.directory, self.path.file_name(), AtFlags::REMOVEDIR) {
            Ok(()) => Ok(true),
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT | Errno::NOTDIR) => Ok(false),
            Err(errno) => Err(self.write_failed(errno)),
        }
    }

    /// Waits until the entries of this directory are on the disk.
    pub fn sync_directory(&self) -> Result<(), VfsError> {
        disk::sync_directory(&self.directory).map_err(|errno| self.write_failed(errno))
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

/// The file whose permissions another gets.
struct SourceFile {
    file: OwnedFd,
    meta: Meta,
    /// Whether a new file can be created with its permissions: it has no others than those of owner, group and others.
    is_plain: bool,
}

/// Whether the file has no extended attributes, as far as we may read them.
fn has_no_attributes(file: &OwnedFd) -> bool {
    let no_room: &mut [u8] = &mut [];
    matches!(rustix::fs::flistxattr(file, no_room), Ok(0) | Err(Errno::OPNOTSUPP))
}

/// Copies the extended attributes that we may read and set; the others are lost, as with any editor that
/// replaces files.
fn copy_attributes(from: &OwnedFd, to: &File) {
    let mut names = vec![0; MAX_XATTR_BYTES];
    let Ok(length) = rustix::fs::flistxattr(from, &mut names[..]) else { return };
    let mut value = vec![0; MAX_XATTR_BYTES];
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
