//! The moments between two steps of an edit, for tests that stop there. Outside tests nothing listens.

use std::fmt;
use std::io;
use std::sync::Arc;

use super::error::EditError;

/// What has just been done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The plan stands the check; nothing is written.
    Checked,
    /// The journal is on the disk.
    Journalled,
    /// A directory was made.
    DirectoryMade,
    /// A file's new bytes lie beside it.
    Staged,
    /// All staged files of a batch are on the disk.
    Synced,
    /// One file's change was made.
    Changed,
    /// An empty directory was taken away.
    DirectoryCleared,
    /// All directories are on the disk; the next step commits.
    DirectoriesSynced,
    /// The journal has become history.
    Committed,
    /// Rollback or recovery has put one file back.
    PutBack,
    /// Rollback or recovery is through; the journal is still there.
    AllPutBack,
}

/// Called after every step: an error makes the edit fail there; a test may also end the process.
#[derive(Clone, Default)]
pub struct Hook(Option<Arc<dyn Fn(Step) -> io::Result<()> + Send + Sync>>);

impl Hook {
    /// Calls `hook` after every step.
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
