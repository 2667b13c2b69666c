//! A question of several steps that runs on the thread that asks it: each step in the pool costs four changes of threads.
//! Invariant: no edit changes files during a step, wherever it runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::ThreadId;

use tokio::sync::OwnedSemaphorePermit;

use super::{Engine, EngineError, View, memory_check};

/// The right to run the steps of one question on the thread that took it, which may block.
#[derive(Debug)]
pub struct StepsHere {
    engine: Engine,
    thread: ThreadId,
    _permit: OwnedSemaphorePermit,
}

impl Engine {
    /// Returns the right to run the steps of a question on this thread, which may block. `None` if as many questions run
    /// outside of the pool as there are processors.
    pub fn steps_here(&self) -> Option<StepsHere> {
        let permit = self.outside_pool.clone().try_acquire_owned().ok()?;
        Some(StepsHere { engine: self.clone(), thread: std::thread::current().id(), _permit: permit })
    }

    /// Compares what is taken of memory with what there is to take, as the pool does after each question: for questions that
    /// ran outside of it. Blocks.
    pub fn check_memory(&self) {
        memory_check(self.caches.clone(), self.ceiling.clone(), self.events.downgrade())();
    }
}

impl StepsHere {
    /// Runs a step as [`Engine::ask_on`] does, on this thread. Returns the step, which was not run, if this is another thread
    /// than the one that took the right.
    pub async fn ask_on<T, Q: FnOnce(&View) -> T>(
        &self,
        view: &View,
        question: Q,
    ) -> Result<Result<T, EngineError>, Q> {
        if std::thread::current().id() != self.thread {
            return Err(question);
        }
        let _passed = self.engine.gate.pass().await;
        if self.engine.events.is_closed() {
            return Ok(Err(EngineError::Stopped));
        }
        let said = catch_unwind(AssertUnwindSafe(|| question(&view.of_step())));
        Ok(said.map_err(|_| EngineError::Panicked))
    }
}
