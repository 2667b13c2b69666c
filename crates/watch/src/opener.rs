//! Opens, watches and lists directories, and applies the rules to what is in them, on any thread. Invariant: a directory is listed only
//! after it is watched, so that nothing created in between is lost; so are the states of its files taken.

use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;

use super::backend::{Backend, WatchId, WatchRefusal};
use super::counters::AtomicCounters;
use super::sweep::Snapshot;
use super::tree::{Detection, Identity};
use symd_base::RelPath;
use symd_vfs::{Entry, EntryKind, Ignore, Root, Rules, Stat, VfsError};

/// What opening a directory needs of the watcher.
pub(super) struct DirectoryOpener<'w> {
    pub(super) root: &'w Root,
    pub(super) ignore: &'w Ignore,
    pub(super) backend: &'w Mutex<Box<dyn Backend>>,
    pub(super) tally: &'w AtomicCounters,
}

/// A directory that is open, and watched unless it has to be polled.
pub(super) struct OpenedDirectory {
    pub(super) directory: OwnedFd,
    pub(super) identity: Identity,
    /// `None` when it has to be polled.
    pub(super) watch: Option<WatchId>,
}

/// The entries of a directory.
pub(super) struct DirectoryListing {
    pub(super) entries: Vec<Entry>,
    pub(super) detection: Detection,
}

/// What a directory holds that is not ignored; each list is sorted.
pub(super) struct DirectoryContent {
    pub(super) rules: Rules,
    pub(super) files: Vec<RelPath>,
    pub(super) directories: Vec<RelPath>,
}

impl DirectoryOpener<'_> {
    /// Opens and watches a directory; `parent` identifies the one around it, if it is known.
    pub(super) fn open(&self, path: &RelPath, parent: Option<Identity>) -> Result<OpenedDirectory, VfsError> {
        let directory = self.root.open_directory_no_follow(path)?;
        let io = |errno: Errno| VfsError::Io { path: path.clone(), source: errno.into() };
        let identity = identify(&directory, parent).map_err(io)?;
        let watch = if identity.remote { None } else { self.watch(path, &directory)? };
        Ok(OpenedDirectory { directory, identity, watch })
    }

    /// Lists a directory that was opened.
    pub(super) fn list(
        &self,
        path: &RelPath,
        opened: &OpenedDirectory,
    ) -> Result<DirectoryListing, VfsError> {
        let (entries, unnamed) = self.root.list_opened(path, &opened.directory)?;
        self.tally.unnamed.add(unnamed);
        let detection = match opened.watch {
            Some(watch) => Detection::Watched(watch),
            // Before any file is read: a change after the read must differ from the snapshot.
            None => Detection::Polled(Snapshot::take(opened.directory.as_fd(), &entries)),
        };
        Ok(DirectoryListing { entries, detection })
    }

    /// Applies the rules to a listing; those of the directories above must have been read.
    pub(super) fn content(&self, path: &RelPath, entries: &[Entry]) -> DirectoryContent {
        let rules = self.ignore.enter(self.root, path, entries);
        let (mut files, mut directories) = (Vec::new(), Vec::new());
        for entry in entries {
            let child = path.join(&entry.name);
            match entry.kind {
                EntryKind::Link => self.tally.links.one(),
                EntryKind::Other => self.tally.special.one(),
                kind if self.ignore.ignores(&rules, &child, kind) => {}
                EntryKind::File => files.push(child),
                EntryKind::Directory => directories.push(child),
            }
        }
        DirectoryContent { rules, files, directories }
    }

    /// Watches `directory`; `None` when it has to be polled instead.
    fn watch(&self, path: &RelPath, directory: &OwnedFd) -> Result<Option<WatchId>, VfsError> {
        let absolute = absolute(self.root, path);
        let mut backend = self.backend.lock().unwrap_or_else(PoisonError::into_inner);
        match backend.watch(directory.as_fd(), &absolute) {
            Ok(watch) => Ok(Some(watch)),
            Err(WatchRefusal::Vanished) => Err(VfsError::NotFound { path: path.clone() }),
            Err(WatchRefusal::Exhausted) => {
                self.tally.failed_watches.one();
                Ok(None)
            }
            Err(WatchRefusal::Failed(error)) => {
                tracing::warn!(%path, %error, "cannot watch this directory; it is polled");
                self.tally.failed_watches.one();
                Ok(None)
            }
        }
    }
}

/// Returns the states of files in their directory.
pub(super) fn states(directory: impl AsFd, files: &[RelPath]) -> Vec<Option<Stat>> {
    let state = |file: &RelPath| match Root::stat_in(&directory, file.file_name()) {
        Ok((EntryKind::File, stat)) => Some(stat),
        Ok(_) | Err(_) => None,
    };
    files.iter().map(state).collect()
}

/// Returns the absolute path of a directory.
fn absolute(root: &Root, path: &RelPath) -> PathBuf {
    if path.is_root() { root.path().to_owned() } else { root.path().join(path.as_str()) }
}

fn identify(directory: &OwnedFd, parent: Option<Identity>) -> Result<Identity, Errno> {
    let raw = rustix::fs::fstat(directory)?;
    let remote = match parent {
        Some(parent) if parent.device == raw.st_dev => parent.remote,
        // A mount point, or the root of the project.
        _ => is_remote(rustix::fs::fstatfs(directory)?.f_type),
    };
    Ok(Identity {
        device: raw.st_dev,
        inode: raw.st_ino,
        mode: raw.st_mode,
        owner: (raw.st_uid, raw.st_gid),
        remote,
    })
}

/// Whether this type of file system does not report changes made on other machines.
fn is_remote(file_system: i64) -> bool {
    /// Magic numbers of statfs(2): NFS, SMB, CIFS, SMB2, FUSE (virtiofs too), 9p, Coda, AFS (two), Ceph,
    /// Lustre, GPFS, OCFS2, GFS2, VirtualBox shared folders.
    const REMOTE: [u32; 15] = [
        0x6969,
        0x517B,
        0xFF53_4D42,
        0xFE53_4D42,
        0x6573_5546,
        0x0102_1997,
        0x7375_7245,
        0x5346_414F,
        0x6B41_4653,
        0x00C3_6400,
        0x0BD0_0BD0,
        0x4750_4653,
        0x7461_636F,
        0x0116_1970,
        0x786F_4256,
    ];
    // Where f_type is 32 bits wide, the high bit may have been sign-extended.
    REMOTE.iter().any(|magic| i64::from(*magic) == file_system & 0xFFFF_FFFF)
}
