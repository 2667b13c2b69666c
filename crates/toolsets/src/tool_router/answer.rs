//! Answers of the contract: compact JSON, keys in the contract's order, or a plain text that says what is wrong.

use serde::Serialize;

use crate::Reply;

/// `value` as compact JSON.
pub(super) fn json_text(value: &impl Serialize) -> Reply {
    match serde_json::to_string(value) {
        Ok(text) => Reply::done(text),
        Err(problem) => error(problem),
    }
}

/// An answer that is an error.
pub(super) fn error(text: impl std::fmt::Display) -> Reply {
    Reply::failed(format!("Error: {text}"))
}
