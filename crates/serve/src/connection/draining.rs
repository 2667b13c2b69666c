//! The end of a connection while the daemon drains: what is under way is answered, and what the client says meanwhile of its requests
//! and of its editor's texts is heard. Invariant: all of it ends [`DRAIN_DEADLINE`] after the daemon began to drain.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncRead;

use super::{ConnectionState, PeerState, gone, tell};
use crate::dispatch::{self, ClientLine};
use crate::host::Host;
use crate::protocol::{STATUS, STOP};
use symd_ide::wire::{STOPPING, is_of_editor};
use symd_rpc::client_message::{ClientMessage, RejectedRequest, RpcRequest};
use symd_rpc::codes::BUSY;
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
            // An editor is told also where the time was over before.
            biased;
            () = conversing => {}
            () = outbox.closed() => {}
            () = drained(&host) => {}
        }
    }

    /// Handles notifications until there are no more. Requests are left to the next daemon, or rejected.
    async fn hear<R: AsyncRead + Unpin>(&mut self, lines: &mut Lines<R>) {
        loop {
            let read = match lines.next().await {
                Ok(Line::Text(text)) => dispatch::read(&text),
                Ok(Line::TooLong) => Err(RejectedRequest::too_long(self.host.limits().max_line_bytes)),
                Ok(Line::NoRoom) => Err(RejectedRequest::no_room(self.host.unfinished().most())),
                Ok(Line::End) | Err(_) => return,
            };
            let rejected = match read {
                Ok(ClientLine::Message(ClientMessage::Notification { method, whole })) => {
                    self.hear_notification(&method, whole).await;
                    None
                }
                Ok(ClientLine::Message(ClientMessage::Request(request))) => self.too_late(request),
                Ok(_) => None,
                Err(wrong) => Some(wrong),
            };
            if let Some(wrong) = rejected {
                // The writer notices a client that is gone.
                let _ = self.outbox.send(wrong.line()).await;
            }
        }
    }

    async fn hear_notification(&mut self, method: &str, mut whole: Value) {
        match &mut self.editor {
            Some(editor) if is_of_editor(method) => {
                tell(editor, method, whole["params"].take(), &self.outbox).await;
            }
            None if is_of_editor(method) => {}
            _ => self.notification(method, whole).await,
        }
    }

    /// Rejects a request, unless its sender sees from the connection's end what became of it: symd's own programs ask the next
    /// daemon then.
    fn too_late(&self, request: RpcRequest) -> Option<RejectedRequest> {
        let sees_the_end = self.has_greeted || matches!(request.method.as_str(), STATUS | STOP);
        (!sees_the_end).then(|| {
            let why = "this daemon is about to end; connect again: the next one answers";
            RejectedRequest::new(request.id, BUSY, why)
        })
    }
}
