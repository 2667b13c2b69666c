//! The maximum length of an answer, and the texts of failures. Invariants: "characters" are Unicode code points;
//! a sentence that the contract fixes is written here or in its tool's file, never taken from an error's own
//! message.

use crate::arguments::{ArgumentError, Arguments};
use crate::{Outcome, Reply};
use symd_base::PathError;
use symd_files::search::{PatternError, SearchError};
use symd_files::tree::{FileOpError, LocateError};
use symd_rewrite::ReplaceError;
use symd_vfs::VfsError;

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

/// Returns the failure of a path that cannot be used.
pub fn path_error(problem: &LocateError) -> Reply {
    invalid_path(path_text(problem))
}

/// Returns a failure of the contract's path validation.
pub fn invalid_path(text: impl std::fmt::Display) -> Reply {
    Reply::failed(format!("Path validation failed: {text}"))
}

/// Returns the contract's sentence about a path that cannot be used.
fn path_text(problem: &LocateError) -> String {
    match problem {
        LocateError::Path(PathError::Absolute(path)) => format!("Path must be relative, got: {path}"),
        LocateError::Path(PathError::Outside(path)) | LocateError::Outside(path) => {
            format!("Path is outside the project: {path}")
        }
        LocateError::Path(PathError::Invalid(path)) => format!("Path is not valid: {path}"),
        LocateError::Missing(path) => format!("Path does not exist: {path}"),
        LocateError::Ignored(path) => format!("Path is ignored: {path}"),
        LocateError::Unreadable { path, reason, .. } => format!("Path cannot be accessed: {path}: {reason}"),
    }
}

/// Returns the failure of a path that names a directory where the contract takes a file.
pub fn not_a_file(path: &str) -> Reply {
    error(format!("Expected a file path, but got a directory path: {path}"))
}

/// Formats a file op's error in the contract's words.
pub fn file_error(problem: &FileOpError) -> Reply {
    match problem {
        FileOpError::Locate(problem) => path_error(problem),
        FileOpError::IsDirectory(path) => not_a_file(path),
        FileOpError::IsFile(path) => error(format!("Expected a directory path, but got a file path: {path}")),
        FileOpError::Vfs(io) => io_error(io),
        FileOpError::Glob(glob) => regex_error(glob),
        other => error(other),
    }
}

/// Formats a search's error in the contract's words.
pub fn search_error(problem: &SearchError) -> Reply {
    match problem {
        SearchError::Locate(problem) => path_error(problem),
        SearchError::Vfs(io) => io_error(io),
        SearchError::BudgetSpent { .. } | SearchError::TooLarge { .. } => regex_error(problem),
        other => error(other),
    }
}

/// Returns the failure of a file that cannot be read or written.
pub fn io_error(problem: &VfsError) -> Reply {
    Reply::failed(format!("IO error: {problem}"))
}

/// Formats the error of a replacement in the contract's words; two of its sentences have no `Error: `.
pub fn replace_error(problem: &ReplaceError) -> Reply {
    match problem {
        ReplaceError::NoMatches { path } => {
            error(format!("No matches of search expression found in file '{path}'."))
        }
        ReplaceError::Many { count, path } => Reply::failed(format!(
            "Expression matches {count} occurrences in file '{path}'. Please revise the expression to be more \
             specific or enable allow_multiple_occurrences if this is expected."
        )),
        ReplaceError::Ambiguous => Reply::failed(
            "Match is ambiguous: the search pattern matches multiple overlapping occurrences. Please revise the \
             search pattern to be more specific to avoid ambiguity.",
        ),
        ReplaceError::BudgetSpent { .. } => regex_error(problem),
        ReplaceError::Pattern(pattern) => pattern_error(pattern),
        other => error(other),
    }
}
