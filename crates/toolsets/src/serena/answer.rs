//! The maximum length of an answer, and the texts of failures. Invariant: "characters" are Unicode code
//! points.

use crate::arguments::{ArgumentError, Arguments};
use crate::{Outcome, Reply};
use symd_files::search::{PatternError, SearchError};
use symd_files::tree::FileOpError;

/// The default of `max_answer_chars`, when nothing else is configured.
pub const DEFAULT_MAX_ANSWER_CHARS: usize = 150_000;

/// The maximum number of characters of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerLimit(usize);

impl AnswerLimit {
    /// Parses `max_answer_chars`; −1 (or nothing) means `configured`.
    pub fn read(arguments: &Arguments<'_>, configured: usize) -> Result<AnswerLimit, Reply> {
        let given = arguments.integer_or("max_answer_chars", -1).map_err(bad_argument)?;
        match given {
            -1 => Ok(AnswerLimit(configured)),
            1.. => Ok(AnswerLimit(usize::try_from(given).unwrap_or(usize::MAX))),
            _ => {
                let given = arguments.as_sent("max_answer_chars");
                Err(error(format!("max_answer_chars must be positive or -1, got: {given}")))
            }
        }
    }

    /// In characters.
    pub fn chars(self) -> usize {
        self.0
    }

    /// Returns `text` as the answer, unless it is too long.
    pub fn reply(self, text: String) -> Reply {
        // Bytes are never fewer than characters.
        if text.len() <= self.0 {
            return Reply::done(text);
        }
        let count = text.chars().count();
        if count <= self.0 { Reply::done(text) } else { too_long(count) }
    }
}

/// Returns the error for an answer of `count` characters, which is too long.
pub fn too_long(count: usize) -> Reply {
    Reply::failed(format!(
        "The answer is too long ({count} characters). Please try a more specific tool query or raise the \
         max_answer_chars parameter."
    ))
}

/// Returns the error that replaces an empty list of `kind`s while files that may hold one are not parsed: an
/// empty list would mean that there is none, and the contract has no term for an incomplete one.
pub fn not_yet_parsed_error(kind: &str, unread: &[String]) -> Reply {
    let text = format!("No {kind} found so far: {}", unread.join("; "));
    Reply { outcome: Outcome::NotReady, ..error(text) }
}

/// Returns a failure: `Error: …`.
pub fn error(text: impl std::fmt::Display) -> Reply {
    Reply::failed(format!("Error: {text}"))
}

/// Returns the failure of a pattern or glob that does not compile or takes too long: `Regex error: …`.
pub fn regex_error(text: impl std::fmt::Display) -> Reply {
    Reply::failed(format!("Regex error: {text}"))
}

/// Returns the failure of an invalid pattern. An empty one compiles, and is an ordinary error.
pub fn pattern_error(problem: &PatternError) -> Reply {
    match problem {
        PatternError::Invalid { .. } => regex_error(problem),
        PatternError::Empty => error(problem),
    }
}

/// Returns the failure of a missing or invalid argument.
pub fn bad_argument(problem: ArgumentError) -> Reply {
    error(problem)
}

/// Formats a file op's error in the contract's words.
pub fn file_error(problem: &FileOpError) -> Reply {
    match problem {
        FileOpError::Locate(path) => Reply::failed(format!("Path validation failed: {path}")),
        FileOpError::Vfs(io) => Reply::failed(format!("IO error: {io}")),
        FileOpError::Glob(glob) => regex_error(glob),
        other => error(other),
    }
}

/// Formats a search's error in the contract's words.
pub fn search_error(problem: &SearchError) -> Reply {
    match problem {
        SearchError::Locate(path) => Reply::failed(format!("Path validation failed: {path}")),
        SearchError::Vfs(io) => Reply::failed(format!("IO error: {io}")),
        SearchError::BudgetSpent { .. } | SearchError::TooLarge { .. } => regex_error(problem),
        other => error(other),
    }
}
