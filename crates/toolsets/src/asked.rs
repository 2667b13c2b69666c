//! Running ops that may ask language servers: the deadline of the whole call, and what a failure means for whoever
//! called. The texts are the toolsets' own.

use std::future::Future;
use std::time::Duration;

use super::{DEADLINE, Outcome, too_late};
use symd_engine::EngineError;
use symd_lsp::NoAnswer;
use symd_ops::Project;
use symd_ops::question::QuestionError;

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The op says why.
    Question(QuestionError),
    /// It took too long; the text says what to do.
    TooLate(String),
}

/// Runs `op`, which waits for servers for `patience` at most.
pub(super) async fn within<T>(
    project: &Project,
    patience: Duration,
    op: impl Future<Output = Result<T, QuestionError>>,
) -> Result<T, Refusal> {
    match tokio::time::timeout(DEADLINE + patience, op).await {
        Ok(answer) => answer.map_err(Refusal::Question),
        Err(_) => Err(Refusal::TooLate(too_late(&project.engine.status()))),
    }
}

/// Runs `op`, which waits for servers for `patience` at most and fails in its own words.
pub(super) async fn in_time<T>(
    project: &Project,
    patience: Duration,
    op: impl Future<Output = T>,
) -> Result<T, Refusal> {
    let late = |_| Refusal::TooLate(too_late(&project.engine.status()));
    tokio::time::timeout(DEADLINE + patience, op).await.map_err(late)
}

impl Refusal {
    /// How the call went.
    pub(super) fn outcome(&self) -> Outcome {
        match self {
            Refusal::TooLate(_) => Outcome::NotReady,
            Refusal::Question(QuestionError::NoAnswer(why)) => outcome_of(why),
            Refusal::Question(QuestionError::Engine(EngineError::Panicked)) => Outcome::Failed,
            Refusal::Question(QuestionError::Engine(_)) => Outcome::NotReady,
            Refusal::Question(_) => Outcome::Failed,
        }
    }
}

/// How a call went that only a server can answer.
pub(super) fn outcome_of(why: &NoAnswer) -> Outcome {
    match why {
        NoAnswer::NoServer { .. }
        | NoAnswer::NotTrusted { .. }
        | NoAnswer::Unsupported { .. }
        | NoAnswer::Down { .. } => Outcome::NoServer,
        NoAnswer::NotReady { .. } | NoAnswer::Changed { .. } | NoAnswer::Stopping => Outcome::NotReady,
        NoAnswer::Failed { .. } | NoAnswer::Refused { .. } => Outcome::Failed,
    }
}
