//! Questions that run while files are unread, and again when what they lacked is there. Invariant: an answer is
//! sent only if the run that gave it lacked nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::oneshot;

use super::EngineError;
use super::pool::HeldBackground;
use super::view::View;
use symd_index::{FileMap, MetNeeds, Need};

/// A question that runs while files are unread.
pub(super) struct ByNeed {
    /// Returns what the question lacked; nothing if it is over.
    pub(super) run: Box<Attempts>,
    /// What was fetched for it; `None` if it waits for all files.
    pub(super) fetched: Option<Fetched>,
    /// Holds background work back while it is fetched.
    pub(super) held: Option<HeldBackground>,
}

/// Runs a question once more.
type Attempts = dyn FnMut(Result<Arc<View>, EngineError>) -> Vec<Need> + Send;

/// What was fetched for a question so far.
pub(super) struct Fetched {
    /// The files that were unread when it was asked.
    pub(super) asked: FileMap,
    pub(super) met: MetNeeds,
    /// Number of times that the question ran.
    pub(super) rounds: usize,
}

impl Fetched {
    pub(super) fn nothing(asked: FileMap) -> Fetched {
        Fetched { asked, met: MetNeeds::default(), rounds: 0 }
    }
}

impl ByNeed {
    /// Returns a question whose answer is sent to `answer`; `during` is kept until it is over.
    pub(super) fn new<T: Send + 'static>(
        question: impl Fn(&View) -> T + Send + 'static,
        answer: oneshot::Sender<Result<T, EngineError>>,
        during: impl Send + 'static,
    ) -> ByNeed {
        let mut answer = Some(answer);
        let run = Box::new(move |view: Result<Arc<View>, EngineError>| {
            let _during = &during;
            if answer.as_ref().is_none_or(oneshot::Sender::is_closed) {
                return Vec::new();
            }
            let said = match view {
                Err(error) => Err(error),
                Ok(view) => {
                    let said = catch_unwind(AssertUnwindSafe(|| question(&view)));
                    let unread = view.snapshot.files.unread();
                    let lacking = unread.map(|unread| unread.lacking()).unwrap_or_default();
                    // Whatever came of it is discarded, even a panic.
                    if !lacking.is_empty() {
                        return lacking;
                    }
                    said.map_err(|_| EngineError::Panicked)
                }
            };
            if let Some(answer) = answer.take() {
                let _ = answer.send(said);
            }
            Vec::new()
        });
        ByNeed { run, fetched: None, held: None }
    }
}
