//! Ending a server: asked first, then forced. Invariant: when it returns, nothing of the process group is left; each
//! step has a deadline of its own and is over as soon as the process is.

use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::process::{End, Process};
use super::session::Session;

/// How long `shutdown` may take.
const SHUTDOWN_WITHIN: Duration = Duration::from_secs(2);
/// How long it may take to end after `exit`.
const EXIT_WITHIN: Duration = Duration::from_secs(1);
/// How long it may take to end after SIGTERM.
const TERMINATE_WITHIN: Duration = Duration::from_secs(1);

/// LSP's `shutdown` and `exit`, SIGTERM, SIGKILL. Without a session, its stdin has been closed: that asks too.
pub(super) async fn in_order(process: &Process, session: Option<&Session>) -> End {
    if let Some(session) = session {
        let asked = session.shutdown(Instant::now() + SHUTDOWN_WITHIN);
        tokio::select! {
            end = process.ended() => return end,
            () = asked => {}
        }
    }
    if let Ok(end) = timeout(EXIT_WITHIN, process.ended()).await {
        return end;
    }
    process.terminate();
    match timeout(TERMINATE_WITHIN, process.ended()).await {
        Ok(end) => end,
        Err(_) => by_force(process).await,
    }
}

/// SIGKILL.
pub(super) async fn by_force(process: &Process) -> End {
    process.kill();
    process.ended().await
}
