//! A socket that other processes share, such as an editor's. Invariant: the flags of its description stay as they are, so for the
//! others it blocks as before.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustix::net::{RecvFlags, SendFlags};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};

/// One direction of a socket. Each call says for itself that it must not block.
#[derive(Debug)]
pub(super) struct EditorSocket(AsyncFd<OwnedFd>);

impl EditorSocket {
    /// Returns what is written to the socket's other end. Within a runtime.
    pub(super) fn reader(stream: impl AsFd) -> io::Result<EditorSocket> {
        EditorSocket::new(stream, Interest::READABLE)
    }

    /// Returns what is read at the socket's other end. Within a runtime.
    pub(super) fn writer(stream: impl AsFd) -> io::Result<EditorSocket> {
        EditorSocket::new(stream, Interest::WRITABLE)
    }

    #[allow(deprecated, reason = "what replaces it is unsafe; an OwnedFd keeps the promise that it asks for")]
    fn new(stream: impl AsFd, interest: Interest) -> io::Result<EditorSocket> {
        let socket = stream.as_fd().try_clone_to_owned()?;
        Ok(EditorSocket(AsyncFd::with_interest(socket, interest)?))
    }
}

impl AsyncRead for EditorSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.0.poll_read_ready(context))?;
            let chunk = buffer.initialize_unfilled();
            let read =
                ready.try_io(|socket| Ok(rustix::net::recv(socket.get_ref(), chunk, RecvFlags::DONTWAIT)?.0));
            if let Ok(read) = read {
                return Poll::Ready(read.map(|count| buffer.advance(count)));
            }
        }
    }
}

impl AsyncWrite for EditorSocket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        loop {
            let mut ready = ready!(self.0.poll_write_ready(context))?;
            if let Ok(sent) = ready.try_io(|socket| Ok(rustix::net::send(socket.get_ref(), bytes, flags)?)) {
                return Poll::Ready(sent);
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Leaves the socket open: others may write to it.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
