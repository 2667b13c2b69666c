//! One output stream of a command, read for as long as any process can write to it, so that no command blocks
//! on a reader that has stopped. Invariant: [`Stream::so_far`] returns everything that is in the pipe when it
//! is called.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::net::unix::pipe::Receiver;
use tokio::task::JoinHandle;

use super::captured::{Captured, Keep};

/// Bytes read at once: the capacity of a pipe.
const CHUNK: usize = 64 << 10;

/// A stream that is being read. Dropping it stops the reading.
#[derive(Debug)]
pub(crate) struct Stream {
    reading: Arc<Reading>,
    task: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Reading {
    pipe: Receiver,
    captured: Mutex<Captured>,
}

impl Stream {
    /// Creates a pipe and reads from it; returns the end that a command writes to.
    pub(super) fn start(keep: Keep) -> io::Result<(Stream, OwnedFd)> {
        let (ours, theirs) = io::pipe()?;
        let pipe = Receiver::from_owned_fd(ours.into())?;
        let reading = Arc::new(Reading { pipe, captured: Mutex::new(Captured::new(keep)) });
        let task = tokio::spawn(read_all(Arc::clone(&reading)));
        Ok((Stream { reading, task: Some(task) }, theirs.into()))
    }

    /// Waits until no process can write any more.
    pub(super) async fn ended(&mut self) {
        if let Some(task) = &mut self.task {
            // An error means that the task was aborted, which ends the stream too.
            let _ = task.await;
            self.task = None;
        }
    }

    /// Returns the output so far.
    pub(super) fn so_far(&self) -> Captured {
        let mut captured = self.reading.captured();
        // The task may not have read the pipe yet. Reads only what is in the pipe now: a writer may never
        // pause.
        let waiting = rustix::io::ioctl_fionread(&self.reading.pipe).unwrap_or(0);
        let mut waiting = usize::try_from(waiting).unwrap_or(usize::MAX);
        let mut chunk = vec![0; waiting.min(CHUNK)];
        while waiting > 0 {
            let most = waiting.min(chunk.len());
            let Ok(count @ 1..) = rustix::io::read(&self.reading.pipe, &mut chunk[..most]) else { break };
            captured.push(&chunk[..count]);
            waiting -= count;
        }
        captured.clone()
    }

    /// Continues the reading in the background until no process can write any more.
    pub(super) fn let_go(mut self) {
        self.task = None;
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Reading {
    fn captured(&self) -> MutexGuard<'_, Captured> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads once; returns `false` at the end.
    fn read(&self, chunk: &mut [u8]) -> bool {
        // The lock is taken before the read, so that two readers keep the order of the output.
        let mut captured = self.captured();
        match self.pipe.try_read(chunk) {
            Ok(0) => false,
            Ok(count) => {
                captured.push(&chunk[..count]);
                true
            }
            Err(error) => error.kind() == io::ErrorKind::WouldBlock,
        }
    }
}

async fn read_all(reading: Arc<Reading>) {
    let mut chunk = vec![0; CHUNK];
    while reading.pipe.readable().await.is_ok() && reading.read(&mut chunk) {}
}
