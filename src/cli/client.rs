//! A blocking connection to the daemon for symd's own commands, with one request at a time. Starts a daemon
//! if none runs, and replaces one that is too old. Never sleeps: it waits for the daemon's response, for its
//! readiness pipe, or for its lock.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::rpc::codes::{BUSY, INVALID_PARAMS, METHOD_NOT_FOUND};
use crate::rpc::lines::line;
use crate::rpc::write;
use crate::serve::DaemonPaths;
use crate::serve::daemon::HANDOVER_DEADLINE;
use crate::serve::lock;
use crate::serve::protocol::{
    Agreement, Hello, HelloAnswer, PROTOCOL, Reason, Refusal, STOP, VERSION, Variables, Welcome, agree,
    hello_line,
};

use super::context::Spawning;
use super::daemon_process::DaemonProcess;
use super::failure::{Exit, Failure};
use super::spawn;

/// How long a daemon may take to answer a request that needs no work.
const ANSWER_DEADLINE: Duration = Duration::from_secs(10);

/// The most attempts to connect. A daemon may exit, or be replaced, between the check and the connection;
/// more failures in a row are no coincidence.
const ATTEMPTS: usize = 5;

/// A connection to the daemon, for requests.
#[derive(Debug)]
pub(super) struct Client {
    reader: BufReader<UnixStream>,
    last_id: u64,
}

/// The result of a hello.
enum Greeting {
    Welcome(Client, Welcome),
    /// No process listens, or it is shutting down; the reason.
    Absent(String),
    Refused(Client, Refusal),
}

/// The kind of client, for the daemon's log.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    Cli,
    Mcp,
    Lsp,
}

impl Client {
    /// Connects without a hello: enough for status and stop, which every version answers. `None` if no
    /// process listens.
    pub(super) fn raw(place: &DaemonPaths) -> Result<Option<Client>, Failure> {
        place.verify().map_err(|error| Exit::NoDaemon.because(error))?;
        match UnixStream::connect(place.socket()) {
            Ok(stream) => {
                within(&stream, Some(ANSWER_DEADLINE))?;
                Ok(Some(Client { reader: BufReader::new(stream), last_id: 0 }))
            }
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(cannot_connect(place, &error)),
        }
    }

    /// Connects and agrees on a protocol; starts or replaces the daemon if necessary and allowed.
    pub(super) fn connect(
        place: &DaemonPaths,
        role: Role,
        toolset: &[String],
        spawning: Spawning,
    ) -> Result<(Client, Welcome), Failure> {
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            match Client::greet(place, role, toolset)? {
                Greeting::Welcome(client, welcome) => {
                    within(client.stream(), None)?;
                    return Ok((client, welcome));
                }
                Greeting::Absent(why) => {
                    if spawning == Spawning::Forbidden {
                        return Err(Exit::NoDaemon.because(format!(
                            "no daemon is running for {} ({why}); `symd start` starts one",
                            place.root.display()
                        )));
                    }
                    spawn::daemon(place)?;
                    last = why;
                }
                Greeting::Refused(client, refusal) => {
                    replace(client, place, &refusal, spawning)?;
                    last = refusal.error;
                }
            }
        }
        Err(Exit::NoDaemon.because(format!("the daemon keeps exiting: {last}; `symd logs` may show why")))
    }

    fn greet(place: &DaemonPaths, role: Role, toolset: &[String]) -> Result<Greeting, Failure> {
        let Some(mut client) = Client::raw(place)? else {
            return Ok(Greeting::Absent("no process listens on its socket".to_owned()));
        };
        let role = match role {
            Role::Cli => "cli",
            Role::Mcp => "mcp",
            Role::Lsp => "lsp",
        };
        let hello = Hello {
            protocol: PROTOCOL,
            version: VERSION.to_owned(),
            toolset: toolset.to_vec(),
            client: role.to_owned(),
            environment: Some(environment()),
            directory: std::env::current_dir()
                .ok()
                .and_then(|directory| directory.to_str().map(str::to_owned)),
        };
        let answer = client.send(&hello_line(&hello)).and_then(|()| client.receive());
        let answer = match answer {
            Ok(Some(answer)) => answer,
            // The daemon exited between the connection and its answer.
            Ok(None) => return Ok(Greeting::Absent("it closed the connection".to_owned())),
            Err(error) if is_absent(&error) || is_broken(&error) => {
                return Ok(Greeting::Absent(error.to_string()));
            }
            Err(error) => return Err(silent_daemon(place, &error)),
        };
        if let Some(message) = answer.pointer("/error/message").and_then(Value::as_str) {
            return Err(
                Exit::NoDaemon.because(format!("the daemon did not accept this connection: {message}"))
            );
        }
        let answer: HelloAnswer = serde_json::from_value(answer["symd"].clone()).map_err(|_| {
            Exit::NoDaemon.because(format!(
                "the program that listens on {} is not symd: it answered {answer}",
                place.socket().display()
            ))
        })?;
        let refusal = match answer {
            HelloAnswer::Welcome(welcome) => return Ok(Greeting::Welcome(client, welcome)),
            HelloAnswer::Refusal(refusal) => refusal,
        };
        match refusal.reason {
            Reason::Draining => Ok(Greeting::Absent(refusal.error)),
            Reason::Protocol => Ok(Greeting::Refused(client, refusal)),
            Reason::Toolset | Reason::Malformed => Err(Exit::Usage.because(refusal.error)),
        }
    }

    /// Returns the stream itself.
    pub(super) fn stream(&self) -> &UnixStream {
        self.reader.get_ref()
    }

    /// Returns the stream with the bytes already buffered, to continue without a `Client`.
    pub(super) fn into_reader(self) -> BufReader<UnixStream> {
        self.reader
    }

    /// Sends a line, which must include its newline. Ignores a closed connection: the daemon's reason for
    /// closing it may still be received.
    pub(super) fn send(&mut self, line: &[u8]) -> io::Result<()> {
        match self.reader.get_mut().write_all(line) {
            Err(error) if is_broken(&error) => Ok(()),
            sent => sent,
        }
    }

    fn receive(&mut self) -> io::Result<Option<Value>> {
        let mut line = Vec::new();
        if self.reader.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        serde_json::from_slice(&line)
            .map(Some)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// Sends a request and waits for its result. Passes other messages that arrive meanwhile to `heard`.
    pub(super) fn request(
        &mut self,
        method: &str,
        params: Value,
        mut heard: impl FnMut(&Value),
    ) -> Result<Value, Failure> {
        let request = self.begin(method, params)?;
        loop {
            match self.next(request)? {
                Ok(result) => return Ok(result),
                Err(other) => heard(&other),
            }
        }
    }

    /// Sends a request; returns its number.
    pub(super) fn begin(&mut self, method: &str, params: Value) -> Result<u64, Failure> {
        self.last_id += 1;
        let request = write::request(self.last_id, method, Some(params));
        self.send(&line(request)).map_err(lost)?;
        Ok(self.last_id)
    }

    /// Reads the next message; returns the result of the request, if it is that.
    pub(super) fn result_of(&mut self, request: u64) -> Result<Option<Value>, Failure> {
        Ok(self.next(request)?.ok())
    }

    /// Whether a message, or a part of one, was read with an earlier one.
    pub(super) fn has_buffered(&self) -> bool {
        !self.reader.buffer().is_empty()
    }

    /// Reads the next message: the result of the request, or another message, as the inner error.
    fn next(&mut self, request: u64) -> Result<Result<Value, Value>, Failure> {
        let Some(mut message) = self.receive().map_err(lost)? else {
            return Err(Exit::lost("the daemon ended before it answered; `symd logs` shows why"));
        };
        // An error without an id concerns the connection: it was rejected.
        let refused = message["id"].is_null() && message.get("error").is_some();
        if message["id"] != json!(request) && !refused {
            return Ok(Err(message));
        }
        if let Some(error) = message.get("error") {
            let text = error["message"].as_str().unwrap_or("the daemon sent an error without a message");
            let exit = match error["code"].as_i64() {
                Some(INVALID_PARAMS | METHOD_NOT_FOUND) => Exit::Usage,
                Some(BUSY) => Exit::NotReady,
                _ => Exit::Failed,
            };
            return Err(exit.because(text));
        }
        Ok(Ok(message["result"].take()))
    }
}

fn lost(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Exit::NotReady.because(format!(
            "the daemon did not answer within {} s; `symd logs` may show why",
            ANSWER_DEADLINE.as_secs()
        )),
        _ => Exit::lost(format!("the daemon ended before it answered ({error}); `symd logs` shows why")),
    }
}

/// Returns this process's environment, for the commands that the daemon runs for us.
fn environment() -> Variables {
    let text =
        |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    Variables(std::env::vars_os().filter_map(text).collect())
}

/// Stops a daemon that is older than this program, so that a new one can take its place.
fn replace(
    client: Client,
    place: &DaemonPaths,
    refusal: &Refusal,
    spawning: Spawning,
) -> Result<(), Failure> {
    if agree(PROTOCOL, refusal.protocol) != Agreement::TheyAreOlder {
        return Err(Exit::NoDaemon.because(format!(
            "the running daemon is newer than this symd: {}; upgrade this symd, or stop the daemon with `symd stop`",
            refusal.error
        )));
    }
    if spawning == Spawning::Forbidden {
        return Err(Exit::NoDaemon.because(format!(
            "the running daemon is older than this symd: {}; `symd restart` replaces it",
            refusal.error
        )));
    }
    let daemon = DaemonProcess::behind(&client);
    ask_to_end(client, place)?;
    wait_until_gone(place, daemon.as_ref())
}

/// Asks the daemon to exit: by a request, or by a signal if it cannot answer because it is full or stuck.
pub(super) fn ask_to_end(mut client: Client, place: &DaemonPaths) -> Result<(), Failure> {
    let daemon = DaemonProcess::behind(&client).or_else(|| DaemonProcess::holding(place));
    let Err(failure) = client.request(STOP, json!({}), |_| ()) else { return Ok(()) };
    let Some(daemon) = daemon else { return Err(failure) };
    daemon
        .terminate()
        .map_err(|error| Exit::Failed.because(format!("{}; nor can it be stopped: {error}", failure.text)))
}

/// Waits until the process `daemon` has exited, or, if it is not known, until no daemon holds the lock of
/// `place`.
pub(super) fn wait_until_gone(place: &DaemonPaths, daemon: Option<&DaemonProcess>) -> Result<(), Failure> {
    let has_ended = match daemon {
        Some(daemon) => daemon.wait(place, HANDOVER_DEADLINE),
        None => {
            let locked = lock::lock_within(&place.lock(), HANDOVER_DEADLINE);
            let cannot =
                |error| Exit::Failed.because(format!("cannot lock {}: {error}", place.lock().display()));
            locked.map_err(cannot)?.is_some()
        }
    };
    if has_ended {
        return Ok(());
    }
    let pid = daemon.map_or_else(String::new, |daemon| format!(" (pid {})", daemon.pid().as_raw_nonzero()));
    Err(Exit::NotReady.because(format!(
        "the daemon for {}{pid} was asked to exit and still runs after {} s; `symd logs` may show why",
        place.root.display(),
        HANDOVER_DEADLINE.as_secs()
    )))
}

fn within(stream: &UnixStream, deadline: Option<Duration>) -> Result<(), Failure> {
    stream
        .set_read_timeout(deadline)
        .and_then(|()| stream.set_write_timeout(deadline))
        .map_err(|error| Exit::Failed.because(format!("cannot set a deadline: {error}")))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
}

fn is_broken(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

fn cannot_connect(place: &DaemonPaths, error: &io::Error) -> Failure {
    Exit::NoDaemon.because(format!("cannot connect to {}: {error}", place.socket().display()))
}

fn silent_daemon(place: &DaemonPaths, error: &io::Error) -> Failure {
    let why = match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("no response within {} s", ANSWER_DEADLINE.as_secs())
        }
        _ => error.to_string(),
    };
    Exit::NoDaemon.because(format!(
        "the daemon behind {} does not answer ({why}); `symd logs` may show why, its pid is in {}",
        place.socket().display(),
        place.meta().display()
    ))
}
