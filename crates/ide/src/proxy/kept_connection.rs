//! The task of a link: connects, converses until the daemon is gone, and waits for the next one. Invariant: daemons that
//! end at once are started ever more slowly; one that another program started is joined all the same, at once where its
//! socket's directory can be watched.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::link::{Connect, LinkEvent, LinkLimits, StartPolicy, WatchSocket};
use crate::wire::STOPPING;
use symd_rpc::framing::READ_BYTES;
use symd_rpc::server_message::ServerMessage;
use symd_sys::file_watch::FileWatch;

/// Messages that wait for the daemon to read them. If it does not, the connection is given up, and a new one
/// begins with the documents as they are then.
const QUEUE: usize = 8_192;

/// Connects to the daemon of `root` again and again, and passes on what it says, until the link is dropped.
pub(super) async fn keep_connected(
    root: PathBuf,
    (connect, watch_socket): (Connect, WatchSocket),
    limits: LinkLimits,
    events: mpsc::Sender<(PathBuf, LinkEvent)>,
    mut wishes: watch::Receiver<u64>,
) {
    let mut is_wanted = true;
    // No daemon is started before.
    let mut rested = Instant::now();
    let mut short_lived = 0_u32;
    let mut socket = None;
    let mut pause = limits.look_first;
    loop {
        if socket.is_none() {
            socket = watched(&root, &watch_socket).await;
        }
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
                (socket, pause) = (None, limits.look_first);
                let begun = Instant::now();
                let end = converse(&root, stream, limits, &events).await;
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
                rested = Instant::now() + limits.rest.saturating_mul(1 << (short_lived - 2).min(4));
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
        if socket.is_none() {
            socket = watched(&root, &watch_socket).await;
        }
        // Where no event comes from the socket's directory, a daemon that another program starts is looked for at intervals.
        let look = Instant::now() + pause;
        let look = if is_wanted { look.min(rested.max(Instant::now())) } else { look };
        pause = (pause * 2).min(limits.look_last);
        tokio::select! {
            () = tokio::time::sleep_until(look) => {}
            () = appeared(socket.as_ref()) => (socket, pause) = (None, limits.look_first),
            wish = wishes.changed() => match wish {
                Ok(()) => is_wanted = true,
                Err(_) => return,
            },
            () = events.closed() => return,
        }
    }
}

/// Begins to watch for the socket of the daemon of `root`; `None` where that is not possible.
#[allow(
    deprecated,
    reason = "the replacement is unsafe; the OwnedFd of a watch guarantees what that requires"
)]
async fn watched(root: &Path, watch_socket: &WatchSocket) -> Option<AsyncFd<FileWatch>> {
    let (root, watch) = (root.to_owned(), Arc::clone(watch_socket));
    let begun = tokio::task::spawn_blocking(move || watch(&root)).await.ok()?;
    let begun = begun.and_then(|watch| AsyncFd::with_interest(watch, Interest::READABLE));
    begun.inspect_err(|error| tracing::debug!(%error, "cannot watch for a daemon")).ok()
}

/// Waits until the socket may have appeared; without a watch it never returns.
async fn appeared(socket: Option<&AsyncFd<FileWatch>>) {
    let Some(socket) = socket else { return std::future::pending().await };
    loop {
        let Ok(mut ready) = socket.readable().await else { return };
        ready.clear_ready();
        if socket.get_ref().take().unwrap_or(true) {
            return;
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

/// How the writing to a daemon ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WritingEnd {
    /// It reads no more.
    Broken,
    /// It does not read in time, or the link gave the connection up.
    GivenUp,
}

async fn converse(
    root: &Path,
    stream: UnixStream,
    limits: LinkLimits,
    events: &mpsc::Sender<(PathBuf, LinkEvent)>,
) -> ConnectionEnd {
    let (from, mut to) = stream.into_split();
    let (sender, mut queue) = mpsc::channel::<Vec<u8>>(QUEUE);
    if events.send((root.to_owned(), LinkEvent::Up(sender))).await.is_err() {
        return ConnectionEnd::Lost;
    }
    let writing = async {
        while let Some(message) = queue.recv().await {
            match tokio::time::timeout(limits.write, to.write_all(&message)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return WritingEnd::Broken,
                Err(_) => {
                    tracing::warn!(root = %root.display(), "gave up a daemon that does not read");
                    break;
                }
            }
        }
        WritingEnd::GivenUp
    };
    let is_stopped = AtomicBool::new(false);
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
                    // It answers what it was asked, and hears of the texts until then.
                    is_stopped.store(true, Ordering::Relaxed);
                    LinkEvent::Stopping
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
    };
    let mut reading = std::pin::pin!(reading);
    tokio::select! {
        () = &mut reading => {}
        end = writing => if end == WritingEnd::Broken {
            // What it said before is still to be read, perhaps that it was asked to end.
            let _ = tokio::time::timeout(limits.last_words, reading).await;
        }
    }
    if is_stopped.load(Ordering::Relaxed) { ConnectionEnd::Stopped } else { ConnectionEnd::Lost }
}
