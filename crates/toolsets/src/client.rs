//! The state of the client on one connection: its name and environment, the last version of each file that it
//! read, its active project, what it runs, and what single contracts keep about it. Invariants: a version is
//! remembered only if the client was shown text of it, or produced it by an edit of its own; what it runs is
//! ended when this value is dropped, which is when the connection ends.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use symd_base::{ContentHash, RelPath};
use symd_config::projects::RegisteredProject;
use symd_shell::pty::Sessions;
use symd_shell::{BackgroundCommands, Environment, LastCommandKept};

/// The maximum number of files whose last read version is kept. Beyond it the file read longest ago is
/// forgotten: an edit of that file then applies to its content at the moment of the call.
const MAX_READ_FILES: usize = 4_096;

/// A client, for as long as it is connected.
#[derive(Debug, Default)]
pub struct Client {
    name: OnceLock<String>,
    read: Mutex<ReadFiles>,
    /// The project that the client switched to; `None` means the daemon's own.
    switched_project: Mutex<Option<RegisteredProject>>,
    environment: OnceLock<Environment>,
    directory: OnceLock<PathBuf>,
    /// Processes that its shell commands left running.
    pub left_behind: Arc<BackgroundCommands>,
    /// The reasons for a missing language server that it was already given.
    reported_reasons: Mutex<BTreeSet<String>>,
    /// Its terminal sessions.
    pub terminals: Sessions,
    /// The last command that it ran.
    pub last_command: LastCommandKept,
    /// What contracts keep about the connection, one value for each type.
    states: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

#[derive(Debug, Default)]
struct ReadFiles {
    clock: u64,
    files: BTreeMap<RelPath, (u64, ContentHash)>,
}

impl Client {
    /// Returns a client with that name.
    pub fn with_name(name: &str) -> Client {
        let client = Client::default();
        client.set_name(name.to_owned());
        client
    }

    /// Sets the name by which the client introduced itself. Only the first name counts.
    pub fn set_name(&self, name: String) {
        let _ = self.name.set(name);
    }

    /// Returns the name in the edit history: "claude-code 2.1", "cli".
    pub fn name(&self) -> &str {
        self.name.get().map_or("unknown", String::as_str)
    }

    /// Returns the connection's value of a contract's own type; the first use makes the default.
    pub fn state<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let state = Arc::clone(states.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default())));
        // Never the default of a failed cast: the key is the type.
        state.downcast().unwrap_or_default()
    }

    /// Returns the project that the client switched to; `None` means the daemon's own.
    pub fn project_override(&self) -> Option<RegisteredProject> {
        self.switched_project.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Switches to `project`; `None` means the daemon's own.
    pub fn activate(&self, project: Option<RegisteredProject>) {
        *self.switched_project.lock().unwrap_or_else(PoisonError::into_inner) = project;
    }

    /// Sets the environment and working directory in which the client was started. Only the first ones count.
    pub fn set_origin(&self, environment: Environment, directory: Option<PathBuf>) {
        let _ = self.environment.set(environment);
        directory.and_then(|directory| self.directory.set(directory).err());
    }

    /// Returns the environment for its commands: the client's own, or a few of the daemon's variables if it
    /// sent none.
    pub fn environment(&self) -> &Environment {
        self.environment.get_or_init(|| Environment::cleaned(std::env::vars_os()))
    }

    /// Returns the directory in which the client was started, if it sent one. Commands run in the project
    /// nevertheless.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.get().map(PathBuf::as_path)
    }

    /// Records that the client was shown text of `path` (links resolved) in version `hash`, or wrote that
    /// version.
    pub fn record_read(&self, path: &RelPath, hash: ContentHash) {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.clock += 1;
        let clock = read.clock;
        read.files.insert(path.clone(), (clock, hash));
        if read.files.len() > MAX_READ_FILES {
            let oldest = read.files.iter().min_by_key(|(_, (clock, _))| *clock).map(|(path, _)| path.clone());
            oldest.and_then(|path| read.files.remove(&path));
        }
    }

    /// Returns the version of `path` (links resolved) that the client knows.
    pub fn last_read(&self, path: &RelPath) -> Option<ContentHash> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.files.get(path).map(|(_, hash)| *hash)
    }

    /// Records that the client is given `reason`; returns whether that reason is new to it.
    pub fn note_reason(&self, reason: &str) -> bool {
        self.reported_reasons.lock().unwrap_or_else(PoisonError::into_inner).insert(reason.to_owned())
    }

    /// Forgets the version of `path`: the client knows that the file is gone.
    pub fn forget(&self, path: &RelPath) {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).files.remove(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_read_longest_ago_is_forgotten() {
        let client = Client::with_name("cli");
        let path = |number: usize| RelPath::new(&format!("f{number}")).expect("valid");
        let hash = ContentHash::of(b"x");
        (0..MAX_READ_FILES).for_each(|number| client.record_read(&path(number), hash));
        client.record_read(&path(0), ContentHash::of(b"y"));
        client.record_read(&path(MAX_READ_FILES), hash);
        assert_eq!(client.last_read(&path(0)), Some(ContentHash::of(b"y")));
        assert_eq!(client.last_read(&path(1)), None);
        assert_eq!(client.last_read(&path(2)), Some(hash));
        assert_eq!(client.name(), "cli");
    }

    #[test]
    fn each_type_has_one_state_per_client() {
        let (client, other) = (Client::default(), Client::default());
        client.state::<Mutex<Vec<u8>>>().lock().expect("unpoisoned").push(1);
        assert_eq!(*client.state::<Mutex<Vec<u8>>>().lock().expect("unpoisoned"), [1]);
        assert_eq!(*client.state::<Mutex<String>>().lock().expect("unpoisoned"), "");
        assert!(other.state::<Mutex<Vec<u8>>>().lock().expect("unpoisoned").is_empty());
    }
}
