//! Ensures that one installer runs at a time among all processes of the user. The lock is a `flock` on a file
//! in the data directory; it is released when its holder exits, in whatever way.

use std::fs::File;
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags, flock};

use super::InstallError;
use symd_base::state::{self, StateError};

/// The lock, held until dropped.
#[derive(Debug)]
pub struct InstallLock {
    _file: File,
}

/// The result of trying to take the lock.
#[derive(Debug)]
pub enum Locking {
    /// The caller holds the lock.
    Held(InstallLock),
    /// Another installer holds the lock; [`LockWaiting::wait`] waits for it.
    Busy(LockWaiting),
}

/// The open lock file, not locked yet.
#[derive(Debug)]
pub struct LockWaiting {
    file: File,
}

impl InstallLock {
    /// Takes the lock of the servers in `directory` without waiting; creates the directory if it is missing.
    pub fn take(directory: &Path) -> Result<Locking, InstallError> {
        state::private_dir(directory)?;
        let path = directory.join(".lock");
        let io = |what: &'static str| {
            let path = path.clone();
            move |errno: rustix::io::Errno| StateError::Io { what, path, source: errno.into() }
        };
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR).map_err(io("cannot open"))?;
        let file = File::from(file);
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Locking::Held(InstallLock { _file: file })),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(Locking::Busy(LockWaiting { file })),
            Err(errno) => Err(io("cannot lock")(errno).into()),
        }
    }
}

impl LockWaiting {
    /// Blocks in the kernel until the other installer is done. Ctrl-C kills the process meanwhile; nothing is
    /// installed yet.
    pub fn wait(self) -> Result<InstallLock, InstallError> {
        loop {
            match flock(&self.file, FlockOperation::LockExclusive) {
                Ok(()) => return Ok(InstallLock { _file: self.file }),
                Err(rustix::io::Errno::INTR) => {}
                Err(errno) => {
                    let path = "the lock of the servers' directory".into();
                    return Err(StateError::Io { what: "cannot wait for", path, source: errno.into() }.into());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time() {
        let scratch = tempfile::tempdir().expect("scratch");
        let directory = scratch.path().join("servers");
        let Ok(Locking::Held(held)) = InstallLock::take(&directory) else { panic!("nobody holds it") };
        let Ok(Locking::Busy(waiting)) = InstallLock::take(&directory) else { panic!("it is held") };
        let waiter = std::thread::spawn(move || waiting.wait().map(drop));
        drop(held);
        waiter.join().expect("no panic").expect("taken");
    }
}
