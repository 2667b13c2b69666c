//! The project root as an open directory, and reads beneath it. Invariant: only `beneath` resolves paths; the
//! root's descriptor stays valid when the directory is renamed.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

use symd_base::RelPath;
use symd_sys::beneath;
use symd_sys::file_system::keeps_change_times;

/// Size limit of files that are read: larger ones are of no use to symd, and offsets are 32 bits.
pub const MAX_FILE_BYTES: u64 = 100 << 20;

/// Bytes of a listing read from the kernel at once: a few hundred names.
const LISTING_BYTES: usize = 16 << 10;

/// The least room that is made for a file that has grown while it was read, in bytes.
const GROWN_BYTES: usize = 64 << 10;

/// The open root directory of a project.
#[derive(Debug)]
pub struct Root {
    directory: OwnedFd,
    path: PathBuf,
}

/// Why an operation on a file of the project failed.
#[derive(Debug, thiserror::Error)]
pub enum VfsError {
    /// The path does not exist.
    #[error("{path} does not exist")]
    NotFound { path: RelPath },
    /// A link in the path leads out of the project.
    #[error("{path} is outside the project (a link leads there)")]
    Outside { path: RelPath },
    /// The path lies beneath a `.git` ([`super::GitPaths`]), where nothing is written.
    #[error("{path} belongs to git, which runs programs that are named there; symd does not write it")]
    InGitDirectory { path: RelPath },
    /// A directory, FIFO, socket or device.
    #[error("{path} is {what}, not a regular file")]
    NotAFile {
        path: RelPath,
        /// What the path is: "a directory", "a FIFO" …
        what: &'static str,
    },
    /// Larger than the limit, which is [`MAX_FILE_BYTES`] at most.
    #[error("{path} has {bytes} bytes; symd reads files up to {limit}")]
    TooLarge {
        path: RelPath,
        /// Its size.
        bytes: u64,
        /// The limit that was applied, in bytes.
        limit: u64,
    },
    /// Any other error of the system.
    #[error("cannot read {path}: {source}")]
    Io { path: RelPath, source: io::Error },
    /// The file's write bits are missing or do not include us, or its directory does not let us replace it.
    #[error("{path} is read-only{}", if *directory { " (its directory cannot be written)" } else { "" })]
    ReadOnly {
        path: RelPath,
        /// Whether the directory is what cannot be written.
        directory: bool,
    },
    /// The path exists already.
    #[error("{path} exists already")]
    Exists { path: RelPath },
    /// The system could not write.
    #[error("cannot write {path}: {source}")]
    Write { path: RelPath, source: io::Error },
}

/// Metadata that distinguish one state of a file from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Stat {
    /// Size in bytes.
    pub size: u64,
    /// Time of the last write, nanoseconds since 1970.
    pub mtime: i64,
    /// Time of the last change of content or inode, nanoseconds since 1970.
    pub ctime: i64,
    /// Inode number.
    pub inode: u64,
    /// The file system to which the inode number belongs.
    pub device: u64,
    /// Number of its names; more than one means hard links.
    pub links: u64,
}

/// Identity of a file, independent of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl Stat {
    pub fn id(&self) -> FileId {
        FileId { device: self.device, inode: self.inode }
    }
}

/// A file's bytes and the state in which they were read.
#[derive(Debug)]
pub struct FileBytes {
    pub bytes: Vec<u8>,
    /// Taken before the read: if it differs from a later one, the bytes may be older than that, never newer.
    pub stat: Stat,
}

/// What a directory entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, to anything.
    Link,
    /// A FIFO, socket or device: never read.
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The file name. Names that are not UTF-8 are not listed; [`Root::list_opened`] counts them.
    pub name: String,
    /// What it is; links are not followed.
    pub kind: EntryKind,
}

impl Root {
    pub fn open(path: &Path) -> io::Result<Root> {
        let path = path.canonicalize()?;
        let directory =
            rustix::fs::open(&path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Root { directory, path })
    }

    /// Returns the root's absolute path, links resolved, as it was when the root was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the device of the root's file system, if an unchanged state of a file on it says that the bytes are unchanged.
    pub fn settled_device(&self) -> Option<u64> {
        let stat = rustix::fs::fstat(&self.directory).ok()?;
        keeps_change_times(&self.directory).then_some(stat_of(&stat).device)
    }

    /// Returns the descriptor of the root directory.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    /// Reads a regular file whole, following links that stay inside. FIFOs and devices are opened without
    /// waiting and never read, so other processes cannot block this call.
    pub fn read(&self, path: &RelPath) -> Result<FileBytes, VfsError> {
        self.read_opened(path, OFlags::empty(), MAX_FILE_BYTES)
    }

    /// Reads a regular file of at most `max_bytes` whole, unless `path` itself is a link: the index holds
    /// under a name only what is stored there.
    pub fn read_no_follow(&self, path: &RelPath, max_bytes: u64) -> Result<FileBytes, VfsError> {
        self.read_opened(path, OFlags::NOFOLLOW, max_bytes.min(MAX_FILE_BYTES))
    }

    fn read_opened(&self, path: &RelPath, how: OFlags, max_bytes: u64) -> Result<FileBytes, VfsError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | how;
        let file = self.open_beneath(path, flags)?;
        let io = |source| VfsError::Io { path: path.clone(), source };
        let raw = rustix::fs::fstat(&file).map_err(|errno| io(errno.into()))?;
        let stat = stat_of(&raw);
        match FileType::from_raw_mode(raw.st_mode) {
            FileType::RegularFile => {}
            other => return Err(VfsError::NotAFile { path: path.clone(), what: describe(other) }),
        }
        if stat.size > max_bytes {
            return Err(VfsError::TooLarge { path: path.clone(), bytes: stat.size, limit: max_bytes });
        }
        let bytes = read_to_end(&file, stat.size, max_bytes).map_err(io)?;
        if bytes.len() as u64 > max_bytes {
            return Err(VfsError::TooLarge {
                path: path.clone(),
                bytes: bytes.len() as u64,
                limit: max_bytes,
            });
        }
        Ok(FileBytes { bytes, stat })
    }

    /// Reads `length` bytes from byte `offset` of a regular file, and the file's state; fewer bytes at its
    /// end.
    pub fn read_at(&self, path: &RelPath, offset: u64, length: usize) -> Result<FileBytes, VfsError> {
        let file = self.open_beneath(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
        let io = |errno: Errno| VfsError::Io { path: path.clone(), source: errno.into() };
        let stat = stat_of(&rustix::fs::fstat(&file).map_err(io)?);
        let mut bytes = vec![0; length];
        let mut filled = 0;
        while filled < length {
            match rustix::io::pread(&file, &mut bytes[filled..], offset + filled as u64).map_err(io)? {
                0 => break,
                count => filled += count,
            }
        }
        bytes.truncate(filled);
        Ok(FileBytes { bytes, stat })
    }

    /// Returns what `path` is, and its state. Links that stay inside the root are followed.
    pub fn stat(&self, path: &RelPath) -> Result<(EntryKind, Stat), VfsError> {
        let found = self.open_beneath(path, OFlags::PATH)?;
        let raw = rustix::fs::fstat(&found)
            .map_err(|errno| VfsError::Io { path: path.clone(), source: errno.into() })?;
        Ok((kind_of(FileType::from_raw_mode(raw.st_mode)), stat_of(&raw)))
    }

    /// Returns what `path` itself is, and its state: a link is reported as a link.
    pub fn stat_link(&self, path: &RelPath) -> Result<(EntryKind, Stat), VfsError> {
        let found = self.open_beneath(path, OFlags::PATH | OFlags::NOFOLLOW)?;
        let raw = rustix::fs::fstat(&found)
            .map_err(|errno| VfsError::Io { path: path.clone(), source: errno.into() })?;
        Ok((kind_of(FileType::from_raw_mode(raw.st_mode)), stat_of(&raw)))
    }

    /// Returns what the file name `name` refers to in `directory`, opened by [`Root::open_directory_no_follow`]
    /// or the like; links are not followed. One system call instead of three.
    pub fn stat_in(directory: impl AsFd, name: &str) -> io::Result<(EntryKind, Stat)> {
        debug_assert!(!name.contains('/'), "not a file name: {name:?}");
        let raw = rustix::fs::statat(directory, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)?;
        Ok((kind_of(FileType::from_raw_mode(raw.st_mode)), stat_of(&raw)))
    }

    /// Opens the directory `path` for watching or listing.
    pub fn open_directory(&self, path: &RelPath) -> Result<OwnedFd, VfsError> {
        self.open_beneath(path, OFlags::RDONLY | OFlags::DIRECTORY)
    }

    /// Opens the directory `path` itself; a link in its place yields [`VfsError::NotFound`].
    pub fn open_directory_no_follow(&self, path: &RelPath) -> Result<OwnedFd, VfsError> {
        match self.open_beneath(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW) {
            Err(VfsError::NotAFile { path, .. }) => Err(VfsError::NotFound { path }),
            answer => answer,
        }
    }

    /// Lists a directory that has just been opened, sorted by name, and counts the names that are not UTF-8,
    /// which are omitted. Files staged by `edit` ([`super::TEMPORARY_PREFIX`]) are omitted too.
    pub fn list_opened(&self, path: &RelPath, directory: impl AsFd) -> Result<(Vec<Entry>, usize), VfsError> {
        let io = |errno: Errno| VfsError::Io { path: path.clone(), source: errno.into() };
        let mut entries = Vec::new();
        let mut unnamed = 0;
        // Raw, from the start: opening the directory a second time would cost as much as reading it.
        rustix::fs::seek(directory.as_fd(), rustix::fs::SeekFrom::Start(0)).map_err(io)?;
        let mut buffer = Vec::with_capacity(LISTING_BYTES);
        let mut names = rustix::fs::RawDir::new(directory.as_fd(), buffer.spare_capacity_mut());
        while let Some(entry) = names.next() {
            let entry = entry.map_err(io)?;
            let Ok(name) = entry.file_name().to_str() else {
                unnamed += 1;
                continue;
            };
            // Files staged by an edit under way are not part of the project.
            if name == "." || name == ".." || name.starts_with(super::TEMPORARY_PREFIX) {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    rustix::fs::statat(directory.as_fd(), name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
                        .map_or(EntryKind::Other, |raw| kind_of(FileType::from_raw_mode(raw.st_mode)))
                }
                known => kind_of(known),
            };
            entries.push(Entry { name: name.to_owned(), kind });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok((entries, unnamed))
    }

    /// Returns the path that `path` names once every link in it is followed, including the last component.
    /// Components that do not exist yet are kept as written: `link/new` gives `target/new`.
    pub fn resolve(&self, path: &RelPath) -> Result<RelPath, VfsError> {
        beneath::resolve(self.directory.as_fd(), &self.path, path.as_path())
            .map_err(|errno| refusal(errno, path, OFlags::empty()))
            .and_then(|found| {
                let odd = || VfsError::Outside { path: path.clone() };
                RelPath::new(found.to_str().ok_or_else(odd)?).map_err(|_| odd())
            })
    }

    /// Opens the directory `path`; no component may be a link.
    pub(super) fn open_no_symlinks(&self, path: &RelPath) -> Result<OwnedFd, VfsError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        beneath::open_no_symlinks(self.directory.as_fd(), path.as_path(), flags)
            .map_err(|errno| refusal(errno, path, OFlags::NOFOLLOW))
    }

    fn open_beneath(&self, path: &RelPath, flags: OFlags) -> Result<OwnedFd, VfsError> {
        beneath::open(self.directory.as_fd(), &self.path, path.as_path(), flags)
            .map_err(|errno| refusal(errno, path, flags))
    }
}

/// Reads a regular file that had `size` bytes to its end, or one byte past `limit`: then it has grown beyond that.
/// A file of that size takes one call: a read that leaves room has met the end.
pub(super) fn read_to_end(file: impl AsFd, size: u64, limit: u64) -> io::Result<Vec<u8>> {
    let length = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    let most = length(limit.saturating_add(1));
    let mut bytes = Vec::with_capacity(length(size).saturating_add(1).min(most));
    while bytes.len() < most {
        if bytes.len() == bytes.capacity() {
            bytes.reserve(bytes.len().max(GROWN_BYTES).min(most - bytes.len()));
        }
        let room = bytes.capacity() - bytes.len();
        match rustix::io::read(&file, rustix::buffer::spare_capacity(&mut bytes)) {
            Ok(0) => break,
            // Some file systems return less than was asked for before the end, but never the expected size by chance.
            Ok(read) if read < room && bytes.len() as u64 == size => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    bytes.truncate(most);
    Ok(bytes)
}

/// Returns the error for `errno` from opening `path` with `flags`.
fn refusal(errno: Errno, path: &RelPath, flags: OFlags) -> VfsError {
    match errno {
        Errno::NOENT | Errno::NOTDIR => VfsError::NotFound { path: path.clone() },
        Errno::XDEV => VfsError::Outside { path: path.clone() },
        Errno::LOOP if flags.contains(OFlags::NOFOLLOW) => {
            VfsError::NotAFile { path: path.clone(), what: "a link" }
        }
        Errno::NXIO => VfsError::NotAFile { path: path.clone(), what: "a socket" },
        other => VfsError::Io { path: path.clone(), source: other.into() },
    }
}

/// Converts the result of a stat system call.
#[allow(clippy::useless_conversion, reason = "the number of links has another width on other machines")]
pub fn stat_of(raw: &rustix::fs::Stat) -> Stat {
    let nanoseconds = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
    Stat {
        size: u64::try_from(raw.st_size).unwrap_or(0),
        mtime: nanoseconds(raw.st_mtime, i64::try_from(raw.st_mtime_nsec).unwrap_or(0)),
        ctime: nanoseconds(raw.st_ctime, i64::try_from(raw.st_ctime_nsec).unwrap_or(0)),
        inode: raw.st_ino,
        device: raw.st_dev,
        links: u64::from(raw.st_nlink),
    }
}

/// Returns the kind of entry for a file type.
pub fn kind_of(file_type: FileType) -> EntryKind {
    match file_type {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Directory,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Other,
    }
}

pub(super) fn describe(file_type: FileType) -> &'static str {
    match file_type {
        FileType::Directory => "a directory",
        FileType::Symlink => "a link",
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        _ => "a device",
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).expect(text)
    }

    #[test]
    fn reads_files_and_nothing_else() {
        let scratch = tempfile::tempdir().expect("scratch");
        std::fs::write(scratch.path().join("f"), "text").expect("written");
        std::fs::create_dir(scratch.path().join("d")).expect("made");
        rustix::fs::mknodat(rustix::fs::CWD, scratch.path().join("fifo"), FileType::Fifo, Mode::RWXU, 0)
            .expect("made");
        let _socket = std::os::unix::net::UnixListener::bind(scratch.path().join("socket")).expect("bound");
        let root = Root::open(scratch.path()).expect("opened");
        assert_eq!(root.read(&path("f")).expect("read").bytes, b"text");
        assert_eq!(root.read_at(&path("f"), 1, 2).expect("read").bytes, b"ex");
        for other in ["d", "fifo", "socket"] {
            assert!(matches!(root.read(&path(other)), Err(VfsError::NotAFile { .. })), "{other}");
        }
        assert!(matches!(root.read(&path("missing")), Err(VfsError::NotFound { .. })));
        assert!(matches!(root.read(&path("f/x")), Err(VfsError::NotFound { .. })));
    }

    #[test]
    fn lists_by_name_and_counts_what_it_cannot_name() {
        let scratch = tempfile::tempdir().expect("scratch");
        std::fs::write(scratch.path().join("b"), "").expect("written");
        std::fs::create_dir(scratch.path().join("a")).expect("made");
        let odd: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"\xFF");
        std::fs::write(scratch.path().join(odd), "").expect("written");
        let root = Root::open(scratch.path()).expect("opened");
        let directory = root.open_directory(&RelPath::root()).expect("opened");
        let (entries, unnamed) = root.list_opened(&RelPath::root(), &directory).expect("listed");
        let listed: Vec<(&str, EntryKind)> = entries.iter().map(|e| (e.name.as_str(), e.kind)).collect();
        assert_eq!(listed, [("a", EntryKind::Directory), ("b", EntryKind::File)]);
        assert_eq!(unnamed, 1);
    }
}
