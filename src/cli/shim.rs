//! Connects an MCP client's stdin and stdout to the daemon, and outlives it: when the daemon exits (a
//! restart, an upgrade, a crash), requests in flight are answered with an error, and the next request
//! connects to a new daemon, to which the client's `initialize` is repeated. Requests that only read are
//! repeated to that daemon. Invariant: every request that the client sends and does not cancel is answered
//! once, and nothing that reached a daemon and may change something is sent again.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use serde_json::Value;

use crate::rpc::codes::BUSY;
use crate::rpc::escapes::json_of;
use crate::rpc::lines::line;
use crate::rpc::write::{self, NO_PARAMS};
use crate::serve::DaemonPaths;
use crate::serve::approvals::proof;

use super::client::{Client, Role};
use super::context::Spawning;
use super::failure::{Exit, Failure};
use super::reading::is_reading;

/// The longest line, in bytes, that is parsed; a longer one is passed to the daemon as it arrives, which
/// rejects it.
const LINE_BYTES: usize = 64 * 1024 * 1024;

/// How often a line is sent to daemons that exit before they have received it.
const ATTEMPTS: usize = 3;

/// The longest request, in bytes, that is kept until it is answered, so that it can be repeated.
const KEPT_BYTES: usize = 64 * 1024;

/// The connection of one MCP client.
pub(super) struct Shim {
    way: DaemonAccess,
    link: Option<Link>,
    /// The readers of earlier links, which may still wait for the next daemon's responses.
    earlier: Vec<JoinHandle<()>>,
}

/// How to reach a daemon.
#[derive(Clone)]
struct DaemonAccess {
    place: DaemonPaths,
    toolset: Vec<String>,
    spawning: Spawning,
    /// The parameters of the client's `initialize`, if it has sent one.
    opening: Arc<Mutex<Option<Value>>>,
}

/// One connection to a daemon.
struct Link {
    stream: UnixStream,
    pending: Arc<Mutex<Pending>>,
    reader: JoinHandle<()>,
}

/// The requests that a daemon has not answered.
#[derive(Default)]
struct Pending {
    /// Whether the connection is closed and everything that was pending has been answered.
    over: bool,
    asked: HashMap<String, UnansweredRequest>,
    /// Requests that the client cancelled since the connection was closed.
    cancelled: HashSet<String>,
}

impl Pending {
    fn cancel(&mut self, id: String) {
        if self.over {
            self.cancelled.insert(id);
        } else {
            self.asked.remove(&id);
        }
    }
}

/// A request without a response.
struct UnansweredRequest {
    id: Value,
    /// The request's line, if it only reads.
    again: Option<Vec<u8>>,
}

fn lock(pending: &Mutex<Pending>) -> MutexGuard<'_, Pending> {
    pending.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DaemonAccess {
    /// Connects; tries again if the daemon exits meanwhile.
    fn connect(&self) -> Result<Client, Failure> {
        for _ in 1..ATTEMPTS {
            match self.open() {
                Err(failure) if failure.is_lost => {}
                connected => return connected,
            }
        }
        self.open()
    }

    /// Connects, and repeats the client's `initialize`.
    fn open(&self) -> Result<Client, Failure> {
        let (mut client, welcome) = Client::connect(&self.place, Role::Mcp, &self.toolset, self.spawning)?;
        if let Some(word) = &welcome.proof {
            // In a sandbox this fails, as intended: approvals sent through this process are then rejected,
            // with the reason.
            let _ = proof::prove(&self.place.proofs(), word);
        }
        let opening = self.opening().clone();
        if let Some(opening) = opening {
            client.request("initialize", opening, |_| ())?;
            let opened = write::notification("notifications/initialized", NO_PARAMS);
            client.send(&line(opened)).map_err(broke)?;
        }
        Ok(client)
    }

    fn opening(&self) -> MutexGuard<'_, Option<Value>> {
        self.opening.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a connection for the client's next messages.
    fn link(&self) -> Result<Link, Failure> {
        let client = self.connect()?;
        let stream = client.stream().try_clone().map_err(broke)?;
        let pending = Arc::new(Mutex::new(Pending::default()));
        let (shared, way) = (Arc::clone(&pending), self.clone());
        let reader = std::thread::spawn(move || read_answers(client.into_reader(), &shared, &way));
        Ok(Link { stream, pending, reader })
    }

    /// Sends the requests that only read to the next daemon and passes on their responses; requests without a
    /// response remain in `asked`.
    fn ask_again(
        &self,
        asked: &mut HashMap<String, UnansweredRequest>,
        pending: &Mutex<Pending>,
    ) -> Result<(), Failure> {
        let mut client = self.connect()?;
        for line in asked.values().filter_map(|asked| asked.again.as_deref()) {
            client.send(line).map_err(broke)?;
        }
        let mut from = client.into_reader();
        let mut text = Vec::new();
        while asked.values().any(|asked| asked.again.is_some()) {
            text.clear();
            if !matches!(from.read_until(b'\n', &mut text), Ok(read) if read > 0 && text.ends_with(b"\n")) {
                break;
            }
            let Some(id) = answered_id(&text).map(|id| id.to_string()) else { continue };
            if asked.remove(&id).is_some() && !lock(pending).cancelled.contains(&id) {
                answer(&text);
            }
        }
        Ok(())
    }
}

fn broke(error: io::Error) -> Failure {
    Exit::lost(format!("the connection broke: {error}"))
}

impl Shim {
    pub(super) fn new(place: DaemonPaths, toolset: Vec<String>, spawning: Spawning) -> Shim {
        Shim {
            way: DaemonAccess { place, toolset, spawning, opening: Arc::default() },
            link: None,
            earlier: Vec::new(),
        }
    }

    /// Serves the client until stdin ends and everything is answered.
    pub(super) fn run(mut self) -> Result<(), Failure> {
        // Connects before reading, so that the client sees a failure at once.
        self.link = Some(self.way.link()?);
        let mut stdin = io::stdin().lock();
        let mut text = Vec::new();
        loop {
            text.clear();
            let read = read_line(&mut stdin, &mut text)
                .map_err(|error| Exit::Failed.because(format!("cannot read stdin: {error}")))?;
            match read {
                Read::End => break,
                Read::Line => self.pass_on(&text),
                Read::TooLong => self.pass_through(&text, &mut stdin),
            }
        }
        if let Some(link) = self.link.take() {
            // The daemon answers all requests, then closes; it may have closed already.
            let _ = link.stream.shutdown(Shutdown::Write);
            self.earlier.push(link.reader);
        }
        for reader in self.earlier {
            let _ = reader.join();
        }
        Ok(())
    }

    fn pass_on(&mut self, text: &[u8]) {
        // Invalid JSON is passed to the daemon too, which answers it with an error.
        let message = json_of(text).unwrap_or_default();
        let method = message["method"].as_str();
        let id = method.and_then(|_| message.get("id")).cloned();
        if method == Some("initialize") {
            *self.way.opening() = message.get("params").cloned();
        }
        if let (Some("notifications/cancelled"), Some(link)) = (method, &self.link) {
            // The daemon will not answer a cancelled request, and no response may be sent for it even if the
            // daemon exits.
            lock(&link.pending).cancel(message["params"]["requestId"].to_string());
        }
        if id.is_none() && self.is_over() {
            // A notification for a daemon that is gone has no effect, and does not start another one.
            return;
        }
        let again = (text.len() <= KEPT_BYTES && is_reading(&message)).then_some(text);
        let mut why = "the symd daemon keeps exiting; `symd logs` may show why".to_owned();
        for _ in 0..ATTEMPTS {
            if self.try_send(text, id.as_ref(), again).is_ok() {
                return;
            }
            // `initialize` must not be repeated when it is itself the message to be sent.
            let opening = if method == Some("initialize") { self.way.opening().take() } else { None };
            let link = self.way.link();
            if opening.is_some() {
                *self.way.opening() = opening;
            }
            match link {
                Ok(link) => self.replace(Some(link)),
                Err(failure) => {
                    why = failure.text;
                    break;
                }
            }
        }
        if let Some(id) = &id {
            answer(&line(write::error(id, BUSY, &why)));
        }
    }

    fn replace(&mut self, link: Option<Link>) {
        self.earlier.retain(|reader| !reader.is_finished());
        let earlier = std::mem::replace(&mut self.link, link);
        self.earlier.extend(earlier.map(|link| link.reader));
    }

    fn is_over(&self) -> bool {
        self.link.as_ref().is_none_or(|link| lock(&link.pending).over)
    }

    /// Sends a line, unless the daemon is known to be gone.
    fn try_send(&mut self, text: &[u8], id: Option<&Value>, again: Option<&[u8]>) -> Result<(), NotSent> {
        let Some(link) = &mut self.link else { return Err(NotSent) };
        {
            let mut pending = lock(&link.pending);
            if pending.over {
                return Err(NotSent);
            }
            if let Some(id) = id {
                let asked = UnansweredRequest { id: id.clone(), again: again.map(<[u8]>::to_vec) };
                pending.asked.insert(id.to_string(), asked);
            }
        }
        // Without the lock: the daemon may wait for its responses to be read before it reads on.
        if link.stream.write_all(text).is_ok() {
            return Ok(());
        }
        let answered = id.is_some_and(|id| lock(&link.pending).asked.remove(&id.to_string()).is_none());
        let _ = link.stream.shutdown(Shutdown::Both);
        self.replace(None);
        // A daemon that closed before it received the whole line has not started to work on it.
        if answered { Ok(()) } else { Err(NotSent) }
    }

    /// Sends a line that is too long to be parsed, as it arrives.
    fn pass_through(&mut self, start: &[u8], stdin: &mut impl BufRead) {
        if self.is_over() {
            let link = self.way.link().ok();
            self.replace(link);
        }
        let mut stream = self.link.as_ref().map(|link| &link.stream);
        let mut send = |part: &[u8]| {
            if stream.is_some_and(|mut stream| stream.write_all(part).is_err()) {
                stream = None;
            }
        };
        send(start);
        while let Ok(available) = stdin.fill_buf() {
            let newline = memchr::memchr(b'\n', available);
            let end = newline.map_or(available.len(), |newline| newline + 1);
            send(&available[..end]);
            stdin.consume(end);
            if newline.is_some() || end == 0 {
                return;
            }
        }
    }
}

/// The error that the daemon is gone and has not received the line.
struct NotSent;

enum Read {
    Line,
    TooLong,
    End,
}

/// Reads a line with its newline; adds the newline if the last line lacks it.
fn read_line(from: &mut impl BufRead, text: &mut Vec<u8>) -> io::Result<Read> {
    loop {
        let available = from.fill_buf()?;
        if available.is_empty() {
            if text.is_empty() {
                return Ok(Read::End);
            }
            text.push(b'\n');
            return Ok(Read::Line);
        }
        let newline = memchr::memchr(b'\n', available);
        let end = newline.map_or(available.len(), |newline| newline + 1);
        text.extend_from_slice(&available[..end]);
        from.consume(end);
        if newline.is_some() {
            return Ok(Read::Line);
        }
        if text.len() > LINE_BYTES {
            return Ok(Read::TooLong);
        }
    }
}

/// Passes on the daemon's messages until it closes, then repeats the requests that only read to the next
/// daemon, and answers the others with an error.
fn read_answers(mut from: BufReader<UnixStream>, pending: &Mutex<Pending>, way: &DaemonAccess) {
    let mut text = Vec::new();
    loop {
        text.clear();
        // A partial line of a daemon that died is discarded.
        if !matches!(from.read_until(b'\n', &mut text), Ok(read) if read > 0 && text.ends_with(b"\n")) {
            break;
        }
        if let Some(id) = answered_id(&text) {
            lock(pending).asked.remove(&id.to_string());
        }
        answer(&text);
    }
    let mut unanswered = {
        let mut pending = lock(pending);
        pending.over = true;
        std::mem::take(&mut pending.asked)
    };
    if unanswered.values().any(|asked| asked.again.is_some()) {
        // If no daemon can be reached, the error below is the answer.
        let _ = way.ask_again(&mut unanswered, pending);
    }
    let cancelled = std::mem::take(&mut lock(pending).cancelled);
    for (_, asked) in unanswered.iter().filter(|(id, _)| !cancelled.contains(*id)) {
        answer(&line(write::error(
            &asked.id,
            BUSY,
            "the symd daemon ended before it answered; it is unknown whether the request was carried out. Before you repeat a change, check whether it was made; the next request starts a new daemon",
        )));
    }
}

/// Returns the id of the request that this line answers.
fn answered_id(text: &[u8]) -> Option<Value> {
    #[derive(serde::Deserialize)]
    struct Head {
        id: Option<Value>,
        method: Option<serde::de::IgnoredAny>,
    }
    let head: Head = serde_json::from_slice(text).ok()?;
    head.id.filter(|_| head.method.is_none())
}

/// Writes a line to the client. Ignores errors: a client that is gone closes stdin too, which ends this
/// process.
fn answer(text: &[u8]) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text).and_then(|()| out.flush());
}
