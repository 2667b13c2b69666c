//! Separates questions from edits: a question sees the project's files before an edit or after it, never in
//! between. Questions run concurrently and never wait for each other. Invariant: a question waits for an edit
//! only while the edit changes files (a rename each) or waits for questions to end: [`FIRST_TURN`], later up
//! to [`TURN`].

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

/// Time for which an edit blocks new questions while it waits for the running ones, at first. Then all
/// questions that came meanwhile are admitted before the edit tries again, so that a long search delays only
/// the edit. Most questions take less.
const FIRST_TURN: Duration = Duration::from_millis(8);

/// Each turn is twice as long as the one before, up to this: so the edit also gets through when long
/// questions follow each other without a pause.
const TURN: Duration = Duration::from_millis(250);

/// Number of attempts: together longer than any question may take.
const TURNS: usize = 600;

/// Uses tokio's lock, which is fair (first come, first served). It holds how many times the gate was closed.
#[derive(Clone, Debug, Default)]
pub(super) struct QuestionGate(Arc<RwLock<u64>>);

/// A guard: no question runs until it is dropped.
#[derive(Debug)]
pub struct QuestionsPaused {
    _closed: OwnedRwLockWriteGuard<u64>,
}

/// A guard of a question: the gate is not closed until it is dropped.
#[derive(Debug)]
pub(super) struct Passed(OwnedRwLockReadGuard<u64>);

impl Passed {
    /// Returns how many times the gate was closed before: two guards with the same number have no edit between them.
    pub(super) fn closings(&self) -> u64 {
        *self.0
    }
}

impl QuestionsPaused {
    fn new(mut closed: OwnedRwLockWriteGuard<u64>) -> QuestionsPaused {
        *closed += 1;
        QuestionsPaused { _closed: closed }
    }
}

/// The error that questions were running all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "another request has been reading the project's files for minutes; cancel it if it is yours, else wait until it ends; then repeat the edit"
)]
pub struct Busy;

impl QuestionGate {
    /// Admits one question, until the returned guard is dropped.
    pub(super) async fn pass(&self) -> Passed {
        Passed(Arc::clone(&self.0).read_owned().await)
    }

    /// Waits until no question is running, and blocks others.
    pub(super) async fn close(&self) -> Result<QuestionsPaused, Busy> {
        self.close_in(FIRST_TURN, TURN, TURNS).await
    }

    /// Blocks questions if none is running and no other edit waits.
    pub(super) fn try_close(&self) -> Option<QuestionsPaused> {
        Arc::clone(&self.0).try_write_owned().ok().map(QuestionsPaused::new)
    }

    async fn close_in(
        &self,
        first: Duration,
        longest: Duration,
        turns: usize,
    ) -> Result<QuestionsPaused, Busy> {
        let mut turn = first;
        for _ in 0..turns {
            let closing = Arc::clone(&self.0).write_owned();
            if let Ok(closed) = tokio::time::timeout(turn, closing).await {
                return Ok(QuestionsPaused::new(closed));
            }
            turn = longest.min(turn * 2);
        }
        Err(Busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(1);
    const PATIENCE: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn a_long_question_holds_up_the_edit_and_not_the_other_questions() {
        let gate = QuestionGate::default();
        let long = gate.pass().await;
        let closing = tokio::spawn({
            let gate = gate.clone();
            async move { gate.close_in(SHORT, SHORT, usize::MAX).await.map(|_| ()) }
        });
        for _ in 0..10 {
            // Each question comes while the edit waits, and is admitted at the end of the edit's turn.
            tokio::task::yield_now().await;
            drop(tokio::time::timeout(PATIENCE, gate.pass()).await.expect("let in"));
        }
        assert!(!closing.is_finished());
        drop(long);
        assert_eq!(tokio::time::timeout(PATIENCE, closing).await.expect("in time").expect("ended"), Ok(()));
    }

    #[tokio::test]
    async fn an_edit_between_two_questions_is_seen() {
        let gate = QuestionGate::default();
        let first = gate.pass().await.closings();
        assert_eq!(gate.pass().await.closings(), first);
        drop(gate.close().await.expect("no question runs"));
        let second = gate.pass().await.closings();
        assert_ne!(second, first);
        drop(gate.try_close().expect("no question runs"));
        assert_ne!(gate.pass().await.closings(), second);
    }

    #[tokio::test]
    async fn nobody_passes_while_it_is_closed_and_a_question_without_end_is_given_up() {
        let gate = QuestionGate::default();
        let still = gate.close().await.expect("no question runs");
        assert!(Arc::clone(&gate.0).try_read_owned().is_err());
        drop(still);
        let _inside = gate.pass().await;
        assert_eq!(gate.close_in(SHORT, SHORT, 3).await.map(|_| ()), Err(Busy));
    }
}
