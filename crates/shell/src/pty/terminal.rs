//! A pseudo-terminal: the end that the daemon holds, and the other one, which a command gets. Non-blocking. Invariant:
//! the daemon never gets it as its own controlling terminal.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::timeout;

/// How long a terminal may take no input at all before writing to it is given up. It takes input at once, unless its
/// program does not read and its buffer is full.
const TAKES_WITHIN: Duration = Duration::from_secs(2);

/// How large a terminal is, in characters: wide, so that a long command line is not broken when it is echoed. `stty rows R
/// cols C` on it changes that, by the same call as ours.
const SIZE: Winsize = Winsize { ws_row: 50, ws_col: 240, ws_xpixel: 0, ws_ypixel: 0 };

/// The daemon's end.
#[derive(Debug)]
pub(super) struct Terminal(AsyncFd<OwnedFd>);

/// Why not everything was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotWritten {
    /// Nobody reads: so many bytes were taken.
    Full(usize),
    /// The other end is closed.
    Closed,
}

impl Terminal {
    /// A terminal, and the end for the command.
    pub(super) fn open() -> io::Result<(Terminal, OwnedFd)> {
        let ours = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        rustix::pty::grantpt(&ours)?;
        rustix::pty::unlockpt(&ours)?;
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let theirs = rustix::pty::ioctl_tiocgptpeer(&ours, flags)?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        rustix::termios::tcsetwinsize(&ours, SIZE)?;
        Ok((Terminal(watched(ours)?), theirs))
    }

    /// Waits for output and reads some; 0 when the other end is closed.
    pub(super) async fn read(&self, chunk: &mut [u8]) -> usize {
        loop {
            let Ok(mut ready) = self.0.readable().await else { return 0 };
            let read = ready.try_io(|terminal| Ok(rustix::io::read(terminal.get_ref(), &mut *chunk)?));
            // An error, EIO above all, says that nobody holds the other end.
            if let Ok(read) = read {
                return read.unwrap_or(0);
            }
        }
    }

    /// Reads what is there; 0 when that is nothing.
    pub(super) fn read_now(&self, chunk: &mut [u8]) -> usize {
        rustix::io::read(self.0.get_ref(), chunk).unwrap_or(0)
    }

    /// Writes all of it, as if it was typed.
    pub(super) async fn write(&self, bytes: &[u8]) -> Result<(), NotWritten> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let Ok(ready) = timeout(TAKES_WITHIN, self.0.writable()).await else {
                return Err(NotWritten::Full(bytes.len() - rest.len()));
            };
            let mut ready = ready.map_err(|_| NotWritten::Closed)?;
            match ready.try_io(|terminal| Ok(rustix::io::write(terminal.get_ref(), rest)?)) {
                Ok(Ok(count)) => rest = &rest[count..],
                Ok(Err(_)) => return Err(NotWritten::Closed),
                Err(_not_yet) => {}
            }
        }
        Ok(())
    }
}

#[allow(deprecated, reason = "what replaces it is unsafe; an OwnedFd keeps the promise that it asks for")]
fn watched(terminal: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(terminal, Interest::READABLE | Interest::WRITABLE)
}
