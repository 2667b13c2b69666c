//! The end of a connection while the daemon drains: what is under way is answered, and what the client says meanwhile of its requests
//! and of its editor's texts is heard. Invariant: all of it ends [`DRAIN_DEADLINE`] after the daemon began to drain.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncRead;

use super::{ConnectionState, PeerState, gone, tell};
use crate::dispatch::{self, ClientLine};
use crate::host::Host;
use symd_ide::wire::{STOPPING, is_of_editor};
use symd_rpc::client_message::ClientMessage;
use symd_rpc::lines::{Line, Lines, line};
use symd_rpc::write::{self, NO_PARAMS};

/// How long requests may continue after the daemon was asked to exit.
pub const DRAIN_DEADLINE: Duration = Duration::from_secs(5);

/// Waits until the daemon drains and the deadline for its requests has passed.
pub(super) async fn drained(host: &Host) {
    let since = host.draining().await;
    let never = std::future::pending::<()>();
    // The time-out is the awaited event.
    let _ = tokio::time::timeout_at((since + DRAIN_DEADLINE).into(), never).await;
}

impl ConnectionState {
    /// Waits until everything under way is answered, the peer is gone, or the time is over.
    pub(super) async fn drain<R: AsyncRead + Unpin>(
        &mut self,
        lines: &mut Lines<R>,
        ended: fn(&R) -> PeerState,
    ) {
        let (host, in_flight) = (Arc::clone(&self.host), Arc::clone(&self.in_flight));
        let (outbox, is_of_editor, tells_texts) =
            (self.outbox.clone(), self.is_of_editor, self.editor.is_some());
        let conversing = async {
            if is_of_editor {
                // The writer notices a client that is gone.
                let _ = outbox.send(line(write::notification(STOPPING, NO_PARAMS))).await;
            }
            let answered = async {
                in_flight.idle().await;
                // Questions that are under way elsewhere see its texts, also what its user types now.
                if tells_texts {
                    host.others_answered().await;
                }
            };
            let left = async {
                self.hear(lines).await;
                gone(lines.source(), ended).await;
            };
            tokio::select! {
                () = answered => {}
                () = left => {}
            }
        };
        tokio::select! {
            () = conversing => {}
            () = outbox.closed() => {}
            () = drained(&host) => {}
        }
    }

    /// Handles notifications until there are no more. Requests are left to the next daemon.
    async fn hear<R: AsyncRead + Unpin>(&mut self, lines: &mut Lines<R>) {
        loop {
            let text = match lines.next().await {
                Ok(Line::Text(text)) => text,
                Ok(Line::TooLong | Line::NoRoom) => continue,
                Ok(Line::End) | Err(_) => return,
            };
            let Ok(ClientLine::Message(ClientMessage::Notification { method, mut whole })) =
                dispatch::read(&text)
            else {
                continue;
            };
            match &mut self.editor {
                Some(editor) if is_of_editor(&method) => {
                    tell(editor, &method, whole["params"].take(), &self.outbox).await;
                }
                None if is_of_editor(&method) => {}
                _ => self.notification(&method, whole).await,
            }
        }
    }
}
