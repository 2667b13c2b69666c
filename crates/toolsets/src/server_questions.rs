//! Runs ops that may query language servers: sets the deadline of the whole call and maps failures to
//! outcomes. The texts of failures are the toolsets' own.

use std::future::Future;
use std::time::Duration;

use super::{DEADLINE, Outcome, too_late};
use symd_engine::EngineError;
use symd_lsp::ServerError;
use symd_ops::Project;
use symd_ops::question::QuestionError;

/// The reason for a missing answer.
#[derive(Debug)]
pub(super) enum NoAnswerReason {
    /// The op's own error.
    Question(QuestionError),
    /// The call timed out; the text says what to do.
    TooLate(String),
}

/// Runs `op`, which waits for servers for at most `patience`.
pub(super) async fn within<T>(
    project: &Project,
    patience: Duration,
    op: impl Future<Output = Result<T, QuestionError>>,
) -> Result<T, NoAnswerReason> {
    match tokio::time::timeout(DEADLINE + patience, op).await {
        Ok(answer) => answer.map_err(NoAnswerReason::Question),
        Err(_) => Err(NoAnswerReason::TooLate(too_late(&project.engine.status()))),
    }
}

/// Runs `op`, which waits for servers for at most `patience` and reports failures in a type of its own.
pub(super) async fn in_time<T>(
    project: &Project,
    patience: Duration,
    op: impl Future<Output = T>,
) -> Result<T, NoAnswerReason> {
    let late = |_| NoAnswerReason::TooLate(too_late(&project.engine.status()));
    tokio::time::timeout(DEADLINE + patience, op).await.map_err(late)
}

impl NoAnswerReason {
    /// Returns the outcome of the call.
    pub(super) fn outcome(&self) -> Outcome {
        match self {
            NoAnswerReason::TooLate(_) => Outcome::NotReady,
            NoAnswerReason::Question(QuestionError::NoAnswer(why)) => outcome_of(why),
            NoAnswerReason::Question(QuestionError::Engine(EngineError::Panicked)) => Outcome::Failed,
            NoAnswerReason::Question(QuestionError::Engine(_)) => Outcome::NotReady,
            NoAnswerReason::Question(_) => Outcome::Failed,
        }
    }
}

/// Returns the outcome of a call that only a server can answer.
pub(super) fn outcome_of(why: &ServerError) -> Outcome {
    match why {
        ServerError::NoServer { .. }
        | ServerError::NotTrusted { .. }
        | ServerError::Unsupported { .. }
        | ServerError::NotNeeded { .. }
        | ServerError::Down { .. } => Outcome::NoServer,
        ServerError::NotReady { .. } | ServerError::Changed { .. } | ServerError::Stopping => {
            Outcome::NotReady
        }
        ServerError::Failed { .. } | ServerError::Refused { .. } => Outcome::Failed,
    }
}
