//! File locks: one daemon per root, one start at a time. A lock is held by an open file and released when its
//! process exits, in whatever way. Waiting is done by the kernel, on a separate thread, under a deadline.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags};

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?))
}

/// Returns the lock on `file`, whose flock is held already. Rejects a file that was removed while we waited:
/// its lock excludes nobody.
fn taken(file: File) -> io::Result<Lock> {
    if rustix::fs::fstat(&file)?.st_nlink == 0 {
        return Err(io::Error::new(io::ErrorKind::NotFound, "the lock file was removed; try again"));
    }
    Ok(Lock { _file: file })
}

/// Takes the lock if it is free.
pub fn try_lock(path: &Path) -> io::Result<Option<Lock>> {
    let file = open(path)?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => taken(file).map(Some),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Waits for the lock; `None` if it is not free within `deadline`.
pub fn lock_within(path: &Path, deadline: Duration) -> io::Result<Option<Lock>> {
    // The thread sends one result, so the channel is never full.
    let (tell, told) = mpsc::sync_channel(1);
    let path: PathBuf = path.to_owned();
    // After the deadline the thread keeps waiting; its lock is dropped as soon as it is acquired.
    std::thread::Builder::new().name("symd-lock".to_owned()).spawn(move || {
        let locked = open(&path).and_then(|file| {
            rustix::fs::flock(&file, FlockOperation::LockExclusive)?;
            taken(file)
        });
        let _ = tell.send(locked);
    })?;
    match told.recv_timeout(deadline) {
        Ok(locked) => locked.map(Some),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("lock");
        let held = try_lock(&path).unwrap().unwrap();
        assert!(try_lock(&path).unwrap().is_none());
        assert!(lock_within(&path, Duration::from_millis(20)).unwrap().is_none());
        drop(held);
        assert!(lock_within(&path, Duration::from_secs(10)).unwrap().is_some());
    }
}
