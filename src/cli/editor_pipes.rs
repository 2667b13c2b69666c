//! The standard streams of a program that an editor speaks to, read and written without threads of their own: tokio's hand each
//! message from a thread to another. Invariant: a stream that allows no other way is read and written as tokio does it.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream as StdUnixStream;

use rustix::fs::{FileType, fstat};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

/// Returns what the editor writes. Within a runtime.
pub(super) fn input() -> Box<dyn AsyncRead + Send + Unpin> {
    match kind_of(rustix::stdio::stdin()) {
        // Opened anew, so that whoever shares the old description is not affected.
        Some(FileType::Fifo) => match pipe::OpenOptions::new().open_receiver("/proc/self/fd/0") {
            Ok(pipe) => Box::new(pipe),
            Err(_) => Box::new(tokio::io::stdin()),
        },
        Some(FileType::Socket) => match socket(rustix::stdio::stdin()) {
            Ok(socket) => Box::new(socket),
            Err(_) => Box::new(tokio::io::stdin()),
        },
        _ => Box::new(tokio::io::stdin()),
    }
}

/// Returns what the editor reads. Within a runtime.
pub(super) fn output() -> Box<dyn AsyncWrite + Send + Unpin> {
    match kind_of(rustix::stdio::stdout()) {
        Some(FileType::Fifo) => match pipe::OpenOptions::new().open_sender("/proc/self/fd/1") {
            Ok(pipe) => Box::new(pipe),
            Err(_) => Box::new(tokio::io::stdout()),
        },
        // A description that is not to block cannot be shared with stderr, which is written without looking.
        Some(FileType::Socket) if !is_stderr(rustix::stdio::stdout()) => {
            match socket(rustix::stdio::stdout()) {
                Ok(socket) => Box::new(socket),
                Err(_) => Box::new(tokio::io::stdout()),
            }
        }
        _ => Box::new(tokio::io::stdout()),
    }
}

fn kind_of(stream: impl AsFd) -> Option<FileType> {
    Some(FileType::from_raw_mode(fstat(stream).ok()?.st_mode))
}

/// Whether a stream is the one to which errors are written.
fn is_stderr(stream: impl AsFd) -> bool {
    match (fstat(stream), fstat(rustix::stdio::stderr())) {
        (Ok(one), Ok(other)) => (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino),
        _ => true,
    }
}

fn socket(stream: impl AsFd) -> std::io::Result<UnixStream> {
    let socket = StdUnixStream::from(stream.as_fd().try_clone_to_owned()?);
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}
