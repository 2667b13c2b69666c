//! Stops a server, first by request, then by force. Invariant: when a function returns, no process of the
//! group is left; each step has a deadline of its own and ends as soon as the process does.

use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::process::{Process, ProcessExit};
use super::session::Session;

/// The maximum time for the response to `shutdown` and for sending `exit`.
const SHUTDOWN_WITHIN: Duration = Duration::from_secs(2);
/// The maximum time for the process to exit after `exit`.
const EXIT_WITHIN: Duration = Duration::from_secs(1);
/// The maximum time for the process to exit after SIGTERM.
const TERMINATE_WITHIN: Duration = Duration::from_secs(1);

/// Stops the server with LSP's `shutdown` and `exit`, then SIGTERM, then SIGKILL. Without a session, its
/// stdin has been closed, which also asks it to exit.
pub(super) async fn in_order(process: &Process, session: Option<&Session>) -> ProcessExit {
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

/// Stops the server with SIGKILL.
pub(super) async fn by_force(process: &Process) -> ProcessExit {
    process.kill();
    process.ended().await
}
