//! The JSON envelope of every answer: `success`, and `data` or `error`; compact, keys in the contract's order. Only
//! this module formats it. Invariant: a code is one of a closed list.

use serde::Serialize;

use crate::arguments::ArgumentError;
use crate::{CallRefusal, Outcome, RefusalReason, Reply};
use symd_engine::EngineError;

/// The data of a successful answer, as JSON.
pub(super) type Data = Box<serde_json::value::RawValue>;

/// A failed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DebugToolError {
    code: ErrorCode,
    message: String,
}

/// The contract's error codes ("Error Code Reference").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum ErrorCode {
    InvalidParameters,
    ToolTimeout,
    InternalError,
    FileNotFound,
    PermissionDenied,
    BinaryFile,
    TooLarge,
    RateLimitExceeded,
    ApiError,
    LineOutOfRange,
    FunctionNotFound,
    LspUnavailable,
    Timeout,
    DbConnectionFailed,
    EmbeddingFailed,
    CollectionNotFound,
    NoResults,
    NoActiveEditor,
    NoDiagnostics,
}

/// The envelope; its fields have the contract's order.
#[derive(Serialize)]
struct DebugEnvelope<'a> {
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a Data>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<CodeAndMessage<'a>>,
}

#[derive(Serialize)]
struct CodeAndMessage<'a> {
    code: ErrorCode,
    message: &'a str,
}

impl DebugToolError {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> DebugToolError {
        DebugToolError { code, message: message.into() }
    }
}

impl From<ArgumentError> for DebugToolError {
    fn from(error: ArgumentError) -> DebugToolError {
        DebugToolError::new(ErrorCode::InvalidParameters, error.to_string())
    }
}

impl From<EngineError> for DebugToolError {
    fn from(error: EngineError) -> DebugToolError {
        let code = match error {
            EngineError::Panicked => ErrorCode::InternalError,
            _ => ErrorCode::ToolTimeout,
        };
        DebugToolError::new(code, error.to_string())
    }
}

/// Returns `data`, a struct whose fields have the contract's order.
pub(super) fn data(data: &impl Serialize) -> Result<Data, DebugToolError> {
    serde_json::value::to_raw_value(data)
        .map_err(|error| DebugToolError::new(ErrorCode::InternalError, error.to_string()))
}

/// Formats an answer.
pub(super) fn reply(result: Result<Data, DebugToolError>) -> Reply {
    match result {
        Ok(data) => Reply::done(json(&DebugEnvelope { success: true, data: Some(&data), error: None })),
        Err(DebugToolError { code, message }) => {
            let error = CodeAndMessage { code, message: &message };
            let text = json(&DebugEnvelope { success: false, data: None, error: Some(error) });
            let outcome = match code {
                ErrorCode::ToolTimeout | ErrorCode::Timeout => Outcome::NotReady,
                ErrorCode::LspUnavailable => Outcome::NoServer,
                _ => Outcome::Failed,
            };
            Reply { outcome, ..Reply::failed(text) }
        }
    }
}

/// Formats the answer of a call that was not run. The only tools that ask are those that use other services.
pub(super) fn refuse(refusal: &CallRefusal) -> Reply {
    let code = match refusal.why {
        RefusalReason::NotApproved => ErrorCode::ApiError,
        RefusalReason::NoProject | RefusalReason::InternalError => ErrorCode::InternalError,
    };
    reply(Err(DebugToolError::new(code, refusal.message.clone())))
}

fn json(envelope: &DebugEnvelope<'_>) -> String {
    // Fails only for maps with keys that are not strings; there are none.
    serde_json::to_string(envelope).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_an_api_error() {
        let message = "not approved by the user".to_owned();
        let refused = refuse(&CallRefusal { why: RefusalReason::NotApproved, message });
        assert_eq!(
            refused.text,
            "{\"success\":false,\"error\":{\"code\":\"API_ERROR\",\"message\":\"not approved by the user\"}}"
        );
        assert_eq!(refused.outcome, Outcome::Failed);
    }

    #[test]
    fn an_engine_that_failed_is_an_internal_error() {
        let failed = reply(Err(EngineError::Panicked.into()));
        assert!(
            failed.text.starts_with("{\"success\":false,\"error\":{\"code\":\"INTERNAL_ERROR\""),
            "{}",
            failed.text
        );
    }
}
