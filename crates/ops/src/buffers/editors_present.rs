//! Editors that are there and have not told what they have open: after a restart of the daemon each `symd lsp`
//! connects when it notices, and an agent may be earlier. Invariant: no edit begins before.

use symd_base::state::presence::{is_suspended, present_in, process_id};
use symd_edit::EditError;
use tokio::time::Instant;

use super::Buffers;

impl Buffers {
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
            let process = process_id(&silent).map(|id| format!(": its `symd lsp` is process {id}"));
            let process = process.unwrap_or_default();
            return Err(EditError::NotInEditor(format!(
                "an editor has files of this project open and has not told symd their texts since symd started{process}; \
                 repeat the edit, and if that fails restart the language server in that editor, or close it"
            )));
        }
    }

    /// Returns the name of a process that is present and has not told of its documents.
    pub(super) fn silent_editor(&self) -> Option<String> {
        let present = present_in(&self.presences);
        let table = self.table();
        let has_told =
            |name: &String| table.editors.values().any(|editor| editor.has_told_as.as_ref() == Some(name));
        present.into_iter().find(|name| !has_told(name))
    }
}
