//! Barriers: requests to the watcher that are answered once all earlier changes have been reported. Each is a
//! new file in a directory of symd's own, which is watched together with the tree. Invariant: a barrier
//! counts when it arrives, not when it was requested; it arrives at most once.

use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::WatchError;
use symd_base::state;

/// The barriers of one watcher.
#[derive(Debug)]
pub(super) struct Barriers {
    next: AtomicU64,
    outstanding: Mutex<BTreeSet<u64>>,
    /// `None` when barriers need no event: a polling backend examines everything at each request.
    files: Option<BarrierFiles>,
}

/// The directory in which barrier files are created. Not through `base::state`, which writes whole files and
/// renames them: a barrier is an empty file, created with one system call.
#[derive(Debug)]
pub(super) struct BarrierFiles {
    directory: OwnedFd,
    path: PathBuf,
    /// Distinguishes this process's files from those an earlier process left.
    nonce: u64,
    /// Number of files created so far, so that no name is used twice.
    made: AtomicU64,
}

impl Barriers {
    pub(super) fn new(files: Option<BarrierFiles>) -> Barriers {
        Barriers { next: AtomicU64::new(1), outstanding: Mutex::default(), files }
    }

    pub(super) fn files(&self) -> Option<&BarrierFiles> {
        self.files.as_ref()
    }

    /// Requests a barrier and returns its number.
    pub(super) fn request(&self) -> Result<u64, WatchError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        // Before the file: the event may arrive before `create` returns.
        self.lock().insert(number);
        if let Some(files) = &self.files
            && let Err(errno) = files.create(number)
        {
            self.lock().remove(&number);
            return Err(WatchError::Barrier { directory: files.path.clone(), source: errno.into() });
        }
        Ok(number)
    }

    /// Whether a request could succeed: the directory of the files is still there.
    pub(super) fn can_be_made(&self) -> bool {
        let is_there =
            |files: &BarrierFiles| rustix::fs::fstat(&files.directory).is_ok_and(|found| found.st_nlink > 0);
        self.files.as_ref().is_none_or(is_there)
    }

    /// Removes barrier `number` from those outstanding, and returns whether it was among them.
    pub(super) fn complete(&self, number: u64) -> bool {
        self.lock().remove(&number)
    }

    /// Removes and returns all outstanding barriers, in order.
    pub(super) fn take_all(&self) -> Vec<u64> {
        std::mem::take(&mut *self.lock()).into_iter().collect()
    }

    /// Creates a new file for every outstanding barrier, since the events of the old files may be lost.
    /// Barriers for which no file can be created are returned and are no longer outstanding.
    pub(super) fn reissue(&self) -> Vec<u64> {
        let Some(files) = &self.files else { return Vec::new() };
        let waiting: Vec<u64> = self.lock().iter().copied().collect();
        waiting
            .into_iter()
            .filter(|number| files.create(*number).is_err() && self.complete(*number))
            .collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeSet<u64>> {
        self.outstanding.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BarrierFiles {
    /// Creates or opens `barrier/` in `runtime_dir`, and removes files that an earlier process left there.
    pub(super) fn open(runtime_dir: &Path) -> Result<BarrierFiles, WatchError> {
        let path = runtime_dir.join("barrier");
        state::private_dir(&path)?;
        // The path by which events will name it.
        let path =
            path.canonicalize().map_err(|source| WatchError::Barrier { directory: path.clone(), source })?;
        let failed = |errno: Errno| WatchError::Barrier { directory: path.clone(), source: errno.into() };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = rustix::fs::open(&path, flags, Mode::empty()).map_err(failed)?;
        for entry in rustix::fs::Dir::read_from(&directory).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let _ = rustix::fs::unlinkat(&directory, entry.file_name(), AtFlags::empty());
        }
        Ok(BarrierFiles { directory, path, nonce: fastrand::u64(..), made: AtomicU64::new(0) })
    }

    pub(super) fn directory(&self) -> &OwnedFd {
        &self.directory
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn create(&self, number: u64) -> Result<(), Errno> {
        let attempt = self.made.fetch_add(1, Ordering::Relaxed);
        let name = format!("{:016x}-{number}-{attempt}", self.nonce);
        let mode = Mode::RUSR | Mode::WUSR;
        // mknod needs no descriptor: barriers work even when the daemon has none left.
        match rustix::fs::mknodat(&self.directory, &name, FileType::RegularFile, mode, 0) {
            Err(Errno::PERM | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            answer => return answer,
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.directory, name, flags, mode).map(drop)
    }

    /// Returns the number of the barrier whose file has this name; `None` for a file of another origin.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        let mut parts = name.split('-');
        let nonce = u64::from_str_radix(parts.next()?, 16).ok()?;
        if nonce == self.nonce { parts.next()?.parse().ok() } else { None }
    }

    /// Removes a barrier's file once its event has been read.
    pub(super) fn remove(&self, name: &str) {
        // A file that cannot be removed now is removed at the next start.
        let _ = rustix::fs::unlinkat(&self.directory, name, AtFlags::empty());
    }
}
