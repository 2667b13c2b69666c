//! A question of several steps that runs on the thread that asks it: each step in the pool costs four changes of threads.
//! Invariant: no edit changes files during a step, wherever it runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::ThreadId;

use tokio::sync::OwnedSemaphorePermit;

use super::{Engine, EngineError, View, memory_check};

/// The most questions that have a thread of their own at once. Such a question may wait for a server for as long as a request may
/// take, and the runtime needs threads for other work meanwhile.
pub(super) const MAX_THREADS: usize = 32;

/// A place for a question on a thread of its own.
#[derive(Debug)]
pub struct ThreadPlace {
    _permit: OwnedSemaphorePermit,
}

/// The right to run the steps of one question on the thread that took it, which may block. A step runs there while no more steps run
/// outside of the pool than there are processors.
#[derive(Debug)]
pub struct StepsHere {
    engine: Engine,
    thread: ThreadId,
    _place: ThreadPlace,
}

impl Engine {
    /// Returns a place for a question on a thread of its own; `None` if too many have one.
    pub fn thread_place(&self) -> Option<ThreadPlace> {
        self.question_threads.clone().try_acquire_owned().ok().map(|permit| ThreadPlace { _permit: permit })
    }

    /// Returns the right to run the steps of a question on this thread, which may block.
    pub fn steps_here(&self, place: ThreadPlace) -> StepsHere {
        StepsHere { engine: self.clone(), thread: std::thread::current().id(), _place: place }
    }

    /// Compares what is taken of memory with what there is to take, as the pool does after each question: for questions that
    /// ran outside of it. Blocks.
    pub fn check_memory(&self) {
        memory_check(self.caches.clone(), self.ceiling.clone(), self.events.downgrade())();
    }
}

impl StepsHere {
    /// Runs a step as [`Engine::ask_on`] does, on this thread. Returns the step, which was not run, if this is another thread
    /// than the one that took the right, or if as many steps run outside of the pool as there are processors.
    pub async fn ask_on<T, Q: FnOnce(&View) -> T>(
        &self,
        view: &View,
        question: Q,
    ) -> Result<Result<T, EngineError>, Q> {
        if std::thread::current().id() != self.thread {
            return Err(question);
        }
        let Ok(_permit) = self.engine.outside_pool.clone().try_acquire_owned() else { return Err(question) };
        let _passed = self.engine.gate.pass().await;
        if self.engine.events.is_closed() {
            return Ok(Err(EngineError::Stopped));
        }
        let said = catch_unwind(AssertUnwindSafe(|| question(&view.of_step())));
        Ok(said.map_err(|_| EngineError::Panicked))
    }
}
