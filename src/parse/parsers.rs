//! What the rest of symd parses by. Who needs a text's outline asks here, and nowhere else outside of tests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::crew::{Crew, Lane, Outcome, Running};
use super::limits::Allowance;
use super::process::{Answered, Unanswered};
use super::protocol::{Request, Task};
use super::quarantine::Quarantine;
use crate::base::{Cancel, ContentHash, RelPath};
use crate::index::cache::{Key, codec};
use crate::syntax::{self, Grammar, Outline, OutlineError};

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
pub enum Attempt {
    /// It was parsed.
    Outline(Outline),
    /// It takes longer than others, or a worker ended over it: it is to be tried out, by the worker that goes on with it
    /// or by another.
    SetAside(Option<Running>),
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

    /// The outline of a file among others, whose bytes have the hash `hash`. What takes long is set aside.
    pub fn outline_of_file(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        cancel: &Cancel,
    ) -> Result<Attempt, ParseError> {
        self.outline(Lane::File, grammar, text, hash, cancel)
    }

    /// The outline of a file that was set aside: it gets all that a file may get, from the worker that is at it already, or
    /// alone in a fresh one, and if need be once more.
    pub fn try_out(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        running: Option<Running>,
        cancel: &Cancel,
    ) -> Result<Outline, ParseError> {
        let mut attempt = match (running, &*self.0) {
            (Some(running), Means::Crew { quarantine, .. }) => {
                let key = Key { content: hash, fingerprint: grammar.fingerprint() };
                match running.finish(cancel) {
                    Ok(answered) => decoded(quarantine, (grammar, text, key), &answered)?,
                    Err(unanswered) => failed(quarantine, (grammar, key), unanswered)?,
                }
            }
            _ => Attempt::SetAside(None),
        };
        // The first may be the first to be blamed for; the second settles it.
        for _ in 0..2 {
            if let Attempt::Outline(outline) = attempt {
                return Ok(outline);
            }
            attempt = self.outline(Lane::Trial, grammar, text, hash, cancel)?;
        }
        match attempt {
            Attempt::Outline(outline) => Ok(outline),
            Attempt::SetAside(_) => Err(ParseError::SetAside),
        }
    }

    /// The outline of a text that somebody waits for: as of a file, and then as of one that was set aside.
    pub fn outline_now(&self, grammar: Grammar, text: &str, cancel: &Cancel) -> Result<Outline, ParseError> {
        let hash = match &*self.0 {
            Means::Here => ContentHash([0; 16]),
            Means::Crew { .. } => ContentHash::of(text.as_bytes()),
        };
        match self.outline(Lane::Question, grammar, text, hash, cancel)? {
            Attempt::Outline(outline) => Ok(outline),
            Attempt::SetAside(running) => self.try_out(grammar, text, hash, running, cancel),
        }
    }

    fn outline(
        &self,
        lane: Lane,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        cancel: &Cancel,
    ) -> Result<Attempt, ParseError> {
        match &*self.0 {
            Means::Here => Ok(Attempt::Outline(syntax::outline(grammar, text, cancel)?)),
            Means::Crew { crew, quarantine, .. } => {
                let key = Key { content: hash, fingerprint: grammar.fingerprint() };
                attempt(crew, quarantine, lane, (grammar, text, key), cancel)
            }
        }
    }
}

/// What a worker makes of a text.
fn attempt(
    crew: &Crew,
    quarantine: &Quarantine,
    lane: Lane,
    (grammar, text, key): (Grammar, &str, Key),
    cancel: &Cancel,
) -> Result<Attempt, ParseError> {
    if u32::try_from(text.len()).is_err() {
        return Err(ParseError::Refused(OutlineError::TooLarge.to_string()));
    }
    if let Some(why) = quarantine.why(key) {
        return Err(ParseError::Quarantined(why));
    }
    let allowance = Allowance::of(text.len());
    let request = Request { task: Task::Outline, grammar: grammar.name(), allowance, text };
    let mut last = String::new();
    for _ in 0..ATTEMPTS {
        cancel.check().map_err(|_| ParseError::Cancelled)?;
        match crew.ask(lane, &request, grammar, cancel) {
            Ok(Outcome::Answered(answered)) => {
                return decoded(quarantine, (grammar, text, key), &answered);
            }
            Ok(Outcome::Slow(running)) => {
                tracing::debug!(grammar = grammar.name(), bytes = text.len(), "a text takes long");
                return Ok(Attempt::SetAside(running));
            }
            Err(Unanswered::NotStarted(error)) => last = error.to_string(),
            Err(Unanswered::Lost(why)) => last = why,
            Err(other) => return failed(quarantine, (grammar, key), other),
        }
        tracing::debug!(why = %last, "a parse worker was lost; another one takes its text");
    }
    tracing::warn!(why = %last, "a text could not be parsed, for no fault of its own");
    Err(ParseError::Unavailable(last))
}

/// The outline that a worker answered with.
fn decoded(
    quarantine: &Quarantine,
    (grammar, text, key): (Grammar, &str, Key),
    answered: &Answered,
) -> Result<Attempt, ParseError> {
    match codec::decode(&answered.payload).filter(|outline| lies_in(outline, text)) {
        Some(outline) => {
            quarantine.acquit(key);
            Ok(Attempt::Outline(outline))
        }
        None => blamed(quarantine, (grammar, key), "its parser answered what is no outline of it"),
    }
}

/// What becomes of a text that a worker did not answer to.
fn failed(
    quarantine: &Quarantine,
    text: (Grammar, Key),
    unanswered: Unanswered,
) -> Result<Attempt, ParseError> {
    match unanswered {
        Unanswered::Cancelled => Err(ParseError::Cancelled),
        Unanswered::Blame(why) => blamed(quarantine, text, &why),
        // For no fault of its own: a fresh worker.
        Unanswered::Slow | Unanswered::Lost(_) | Unanswered::NotStarted(_) => Ok(Attempt::SetAside(None)),
    }
}

/// What becomes of a text that a worker ended over.
fn blamed(quarantine: &Quarantine, (grammar, key): (Grammar, Key), why: &str) -> Result<Attempt, ParseError> {
    if quarantine.blame(key, grammar, why) {
        Err(ParseError::Quarantined(why.to_owned()))
    } else {
        Ok(Attempt::SetAside(None))
    }
}

/// Whether all that an outline points at lies in `text`. Its own soundness the codec has seen to.
fn lies_in(outline: &Outline, text: &str) -> bool {
    let ends = outline.rows.iter().map(|row| row.end.max(row.name_start)).max();
    ends.is_none_or(|end| end as usize <= text.len())
}

impl From<OutlineError> for ParseError {
    fn from(error: OutlineError) -> ParseError {
        match error {
            OutlineError::Cancelled => ParseError::Cancelled,
            other => ParseError::Refused(other.to_string()),
        }
    }
}
