//! What belongs to the client on one connection: its name and environment, which state of which file it read last, in which
//! modes it works and on which project, and what it runs. Invariants: a state is remembered only if the client was shown
//! text of it, or made it by an edit of its own; what it runs is ended when this is dropped, which is when the connection
//! ends.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::serena::Modes;
use symd_base::{ContentHash, RelPath};
use symd_config::projects::Registered;
use symd_shell::pty::Sessions;
use symd_shell::{Environment, LastCommandKept, LeftBehind};

/// Files whose last read state is kept. When it is full the one read longest ago is forgotten: an edit of that file is
/// then made to what it holds at the moment of the call.
const MAX_READ_FILES: usize = 4_096;

/// A client, for as long as it is connected.
#[derive(Debug, Default)]
pub struct Client {
    name: OnceLock<String>,
    read: Mutex<ReadFiles>,
    /// In which of serena's modes it works.
    pub modes: Modes,
    /// The project that it has changed to, if that is not the daemon's own.
    active: Mutex<Option<Registered>>,
    environment: OnceLock<Environment>,
    directory: OnceLock<PathBuf>,
    /// What its shell commands left running.
    pub left_behind: Arc<LeftBehind>,
    /// Why there is no language server, as it has been told.
    told: Mutex<BTreeSet<String>>,
    /// Its terminals.
    pub terminals: Sessions,
    /// The command it ran last.
    pub last_command: LastCommandKept,
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

    /// The project that it has changed to, if that is not the daemon's own.
    pub fn active_elsewhere(&self) -> Option<Registered> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// It speaks of `project` from now on; of the daemon's own with `None`.
    pub fn activate(&self, project: Option<Registered>) {
        *self.active.lock().unwrap_or_else(PoisonError::into_inner) = project;
    }

    /// Takes the environment and the working directory that it was started with, the first time.
    pub fn comes_from(&self, environment: Environment, directory: Option<PathBuf>) {
        let _ = self.environment.set(environment);
        directory.and_then(|directory| self.directory.set(directory).err());
    }

    /// The variables of what it runs: its own, or few of the daemon's if it did not say them.
    pub fn environment(&self) -> &Environment {
        self.environment.get_or_init(|| Environment::cleaned(std::env::vars_os()))
    }

    /// Where it was started, if it said so. Commands run in the project all the same.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.get().map(PathBuf::as_path)
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

    /// Takes note that it is told `reason`; whether that is news.
    pub fn is_told(&self, reason: &str) -> bool {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(reason.to_owned())
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
