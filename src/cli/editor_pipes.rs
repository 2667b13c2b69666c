//! The standard streams of `symd lsp`, read and written on the runtime's own thread: tokio's hand every message to another thread.
//! Invariant: a stream for which that is impossible is read and written by tokio's.

use std::os::fd::AsFd;

use rustix::fs::{FileType, FsWord, fstat, fstatfs};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::pipe;

use super::editor_socket::EditorSocket;

/// The file system of the pipes without a name (`linux/magic.h`).
const PIPEFS_MAGIC: FsWord = 0x5049_5045;

/// Returns what the editor writes. Within a runtime.
pub(super) fn input() -> Box<dyn AsyncRead + Send + Unpin> {
    let stdin = rustix::stdio::stdin();
    match kind_of(stdin) {
        // Opened anew, because O_NONBLOCK on the inherited description would affect every process that shares it.
        Some(StreamKind::Pipe) => match pipe::OpenOptions::new().open_receiver("/proc/self/fd/0") {
            Ok(pipe) => Box::new(pipe),
            Err(_) => Box::new(tokio::io::stdin()),
        },
        Some(StreamKind::Socket) => match EditorSocket::reader(stdin) {
            Ok(socket) => Box::new(socket),
            Err(_) => Box::new(tokio::io::stdin()),
        },
        None => Box::new(tokio::io::stdin()),
    }
}

/// Returns what the editor reads. Within a runtime.
pub(super) fn output() -> Box<dyn AsyncWrite + Send + Unpin> {
    let stdout = rustix::stdio::stdout();
    match kind_of(stdout) {
        Some(StreamKind::Pipe) => match pipe::OpenOptions::new().open_sender("/proc/self/fd/1") {
            Ok(pipe) => Box::new(pipe),
            Err(_) => Box::new(tokio::io::stdout()),
        },
        Some(StreamKind::Socket) => match EditorSocket::writer(stdout) {
            Ok(socket) => Box::new(socket),
            Err(_) => Box::new(tokio::io::stdout()),
        },
        None => Box::new(tokio::io::stdout()),
    }
}

/// A kind of stream that can be awaited.
enum StreamKind {
    /// A pipe without a name: one with a name that is opened anew does not tell that its writers are gone already.
    Pipe,
    Socket,
}

fn kind_of(stream: impl AsFd) -> Option<StreamKind> {
    match FileType::from_raw_mode(fstat(&stream).ok()?.st_mode) {
        FileType::Socket => Some(StreamKind::Socket),
        FileType::Fifo if fstatfs(&stream).ok()?.f_type == PIPEFS_MAGIC => Some(StreamKind::Pipe),
        _ => None,
    }
}
