//! The sessions of one connection, by the names that the client gave them. Invariant: there are at most
//! [`MAX_SESSIONS`], including finished ones that are still stored.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::output::SessionOutput;
use super::session::{Floods, Session};
use super::terminal::NotWritten;
use crate::watched_command::{Launch, Streams, WatchedCommand};
use crate::{BackgroundCommands, ChildEnd, Directory, Environment, Shell, ShellError, Shells, can_be_run};

/// The most sessions of one connection. At the limit, the finished session that was started first is removed;
/// if none is finished, no session can be started.
pub const MAX_SESSIONS: usize = 64;

/// Variables for programs that expect a person: no colours, no cursor movements, no prompts. bash runs
/// PROMPT_COMMAND after the user's own start-up files have set a prompt.
const VARIABLES: [(&str, &str); 4] =
    [("TERM", "dumb"), ("PS1", ""), ("PS2", ""), ("PROMPT_COMMAND", "PS1= PS2=")];

/// A command for a terminal.
#[derive(Debug)]
pub struct TerminalRequest<'a> {
    /// The shell that interprets the command.
    pub shell: &'a Shell,
    /// The command's text.
    pub command: &'a str,
    /// The working directory.
    pub directory: &'a Directory,
    /// The environment, to which the terminal's variables are added.
    pub environment: &'a Environment,
}

/// Why a session cannot be started, read or written to.
#[derive(Debug, thiserror::Error)]
pub enum PtyError {
    /// A session with this name is running.
    #[error("session {0:?} is still running; write to it with write_stdin, or use another session_id")]
    Live(String),
    /// There is no session with this name.
    #[error("there is no session {0:?}; start it with exec_command")]
    Unknown(String),
    /// The session's command has exited.
    #[error("session {name:?} has ended ({end}); start it again with exec_command")]
    Finished {
        /// The session's name.
        name: String,
        /// How the command exited.
        end: ChildEnd,
    },
    /// The session's command has exited, and its output was not read completely.
    #[error("session {name:?} has ended ({end}) and takes no input; empty chars read the rest of its output")]
    FinishedUnread {
        /// The session's name.
        name: String,
        /// How the command exited.
        end: ChildEnd,
    },
    /// The limit of running sessions is reached.
    #[error("there are {MAX_SESSIONS} sessions running on this connection; end one of them first")]
    TooMany,
    /// The session's program does not read its input.
    #[error("session {name:?} reads no input: {taken} of {bytes} bytes were taken")]
    Full {
        /// The session's name.
        name: String,
        /// Bytes that the terminal accepted.
        taken: usize,
        /// Bytes that were to be written.
        bytes: usize,
    },
    /// The command could not be started.
    #[error(transparent)]
    Shell(#[from] ShellError),
}

/// The sessions of one connection. Dropping them kills all of them.
#[derive(Debug, Default)]
pub struct Sessions {
    named: Mutex<Named>,
    floods: Floods,
}

#[derive(Debug, Default)]
struct Named {
    clock: u64,
    sessions: BTreeMap<String, (u64, Arc<Session>)>,
}

impl Sessions {
    /// Starts a session and returns its first output.
    pub async fn start(
        &self,
        shells: &Shells,
        left_behind: &Arc<BackgroundCommands>,
        name: &str,
        request: TerminalRequest<'_>,
    ) -> Result<SessionOutput, PtyError> {
        can_be_run(request.command)?;
        let session = self.named().start(name, || {
            let environment = environment(request.environment);
            let launch = |terminal| {
                WatchedCommand::start(Launch {
                    warden: &shells.warden,
                    program: request.shell.program(),
                    arguments: &request.shell.arguments(request.command),
                    environment: &environment,
                    directory: request.directory,
                    streams: Streams::Terminal(terminal),
                })
            };
            let session = Session::start(launch, Arc::clone(left_behind), self.floods.clone());
            session.map_err(|error| ShellError::from(error).into())
        })?;
        Ok(session.read().await)
    }

    /// Types `chars` into a session and returns its output; with empty `chars` it only waits for output.
    pub async fn write(&self, name: &str, chars: &str) -> Result<SessionOutput, PtyError> {
        let session = self.find(name)?;
        if let Some(end) = session.finished() {
            return Err(PtyError::Finished { name: name.to_owned(), end });
        }
        if !chars.is_empty() {
            let unread = |end| PtyError::FinishedUnread { name: name.to_owned(), end };
            if let Some(end) = session.ended() {
                return Err(unread(end));
            }
            match session.write(chars.as_bytes()).await {
                // The terminal is closed: the command is exiting, and its last output is read.
                Ok(()) | Err(NotWritten::Closed) => {}
                Err(NotWritten::Full(taken)) => {
                    return Err(PtyError::Full { name: name.to_owned(), taken, bytes: chars.len() });
                }
            }
        }
        Ok(session.read().await)
    }

    fn find(&self, name: &str) -> Result<Arc<Session>, PtyError> {
        let named = self.named();
        let found = named.sessions.get(name).map(|(_, session)| Arc::clone(session));
        found.ok_or_else(|| PtyError::Unknown(name.to_owned()))
    }

    fn named(&self) -> MutexGuard<'_, Named> {
        self.named.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the variables of a session. Input is UTF-8, which a shell with line editing accepts only if the
/// locale says so.
fn environment(asked: &Environment) -> Environment {
    let environment = asked.with(&VARIABLES);
    match ["LC_ALL", "LC_CTYPE", "LANG"].iter().any(|name| environment.get(name).is_some()) {
        true => environment,
        false => environment.with(&[("LC_CTYPE", "C.UTF-8")]),
    }
}

impl Named {
    fn start(
        &mut self,
        name: &str,
        start: impl FnOnce() -> Result<Session, PtyError>,
    ) -> Result<Arc<Session>, PtyError> {
        let is_live = |(_, session): &(u64, Arc<Session>)| session.ended().is_none();
        if self.sessions.get(name).is_some_and(is_live) {
            return Err(PtyError::Live(name.to_owned()));
        }
        if self.sessions.len() >= MAX_SESSIONS && !self.sessions.contains_key(name) {
            let finished = self.sessions.iter().filter(|(_, session)| !is_live(session));
            let oldest = finished.min_by_key(|(_, (started, _))| *started).map(|(name, _)| name.clone());
            self.sessions.remove(&oldest.ok_or(PtyError::TooMany)?);
        }
        let session = Arc::new(start()?);
        self.clock += 1;
        self.sessions.insert(name.to_owned(), (self.clock, Arc::clone(&session)));
        Ok(session)
    }
}
