//! Crawls a subtree: watches every directory and lists it. Invariant: a directory is listed only after it is
//! watched, so that nothing created in between is lost.

use std::os::fd::{AsFd, OwnedFd};

use rustix::io::Errno;

use super::Notice;
use super::backend::{WatchId, WatchRefusal};
use super::sweep::Snapshot;
use super::tree::{Detection, DirectoryState, Identity, WatchPurpose};
use super::watcher::Watcher;
use symd_base::RelPath;
use symd_vfs::{Entry, EntryKind, VfsError};

/// What to do with a directory that is watched or polled already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visit {
    /// List it again.
    Anyway,
    /// Skip it: its events report what changes. A directory whose permissions changed is listed again.
    IfNew,
}

impl Watcher {
    /// Lists `start` and everything beneath it that is not ignored, outermost first.
    pub(super) fn crawl(&mut self, start: &RelPath, first: Visit, below: Visit) {
        if !start.is_root() && !self.tree.contains(start) {
            // There may have been a file here, and the following notices do not say that it is gone.
            self.report(Notice::Removed(start.clone()));
        }
        let mut stack = self.visit(start, first);
        while let Some(directory) = stack.pop() {
            if self.is_over() {
                return;
            }
            stack.extend(self.visit(&directory, below));
        }
    }

    /// Watches one directory and lists it. Returns the directories in it, last first.
    fn visit(&mut self, path: &RelPath, visit: Visit) -> Vec<RelPath> {
        let opened = self.root.open_directory_no_follow(path);
        let directory = match opened {
            Ok(directory) => directory,
            Err(error) => return self.cannot_enter(path, &error),
        };
        let io = |errno: Errno| VfsError::Io { path: path.clone(), source: errno.into() };
        let identity = match self.identify(path, &directory) {
            Ok(identity) => identity,
            Err(errno) => return self.cannot_enter(path, &io(errno)),
        };
        // Watch before listing: a file created in between would be lost.
        let watch = match self.watch(path, &directory, identity) {
            Ok(watch) => watch,
            Err(gone) => return self.cannot_enter(path, &gone),
        };
        if let Some(known) = self.tree.get(path) {
            let same = match (&known.detection, watch) {
                (Detection::Watched(before), Some(now)) => *before == now,
                (Detection::Polled(_), None) => true,
                _ => false,
            };
            if visit == Visit::IfNew && same && known.identity == identity {
                return Vec::new();
            }
            if !same || known.identity.inode != identity.inode {
                // Another directory has replaced the old one.
                self.leave(path);
            }
        }
        if let Some(watch) = watch {
            self.tree.add_place(watch, WatchPurpose::Directory(path.clone()));
        }
        let (entries, unnamed) = match self.root.list_opened(path, &directory) {
            Ok(listing) => listing,
            Err(error) => {
                if let Some(unused) = watch
                    .and_then(|watch| self.tree.remove_place(watch, &WatchPurpose::Directory(path.clone())))
                {
                    self.backend.unwatch(unused);
                }
                return self.cannot_enter(path, &error);
            }
        };
        self.tally.unnamed.add(unnamed);
        let detection = match watch {
            Some(watch) => Detection::Watched(watch),
            // Before any file is read: a change after the read must differ from the snapshot.
            None => Detection::Polled(Snapshot::take(directory.as_fd(), &entries)),
        };
        self.note(path, &entries, detection, identity)
    }

    /// Applies the rules to a listing, reports it, and stores the directory.
    fn note(
        &mut self,
        path: &RelPath,
        entries: &[Entry],
        detection: Detection,
        identity: Identity,
    ) -> Vec<RelPath> {
        // Watch before reading here, too.
        let git = if entries.binary_search_by(|entry| entry.name.as_str().cmp(".git")).is_ok() {
            self.watch_git_info(path)
        } else {
            Vec::new()
        };
        let rules = self.ignore.enter(&self.root, path, entries);
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
        let before = self.tree.get(path).map(|known| (known.children.clone(), known.git.clone()));
        let (old_children, old_git) = before.unwrap_or_default();
        for child in old_children.iter().filter(|child| directories.binary_search(child).is_err()) {
            self.leave(child);
        }
        for watch in old_git.into_iter().filter(|watch| !git.contains(watch)) {
            if let Some(unused) = self.tree.remove_place(watch, &WatchPurpose::GitInfo(path.clone())) {
                self.backend.unwatch(unused);
            }
        }
        self.failing.remove(path);
        let known = DirectoryState {
            detection,
            rules,
            children: directories.iter().cloned().collect(),
            git,
            identity,
        };
        self.tree.insert(path.clone(), known);
        self.count_directories();
        self.report(Notice::Listed { directory: path.clone(), files, directories: directories.clone() });
        directories.reverse();
        directories
    }

    /// Watches `directory`; `None` when it has to be polled instead.
    fn watch(
        &mut self,
        path: &RelPath,
        directory: &OwnedFd,
        identity: Identity,
    ) -> Result<Option<WatchId>, VfsError> {
        if identity.remote {
            return Ok(None);
        }
        match self.backend.watch(directory.as_fd(), &self.absolute(path)) {
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

    /// Watches the directory that contains the `info/exclude` of the work tree `path`, and the directory
    /// above it, in case `info` does not exist yet. A refused watch does no harm: the patterns are then read
    /// again with the next rescan.
    fn watch_git_info(&mut self, path: &RelPath) -> Vec<WatchId> {
        let mut watches = Vec::new();
        let Some(info) = self.ignore.git_info(&self.root, path) else { return watches };
        for directory in info.parent().into_iter().chain([info.as_path()]) {
            let flags =
                rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::CLOEXEC;
            let Ok(opened) = rustix::fs::open(directory, flags, rustix::fs::Mode::empty()) else { continue };
            if let Ok(watch) = self.backend.watch(opened.as_fd(), directory) {
                self.tree.add_place(watch, WatchPurpose::GitInfo(path.clone()));
                watches.push(watch);
            }
        }
        watches
    }

    fn identify(&self, path: &RelPath, directory: &OwnedFd) -> Result<Identity, Errno> {
        let raw = rustix::fs::fstat(directory)?;
        let parent = path.parent().and_then(|parent| self.tree.get(&parent)).map(|known| known.identity);
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

    /// Reports that `path` cannot be read, and notes whether that may change without an event.
    fn cannot_enter(&mut self, path: &RelPath, error: &VfsError) -> Vec<RelPath> {
        self.leave(path);
        let VfsError::Io { source, .. } = error else {
            self.report(Notice::Removed(path.clone()));
            return Vec::new();
        };
        let errno = Errno::from_io_error(source);
        match errno {
            // A change of permissions is an event of the parent directory. For the root there is no such
            // event.
            Some(Errno::ACCESS | Errno::PERM) if !path.is_root() => self.tally.denied.one(),
            Some(Errno::NAMETOOLONG) => self.tally.too_deep.one(),
            _ => {
                tracing::warn!(%path, error = %source, "cannot read this directory; retrying at each barrier");
                self.failing.insert(path.clone());
            }
        }
        self.count_directories();
        // Replaces what the listing of its parent announced.
        self.report(Notice::Unlisted { directory: path.clone(), why: error_text(source) });
        Vec::new()
    }
}

/// Returns the error message of the system without its number.
fn error_text(error: &std::io::Error) -> String {
    // "Permission denied (os error 13)": the number is of no help to the reader.
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
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
