//! Outgoing lines of a connection. A line is written at once if nothing is queued and the client takes it without
//! waiting, which spares a change of tasks; else one task writes, and all others queue. A client that leaves a line unread
//! past the deadline is disconnected, and all waiting senders get an error. Invariant: lines are written whole and in the
//! order in which they were sent.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// Lines waiting for the writer. When the queue is full, senders wait, so a slow client delays only its own
/// requests; the write deadline ends the wait.
const OUTBOX_LINES: usize = 64;

/// Bytes that are written at once, if so much is queued.
const BATCH_BYTES: usize = 64 * 1024;

/// The sending end of the queue. Cheap to clone.
#[derive(Clone)]
pub struct Outbox {
    lines: mpsc::Sender<Vec<u8>>,
    open: watch::Receiver<bool>,
    end: Arc<Mutex<WritingEnd>>,
}

/// The connection's writing end, shared by the senders and the task.
struct WritingEnd {
    writer: Box<dyn AsyncWrite + Send + Unpin>,
    /// Lines in the queue, and those that the task is writing.
    queued: usize,
}

/// Error of a send on a connection that is closed for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client is gone or does not read its answers")]
pub struct OutboxClosed;

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Outbox")
    }
}

impl Outbox {
    /// Starts the writer task. It ends when all senders are dropped and everything is written, or when the
    /// client does not read within `deadline`.
    pub fn start(
        writer: impl AsyncWrite + Send + Unpin + 'static,
        deadline: Duration,
    ) -> (Outbox, JoinHandle<()>) {
        let (lines, queue) = mpsc::channel(OUTBOX_LINES);
        let (alive, open) = watch::channel(true);
        let end = Arc::new(Mutex::new(WritingEnd { writer: Box::new(writer), queued: 0 }));
        let task = tokio::spawn(write_all(Arc::clone(&end), queue, deadline, alive));
        (Outbox { lines, open, end }, task)
    }

    /// Writes or queues a line, which must include its newline.
    pub async fn send(&self, line: Vec<u8>) -> Result<(), OutboxClosed> {
        let Err(line) = self.try_send(line)? else { return Ok(()) };
        let place = self.lines.reserve().await.map_err(|_| OutboxClosed)?;
        let mut end = locked(&self.end);
        end.queued += 1;
        place.send(line);
        Ok(())
    }

    /// Like [`Outbox::send`], without waiting: returns the line if the queue is full.
    pub fn try_send(&self, line: Vec<u8>) -> Result<Result<(), Vec<u8>>, OutboxClosed> {
        let place = match self.lines.try_reserve() {
            Ok(place) => place,
            Err(TrySendError::Full(())) => return Ok(Err(line)),
            Err(TrySendError::Closed(())) => return Err(OutboxClosed),
        };
        let mut end = locked(&self.end);
        let written = if end.queued == 0 { end.write_now(&line) } else { 0 };
        if written < line.len() || end.queued > 0 || !end.flush_now() {
            end.queued += 1;
            // Under the lock, so that no other line comes between.
            place.send(if written == 0 { line } else { line[written..].to_vec() });
        }
        Ok(Ok(()))
    }

    /// Waits until the connection is closed for writing.
    pub async fn closed(&self) {
        // An error means that the writer has ended, which is the awaited event.
        let _ = self.open.clone().wait_for(|open| !open).await;
    }
}

impl WritingEnd {
    /// Writes as much of `line` as the connection takes without waiting; returns how much. The task meets an error when it
    /// writes the rest.
    fn write_now(&mut self, line: &[u8]) -> usize {
        // The task polls for itself before it waits.
        let mut context = Context::from_waker(Waker::noop());
        let mut written = 0;
        while written < line.len() {
            match Pin::new(&mut self.writer).poll_write(&mut context, &line[written..]) {
                Poll::Ready(Ok(more)) if more > 0 => written += more,
                _ => break,
            }
        }
        written
    }

    /// Whether everything written has left this process.
    fn flush_now(&mut self) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        matches!(Pin::new(&mut self.writer).poll_flush(&mut context), Poll::Ready(Ok(())))
    }
}

fn locked(end: &Mutex<WritingEnd>) -> MutexGuard<'_, WritingEnd> {
    end.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn write_all(
    end: Arc<Mutex<WritingEnd>>,
    mut queue: mpsc::Receiver<Vec<u8>>,
    deadline: Duration,
    alive: watch::Sender<bool>,
) {
    while let Some(mut batch) = queue.recv().await {
        let mut lines = 1;
        while batch.len() < BATCH_BYTES
            && let Ok(line) = queue.try_recv()
        {
            batch.extend_from_slice(&line);
            lines += 1;
        }
        match tokio::time::timeout(deadline, write_batch(&end, &batch)).await {
            Ok(Ok(())) => locked(&end).queued -= lines,
            Ok(Err(error)) => {
                tracing::debug!(%error, "the client is gone");
                break;
            }
            Err(_) => {
                tracing::warn!(
                    bytes = batch.len(),
                    "dropping a client that left its answers unread for {deadline:?}"
                );
                break;
            }
        }
    }
    drop(queue);
    let _ = alive.send(false);
    let shutdown = poll_fn(|context| Pin::new(&mut locked(&end).writer).poll_shutdown(context));
    let _ = tokio::time::timeout(deadline, shutdown).await;
}

/// Writes all of `batch`, and waits until it has left this process.
async fn write_batch(end: &Mutex<WritingEnd>, batch: &[u8]) -> std::io::Result<()> {
    let mut written = 0;
    while written < batch.len() {
        let rest = &batch[written..];
        match poll_fn(|context| Pin::new(&mut locked(end).writer).poll_write(context, rest)).await? {
            0 => return Err(std::io::ErrorKind::WriteZero.into()),
            more => written += more,
        }
    }
    poll_fn(|context| Pin::new(&mut locked(end).writer).poll_flush(context)).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncBufReadExt, BufReader};

    const DEADLINE: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn a_line_is_written_at_once_if_it_can_be() {
        let (ours, mut theirs) = tokio::io::duplex(10);
        let (outbox, task) = Outbox::start(ours, DEADLINE);
        assert_eq!(outbox.try_send(b"one\n".to_vec()), Ok(Ok(())));
        // The writer task has not run yet: nothing was awaited.
        assert_eq!(locked(&outbox.end).queued, 0);
        assert_eq!(outbox.try_send(b"longer than the room\n".to_vec()), Ok(Ok(())));
        assert_eq!(outbox.try_send(b"x\n".to_vec()), Ok(Ok(())));
        assert_eq!(locked(&outbox.end).queued, 2);
        let mut read = vec![0; 27];
        tokio::io::AsyncReadExt::read_exact(&mut theirs, &mut read).await.unwrap();
        assert_eq!(read, b"one\nlonger than the room\nx\n");
        drop(outbox);
        task.await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn lines_of_many_senders_are_whole_and_in_each_senders_order() {
        let (ours, theirs) = tokio::io::duplex(100);
        let (outbox, task) = Outbox::start(ours, DEADLINE);
        for sender in 0..4 {
            let outbox = outbox.clone();
            tokio::spawn(async move {
                for number in 0..2_000 {
                    let line = format!("{sender} {number} {}\n", "x".repeat(number % 70));
                    outbox.send(line.into_bytes()).await.unwrap();
                }
            });
        }
        drop(outbox);
        let mut lines = BufReader::new(theirs).lines();
        let mut next = [0; 4];
        while let Some(line) = lines.next_line().await.unwrap() {
            let words: Vec<&str> = line.split(' ').collect();
            let (sender, number): (usize, usize) = (words[0].parse().unwrap(), words[1].parse().unwrap());
            assert_eq!((number, words[2].len()), (next[sender], number % 70));
            next[sender] += 1;
        }
        assert_eq!(next, [2_000; 4]);
        task.await.unwrap();
    }

    #[tokio::test]
    async fn a_client_that_reads_nothing_is_dropped() {
        let (ours, theirs) = tokio::io::duplex(10);
        let (outbox, task) = Outbox::start(ours, Duration::from_millis(20));
        assert_eq!(outbox.send(vec![b'x'; 100]).await, Ok(()));
        outbox.closed().await;
        assert_eq!(outbox.send(b"more\n".to_vec()).await, Err(OutboxClosed));
        task.await.unwrap();
        drop(theirs);
    }
}
