//! One session: a terminal, the command on it, and the task that reads its output. Invariant: the exit of a
//! command is reported only when all of its output can be read.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use super::output::{More, Output, SessionOutput, UNREAD_BYTES};
use super::terminal::{NotWritten, Terminal};
use crate::watched_command::WatchedCommand;
use crate::{BackgroundCommands, ChildEnd, RemainingProcesses, WardenMessage};
use symd_sys::child_end::CANNOT_RUN;

/// How long a session must be silent for its output to count as complete (contract tool_router, ruling on
/// exec_command and write_stdin).
const SILENCE: Duration = Duration::from_millis(50);
/// How long output is read that never pauses and never fills the buffer.
const LONGEST: Duration = Duration::from_secs(10);
/// Bytes read at once: the kernel returns no more of a terminal.
const CHUNK: usize = 4 << 10;
/// Output that is dropped anyway is read at a limited rate, so that floods cost little, however many there
/// are: [`UNREAD_BYTES`] in this time, by all sessions of a connection together.
const FLOOD_PACE: Duration = Duration::from_millis(8);

/// A session, running or finished. Dropping it kills everything on its terminal.
#[derive(Debug)]
pub(super) struct Session {
    terminal: Arc<Terminal>,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Notified of every change of the state.
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct State {
    started: bool,
    output: Output,
    ended: Option<ChildEnd>,
}

impl Session {
    /// Starts a command on a new terminal; `launch` receives the terminal's other end. Background processes
    /// that remain when the command exits are passed to `left_behind`.
    pub(super) fn start(
        launch: impl FnOnce(std::os::fd::OwnedFd) -> io::Result<WatchedCommand>,
        left_behind: Arc<BackgroundCommands>,
        floods: Floods,
    ) -> io::Result<Session> {
        let (terminal, theirs) = Terminal::open()?;
        let ward = launch(theirs)?;
        let terminal = Arc::new(terminal);
        let shared = Arc::new(Shared { state: Mutex::default(), changed: watch::Sender::new(()) });
        let task =
            tokio::spawn(follow(Arc::clone(&terminal), Arc::clone(&shared), ward, left_behind, floods));
        Ok(Session { terminal, shared, task })
    }

    /// Returns how the command exited, once all of its output has been read.
    pub(super) fn finished(&self) -> Option<ChildEnd> {
        let state = self.shared.state();
        state.ended.filter(|_| state.output.is_empty())
    }

    /// Returns how the command exited.
    pub(super) fn ended(&self) -> Option<ChildEnd> {
        self.shared.state().ended
    }

    /// Types `bytes` into the terminal.
    pub(super) async fn write(&self, bytes: &[u8]) -> Result<(), NotWritten> {
        self.terminal.write(bytes).await
    }

    /// Returns the output until the session is silent, has ended, or the answer is full.
    pub(super) async fn read(&self) -> SessionOutput {
        let mut changed = self.shared.changed.subscribe();
        let longest = Instant::now() + LONGEST;
        while !self.shared.state().is_settled() {
            // Silence is measured once the program has started.
            let patience = if self.shared.state().started { SILENCE } else { LONGEST };
            let silent = (Instant::now() + patience).min(longest);
            if timeout_at(silent, changed.changed()).await.is_err() {
                break;
            }
        }
        self.shared.state().take()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Aborting the task drops its ward, which kills all processes.
        self.task.abort();
    }
}

impl State {
    /// Whether waiting longer cannot add anything to this answer.
    fn is_settled(&self) -> bool {
        self.ended.is_some() || self.output.is_full()
    }

    fn take(&mut self) -> SessionOutput {
        self.output.take(match self.ended {
            Some(_) => More::WillNotCome,
            None => More::MayCome,
        })
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.send_replace(());
    }
}

/// The number of a connection's sessions whose output is being dropped.
#[derive(Clone, Debug, Default)]
pub(super) struct Floods(Arc<AtomicU32>);

impl Floods {
    /// Waits in proportion to the number of such sessions, so that together they keep the rate.
    async fn pace(&self) {
        let flood = Flood::new(&self.0);
        // The time-out is the awaited event.
        let _ = timeout(FLOOD_PACE * flood.count, std::future::pending::<()>()).await;
    }
}

/// One of these sessions, while it waits.
struct Flood<'a> {
    all: &'a AtomicU32,
    count: u32,
}

impl Flood<'_> {
    fn new(all: &AtomicU32) -> Flood<'_> {
        Flood { all, count: all.fetch_add(1, Ordering::Relaxed) + 1 }
    }
}

impl Drop for Flood<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Reads the terminal until its command has exited.
async fn follow(
    terminal: Arc<Terminal>,
    shared: Arc<Shared>,
    mut ward: WatchedCommand,
    left_behind: Arc<BackgroundCommands>,
    floods: Floods,
) {
    let mut chunk = vec![0; CHUNK];
    let mut flooded = 0;
    let mut open = true;
    let told = loop {
        tokio::select! {
            told = ward.next_message() => match told {
                Some(WardenMessage::Started(_)) => shared.change(|state| state.started = true),
                told => break told,
            },
            count = terminal.read(&mut chunk), if open && flooded < UNREAD_BYTES => {
                open = count > 0;
                flooded = if shared.state().output.is_full() { flooded + count } else { 0 };
                shared.change(|state| state.output.push(&chunk[..count]));
            }
            () = floods.pace(), if flooded >= UNREAD_BYTES => flooded = 0,
        }
    };
    drain(&terminal, &shared, &mut chunk);
    shared.change(|state| {
        let end = match &told {
            Some(WardenMessage::Ended(end, _)) => *end,
            Some(WardenMessage::Failed(why)) => {
                state.output.push(why.as_bytes());
                ChildEnd::Code(i32::from(CANNOT_RUN))
            }
            _ => ChildEnd::Signal(9),
        };
        state.output.end();
        state.ended = Some(end);
    });
    if matches!(told, Some(WardenMessage::Ended(_, RemainingProcesses::Running))) {
        left_behind.take(ward, Vec::new());
    }
}

/// Reads the output printed before the exit: at most as much as a terminal's buffer holds, since other
/// processes may continue to print.
fn drain(terminal: &Terminal, shared: &Shared, chunk: &mut [u8]) {
    let mut most = 64 << 10;
    loop {
        let count = terminal.read_now(chunk);
        if count == 0 || most == 0 {
            return;
        }
        most = usize::saturating_sub(most, count);
        shared.change(|state| state.output.push(&chunk[..count]));
    }
}
