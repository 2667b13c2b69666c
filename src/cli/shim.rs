//! Joins an MCP client's stdin and stdout to the daemon, and outlives it: when the daemon ends (a restart,
//! an upgrade, a crash), requests under way are answered with an error, and the next one finds the next
//! daemon, to which the client's `initialize` is repeated. A question that only reads is put to that daemon once more.
//! Invariant: every request that the client makes and does not cancel is answered once, and nothing that reached a daemon
//! and may change something is sent again.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use serde_json::{Value, json};

use crate::serve::DaemonPaths;
use crate::serve::approvals::proof;
use crate::serve::escapes::json_of;
use crate::serve::protocol::{BUSY, error_line, line};

use super::client::{Client, Role};
use super::context::Spawning;
use super::failure::{Exit, Failure};
use super::reading::is_reading;

/// Bytes of a line that are looked at; a longer one goes to the daemon as it comes, which refuses it.
const LINE_BYTES: usize = 64 * 1024 * 1024;

/// How often a line is offered to a daemon that ends before it takes it.
const ATTEMPTS: usize = 3;

/// Bytes of a request that is kept until it is answered, so that it can be asked again.
const KEPT_BYTES: usize = 64 * 1024;

/// An MCP client's side of things.
pub(super) struct Shim {
    way: Way,
    link: Option<Link>,
}

/// How a daemon is reached.
#[derive(Clone)]
struct Way {
    place: DaemonPaths,
    toolset: Vec<String>,
    spawning: Spawning,
    /// The parameters of the client's `initialize`, if it is of the era that has one.
    opening: Arc<Mutex<Option<Value>>>,
}

/// One connection to a daemon.
struct Link {
    stream: UnixStream,
    pending: Arc<Mutex<Pending>>,
    reader: JoinHandle<()>,
}

/// What a daemon was asked and has not answered.
#[derive(Default)]
struct Pending {
    /// The connection is gone, and everything that was pending has been answered.
    over: bool,
    asked: HashMap<String, UnansweredRequest>,
}

/// A request without an answer.
struct UnansweredRequest {
    id: Value,
    /// The line, where it only reads.
    again: Option<Vec<u8>>,
}

fn lock(pending: &Mutex<Pending>) -> MutexGuard<'_, Pending> {
    pending.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Way {
    /// Connects, also where the daemon that it found first is about to end.
    fn connect(&self) -> Result<Client, Failure> {
        for _ in 1..ATTEMPTS {
            match self.open() {
                Err(failure) if failure.is_lost => {}
                connected => return connected,
            }
        }
        self.open()
    }

    /// Connects, and repeats what the client opened its session with.
    fn open(&self) -> Result<Client, Failure> {
        let (mut client, welcome) = Client::connect(&self.place, Role::Mcp, &self.toolset, self.spawning)?;
        if let Some(word) = &welcome.proof {
            // In a sandbox it fails, as it is meant to: the answers that come through us do not count then, and the
            // refusals say so.
            let _ = proof::give(&self.place.proofs(), word);
        }
        let opening = self.opening().clone();
        if let Some(opening) = opening {
            client.request("initialize", opening, |_| ())?;
            let opened = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            client.send(&line(&opened)).map_err(broke)?;
        }
        Ok(client)
    }

    fn opening(&self) -> MutexGuard<'_, Option<Value>> {
        self.opening.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection for everything that the client says from now on.
    fn link(&self) -> Result<Link, Failure> {
        let client = self.connect()?;
        let stream = client.stream().try_clone().map_err(broke)?;
        let pending = Arc::new(Mutex::new(Pending::default()));
        let (shared, way) = (Arc::clone(&pending), self.clone());
        let reader = std::thread::spawn(move || read_answers(client.into_reader(), &shared, &way));
        Ok(Link { stream, pending, reader })
    }

    /// Puts questions that only read to the next daemon; those that it does not answer are left in `asked`.
    fn ask_again(&self, asked: &mut HashMap<String, UnansweredRequest>) -> Result<(), Failure> {
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
            if answered_id(&text).is_some_and(|id| asked.remove(&id.to_string()).is_some()) {
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
        Shim { way: Way { place, toolset, spawning, opening: Arc::default() }, link: None }
    }

    /// Serves until stdin ends and everything is answered.
    pub(super) fn run(mut self) -> Result<(), Failure> {
        // At once, so that the client sees why when it cannot be.
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
            // The daemon answers what it was asked, then closes; it may have done so already.
            let _ = link.stream.shutdown(Shutdown::Write);
            let _ = link.reader.join();
        }
        Ok(())
    }

    fn pass_on(&mut self, text: &[u8]) {
        // What is no JSON goes to the daemon as well: it has the answer to that.
        let message = json_of(text).unwrap_or_default();
        let method = message["method"].as_str();
        let id = method.and_then(|_| message.get("id")).cloned();
        if method == Some("initialize") {
            *self.way.opening() = message.get("params").cloned();
        }
        if let (Some("notifications/cancelled"), Some(link)) = (method, &self.link) {
            // The daemon will not answer it, so its end is no news either: nothing may be sent for it any more.
            lock(&link.pending).asked.remove(&message["params"]["requestId"].to_string());
        }
        if id.is_none() && self.is_over() {
            // News for a daemon that is gone concern nobody; they start no other.
            return;
        }
        let again = (text.len() <= KEPT_BYTES && is_reading(&message)).then_some(text);
        let mut why = "the symd daemon comes and goes; `symd logs` may show why".to_owned();
        for _ in 0..ATTEMPTS {
            if self.try_send(text, id.as_ref(), again).is_ok() {
                return;
            }
            // Repeated by the very message that is about to be sent.
            let opening = if method == Some("initialize") { self.way.opening().take() } else { None };
            let link = self.way.link();
            if opening.is_some() {
                *self.way.opening() = opening;
            }
            match link {
                Ok(link) => self.link = Some(link),
                Err(failure) => {
                    why = failure.text;
                    break;
                }
            }
        }
        if let Some(id) = &id {
            answer(&error_line(id, BUSY, &why));
        }
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
        // Not under the lock: the daemon may wait for its answers to be read before it reads on.
        if link.stream.write_all(text).is_ok() {
            return Ok(());
        }
        let answered = id.is_some_and(|id| lock(&link.pending).asked.remove(&id.to_string()).is_none());
        let _ = link.stream.shutdown(Shutdown::Both);
        self.link = None;
        // A daemon that closed before it had the whole line has not begun with it.
        if answered { Ok(()) } else { Err(NotSent) }
    }

    /// Sends a line that is too long to be looked at, as it comes.
    fn pass_through(&mut self, start: &[u8], stdin: &mut impl BufRead) {
        if self.is_over() {
            self.link = self.way.link().ok();
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

/// The daemon is gone and has not got the line.
struct NotSent;

enum Read {
    Line,
    TooLong,
    End,
}

/// Reads a line with its newline; an unfinished last one gets one.
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

/// Passes on what the daemon says until it closes, then asks the next one what only reads, and answers for it what may
/// have changed something.
fn read_answers(mut from: BufReader<UnixStream>, pending: &Mutex<Pending>, way: &Way) {
    let mut text = Vec::new();
    loop {
        text.clear();
        // Half a line of a daemon that died is no answer.
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
        // Where there is no next one, what follows is the answer.
        let _ = way.ask_again(&mut unanswered);
    }
    for asked in unanswered.values() {
        answer(&error_line(
            &asked.id,
            BUSY,
            "the symd daemon ended before it answered; whether it did what was asked is not known. Ask again: the next request starts it anew",
        ));
    }
}

/// The id of the request that this line answers.
fn answered_id(text: &[u8]) -> Option<Value> {
    #[derive(serde::Deserialize)]
    struct Head {
        id: Option<Value>,
        method: Option<serde::de::IgnoredAny>,
    }
    let head: Head = serde_json::from_slice(text).ok()?;
    head.id.filter(|_| head.method.is_none())
}

/// Writes a line to the client. One that is gone ends its stdin too, and that ends us.
fn answer(text: &[u8]) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text).and_then(|()| out.flush());
}
