//! How long an answer may be, and how failures read. Invariant: "characters" are Unicode code points.

use crate::arguments::{ArgumentError, Arguments};
use crate::{Outcome, Reply};
use symd_files::search::{PatternError, SearchError};
use symd_files::tree::FileOpError;

/// What `max_answer_chars` is when nothing else is configured.
pub const DEFAULT_MAX_ANSWER_CHARS: usize = 150_000;

/// The most characters one answer may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerLimit(usize);

impl AnswerLimit {
    /// Reads `max_answer_chars`; −1 (or nothing) means `configured`.
    pub fn read(arguments: &Arguments<'_>, configured: usize) -> Result<AnswerLimit, Reply> {
        let given = arguments.integer_or("max_answer_chars", -1).map_err(bad_argument)?;
        match given {
            -1 => Ok(AnswerLimit(configured)),
            1.. => Ok(AnswerLimit(usize::try_from(given).unwrap_or(usize::MAX))),
            _ => {
                let given = arguments.given("max_answer_chars");
                Err(error(format!("max_answer_chars must be positive or -1, got: {given}")))
            }
        }
    }

    /// In characters.
    pub fn chars(self) -> usize {
        self.0
    }

    /// `text` as the answer, unless it is too long.
    pub fn reply(self, text: String) -> Reply {
        // Bytes are never fewer than characters.
        if text.len() <= self.0 {
            return Reply::done(text);
        }
        let count = text.chars().count();
        if count <= self.0 { Reply::done(text) } else { too_long(count) }
    }
}

/// The answer had `count` characters, and that was too many.
pub fn too_long(count: usize) -> Reply {
    Reply::failed(format!(
        "The answer is too long ({count} characters). Please try a more specific tool query or raise the \
         max_answer_chars parameter."
    ))
}

/// What stands in place of an empty list of `kind`s while files that may hold one are not parsed: an empty list would mean that
/// there is none, and the contract has no word for an incomplete one.
pub fn none_so_far(kind: &str, unread: &[String]) -> Reply {
    let text = format!("No {kind} found so far: {}", unread.join("; "));
    Reply { outcome: Outcome::NotReady, ..error(text) }
}

/// `Error: …`
pub fn error(text: impl std::fmt::Display) -> Reply {
    Reply::failed(format!("Error: {text}"))
}

/// A pattern or a glob that does not compile, or takes too long: `Regex error: …`
pub fn regex_error(text: impl std::fmt::Display) -> Reply {
    Reply::failed(format!("Regex error: {text}"))
}

/// A pattern that is of no use. An empty one compiles.
pub fn pattern_error(problem: &PatternError) -> Reply {
    match problem {
        PatternError::Invalid { .. } => regex_error(problem),
        PatternError::Empty => error(problem),
    }
}

/// An argument is missing or of no use.
pub fn bad_argument(problem: ArgumentError) -> Reply {
    error(problem)
}

/// A file op's error in the contract's words.
pub fn file_error(problem: &FileOpError) -> Reply {
    match problem {
        FileOpError::Locate(path) => Reply::failed(format!("Path validation failed: {path}")),
        FileOpError::Vfs(io) => Reply::failed(format!("IO error: {io}")),
        FileOpError::Glob(glob) => regex_error(glob),
        other => error(other),
    }
}

/// A search's error in the contract's words.
pub fn search_error(problem: &SearchError) -> Reply {
    match problem {
        SearchError::Locate(path) => Reply::failed(format!("Path validation failed: {path}")),
        SearchError::Vfs(io) => Reply::failed(format!("IO error: {io}")),
        SearchError::BudgetSpent { .. } | SearchError::TooLarge { .. } => regex_error(problem),
        other => error(other),
    }
}
