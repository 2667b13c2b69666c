//! What belongs to the questions of one connection: whose it is, which questions went out as results, and whether
//! answers can still come. Invariant: an answer to a question is taken once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::proof::Proof;

/// Questions of one connection that went out as results and may be answered by a call made again. When there are more,
/// the oldest is forgotten: its answer is refused, and the call asked about anew.
const MAX_OPEN_QUESTIONS: usize = 64;

/// Why no answer of this connection counts, as the middle of a sentence.
pub const NOT_THE_USERS: &str = "this connection has not shown that it is the user's own, so no answer over it counts: connect by `symd mcp`, outside any sandbox";

/// What belongs to the questions of one connection.
#[derive(Debug)]
pub struct Asking {
    proof: Option<Proof>,
    open: Mutex<VecDeque<u64>>,
    over: watch::Sender<bool>,
}

impl Asking {
    /// A connection that may show that it is the user's, unless `proof` is none.
    pub fn new(proof: Option<Proof>) -> Arc<Asking> {
        Arc::new(Asking { proof, open: Mutex::default(), over: watch::Sender::new(false) })
    }

    /// The word for the client, if it can prove anything.
    pub fn word(&self) -> Option<&str> {
        self.proof.as_ref().map(Proof::word)
    }

    /// Whether answers over this connection are the user's.
    pub fn is_the_users(&self) -> bool {
        self.proof.as_ref().is_some_and(Proof::is_given)
    }

    /// No more answers will come.
    pub fn end(&self) {
        self.over.send_replace(true);
    }

    /// Waits until no more answers will come.
    pub async fn ended(&self) {
        // The sender is in `self`, so it cannot be gone.
        let _ = self.over.subscribe().wait_for(|over| *over).await;
    }

    /// A question goes out as a result: its nonce.
    pub fn open_question(&self) -> u64 {
        let nonce = fastrand::u64(..);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.push_back(nonce);
        if open.len() > MAX_OPEN_QUESTIONS {
            open.pop_front();
        }
        nonce
    }

    /// Its answer has come; false when it had come before, or was not waited for.
    pub fn close_question(&self, nonce: u64) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let place = open.iter().position(|known| *known == nonce);
        place.map(|place| open.remove(place)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_answered_once_and_the_oldest_is_forgotten() {
        let asking = Asking::new(None);
        assert!(!asking.is_the_users() && asking.word().is_none());
        let first = asking.open_question();
        assert!(asking.close_question(first));
        assert!(!asking.close_question(first), "a second time");
        let oldest = asking.open_question();
        let later: Vec<u64> = (0..MAX_OPEN_QUESTIONS).map(|_| asking.open_question()).collect();
        assert!(!asking.close_question(oldest));
        assert!(later.into_iter().all(|nonce| asking.close_question(nonce)));
    }
}
