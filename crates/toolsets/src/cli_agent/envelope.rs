//! The JSON envelope of every answer of the contract: compact, keys in the contract's order. Only this module
//! formats it. Invariants: a failure's `output` is `Error: ` and its message; `code` is one of a closed list;
//! a warning is the first line of a success.

use std::time::Instant;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::arguments::ArgumentError;
use crate::{CallRefusal, Outcome, RefusalReason, Reply};
use symd_engine::EngineError;

/// The result of a tool that succeeded.
#[derive(Debug)]
pub(super) struct Success {
    output: String,
    files_affected: Vec<String>,
    metadata: Option<Box<RawValue>>,
}

/// The failure of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToolError {
    code: Code,
    /// The text of `output`, without `Error: `.
    text: String,
    suggestion: String,
}

/// The contract's error codes; there are no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Code {
    PathOutsideWorkingDir,
    FileNotFound,
    FileExists,
    PermissionDenied,
    InvalidLineRange,
    StringNotFound,
    NotADirectory,
    IsAFile,
    InvalidPattern,
    InvalidRegex,
    InvalidParameters,
    ContentTooLarge,
    CommandNotFound,
    /// A command failed, or the tool itself did, for a reason that has no code of its own (a full disk, for
    /// example).
    CommandFailed,
    Timeout,
    NoCommandHistory,
    InvalidUrl,
    NetworkError,
    ApprovalDenied,
}

/// The envelope; its fields have the contract's order.
#[derive(Serialize)]
struct Envelope<'a> {
    success: bool,
    output: &'a str,
    files_affected: &'a [String],
    execution_time_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorPart<'a>>,
}

#[derive(Serialize)]
struct ErrorPart<'a> {
    code: Code,
    message: &'a str,
    suggestion: &'a str,
}

impl Success {
    /// Returns a success with this `output` that changed no file.
    pub(super) fn new(output: impl Into<String>) -> Success {
        Success { output: output.into(), files_affected: Vec::new(), metadata: None }
    }

    /// Adds the changed files, as paths from the root.
    pub(super) fn affecting(mut self, files: Vec<String>) -> Success {
        self.files_affected = files;
        self
    }

    /// Adds `metadata`: a struct whose fields have the contract's order.
    pub(super) fn with(mut self, metadata: &impl Serialize) -> Success {
        // Fails only for values without a JSON form; no tool's metadata is one.
        self.metadata = serde_json::value::to_raw_value(metadata).ok();
        self
    }

    /// Prepends the line `Warning: <warning>`; of several warnings, the last one comes first.
    pub(super) fn warning(mut self, warning: &str) -> Success {
        self.output = format!("Warning: {warning}\n{}", self.output);
        self
    }
}

impl ToolError {
    /// Returns a failure with the output `Error: <text>`, and a suggestion what to do about it.
    pub(super) fn new(code: Code, text: impl Into<String>, suggestion: impl Into<String>) -> ToolError {
        ToolError { code, text: text.into(), suggestion: suggestion.into() }
    }

    /// Returns the message. The contract's example of a missing file has one that differs from the output.
    fn message(&self) -> String {
        match self.code {
            Code::FileNotFound => format!("{} in working directory", self.text),
            _ => self.text.clone(),
        }
    }

    fn outcome(&self) -> Outcome {
        match self.code {
            Code::Timeout => Outcome::NotReady,
            _ => Outcome::Failed,
        }
    }
}

impl From<ArgumentError> for ToolError {
    fn from(error: ArgumentError) -> ToolError {
        ToolError::new(
            Code::InvalidParameters,
            error.to_string(),
            "Correct the parameters as the tool's schema says and call it again",
        )
    }
}

impl From<EngineError> for ToolError {
    fn from(error: EngineError) -> ToolError {
        match error {
            EngineError::Panicked => ToolError::new(
                Code::CommandFailed,
                error.to_string(),
                "Report it with the end of `symd logs`",
            ),
            _ => ToolError::new(Code::Timeout, error.to_string(), "Call the tool again"),
        }
    }
}

/// Formats the answer of a call that began at `started`.
pub(super) fn reply(started: Instant, result: Result<Success, ToolError>) -> Reply {
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    text_of(ms, result)
}

/// Formats the answer of a call that was not run. No code means the lack of a project or an internal error of
/// symd; these are the closest ones.
pub(super) fn refuse(refusal: &CallRefusal) -> Reply {
    let (code, suggestion) = match refusal.why {
        RefusalReason::NotApproved => {
            (Code::ApprovalDenied, "Ask the user to approve the call, or to allow it with `symd approvals`")
        }
        RefusalReason::NoProject => (Code::PathOutsideWorkingDir, "Start symd in a project's directory"),
        RefusalReason::InternalError => (Code::CommandFailed, "Report it with the end of `symd logs`"),
    };
    text_of(0, Err(ToolError::new(code, refusal.message.clone(), suggestion)))
}

/// Formats the answer of a call that was rejected for its arguments.
pub(super) fn format_refusal(error: ToolError) -> Reply {
    text_of(0, Err(error))
}

fn text_of(execution_time_ms: u64, result: Result<Success, ToolError>) -> Reply {
    match result {
        Ok(success) => Reply::done(json(&Envelope {
            success: true,
            output: &success.output,
            files_affected: &success.files_affected,
            execution_time_ms,
            metadata: success.metadata.as_deref(),
            error: None,
        })),
        Err(error) => Reply {
            outcome: error.outcome(),
            ..Reply::done(json(&Envelope {
                success: false,
                output: &format!("Error: {}", error.text),
                files_affected: &[],
                execution_time_ms,
                metadata: None,
                error: Some(ErrorPart {
                    code: error.code,
                    message: &error.message(),
                    suggestion: &error.suggestion,
                }),
            }))
        },
    }
}

fn json(envelope: &Envelope<'_>) -> String {
    // Fails only for maps with keys that are not strings; there are none.
    serde_json::to_string(envelope).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Metadata {
        total_lines: usize,
        file_size_bytes: usize,
    }

    #[test]
    fn keys_stand_in_the_contracts_order() {
        let success = Success::new("Created ä\n")
            .affecting(vec!["a.py".to_owned()])
            .with(&Metadata { total_lines: 2, file_size_bytes: 1 })
            .warning("it was late");
        assert_eq!(
            text_of(5, Ok(success)).text,
            "{\"success\":true,\"output\":\"Warning: it was late\\nCreated ä\\n\",\"files_affected\":[\"a.py\"],\
             \"execution_time_ms\":5,\"metadata\":{\"total_lines\":2,\"file_size_bytes\":1}}"
        );
    }

    #[test]
    fn a_missing_file_has_the_examples_two_texts() {
        let error = ToolError::new(Code::FileNotFound, "File 'missing.txt' not found", "Look again");
        let reply = text_of(2, Err(error));
        assert_eq!(
            reply.text,
            "{\"success\":false,\"output\":\"Error: File 'missing.txt' not found\",\"files_affected\":[],\
             \"execution_time_ms\":2,\"error\":{\"code\":\"file_not_found\",\
             \"message\":\"File 'missing.txt' not found in working directory\",\"suggestion\":\"Look again\"}}"
        );
        assert_eq!(reply.outcome, Outcome::Failed);
    }

    #[test]
    fn a_refusal_has_a_code() {
        let refusal =
            CallRefusal { why: RefusalReason::NotApproved, message: "not approved by the user".to_owned() };
        assert!(
            refuse(&refusal)
                .text
                .contains("\"error\":{\"code\":\"approval_denied\",\"message\":\"not approved")
        );
    }
}
