//! State of one connection's approval questions: whether the connection is the user's, which questions were
//! sent as results, and whether answers can still arrive. Invariant: an answer to a question is accepted
//! once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::ApprovalRequest;
use super::ask::ApprovalAnswer;
use super::deferred::{DeferredQuestion, EditorsAnswered};
use super::proof::Proof;

/// The most questions of one connection that were sent as results and wait for a repeated call. Beyond that
/// the oldest is forgotten: its answer is rejected, and the user is asked again.
const MAX_OPEN_QUESTIONS: usize = 64;

/// Why answers over this connection are rejected; worded for the middle of a sentence.
pub const NOT_THE_USERS: &str = "this connection has not shown that it is the user's own, so answers given over it are ignored: connect with `symd mcp`, outside any sandbox";

/// A question that was sent as a result.
#[derive(Debug)]
struct OpenQuestion {
    nonce: u64,
    /// The call that it is about, where the repeated call is not signed.
    about: Option<String>,
}

/// State of one connection's approval questions.
#[derive(Debug)]
pub struct ApprovalState {
    proof: Option<Proof>,
    open: Mutex<VecDeque<OpenQuestion>>,
    /// Those of them that editors show too, or may be asked to.
    in_editors: Mutex<BTreeMap<u64, DeferredQuestion>>,
    /// The numbers under which another project's daemon knows questions of this connection, by their numbers here.
    elsewhere: Mutex<BTreeMap<u64, u64>>,
    /// The receivers that the user has approved on this connection, with tool and project.
    receivers: Mutex<BTreeSet<[String; 3]>>,
    over: watch::Sender<bool>,
}

impl ApprovalState {
    /// Creates the state of a connection, which can prove that it is the user's unless `proof` is `None`.
    pub fn new(proof: Option<Proof>) -> Arc<ApprovalState> {
        Arc::new(ApprovalState {
            proof,
            open: Mutex::default(),
            in_editors: Mutex::default(),
            elsewhere: Mutex::default(),
            receivers: Mutex::default(),
            over: watch::Sender::new(false),
        })
    }

    /// Returns the word that the client needs for its proof; `None` if it cannot prove anything.
    pub fn token(&self) -> Option<&str> {
        self.proof.as_ref().map(Proof::token)
    }

    /// Whether this connection has proved that it is the user's.
    pub fn is_trusted_user(&self) -> bool {
        self.proof.as_ref().is_some_and(Proof::is_proved)
    }

    /// Declares that no more answers will arrive.
    pub fn end(&self) {
        self.over.send_replace(true);
    }

    /// Waits until no more answers will arrive.
    pub async fn ended(&self) {
        // The sender lives in `self`, so this cannot fail.
        let _ = self.over.subscribe().wait_for(|over| *over).await;
    }

    /// Keeps that the user has approved what a call sends to its receivers.
    pub(super) fn keep_receivers(&self, wanted: &ApprovalRequest) {
        self.receivers.lock().unwrap_or_else(PoisonError::into_inner).extend(receivers(wanted));
    }

    /// Whether the user has approved all of a call's receivers; false for a call that sends nothing.
    pub(super) fn has_kept_receivers(&self, wanted: &ApprovalRequest) -> bool {
        let kept = self.receivers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut receivers = receivers(wanted).peekable();
        receivers.peek().is_some() && receivers.all(|receiver| kept.contains(&receiver))
    }

    /// Registers a question that is sent as a result, and returns its nonce.
    pub fn open_question(&self) -> u64 {
        self.open_one(None)
    }

    /// Registers a question about a call, to which an answer counts for the same call only.
    pub(crate) fn open_question_about(&self, wanted: &ApprovalRequest) -> u64 {
        self.open_one(Some(call_of(wanted)))
    }

    fn open_one(&self, about: Option<String>) -> u64 {
        let nonce = fastrand::u64(..);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.push_back(OpenQuestion { nonce, about });
        if open.len() > MAX_OPEN_QUESTIONS
            && let Some(OpenQuestion { nonce: oldest, .. }) = open.pop_front()
        {
            self.in_editors().remove(&oldest);
            self.take_elsewhere(oldest);
        }
        nonce
    }

    /// Keeps under which number another project's daemon knows an open question.
    pub(crate) fn keep_elsewhere(&self, nonce: u64, number: u64) {
        self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner).insert(nonce, number);
    }

    /// Returns what [`ApprovalState::keep_elsewhere`] kept, once.
    pub(crate) fn take_elsewhere(&self, nonce: u64) -> Option<u64> {
        self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner).remove(&nonce)
    }

    /// Has editors show a question that is sent as a result.
    pub(super) fn defer(&self, nonce: u64, question: DeferredQuestion) {
        self.in_editors().insert(nonce, question);
    }

    /// Asks the editors a question that was sent as a result, if that was not done; `None` if it is not open.
    pub(crate) fn ask_editors(&self, nonce: u64) -> Option<EditorsAnswered> {
        Some(self.in_editors().get_mut(&nonce)?.ask())
    }

    /// Withdraws a question from the editors, to which the client's answer has arrived; returns theirs if it came first.
    pub(crate) fn take_editors_answer(&self, nonce: u64) -> Option<ApprovalAnswer> {
        self.in_editors().remove(&nonce)?.answer()
    }

    /// Forgets a question that needs no answer any more, and withdraws it from the editors.
    pub(crate) fn withdraw_question(&self, nonce: u64) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).retain(|known| known.nonce != nonce);
        self.in_editors().remove(&nonce);
        self.take_elsewhere(nonce);
    }

    fn in_editors(&self) -> MutexGuard<'_, BTreeMap<u64, DeferredQuestion>> {
        self.in_editors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes a question whose answer has arrived; false if it was answered before or is unknown.
    pub fn close_question(&self, nonce: u64) -> bool {
        self.close_one(nonce, None)
    }

    /// Likewise, for a question about a call; false if it was about another one.
    pub(crate) fn close_question_about(&self, nonce: u64, wanted: &ApprovalRequest) -> bool {
        self.close_one(nonce, Some(call_of(wanted)))
    }

    fn close_one(&self, nonce: u64, about: Option<String>) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let place = open.iter().position(|known| known.nonce == nonce && known.about == about);
        place.map(|place| open.remove(place)).is_some()
    }
}

/// Returns what tells a call from every other one.
fn call_of(wanted: &ApprovalRequest) -> String {
    let call = (
        wanted.offered.toolset.name,
        wanted.offered.tool.name,
        &wanted.project,
        &wanted.json,
        wanted.texts(),
    );
    format!("{call:?}")
}

fn receivers(wanted: &ApprovalRequest) -> impl Iterator<Item = [String; 3]> {
    let texts = wanted.outgoing.as_ref().map(|_| wanted.texts()).unwrap_or_default();
    texts.into_iter().map(|text| [wanted.offered.tool.name.to_owned(), wanted.project.clone(), text])
}

#[cfg(test)]
mod tests {
    use super::super::test_tools::wanted;
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_counts_for_the_call_that_was_shown() {
        let asking = ApprovalState::new(None);
        let shown = wanted("careful/command", json!({"command": "ls"}));
        let other = wanted("careful/command", json!({"command": "rm -rf ."}));
        let number = asking.open_question_about(&shown);
        assert!(!asking.close_question_about(number, &other), "another call");
        assert!(!asking.close_question(number), "no call");
        assert!(asking.close_question_about(number, &shown));
        assert!(!asking.close_question_about(number, &shown), "a second time");
    }

    #[test]
    fn a_question_is_answered_once_and_the_oldest_is_forgotten() {
        let asking = ApprovalState::new(None);
        assert!(!asking.is_trusted_user() && asking.token().is_none());
        let first = asking.open_question();
        assert!(asking.close_question(first));
        assert!(!asking.close_question(first), "a second time");
        let oldest = asking.open_question();
        let later: Vec<u64> = (0..MAX_OPEN_QUESTIONS).map(|_| asking.open_question()).collect();
        assert!(!asking.close_question(oldest));
        assert!(later.into_iter().all(|nonce| asking.close_question(nonce)));
    }
}
