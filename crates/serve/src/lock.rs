//! File locks: one daemon per root, one start at a time. A lock is held by an open file and ends with its
//! process, however that ends. Waiting is done by the kernel, on a thread of its own, under a deadline.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags};

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?))
}

/// The lock on `file`, which is taken. One whose file was removed while we waited locks nothing.
fn taken(file: File) -> io::Result<Lock> {
    if rustix::fs::fstat(&file)?.st_nlink == 0 {
        return Err(io::Error::new(io::ErrorKind::NotFound, "it was removed just now; try again"));
    }
    Ok(Lock { _file: file })
}

/// Takes the lock if nobody holds it.
pub fn try_lock(path: &Path) -> io::Result<Option<Lock>> {
    let file = open(path)?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => taken(file).map(Some),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Waits until the lock can be taken; `None` when that took longer than `deadline`.
pub fn lock_within(path: &Path, deadline: Duration) -> io::Result<Option<Lock>> {
    // One answer, from one thread; nobody waits to send.
    let (tell, told) = mpsc::sync_channel(1);
    let path: PathBuf = path.to_owned();
    // After the deadline the thread goes on waiting; its lock is dropped as soon as it gets it.
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
