//! The Unix socket: who may connect, and how many connections are allowed. Invariant: nothing is read from a
//! client of another user, and no number of clients stops the accept loop or makes it spin.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{Mode, OFlags};
use serde_json::Value;
use tokio::net::unix::OwnedReadHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

use crate::connection::{self, DRAIN_DEADLINE, PeerState};
use crate::daemon::DaemonError;
use crate::daemon_paths::DaemonPaths;
use crate::descriptors;
use crate::host::Host;
use symd_base::state;
use symd_rpc::codes::BUSY;
use symd_rpc::lines::line;
use symd_rpc::write;

/// How long a connection may take to close after the deadline of its requests.
const CLOSE_DEADLINE: Duration = Duration::from_secs(3);

/// How long to wait for a connection to close, after an accept failed for lack of memory or similar, before
/// retrying anyway.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Binds the socket of `place`. The caller holds the daemon's lock, so an existing socket is stale.
pub(super) fn listen(place: &DaemonPaths) -> Result<UnixListener, DaemonError> {
    let path = place.socket();
    state::remove_file(&path)?;
    let failed = |source| DaemonError::Socket { path: path.clone(), source };
    let listener = UnixListener::bind(&path).map_err(failed)?;
    rustix::fs::chmod(&path, Mode::RUSR | Mode::WUSR).map_err(|error| failed(error.into()))?;
    Ok(listener)
}

/// Accepts clients until the daemon drains, then removes the socket and waits for the clients' requests.
pub(super) async fn accept_all(listener: UnixListener, host: Arc<Host>, place: DaemonPaths) {
    let mut clients = JoinSet::new();
    let mut reserve = Reserve::new();
    let mut draining = std::pin::pin!(host.draining());
    loop {
        tokio::select! {
            _ = &mut draining => break,
            ended = clients.join_next(), if !clients.is_empty() => report(ended),
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => admit(stream, &host, &mut clients),
                Err(error) if is_out_of_descriptors(&error) && reserve.is_held() => {
                    reserve.refuse_one(&listener).await;
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    let _ = tokio::time::timeout(RETRY_AFTER, clients.join_next()).await;
                }
            },
        }
    }
    // The socket is removed first, so that a new client waits for the lock instead.
    if let Err(error) = state::remove_file(&place.socket()) {
        tracing::warn!(%error, "cannot remove the socket");
    }
    drop(listener);
    let all_ended = async {
        while let Some(ended) = clients.join_next().await {
            report(Some(ended))
        }
    };
    if tokio::time::timeout(DRAIN_DEADLINE + CLOSE_DEADLINE, all_ended).await.is_err() {
        tracing::warn!("some connections did not end in time");
    }
}

fn report(ended: Option<Result<(), tokio::task::JoinError>>) {
    if let Some(Err(error)) = ended {
        tracing::error!(%error, "a connection failed");
    }
}

fn admit(stream: UnixStream, host: &Arc<Host>, clients: &mut JoinSet<()>) {
    let me = rustix::process::geteuid().as_raw();
    match stream.peer_cred() {
        Ok(peer) if peer.uid() == me => {}
        Ok(peer) => {
            tracing::warn!(uid = peer.uid(), pid = peer.pid(), "refused a client of another user");
            return;
        }
        Err(error) => {
            tracing::warn!(%error, "refused a client: cannot determine its user");
            return;
        }
    }
    while let Some(ended) = clients.try_join_next() {
        report(Some(ended));
    }
    let configured = host.limits().max_connections;
    let limit = descriptors::limit();
    let most = limit.map_or(configured, |limit| configured.min(descriptors::connections(limit)));
    if clients.len() >= most {
        let remedy = match limit {
            Some(limit) if most < configured => format!(
                "raise the limit of open files, which is {limit}, where the daemon is started (`ulimit -n`), then `symd restart`"
            ),
            _ => "raise limits.max_connections".to_owned(),
        };
        let text = format!("busy: this daemon has {most} connections already; close some, or {remedy}");
        // The message fits into the empty buffer of a new socket, unless the client is already gone.
        let _ = stream.try_write(&line(write::error(Value::Null, BUSY, &text)));
        tracing::warn!(most, "refused a connection over the limit");
        return;
    }
    let (reader, writer) = stream.into_split();
    clients.spawn(connection::serve(Arc::clone(host), reader, writer, peer_state));
}

/// Distinguishes a client that closed only its sending side from one that is gone.
pub fn peer_state(reader: &OwnedReadHalf) -> PeerState {
    let stream: &UnixStream = reader.as_ref();
    let mut watched = [PollFd::new(stream, PollFlags::empty())];
    let polled = rustix::event::poll(&mut watched, Some(&rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 }));
    let gone = polled.is_ok() && watched[0].revents().contains(PollFlags::HUP);
    if gone { PeerState::Gone } else { PeerState::HalfClosed }
}

fn is_out_of_descriptors(error: &io::Error) -> bool {
    let out = [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE];
    out.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// A spare descriptor. Closing it for a moment makes it possible to accept a client and reject it, which
/// empties the queue. Otherwise a full descriptor table would make the accept loop spin.
struct Reserve(Option<OwnedFd>);

impl Reserve {
    fn new() -> Reserve {
        Reserve(rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok())
    }

    fn is_held(&self) -> bool {
        self.0.is_some()
    }

    async fn refuse_one(&mut self, listener: &UnixListener) {
        self.0 = None;
        match listener.accept().await {
            Ok(_) => tracing::warn!("refused a connection: out of file descriptors"),
            Err(error) => tracing::warn!(%error, "cannot accept a connection"),
        }
        *self = Reserve::new();
    }
}
