//! The interface by which the rest of symd parses texts. Outside of tests, outlines are obtained only here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::bindings;
use super::inspected::{self, lies_in};
use super::limits::Allowance;
use super::living_workers::WorkerMemory;
use super::pool::{Outcome, ParsePurpose, RunningTrial, WorkerPool};
use super::process::{ExchangeError, WorkerAnswer};
use super::protocol::{Request, Task};
use super::quarantine::Quarantine;
use symd_base::state::StateError;
use symd_base::{Cancel, ContentHash, RelPath, TextRange};
use symd_index::cache::{Key, StoredParses, codec};
use symd_syntax::{self as syntax, FlatTree, Grammar, Inspected, LocalBindings, Outline, OutlineError};

/// Maximum number of attempts for a text whose workers fail for other reasons (they are killed, the system
/// has no memory).
const ATTEMPTS: usize = 32;

/// The means by which texts are parsed. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Parsers(Arc<ParseBackend>);

#[derive(Debug)]
enum ParseBackend {
    /// This process.
    InProcess,
    /// Worker processes.
    Workers { program: PathBuf, crew: WorkerPool, quarantine: Quarantine, stored: Option<Box<StoredParses>> },
}

/// Options of a crew of workers.
#[derive(Clone, Debug)]
pub struct ParserOptions {
    /// Path of symd itself.
    pub program: PathBuf,
    /// File that stores the quarantine; `None` stores it nowhere.
    pub quarantine: Option<PathBuf>,
    /// Directory of what was parsed for questions; `None` stores it nowhere.
    pub parses: Option<PathBuf>,
}

/// The result of an attempt to parse a text.
#[derive(Debug)]
pub enum Attempt<T = Outline> {
    Parsed(T),
    /// The text is slow, or a worker failed on it: it is to be tried out, by the worker that continues with
    /// it or by another.
    SetAside(Option<RunningTrial>),
}

/// A text, and the task for it.
struct ParseTask<'a, T> {
    task: Task,
    grammar: Grammar,
    text: &'a str,
    /// Identifies the text.
    key: Key,
    /// Decodes a worker's answer.
    decode: fn(&[u8], Grammar, &str) -> Option<T>,
}

impl<'a> ParseTask<'a, Outline> {
    fn outline(grammar: Grammar, text: &'a str, hash: ContentHash) -> ParseTask<'a, Outline> {
        let key = Key { content: hash, fingerprint: grammar.fingerprint() };
        ParseTask { task: Task::Outline, grammar, text, key, decode: decode_outline }
    }
}

fn decode_outline(payload: &[u8], _: Grammar, text: &str) -> Option<Outline> {
    codec::decode(payload).filter(|outline| lies_in(outline, text))
}

impl<'a, T> ParseTask<'a, T> {
    /// A task other than the outline. It has a key of its own: a text that fails here keeps its outline, and what the other tasks
    /// find.
    fn beside_outline(
        task: Task,
        grammar: Grammar,
        text: &'a str,
        hash: ContentHash,
        decode: fn(&[u8], Grammar, &str) -> Option<T>,
    ) -> ParseTask<'a, T> {
        let fingerprint = !grammar.fingerprint().wrapping_add(u64::from(task.number()));
        let key = Key { content: hash, fingerprint };
        ParseTask { task, grammar, text, key, decode }
    }
}

/// Reasons why a text was not parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("cancelled")]
    Cancelled,
    /// The text is in quarantine.
    #[error("symd's parser fails on it: {0}")]
    Quarantined(String),
    /// The text is slow, or a worker failed on it.
    #[error("symd's parser takes long over it; ask again in a few seconds")]
    SetAside,
    /// No worker could be started, or workers are repeatedly killed.
    #[error("symd cannot parse at the moment: {0}")]
    Unavailable(String),
    /// The text cannot be parsed by this build of symd.
    #[error("{0}")]
    Refused(String),
}

/// A guard that keeps a worker ready while it lives.
#[derive(Debug)]
pub struct Warm(Parsers);

impl Drop for Warm {
    fn drop(&mut self) {
        if let ParseBackend::Workers { crew, .. } = &*self.0.0 {
            crew.client_left();
        }
    }
}

impl Parsers {
    /// Parses in this process, which a text may crash: for tests and measurements.
    pub fn in_this_process() -> Parsers {
        Parsers(Arc::new(ParseBackend::InProcess))
    }

    pub fn in_workers(options: ParserOptions) -> std::io::Result<Parsers> {
        let crew = WorkerPool::new(options.program.clone())?;
        let quarantine = Quarantine::open(options.quarantine);
        // Without them, questions parse again; nothing else changes.
        let stored = options.parses.as_deref().and_then(|directory| {
            let opened = StoredParses::open(directory);
            opened
                .map(Box::new)
                .map_err(|error| tracing::warn!(%error, "parses for questions are not stored"))
                .ok()
        });
        Ok(Parsers(Arc::new(ParseBackend::Workers { program: options.program, crew, quarantine, stored })))
    }

    /// Returns the program that the workers run, or `None` if everything is parsed in this process.
    pub fn program(&self) -> Option<&Path> {
        match &*self.0 {
            ParseBackend::InProcess => None,
            ParseBackend::Workers { program, .. } => Some(program),
        }
    }

    /// Keeps a worker ready until the returned guard is dropped, at the disconnect of a client.
    pub fn keep_warm(&self) -> Warm {
        if let ParseBackend::Workers { crew, .. } = &*self.0 {
            crew.client_came();
        }
        Warm(self.clone())
    }

    /// Returns the quarantined texts, or `None` if everything is parsed in this process.
    pub fn quarantine(&self) -> Option<&Quarantine> {
        match &*self.0 {
            ParseBackend::InProcess => None,
            ParseBackend::Workers { quarantine, .. } => Some(quarantine),
        }
    }

    /// Records that the file at `path` is quarantined, and why, for [`Parsers::why_unparsable`].
    pub fn record_quarantined(&self, path: &RelPath, why: String) {
        if let Some(quarantine) = self.quarantine() {
            quarantine.record_path(path, why);
        }
    }

    /// Returns why the file at `path` is quarantined; empty if unknown.
    pub fn why_unparsable(&self, path: &RelPath) -> String {
        self.quarantine().and_then(|quarantine| quarantine.why_of(path)).unwrap_or_default()
    }

    /// Returns the maximum number of concurrent trials.
    pub fn trials(&self) -> usize {
        match &*self.0 {
            ParseBackend::InProcess => 1,
            ParseBackend::Workers { crew, .. } => crew.trials(),
        }
    }

    /// Returns the number of texts sent to workers so far: for tests and measurements.
    pub fn requests(&self) -> u64 {
        match &*self.0 {
            ParseBackend::InProcess => 0,
            ParseBackend::Workers { crew, .. } => crew.requests(),
        }
    }

    /// Returns the resident memory of each worker, the oldest worker first. Reads /proc.
    pub fn worker_memory(&self) -> Vec<WorkerMemory> {
        match &*self.0 {
            ParseBackend::InProcess => Vec::new(),
            ParseBackend::Workers { crew, .. } => crew.memory(),
        }
    }

    /// Returns the outline of an ordinary file whose bytes have the hash `hash`. A slow text is set aside.
    pub fn outline_of_file(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        cancel: &Cancel,
    ) -> Result<Attempt, ParseError> {
        match &*self.0 {
            ParseBackend::InProcess => Ok(Attempt::Parsed(syntax::outline(grammar, text, cancel)?)),
            ParseBackend::Workers { crew, quarantine, .. } => attempt(
                crew,
                (quarantine, None),
                ParsePurpose::File,
                &ParseTask::outline(grammar, text, hash),
                cancel,
            ),
        }
    }

    /// Returns the outline of a file that was set aside: it gets the full time that a file may take, in the
    /// worker that is already parsing it, or alone in a fresh one, and if necessary once more.
    pub fn try_out(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        running: Option<RunningTrial>,
        cancel: &Cancel,
    ) -> Result<Outline, ParseError> {
        match &*self.0 {
            ParseBackend::InProcess => Ok(syntax::outline(grammar, text, cancel)?),
            ParseBackend::Workers { crew, quarantine, .. } => {
                try_out(crew, quarantine, &ParseTask::outline(grammar, text, hash), running, cancel)
            }
        }
    }

    /// Returns the outline of a text that a request waits for: tries it as an ordinary file, and then as one
    /// that was set aside.
    pub fn outline_now(&self, grammar: Grammar, text: &str, cancel: &Cancel) -> Result<Outline, ParseError> {
        match &*self.0 {
            ParseBackend::InProcess => Ok(syntax::outline(grammar, text, cancel)?),
            ParseBackend::Workers { crew, quarantine, .. } => {
                let hash = ContentHash::of(text.as_bytes());
                now(crew, quarantine, &ParseTask::outline(grammar, text, hash), cancel)
            }
        }
    }

    /// Returns what an edit must know of a proposed text, by one request and one parse; `range` selects the
    /// lines to classify.
    pub fn inspect(
        &self,
        grammar: Grammar,
        text: &str,
        range: TextRange,
        cancel: &Cancel,
    ) -> Result<Inspected, ParseError> {
        match &*self.0 {
            ParseBackend::InProcess => Ok(syntax::inspect(grammar, text, range, cancel)?),
            ParseBackend::Workers { crew, quarantine, .. } => {
                let content = ContentHash::of(text.as_bytes());
                let key = Key { content, fingerprint: grammar.fingerprint() };
                let task = Task::Inspect(range);
                let inquiry = ParseTask { task, grammar, text, key, decode: inspected::decode };
                now(crew, quarantine, &inquiry, cancel)
            }
        }
    }

    /// Returns what a text binds as locals. A slow text is set aside.
    pub fn local_bindings(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        cancel: &Cancel,
    ) -> Result<Attempt<LocalBindings>, ParseError> {
        let decode = |payload: &[u8], _: Grammar, text: &str| bindings::decode(payload, text);
        let task = ParseTask::beside_outline(Task::LocalBindings, grammar, text, hash, decode);
        self.attempt_for_question(&task, cancel, || syntax::local_bindings(grammar, text, cancel))
    }

    /// Returns the outline of a text with the types that an outline hides. A slow text is set aside.
    pub fn outline_with_hidden_types(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        cancel: &Cancel,
    ) -> Result<Attempt, ParseError> {
        let parse = || syntax::outline_with_hidden_types(grammar, text, cancel);
        self.attempt_for_question(&hidden_types_task(grammar, text, hash), cancel, parse)
    }

    /// Returns the outline of a text with the types and functions that an outline hides. A slow text is set aside.
    pub fn outline_with_hidden_functions(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        cancel: &Cancel,
    ) -> Result<Attempt, ParseError> {
        let task = ParseTask::beside_outline(Task::HiddenFunctions, grammar, text, hash, decode_outline);
        self.attempt_for_question(&task, cancel, || {
            syntax::outline_with_hidden_functions(grammar, text, cancel)
        })
    }

    /// Returns the tree of a text. A slow text is set aside.
    pub fn flat_tree(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        cancel: &Cancel,
    ) -> Result<Attempt<FlatTree>, ParseError> {
        self.attempt_for_question(&tree_task(grammar, text, hash), cancel, || {
            syntax::flat_tree(grammar, text, cancel)
        })
    }

    /// Whether the tree of a text is stored and, of one whose outline hides types, the outline with them.
    pub fn has_parses(&self, grammar: Grammar, hash: ContentHash, hides_types: bool) -> bool {
        let has = |stored: &StoredParses| {
            stored.contains(tree_task(grammar, "", hash).key)
                && (!hides_types || stored.contains(hidden_types_task(grammar, "", hash).key))
        };
        self.stored().is_some_and(has)
    }

    /// Parses a text ahead of questions and stores its tree and, if its outline hides types, the outline with them; `false` if the
    /// text is slow, or parses are not stored.
    pub fn parse_ahead(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        hides_types: bool,
        cancel: &Cancel,
    ) -> Result<bool, ParseError> {
        let tree = self.store(&tree_task(grammar, text, hash), cancel)?;
        Ok(tree && (!hides_types || self.store(&hidden_types_task(grammar, text, hash), cancel)?))
    }

    fn store<T>(&self, task: &ParseTask<'_, T>, cancel: &Cancel) -> Result<bool, ParseError> {
        let ParseBackend::Workers { crew, quarantine, stored: Some(stored), .. } = &*self.0 else {
            return Ok(false);
        };
        if stored.contains(task.key) {
            return Ok(true);
        }
        let attempt = attempt(crew, (quarantine, Some(stored)), ParsePurpose::File, task, cancel)?;
        Ok(matches!(attempt, Attempt::Parsed(_)))
    }

    /// Whether what is parsed for questions is stored.
    pub fn store_parses(&self) -> bool {
        self.stored().is_some()
    }

    /// Whether there is room for more parses before older ones go, in memory and on disk.
    pub fn has_room_for_parses(&self) -> bool {
        self.stored().is_some_and(StoredParses::has_room)
    }

    /// Writes the parses that are to be stored, if they are at least `worth` bytes.
    pub fn write_parses(&self, worth: usize) -> Result<(), StateError> {
        self.stored().map_or(Ok(()), |stored| stored.write(worth))
    }

    /// Returns how many bytes of parses are in memory until they are written.
    pub fn unwritten_parses(&self) -> usize {
        self.stored().map_or(0, StoredParses::unwritten_bytes)
    }

    fn stored(&self) -> Option<&StoredParses> {
        match &*self.0 {
            ParseBackend::InProcess => None,
            ParseBackend::Workers { stored, .. } => stored.as_deref(),
        }
    }

    /// Attempts a task that a question waits for, in a worker, or by `parse` in this process.
    fn attempt_for_question<T>(
        &self,
        task: &ParseTask<'_, T>,
        cancel: &Cancel,
        parse: impl FnOnce() -> Result<T, OutlineError>,
    ) -> Result<Attempt<T>, ParseError> {
        match &*self.0 {
            ParseBackend::InProcess => Ok(Attempt::Parsed(parse()?)),
            ParseBackend::Workers { crew, quarantine, stored, .. } => {
                let stored = stored.as_deref();
                let known = stored.and_then(|stored| stored.get(task.key));
                match known.and_then(|payload| (task.decode)(&payload, task.grammar, task.text)) {
                    Some(parsed) => Ok(Attempt::Parsed(parsed)),
                    None => attempt(crew, (quarantine, stored), ParsePurpose::Question, task, cancel),
                }
            }
        }
    }
}

fn hidden_types_task(grammar: Grammar, text: &str, hash: ContentHash) -> ParseTask<'_, Outline> {
    ParseTask::beside_outline(Task::HiddenTypes, grammar, text, hash, decode_outline)
}

fn tree_task(grammar: Grammar, text: &str, hash: ContentHash) -> ParseTask<'_, FlatTree> {
    let decode = |payload: &[u8], _: Grammar, text: &str| FlatTree::from_bytes(payload, text);
    ParseTask::beside_outline(Task::Tree, grammar, text, hash, decode)
}

/// Parses a text that a request waits for: as an ordinary file, and then as one that was set aside.
fn now<T>(
    crew: &WorkerPool,
    quarantine: &Quarantine,
    inquiry: &ParseTask<'_, T>,
    cancel: &Cancel,
) -> Result<T, ParseError> {
    match attempt(crew, (quarantine, None), ParsePurpose::Question, inquiry, cancel)? {
        Attempt::Parsed(parsed) => Ok(parsed),
        Attempt::SetAside(running) => try_out(crew, quarantine, inquiry, running, cancel),
    }
}

fn try_out<T>(
    crew: &WorkerPool,
    quarantine: &Quarantine,
    inquiry: &ParseTask<'_, T>,
    running: Option<RunningTrial>,
    cancel: &Cancel,
) -> Result<T, ParseError> {
    let mut tried = match running {
        None => Attempt::SetAside(None),
        Some(running) => match running.finish(cancel) {
            Ok(answered) => decoded(quarantine, inquiry, &answered)?,
            Err(unanswered) => failed(quarantine, inquiry, unanswered)?,
        },
    };
    // The first attempt may be the first for which the text is blamed; the second is decisive.
    for _ in 0..2 {
        if let Attempt::Parsed(parsed) = tried {
            return Ok(parsed);
        }
        tried = attempt(crew, (quarantine, None), ParsePurpose::Trial, inquiry, cancel)?;
    }
    match tried {
        Attempt::Parsed(parsed) => Ok(parsed),
        Attempt::SetAside(_) => Err(ParseError::SetAside),
    }
}

/// Sends a text to a worker, repeatedly if workers fail for other reasons. A valid answer is added to `stored`.
fn attempt<T>(
    crew: &WorkerPool,
    (quarantine, stored): (&Quarantine, Option<&StoredParses>),
    lane: ParsePurpose,
    inquiry: &ParseTask<'_, T>,
    cancel: &Cancel,
) -> Result<Attempt<T>, ParseError> {
    let ParseTask { task, grammar, text, key, .. } = *inquiry;
    if u32::try_from(text.len()).is_err() {
        return Err(ParseError::Refused(OutlineError::TooLarge.to_string()));
    }
    if let Some(why) = quarantine.why(key) {
        return Err(ParseError::Quarantined(why));
    }
    let allowance = Allowance::of(text.len());
    let request = Request { task, grammar: grammar.name(), allowance, stop_after: None, text };
    let mut last = String::new();
    for _ in 0..ATTEMPTS {
        cancel.check().map_err(|_| ParseError::Cancelled)?;
        match crew.ask(lane, &request, grammar, cancel) {
            Ok(Outcome::Answered(answered)) => {
                let decoded = decoded(quarantine, inquiry, &answered)?;
                if let (Attempt::Parsed(_), Some(stored)) = (&decoded, stored) {
                    stored.add(key, &answered.payload);
                }
                return Ok(decoded);
            }
            Ok(Outcome::Slow(running)) => {
                tracing::debug!(grammar = grammar.name(), bytes = text.len(), "a text takes long");
                return Ok(Attempt::SetAside(running));
            }
            Err(ExchangeError::NotStarted(error)) => last = error.to_string(),
            Err(ExchangeError::Lost(why)) => last = why,
            Err(other) => return failed(quarantine, inquiry, other),
        }
        tracing::debug!(why = %last, "a parse worker was lost; another worker parses its text");
    }
    tracing::warn!(why = %last, "a text could not be parsed, for reasons other than the text");
    Err(ParseError::Unavailable(last))
}

/// Decodes a worker's answer.
fn decoded<T>(
    quarantine: &Quarantine,
    inquiry: &ParseTask<'_, T>,
    answered: &WorkerAnswer,
) -> Result<Attempt<T>, ParseError> {
    match (inquiry.decode)(&answered.payload, inquiry.grammar, inquiry.text) {
        Some(parsed) => {
            quarantine.clear_suspicion(inquiry.key);
            Ok(Attempt::Parsed(parsed))
        }
        None => blamed(quarantine, inquiry, "its parser sent an invalid outline"),
    }
}

/// Decides how to treat a text that a worker did not answer.
fn failed<T>(
    quarantine: &Quarantine,
    inquiry: &ParseTask<'_, T>,
    unanswered: ExchangeError,
) -> Result<Attempt<T>, ParseError> {
    match unanswered {
        ExchangeError::Cancelled => Err(ParseError::Cancelled),
        ExchangeError::Blame(why) => blamed(quarantine, inquiry, &why),
        // Not the text's fault: try it in a fresh worker.
        ExchangeError::Slow
        | ExchangeError::Stopped
        | ExchangeError::Lost(_)
        | ExchangeError::NotStarted(_) => Ok(Attempt::SetAside(None)),
    }
}

/// Blames a text that made a worker fail.
fn blamed<T>(
    quarantine: &Quarantine,
    inquiry: &ParseTask<'_, T>,
    why: &str,
) -> Result<Attempt<T>, ParseError> {
    if quarantine.blame(inquiry.key, inquiry.grammar, why) {
        Err(ParseError::Quarantined(why.to_owned()))
    } else {
        Ok(Attempt::SetAside(None))
    }
}

impl From<OutlineError> for ParseError {
    fn from(error: OutlineError) -> ParseError {
        match error {
            OutlineError::Cancelled => ParseError::Cancelled,
            other => ParseError::Refused(other.to_string()),
        }
    }
}
