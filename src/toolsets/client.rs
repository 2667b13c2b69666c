//! What is known of the client on one connection: its name, and which state of which file it read last. Invariant: a
//! state is remembered only if the client was shown text of it, or made it by an edit of its own.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::base::{ContentHash, RelPath};

/// Files whose last read state is kept. When it is full the one read longest ago is forgotten: an edit of that file is
/// then made to what it holds at the moment of the call.
const MAX_READ_FILES: usize = 4_096;

/// A client, for as long as it is connected.
#[derive(Debug, Default)]
pub struct Client {
    name: OnceLock<String>,
    read: Mutex<ReadFiles>,
}

#[derive(Debug, Default)]
struct ReadFiles {
    clock: u64,
    files: BTreeMap<RelPath, (u64, ContentHash)>,
}

impl Client {
    /// A client of that name.
    pub fn of_name(name: &str) -> Client {
        let client = Client::default();
        client.named(name.to_owned());
        client
    }

    /// Takes the name by which it introduced itself, the first time.
    pub fn named(&self, name: String) {
        let _ = self.name.set(name);
    }

    /// How the history calls it: "claude-code 2.1", "cli".
    pub fn name(&self) -> &str {
        self.name.get().map_or("unknown", String::as_str)
    }

    /// It was shown text of `path` (links resolved) in the state `hash`, or has put it there.
    pub fn has_read(&self, path: &RelPath, hash: ContentHash) {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.clock += 1;
        let clock = read.clock;
        read.files.insert(path.clone(), (clock, hash));
        if read.files.len() > MAX_READ_FILES {
            let oldest = read.files.iter().min_by_key(|(_, (clock, _))| *clock).map(|(path, _)| path.clone());
            oldest.and_then(|path| read.files.remove(&path));
        }
    }

    /// The state of `path` (links resolved) that it knows.
    pub fn last_read(&self, path: &RelPath) -> Option<ContentHash> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.files.get(path).map(|(_, hash)| *hash)
    }

    /// It knows that `path` is gone.
    pub fn forget(&self, path: &RelPath) {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).files.remove(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_read_longest_ago_is_forgotten() {
        let client = Client::of_name("cli");
        let path = |number: usize| RelPath::new(&format!("f{number}")).expect("valid");
        let hash = ContentHash::of(b"x");
        (0..MAX_READ_FILES).for_each(|number| client.has_read(&path(number), hash));
        client.has_read(&path(0), ContentHash::of(b"y"));
        client.has_read(&path(MAX_READ_FILES), hash);
        assert_eq!(client.last_read(&path(0)), Some(ContentHash::of(b"y")));
        assert_eq!(client.last_read(&path(1)), None);
        assert_eq!(client.last_read(&path(2)), Some(hash));
        assert_eq!(client.name(), "cli");
    }
}
