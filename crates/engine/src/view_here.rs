//! Questions that run on threads of those that ask, which go on there with what they found: that saves the way to the
//! pool and back. Invariant: at most one per processor runs at a time; the others run in the pool.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::event::{Event, Question, QuestionLength, QuestionRun};
use super::gate::Passed;
use super::{Engine, EngineError, View};

/// A view, and the right to read with it on this thread. No edit changes files until it is dropped.
#[derive(Debug)]
pub struct ViewHere {
    pub view: Arc<View>,
    _passed: Passed,
    _permit: OwnedSemaphorePermit,
}

impl Engine {
    /// Returns a view that contains everything written before this call, for one question on a thread that may block.
    /// `None` at once if as many such questions run as there are processors.
    pub async fn view_here(&self) -> Option<Result<ViewHere, EngineError>> {
        let permit = Arc::clone(&self.outside_pool).try_acquire_owned().ok()?;
        let passed = self.gate.pass().await;
        let (answer, answered) = oneshot::channel();
        let run = Box::new(move |view: Result<Arc<View>, EngineError>| {
            // If the receiver was dropped, so is the view, and with it the gate and the permit are released.
            let _ = answer.send(view.map(|view| ViewHere { view, _passed: passed, _permit: permit }));
        });
        let run = QuestionRun::Once(run);
        let question = Question::new(QuestionLength::Instant, None, run);
        Some(self.send(Event::Ask(question), answered).await)
    }
}
