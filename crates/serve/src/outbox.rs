//! Outgoing lines of a connection: one task writes, all others queue. A client that leaves a line unread past
//! the deadline is disconnected, and all waiting senders get an error.

use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// Lines waiting for the writer. When the queue is full, senders wait, so a slow client delays only its own
/// requests; the write deadline ends the wait.
const OUTBOX_LINES: usize = 64;

/// Bytes that are written at once, if so much is queued.
const BATCH_BYTES: usize = 64 * 1024;

/// The sending end of the queue. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Outbox {
    lines: mpsc::Sender<Vec<u8>>,
    open: watch::Receiver<bool>,
}

/// Error of a send on a connection that is closed for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client is gone or does not read its answers")]
pub struct OutboxClosed;

impl Outbox {
    /// Starts the writer task. It ends when all senders are dropped and everything is written, or when the
    /// client does not read within `deadline`.
    pub fn start(
        writer: impl AsyncWrite + Send + Unpin + 'static,
        deadline: Duration,
    ) -> (Outbox, JoinHandle<()>) {
        let (lines, queue) = mpsc::channel(OUTBOX_LINES);
        let (alive, open) = watch::channel(true);
        let task = tokio::spawn(write_all(writer, queue, deadline, alive));
        (Outbox { lines, open }, task)
    }

    /// Queues a line, which must include its newline.
    pub async fn send(&self, line: Vec<u8>) -> Result<(), OutboxClosed> {
        self.lines.send(line).await.map_err(|_| OutboxClosed)
    }

    /// Waits until the connection is closed for writing.
    pub async fn closed(&self) {
        // An error means that the writer has ended, which is the awaited event.
        let _ = self.open.clone().wait_for(|open| !open).await;
    }
}

async fn write_all(
    mut writer: impl AsyncWrite + Unpin,
    mut queue: mpsc::Receiver<Vec<u8>>,
    deadline: Duration,
    alive: watch::Sender<bool>,
) {
    while let Some(mut batch) = queue.recv().await {
        while batch.len() < BATCH_BYTES
            && let Ok(line) = queue.try_recv()
        {
            batch.extend_from_slice(&line);
        }
        let written = async {
            writer.write_all(&batch).await?;
            writer.flush().await
        };
        match tokio::time::timeout(deadline, written).await {
            Ok(Ok(())) => {}
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
    let _ = tokio::time::timeout(deadline, writer.shutdown()).await;
}
