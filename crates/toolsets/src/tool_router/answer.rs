//! Answers of the contract: compact JSON with keys in the contract's order, or an error as plain text.

use serde::Serialize;

use crate::Reply;
use symd_base::PathError;
use symd_files::tree::{FileOpError, LocateError};

/// Formats `value` as compact JSON.
pub(super) fn json_text(value: &impl Serialize) -> Reply {
    match serde_json::to_string(value) {
        Ok(text) => Reply::done(text),
        Err(problem) => error(problem),
    }
}

/// Returns a failure: `Error: …`.
pub(super) fn error(text: impl std::fmt::Display) -> Reply {
    Reply::failed(format!("Error: {text}"))
}

/// Formats the error of an operation on files. Only one of its sentences is the contract's.
pub(super) fn file_error(problem: FileOpError) -> Reply {
    match problem {
        FileOpError::Locate(LocateError::Path(problem)) => error(path_text(&problem)),
        other => error(other),
    }
}

/// Returns the sentence about a text that is no path beneath the root.
pub(super) fn path_text(problem: &PathError) -> String {
    match problem {
        PathError::Absolute(path) => format!("Path must be relative, got: {path}"),
        other => other.to_string(),
    }
}
