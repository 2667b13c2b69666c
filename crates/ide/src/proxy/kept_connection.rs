//! The task of a link: connects, converses until the daemon is gone, and looks for the next one. Invariant: daemons that
//! end at once are started ever more slowly; one that another program started is joined all the same.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::link::{Connect, LinkEvent, LinkLimits, StartPolicy};
use crate::wire::STOPPING;
use symd_rpc::framing::READ_BYTES;
use symd_rpc::server_message::ServerMessage;

/// Messages that wait for the daemon to read them. If it does not, the connection is given up, and a new one
/// begins with the documents as they are then.
const QUEUE: usize = 8_192;

/// Connects to the daemon of `root` again and again, and passes on what it says, until the link is dropped.
pub(super) async fn keep_connected(
    root: PathBuf,
    connect: Connect,
    limits: LinkLimits,
    events: mpsc::Sender<(PathBuf, LinkEvent)>,
    (mut wishes, mut is_unsaved): (watch::Receiver<u64>, watch::Receiver<bool>),
) {
    let mut is_wanted = true;
    // No daemon is started before.
    let mut rested = Instant::now();
    let mut short_lived = 0_u32;
    loop {
        let may_start = is_wanted && rested <= Instant::now();
        let policy = if may_start { StartPolicy::Start } else { StartPolicy::JoinOnly };
        let (asked, with) = (root.clone(), Arc::clone(&connect));
        let connected = tokio::task::spawn_blocking(move || with(&asked, policy)).await;
        let stream = connected.unwrap_or_else(|error| Err(error.to_string())).and_then(|stream| {
            stream
                .set_nonblocking(true)
                .and_then(|()| UnixStream::from_std(stream))
                .map_err(|e| e.to_string())
        });
        match stream {
            Ok(stream) => {
                let begun = Instant::now();
                let end = converse(&root, stream, limits.write, &events).await;
                short_lived =
                    if begun.elapsed() < limits.short_lived { short_lived.saturating_add(1) } else { 0 };
                is_wanted = matches!(end, ConnectionEnd::Lost);
                wishes.mark_unchanged();
                if events.send((root.clone(), LinkEvent::Down)).await.is_err() {
                    return;
                }
                // One end is no pattern: the editor's texts are wanted at once.
                if short_lived <= 1 {
                    continue;
                }
                rested = Instant::now() + limits.look_again.saturating_mul(1 << (short_lived - 2).min(4));
            }
            Err(_) if policy == StartPolicy::JoinOnly => {}
            Err(why) => {
                is_wanted = false;
                wishes.mark_unchanged();
                if events.send((root.clone(), LinkEvent::Failed(why))).await.is_err() {
                    return;
                }
            }
        }
        // A daemon that another program starts sends no event to this process, so it is looked for at intervals.
        let look = if *is_unsaved.borrow_and_update() { limits.look_soon } else { limits.look_again };
        let look = Instant::now() + look;
        let look = if is_wanted { look.min(rested.max(Instant::now())) } else { look };
        tokio::select! {
            () = tokio::time::sleep_until(look) => {}
            wish = wishes.changed() => match wish {
                Ok(()) => is_wanted = true,
                Err(_) => return,
            },
            changed = is_unsaved.changed() => if changed.is_err() {
                return;
            },
            () = events.closed() => return,
        }
    }
}

/// How a connection ended.
enum ConnectionEnd {
    /// The daemon is gone.
    Lost,
    /// The daemon was asked to end.
    Stopped,
}

async fn converse(
    root: &Path,
    stream: UnixStream,
    write_deadline: Duration,
    events: &mpsc::Sender<(PathBuf, LinkEvent)>,
) -> ConnectionEnd {
    let (from, mut to) = stream.into_split();
    let (sender, mut queue) = mpsc::channel::<Vec<u8>>(QUEUE);
    if events.send((root.to_owned(), LinkEvent::Up(sender))).await.is_err() {
        return ConnectionEnd::Lost;
    }
    let writing = async {
        while let Some(message) = queue.recv().await {
            match tokio::time::timeout(write_deadline, to.write_all(&message)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => break,
                Err(_) => {
                    tracing::warn!(root = %root.display(), "gave up a daemon that does not read");
                    break;
                }
            }
        }
    };
    let reading = async {
        let mut lines = BufReader::with_capacity(READ_BYTES, from).split(b'\n');
        while let Ok(Some(line)) = lines.next_segment().await {
            // An answer about code is large, and is not looked into.
            let event = match ServerMessage::parse(line) {
                Ok(ServerMessage::Response { id: Some(number), outcome }) => {
                    LinkEvent::Answer(number, outcome)
                }
                Ok(ServerMessage::Response { id: None, outcome: Err(_) }) => LinkEvent::Unread,
                Ok(ServerMessage::Notification { method, .. }) if method == STOPPING => {
                    return ConnectionEnd::Stopped;
                }
                Ok(ServerMessage::Notification { method, params }) => {
                    let params: Value = params.decode().unwrap_or_default();
                    LinkEvent::Message(json!({ "method": method, "params": params }))
                }
                Ok(ServerMessage::Request { id, method, params }) => {
                    let id: Value = serde_json::from_str(&id).unwrap_or_default();
                    let params: Value = params.decode().unwrap_or_default();
                    LinkEvent::Message(json!({ "id": id, "method": method, "params": params }))
                }
                Ok(ServerMessage::Response { .. }) | Err(_) => continue,
            };
            if events.send((root.to_owned(), event)).await.is_err() {
                break;
            }
        }
        ConnectionEnd::Lost
    };
    tokio::select! {
        () = writing => ConnectionEnd::Lost,
        end = reading => end,
    }
}
