//! What the rest of symd parses by. Who needs a text's outline asks here, and nowhere else outside of tests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::crew::{Crew, Lane, Outcome, RunningTrial};
use super::inspected::{self, lies_in};
use super::limits::Allowance;
use super::process::{Answered, Unanswered};
use super::protocol::{Request, Task};
use super::quarantine::Quarantine;
use symd_base::{Cancel, ContentHash, RelPath, TextRange};
use symd_index::cache::{Key, codec};
use symd_syntax::{self as syntax, Grammar, Inspected, Outline, OutlineError};

/// How often a text is tried whose workers end for reasons of their own (somebody kills them, the system has no memory).
const ATTEMPTS: usize = 32;

/// By what texts are parsed. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Parsers(Arc<Means>);

#[derive(Debug)]
enum Means {
    /// This process.
    Here,
    /// Worker processes.
    Crew { program: PathBuf, crew: Crew, quarantine: Quarantine },
}

/// How a crew of workers is had.
#[derive(Clone, Debug)]
pub struct ParsersOptions {
    /// symd itself.
    pub program: PathBuf,
    /// Where it is kept which texts are parsed no more; `None` keeps it nowhere.
    pub quarantine: Option<PathBuf>,
}

/// What came of an attempt to parse a text.
#[derive(Debug)]
pub enum Attempt<T = Outline> {
    /// It was parsed: what was asked of it.
    Parsed(T),
    /// It takes longer than others, or a worker ended over it: it is to be tried out, by the worker that goes on with it
    /// or by another.
    SetAside(Option<RunningTrial>),
}

/// A text, and what is asked of it.
struct Inquiry<'a, T> {
    task: Task,
    grammar: Grammar,
    text: &'a str,
    /// Which text it is.
    key: Key,
    /// What a worker answers, read.
    decode: fn(&[u8], Grammar, &str) -> Option<T>,
}

impl<'a> Inquiry<'a, Outline> {
    fn outline(grammar: Grammar, text: &'a str, hash: ContentHash) -> Inquiry<'a, Outline> {
        let key = Key { content: hash, fingerprint: grammar.fingerprint() };
        let decode = |payload: &[u8], _: Grammar, text: &str| {
            codec::decode(payload).filter(|outline| lies_in(outline, text))
        };
        Inquiry { task: Task::Outline, grammar, text, key, decode }
    }
}

/// Why a text was not parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Nobody wants it any more.
    #[error("cancelled")]
    Cancelled,
    /// It is parsed no more.
    #[error("symd's parser does not get through it: {0}")]
    Quarantined(String),
    /// It takes longer than others, or a worker ended over it.
    #[error("symd's parser takes long over it; ask again in a few seconds")]
    SetAside,
    /// No worker could be had, or something goes on ending them.
    #[error("symd cannot parse at the moment: {0}")]
    Unavailable(String),
    /// It cannot be parsed by what this symd holds.
    #[error("{0}")]
    Refused(String),
}

/// While it lives a worker is kept ready.
#[derive(Debug)]
pub struct Warm(Parsers);

impl Drop for Warm {
    fn drop(&mut self) {
        if let Means::Crew { crew, .. } = &*self.0.0 {
            crew.client_left();
        }
    }
}

impl Parsers {
    /// Parses in this process, which a text may end: for tests and measurements.
    pub fn in_this_process() -> Parsers {
        Parsers(Arc::new(Means::Here))
    }

    /// Parses in worker processes.
    pub fn in_workers(options: ParsersOptions) -> std::io::Result<Parsers> {
        let crew = Crew::new(options.program.clone())?;
        let quarantine = Quarantine::open(options.quarantine);
        Ok(Parsers(Arc::new(Means::Crew { program: options.program, crew, quarantine })))
    }

    /// The program whose processes are the workers; `None` where everything is parsed here.
    pub fn program(&self) -> Option<&Path> {
        match &*self.0 {
            Means::Here => None,
            Means::Crew { program, .. } => Some(program),
        }
    }

    /// Keeps a worker ready until what is returned is dropped: for as long as a client is connected.
    pub fn keep_warm(&self) -> Warm {
        if let Means::Crew { crew, .. } = &*self.0 {
            crew.client_came();
        }
        Warm(self.clone())
    }

    /// The texts that are parsed no more; `None` where everything is parsed here.
    pub fn quarantine(&self) -> Option<&Quarantine> {
        match &*self.0 {
            Means::Here => None,
            Means::Crew { quarantine, .. } => Some(quarantine),
        }
    }

    /// Notes that the file at `path` is parsed no more, and why, for who asks.
    pub fn met_in_quarantine(&self, path: &RelPath, why: String) {
        if let Some(quarantine) = self.quarantine() {
            quarantine.met(path, why);
        }
    }

    /// Why the file at `path` is parsed no more; empty where that is not known.
    pub fn why_unparsable(&self, path: &RelPath) -> String {
        self.quarantine().and_then(|quarantine| quarantine.why_of(path)).unwrap_or_default()
    }

    /// How many texts may be on trial at once.
    pub fn trials(&self) -> usize {
        match &*self.0 {
            Means::Here => 1,
            Means::Crew { crew, .. } => crew.trials(),
        }
    }

    /// How many texts were put to workers so far: for tests and measurements.
    pub fn requests(&self) -> u64 {
        match &*self.0 {
            Means::Here => 0,
            Means::Crew { crew, .. } => crew.requests(),
        }
    }

    /// The outline of a file among others, whose bytes have the hash `hash`. What takes long is set aside.
    pub fn outline_of_file(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        cancel: &Cancel,
    ) -> Result<Attempt, ParseError> {
        match &*self.0 {
            Means::Here => Ok(Attempt::Parsed(syntax::outline(grammar, text, cancel)?)),
            Means::Crew { crew, quarantine, .. } => {
                attempt(crew, quarantine, Lane::File, &Inquiry::outline(grammar, text, hash), cancel)
            }
        }
    }

    /// The outline of a file that was set aside: it gets all that a file may get, from the worker that is at it already, or
    /// alone in a fresh one, and if need be once more.
    pub fn try_out(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        running: Option<RunningTrial>,
        cancel: &Cancel,
    ) -> Result<Outline, ParseError> {
        match &*self.0 {
            Means::Here => Ok(syntax::outline(grammar, text, cancel)?),
            Means::Crew { crew, quarantine, .. } => {
                try_out(crew, quarantine, &Inquiry::outline(grammar, text, hash), running, cancel)
            }
        }
    }

    /// The outline of a text that somebody waits for: as of a file, and then as of one that was set aside.
    pub fn outline_now(&self, grammar: Grammar, text: &str, cancel: &Cancel) -> Result<Outline, ParseError> {
        match &*self.0 {
            Means::Here => Ok(syntax::outline(grammar, text, cancel)?),
            Means::Crew { crew, quarantine, .. } => {
                let hash = ContentHash::of(text.as_bytes());
                now(crew, quarantine, &Inquiry::outline(grammar, text, hash), cancel)
            }
        }
    }

    /// What an edit must know of a text to come, by one request and one parse; `range` is what of its lines is asked about.
    pub fn inspect(
        &self,
        grammar: Grammar,
        text: &str,
        range: TextRange,
        cancel: &Cancel,
    ) -> Result<Inspected, ParseError> {
        match &*self.0 {
            Means::Here => Ok(syntax::inspect(grammar, text, range, cancel)?),
            Means::Crew { crew, quarantine, .. } => {
                let content = ContentHash::of(text.as_bytes());
                let key = Key { content, fingerprint: grammar.fingerprint() };
                let task = Task::Inspect(range);
                let inquiry = Inquiry { task, grammar, text, key, decode: inspected::decode };
                now(crew, quarantine, &inquiry, cancel)
            }
        }
    }
}

/// What somebody waits for: as of a file, and then as of one that was set aside.
fn now<T>(
    crew: &Crew,
    quarantine: &Quarantine,
    inquiry: &Inquiry<'_, T>,
    cancel: &Cancel,
) -> Result<T, ParseError> {
    match attempt(crew, quarantine, Lane::Question, inquiry, cancel)? {
        Attempt::Parsed(parsed) => Ok(parsed),
        Attempt::SetAside(running) => try_out(crew, quarantine, inquiry, running, cancel),
    }
}

fn try_out<T>(
    crew: &Crew,
    quarantine: &Quarantine,
    inquiry: &Inquiry<'_, T>,
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
    // The first may be the first to be blamed for; the second settles it.
    for _ in 0..2 {
        if let Attempt::Parsed(parsed) = tried {
            return Ok(parsed);
        }
        tried = attempt(crew, quarantine, Lane::Trial, inquiry, cancel)?;
    }
    match tried {
        Attempt::Parsed(parsed) => Ok(parsed),
        Attempt::SetAside(_) => Err(ParseError::SetAside),
    }
}

/// What a worker makes of a text.
fn attempt<T>(
    crew: &Crew,
    quarantine: &Quarantine,
    lane: Lane,
    inquiry: &Inquiry<'_, T>,
    cancel: &Cancel,
) -> Result<Attempt<T>, ParseError> {
    let Inquiry { task, grammar, text, key, .. } = *inquiry;
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
            Ok(Outcome::Answered(answered)) => return decoded(quarantine, inquiry, &answered),
            Ok(Outcome::Slow(running)) => {
                tracing::debug!(grammar = grammar.name(), bytes = text.len(), "a text takes long");
                return Ok(Attempt::SetAside(running));
            }
            Err(Unanswered::NotStarted(error)) => last = error.to_string(),
            Err(Unanswered::Lost(why)) => last = why,
            Err(other) => return failed(quarantine, inquiry, other),
        }
        tracing::debug!(why = %last, "a parse worker was lost; another one takes its text");
    }
    tracing::warn!(why = %last, "a text could not be parsed, for no fault of its own");
    Err(ParseError::Unavailable(last))
}

/// What a worker answered, read.
fn decoded<T>(
    quarantine: &Quarantine,
    inquiry: &Inquiry<'_, T>,
    answered: &Answered,
) -> Result<Attempt<T>, ParseError> {
    match (inquiry.decode)(&answered.payload, inquiry.grammar, inquiry.text) {
        Some(parsed) => {
            quarantine.acquit(inquiry.key);
            Ok(Attempt::Parsed(parsed))
        }
        None => blamed(quarantine, inquiry, "its parser answered what is no outline of it"),
    }
}

/// What becomes of a text that a worker did not answer to.
fn failed<T>(
    quarantine: &Quarantine,
    inquiry: &Inquiry<'_, T>,
    unanswered: Unanswered,
) -> Result<Attempt<T>, ParseError> {
    match unanswered {
        Unanswered::Cancelled => Err(ParseError::Cancelled),
        Unanswered::Blame(why) => blamed(quarantine, inquiry, &why),
        // For no fault of its own: a fresh worker.
        Unanswered::Slow | Unanswered::Stopped | Unanswered::Lost(_) | Unanswered::NotStarted(_) => {
            Ok(Attempt::SetAside(None))
        }
    }
}

/// What becomes of a text that a worker ended over.
fn blamed<T>(quarantine: &Quarantine, inquiry: &Inquiry<'_, T>, why: &str) -> Result<Attempt<T>, ParseError> {
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
