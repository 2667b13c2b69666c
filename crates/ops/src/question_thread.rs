//! Questions whose steps run on one thread, which may block: an editor's user waits for the answer, and each step in the
//! engine's pool costs more than most of them take. Invariant: dropping the future of such a question stops its work.

use std::future::Future;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::Project;
use super::question::QuestionError;
use symd_base::Cancel;
use symd_engine::{Engine, EngineError, StepsHere, View};

/// The thread of a question.
#[derive(Debug)]
pub struct QuestionThread {
    steps: StepsHere,
    /// Raised when the question is no longer awaited.
    cancel: Cancel,
}

impl QuestionThread {
    /// Runs a step of the question here, or in the pool where the question has a part on another thread.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        engine: &Engine,
        view: &Arc<View>,
        work: impl FnOnce(&View, &Cancel) -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        let cancel = self.cancel.clone();
        match self.steps.ask_on(view, move |view| work(view, &cancel)).await {
            Ok(done) => done,
            Err(elsewhere) => engine.ask_on(Arc::clone(view), elsewhere).await,
        }
    }
}

impl Project {
    /// Answers a question on a thread of its own, with all its steps; like any other question if too many have a thread. For
    /// questions of a user that wait only for ready servers.
    pub async fn on_one_thread<T, F>(
        &self,
        question: impl FnOnce(Project) -> F + Send + 'static,
    ) -> Result<T, QuestionError>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send,
    {
        let Some(place) = self.engine.thread_place() else { return Ok(question(self.clone()).await) };
        let (cancel, runtime) = (Cancel::new(), Handle::current());
        let _stops_with_us = cancel.on_drop();
        let (_awaited, mut is_dropped) = oneshot::channel::<()>();
        let (tell, told) = oneshot::channel();
        let project = self.clone();
        tokio::task::spawn_blocking(move || {
            let engine = project.engine.clone();
            let here = Some(Arc::new(QuestionThread { steps: engine.steps_here(place), cancel }));
            let answer = runtime.block_on(async move {
                tokio::select! {
                    biased;
                    _ = &mut is_dropped => None,
                    answer = Box::pin(question(Project { here, ..project })) => Some(answer),
                }
            });
            let _ = tell.send(answer);
            engine.check_memory();
        });
        // A question that panicked sends no answer.
        told.await.ok().flatten().ok_or_else(|| EngineError::Panicked.into())
    }
}
