//! Editors that are there and have not told what they have open: after a restart of the daemon each `symd lsp`
//! connects when it notices, and an agent may be earlier. Invariant: no edit begins before; a question waits for a while, and
//! is told afterwards what its answer may lack.

use std::fmt;
use std::sync::PoisonError;
use std::time::Duration;

use symd_base::state::presence::{is_suspended, owner_of, present_in, process_id};
use symd_edit::EditError;
use tokio::time::Instant;

use super::Buffers;

/// How often a waiting question looks whether an editor is still there: a process that ends tells nothing.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// An editor of whose unsaved texts nothing is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SilentEditor {
    /// Its name and version, if it is known.
    name: Option<String>,
    /// The ID of its `symd lsp`.
    process: Option<i32>,
}

impl fmt::Display for SilentEditor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.as_deref().unwrap_or("an editor");
        write!(
            f,
            "{name} has files of this project open and has not told symd their texts since symd started"
        )?;
        self.process.iter().try_for_each(|id| write!(f, ": its `symd lsp` is process {id}"))
    }
}

impl Buffers {
    /// Waits until all editors have told of their documents; not long, and not again for one that was waited for. Returns one that
    /// has not: what is read now may be older than what its user sees.
    pub async fn await_texts(&self) -> Option<SilentEditor> {
        let mut told = self.told.subscribe();
        // Also where one process after the other begins and ends.
        let last = Instant::now() + self.deadlines.question;
        loop {
            told.mark_unchanged();
            let silent = self.silent_editors();
            let deadline = self.question_deadline(&silent)?.min(last);
            let now = Instant::now();
            if now >= deadline {
                return silent.first().map(|name| self.described(name));
            }
            let _ = tokio::time::timeout_at(deadline.min(now + LOOK_EVERY), told.changed()).await;
        }
    }

    /// Waits until all editors have told of their documents.
    pub(crate) async fn await_editors(&self) -> Result<(), EditError> {
        let mut told = self.told.subscribe();
        let begun = Instant::now();
        let (suspended, present) = (begun + self.deadlines.suspended, begun + self.deadlines.present);
        let mut deadline = suspended.min(present);
        loop {
            told.mark_unchanged();
            if self.silent_editor().is_none() {
                return Ok(());
            }
            if tokio::time::timeout_at(deadline, told.changed()).await.is_ok() {
                continue;
            }
            // It may have ended meanwhile, of which nothing tells.
            let Some(silent) = self.silent_editor() else { return Ok(()) };
            if deadline < present && !is_suspended(&silent) {
                deadline = present;
                continue;
            }
            return Err(EditError::NotInEditor(format!(
                "{}; repeat the edit, and if that fails restart the language server in that editor, or close it",
                self.described(&silent)
            )));
        }
    }

    /// Returns a process that is present and has not told of its documents, without waiting.
    pub fn untold(&self) -> Option<SilentEditor> {
        Some(self.described(&self.silent_editor()?))
    }

    /// Returns the name of a process that is present and has not told of its documents.
    pub(super) fn silent_editor(&self) -> Option<String> {
        self.silent_editors().into_iter().next()
    }

    /// Returns the names of all processes that are present and have not told of their documents.
    fn silent_editors(&self) -> Vec<String> {
        let mut silent = present_in(&self.presences);
        if !silent.is_empty() {
            let table = self.table();
            let has_told = |name: &String| {
                table.editors.values().any(|editor| editor.has_told_as.as_ref() == Some(name))
            };
            silent.retain(|name| !has_told(name));
        }
        silent
    }

    /// Returns until when questions wait for these processes; `None` without any.
    fn question_deadline(&self, silent: &[String]) -> Option<Instant> {
        let mut awaited = self.awaited.lock().unwrap_or_else(PoisonError::into_inner);
        awaited.retain(|name, _| silent.contains(name));
        let now = Instant::now();
        let begun = silent.iter().map(|name| *awaited.entry(name.clone()).or_insert(now));
        begun.max().map(|begun| begun + self.deadlines.question)
    }

    fn described(&self, presence: &str) -> SilentEditor {
        SilentEditor { name: owner_of(&self.presences, presence), process: process_id(presence) }
    }
}
