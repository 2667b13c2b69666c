//! A pseudo-terminal: the daemon's end, and the other end, for a command. Non-blocking. Invariant: it never
//! becomes the daemon's controlling terminal.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::timeout;

/// How long a terminal may accept no input at all before a write fails. It accepts input at once, unless its
/// program does not read and its buffer is full.
const TAKES_WITHIN: Duration = Duration::from_secs(2);

/// The size of a terminal in characters: wide, so that a long command line is not wrapped when it is echoed.
/// `stty rows R cols C` in it changes the size, by the same system call.
const SIZE: Winsize = Winsize { ws_row: 50, ws_col: 240, ws_xpixel: 0, ws_ypixel: 0 };

/// The daemon's end of a terminal.
#[derive(Debug)]
pub(super) struct Terminal(AsyncFd<OwnedFd>);

/// Why input was not written completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotWritten {
    /// The program does not read; the number of bytes that were accepted.
    Full(usize),
    /// The other end is closed.
    Closed,
}

impl Terminal {
    /// Creates a terminal; returns the daemon's end and the end for the command.
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

    /// Waits for output and reads some; returns 0 if the other end is closed.
    pub(super) async fn read(&self, chunk: &mut [u8]) -> usize {
        loop {
            let Ok(mut ready) = self.0.readable().await else { return 0 };
            let read = ready.try_io(|terminal| Ok(rustix::io::read(terminal.get_ref(), &mut *chunk)?));
            // An error, usually EIO, means that no process holds the other end.
            if let Ok(read) = read {
                return read.unwrap_or(0);
            }
        }
    }

    /// Reads the available output; returns 0 if there is none.
    pub(super) fn read_now(&self, chunk: &mut [u8]) -> usize {
        rustix::io::read(self.0.get_ref(), chunk).unwrap_or(0)
    }

    /// Writes all bytes, as if they were typed.
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
