//! The points between two steps of an edit, at which tests can stop it. Unused outside tests.

use std::fmt;
use std::io;
use std::sync::Arc;

use super::error::EditError;

/// A completed step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The plan passed the check; nothing is written.
    Checked,
    /// The journal is on the disk.
    Journalled,
    /// A directory was made.
    DirectoryMade,
    /// A file's new bytes are staged next to it.
    Staged,
    /// All staged files of a batch are on the disk.
    Synced,
    /// One file's change was made.
    Changed,
    /// An empty directory was removed.
    DirectoryCleared,
    /// All directories are on the disk; the next step commits.
    DirectoriesSynced,
    /// The journal was committed to the history.
    Committed,
    /// Rollback or recovery has put one file back.
    PutBack,
    /// Rollback or recovery has finished; the journal still exists.
    AllPutBack,
}

/// A callback after every step: an error makes the edit fail there; a test may also kill the process.
#[derive(Clone, Default)]
pub struct Hook(Option<Arc<dyn Fn(Step) -> io::Result<()> + Send + Sync>>);

impl Hook {
    pub fn new(hook: impl Fn(Step) -> io::Result<()> + Send + Sync + 'static) -> Hook {
        Hook(Some(Arc::new(hook)))
    }

    pub(super) fn after(&self, step: Step) -> Result<(), EditError> {
        match &self.0 {
            Some(hook) => hook(step).map_err(EditError::Injected),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Hook(set)" } else { "Hook" })
    }
}
