//! Answers of the contract: compact JSON with keys in the contract's order, or an error as plain text.

use serde::Serialize;

use crate::Reply;

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
