//! One session: a terminal, the command on it, and the task that reads what it prints. Invariant: when the command has
//! ended, everything that it printed is there to be read before its end is told.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use super::output::{More, Output, Shown, UNREAD_BYTES};
use super::terminal::{NotWritten, Terminal};
use crate::ward::Ward;
use crate::{End, LeftBehind, RemainingProcesses, WardenMessage};

/// How long a session must be silent for its output to be complete for now (contract tool_router, ruling on
/// exec_command and write_stdin).
const SILENCE: Duration = Duration::from_millis(50);
/// How long output is read that is never silent and never fills the buffer.
const LONGEST: Duration = Duration::from_secs(10);
/// Bytes read at once: the system hands out no more of a terminal.
const CHUNK: usize = 4 << 10;
/// What is dropped anyway is read at a pace, so that floods cost little, however many there are: [`UNREAD_BYTES`] in this
/// time, all sessions of a connection together.
const FLOOD_PACE: Duration = Duration::from_millis(8);

/// A session, live or finished. Dropping it ends everything on its terminal.
#[derive(Debug)]
pub(super) struct Session {
    terminal: Arc<Terminal>,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Changes whenever the state does.
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct State {
    started: bool,
    output: Output,
    ended: Option<End>,
}

impl Session {
    /// Starts a command on a new terminal; `launch` gets the end for it. What the command leaves running when it ends
    /// goes to `left_behind`.
    pub(super) fn start(
        launch: impl FnOnce(std::os::fd::OwnedFd) -> io::Result<Ward>,
        left_behind: Arc<LeftBehind>,
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

    /// How its command ended, once all that it printed has been read.
    pub(super) fn finished(&self) -> Option<End> {
        let state = self.shared.state();
        state.ended.filter(|_| state.output.is_empty())
    }

    /// How its command ended.
    pub(super) fn ended(&self) -> Option<End> {
        self.shared.state().ended
    }

    /// Types.
    pub(super) async fn write(&self, bytes: &[u8]) -> Result<(), NotWritten> {
        self.terminal.write(bytes).await
    }

    /// What it prints until it is silent, has ended, or an answer is full.
    pub(super) async fn read(&self) -> Shown {
        let mut changed = self.shared.changed.subscribe();
        let longest = Instant::now() + LONGEST;
        while !self.shared.state().is_settled() {
            // Silence begins when there is somebody to be silent.
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
        // With the task goes its ward, and with that all that runs.
        self.task.abort();
    }
}

impl State {
    /// Whether waiting longer brings nothing more into this answer.
    fn is_settled(&self) -> bool {
        self.ended.is_some() || self.output.is_full()
    }

    fn take(&mut self) -> Shown {
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

/// How many sessions of one connection print what is dropped.
#[derive(Clone, Debug, Default)]
pub(super) struct Floods(Arc<AtomicU32>);

impl Floods {
    /// Waits as long as the others leave it no share.
    async fn pace(&self) {
        let flood = Flood::new(&self.0);
        // The time is what is waited for: it is a pace.
        let _ = timeout(FLOOD_PACE * flood.count, std::future::pending::<()>()).await;
    }
}

/// One of them, as long as it waits.
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

/// Reads the terminal until its command has ended.
async fn follow(
    terminal: Arc<Terminal>,
    shared: Arc<Shared>,
    mut ward: Ward,
    left_behind: Arc<LeftBehind>,
    floods: Floods,
) {
    let mut chunk = vec![0; CHUNK];
    let mut flooded = 0;
    let mut open = true;
    let told = loop {
        tokio::select! {
            told = ward.told() => match told {
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
                End::Code(126)
            }
            _ => End::Signal(9),
        };
        state.output.end();
        state.ended = Some(end);
    });
    if matches!(told, Some(WardenMessage::Ended(_, RemainingProcesses::Running))) {
        left_behind.take(ward, Vec::new());
    }
}

/// Takes what was printed before the end: as much as a terminal's buffer can hold, for others may go on printing.
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
