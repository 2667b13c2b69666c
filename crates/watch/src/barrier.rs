//! Barriers: questions to the watcher that are answered once everything before them has been told. Each is
//! a new file in a directory of symd's own, watched together with the tree. Invariant: a barrier counts
//! when it arrives, never when it was merely asked for; it arrives at most once.

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
    /// `None` when barriers need no event: with polling, looking is enough.
    files: Option<BarrierFiles>,
}

/// The directory that barrier files are made in. They are written here and not by `base::state`, which
/// writes whole files and renames: a barrier is an empty file and has to be one system call.
#[derive(Debug)]
pub(super) struct BarrierFiles {
    directory: OwnedFd,
    path: PathBuf,
    /// Tells this process's files from those an earlier one left.
    nonce: u64,
    /// Grows with every file, so that no name is used twice.
    made: AtomicU64,
}

impl Barriers {
    pub(super) fn new(files: Option<BarrierFiles>) -> Barriers {
        Barriers { next: AtomicU64::new(1), outstanding: Mutex::default(), files }
    }

    pub(super) fn files(&self) -> Option<&BarrierFiles> {
        self.files.as_ref()
    }

    /// Asks for a barrier and returns its number.
    pub(super) fn ask(&self) -> Result<u64, WatchError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        // Before the file: the event may arrive before we are back from creating it.
        self.lock().insert(number);
        if let Some(files) = &self.files
            && let Err(errno) = files.create(number)
        {
            self.lock().remove(&number);
            return Err(WatchError::Barrier { directory: files.path.clone(), source: errno.into() });
        }
        Ok(number)
    }

    /// Whether barrier `number` was waited for; from now on it is not.
    pub(super) fn arrived(&self, number: u64) -> bool {
        self.lock().remove(&number)
    }

    /// Takes all that are waited for, in order.
    pub(super) fn take_all(&self) -> Vec<u64> {
        std::mem::take(&mut *self.lock()).into_iter().collect()
    }

    /// Makes a new file for every barrier still waited for: the events of the old ones may be lost. Those
    /// for which no file can be made are returned, and are waited for no longer.
    pub(super) fn reissue(&self) -> Vec<u64> {
        let Some(files) = &self.files else { return Vec::new() };
        let waiting: Vec<u64> = self.lock().iter().copied().collect();
        waiting.into_iter().filter(|number| files.create(*number).is_err() && self.arrived(*number)).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeSet<u64>> {
        self.outstanding.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BarrierFiles {
    /// Makes or opens `barrier/` in `runtime_dir`, and removes what an earlier process left there.
    pub(super) fn open(runtime_dir: &Path) -> Result<BarrierFiles, WatchError> {
        let path = runtime_dir.join("barrier");
        state::private_dir(&path)?;
        // As events will name it.
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
        // Takes no descriptor: a daemon that has none left is asked all the same.
        match rustix::fs::mknodat(&self.directory, &name, FileType::RegularFile, mode, 0) {
            Err(Errno::PERM | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            answer => return answer,
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.directory, name, flags, mode).map(drop)
    }

    /// The number of the barrier whose file has this name; `None` for a file that is not ours.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        let mut parts = name.split('-');
        let nonce = u64::from_str_radix(parts.next()?, 16).ok()?;
        if nonce == self.nonce { parts.next()?.parse().ok() } else { None }
    }

    /// Removes a barrier's file once its event has been read.
    pub(super) fn remove(&self, name: &str) {
        // A file that stays is removed at the next start.
        let _ = rustix::fs::unlinkat(&self.directory, name, AtFlags::empty());
    }
}
