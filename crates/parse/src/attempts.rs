//! Attempts to have a worker parse a text, and what each says of the text: parsed, slow, or blamed for the worker's end. Invariant: a text is blamed only
//! for what it did, never for a worker that was killed from outside.

use super::limits::Allowance;
use super::parse_task::ParseTask;
use super::pool::{Outcome, ParsePurpose, RunningTrial, WorkerPool};
use super::process::{ExchangeError, WorkerAnswer};
use super::protocol::Request;
use super::quarantine::Quarantine;
use symd_base::Cancel;
use symd_index::cache::StoredParses;
use symd_syntax::{Outline, OutlineError};

/// Maximum number of attempts for a text whose workers fail for other reasons (they are killed, the system
/// has no memory).
const ATTEMPTS: usize = 32;

/// The result of an attempt to parse a text.
#[derive(Debug)]
pub enum Attempt<T = Outline> {
    Parsed(T),
    /// The text is slow, or a worker failed on it: it is to be tried out, by the worker that continues with
    /// it or by another.
    SetAside(Option<RunningTrial>),
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

impl From<OutlineError> for ParseError {
    fn from(error: OutlineError) -> ParseError {
        match error {
            OutlineError::Cancelled => ParseError::Cancelled,
            other => ParseError::Refused(other.to_string()),
        }
    }
}

/// Parses a text that a request waits for: as an ordinary file, and then as one that was set aside.
pub(super) fn now<T>(
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

pub(super) fn try_out<T>(
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
pub(super) fn attempt<T>(
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
