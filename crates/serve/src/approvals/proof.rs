//! The proof that a connection is the user's own, so that its answers to questions count: the daemon sends
//! the client a secret word, and the client creates a file of that name in the user's state directory. A
//! process that can write there could also have forged a record of trust or the approvals; one that can only
//! reach the socket, such as a program in an agent's sandbox, cannot. *Reading* the directory does not help:
//! each connection has its own word.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use symd_base::state::{self, StateError};

use super::signed::random;

/// The proof of one connection. Dropping it removes the file.
#[derive(Debug)]
pub struct Proof {
    word: String,
    path: PathBuf,
    given: AtomicBool,
}

impl Proof {
    pub(super) fn new(proofs: &Path) -> Result<Proof, StateError> {
        let word = blake3::Hash::from_bytes(random()?).to_hex().to_string();
        Ok(Proof { path: proofs.join(&word), word, given: AtomicBool::new(false) })
    }

    /// Returns the word that the client receives.
    pub fn token(&self) -> &str {
        &self.word
    }

    /// Whether the client has created the file. Checks the disk until it has.
    pub fn is_proved(&self) -> bool {
        self.given.load(Ordering::Relaxed) || {
            let given = state::open_private(&self.path).is_some();
            self.given.store(given, Ordering::Relaxed);
            given
        }
    }
}

impl Drop for Proof {
    fn drop(&mut self) {
        // A leftover file has no effect: its word is never used again, and the next daemon removes it.
        let _ = state::remove_file(&self.path);
    }
}

/// Creates the file; called by the client. Rejects a `word` from the daemon that could name another file.
pub fn prove(proofs: &Path, word: &str) -> Result<(), StateError> {
    let path = proofs.join(word);
    if word.is_empty() || !word.bytes().all(|b| b.is_ascii_hexdigit()) {
        let source = std::io::Error::other("the daemon sent an invalid name for it");
        return Err(StateError::Io { what: "cannot create", path, source });
    }
    state::replace_file(&path, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_file_of_that_word_is_a_proof() {
        let scratch = tempfile::tempdir().expect("scratch");
        let (one, other) =
            (Proof::new(scratch.path()).expect("one"), Proof::new(scratch.path()).expect("other"));
        assert!(!one.is_proved());
        prove(scratch.path(), other.token()).expect("made");
        assert!(!one.is_proved() && other.is_proved());
        let path = other.path.clone();
        drop(other);
        assert!(!path.exists(), "taken away");
        for word in ["", "../x", "a/b", "."] {
            assert!(prove(scratch.path(), word).is_err(), "{word}");
        }
    }
}
