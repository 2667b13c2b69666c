//! What goes out on a connection: one task writes, everybody else queues. A client that leaves an answer
//! unread past the deadline is given up, and everyone waiting to send learns of it.

use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// Answers waiting for the writer. When it is full, whoever answers waits, so a slow client slows down its
/// own requests only; the write deadline ends the wait.
const OUTBOX_LINES: usize = 64;

/// Answers that are written in one go, if they are there already.
const BATCH_BYTES: usize = 64 * 1024;

/// The sending end. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Outbox {
    lines: mpsc::Sender<Vec<u8>>,
    open: watch::Receiver<bool>,
}

/// The connection cannot be written to any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client is gone or does not read its answers")]
pub struct Closed;

impl Outbox {
    /// Starts the writer. It ends when all senders are gone and everything is written, or when the client
    /// does not take its answers within `deadline`.
    pub fn start(
        writer: impl AsyncWrite + Send + Unpin + 'static,
        deadline: Duration,
    ) -> (Outbox, JoinHandle<()>) {
        let (lines, queue) = mpsc::channel(OUTBOX_LINES);
        let (alive, open) = watch::channel(true);
        let task = tokio::spawn(write_all(writer, queue, deadline, alive));
        (Outbox { lines, open }, task)
    }

    /// Queues a line, its newline included.
    pub async fn send(&self, line: Vec<u8>) -> Result<(), Closed> {
        self.lines.send(line).await.map_err(|_| Closed)
    }

    /// Waits until the connection cannot be written to.
    pub async fn closed(&self) {
        // An error means that the writer is gone, which is what is waited for.
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
