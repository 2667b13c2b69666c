//! `textDocument/prepareRename`, then `textDocument/rename`. A server's refusal is reported as such, not as a
//! failure.

use serde_json::json;

use crate::edit_shapes::{PreparedShape, WorkspaceEditShape};
use crate::session::Session;
use crate::{DocumentPosition, FileRef, RenameResult, ServerError, Span, WorkspaceEdit};

const PREPARE: &str = "textDocument/prepareRename";
const RENAME: &str = "textDocument/rename";

impl Session {
    /// Returns the edit that renames the symbol at `at`.
    pub(crate) async fn rename(
        &self,
        at: &DocumentPosition,
        new_name: &str,
    ) -> Result<RenameResult, ServerError> {
        let prepared = if self.supports(PREPARE) { self.prepare_rename(at).await? } else { None };
        let edit: Option<WorkspaceEditShape> = self
            .ask_at(
                at,
                RENAME,
                |uri, position| json!({"textDocument": {"uri": uri}, "position": position, "newName": new_name}),
            )
            .await?;
        let edit = edit.ok_or_else(|| self.refuses(RENAME, "it returned neither an edit nor a reason"))?;
        Ok(RenameResult { prepared, edit: self.workspace_edit(RENAME, edit)? })
    }

    /// Returns the range that the server would rename at `at`, if it sends one; an error if it cannot rename
    /// there.
    pub(crate) async fn prepare_rename(&self, at: &DocumentPosition) -> Result<Option<Span>, ServerError> {
        let prepared: Option<PreparedShape> = self
            .ask_at(at, PREPARE, |uri, position| json!({"textDocument": {"uri": uri}, "position": position}))
            .await?;
        let prepared =
            prepared.ok_or_else(|| self.refuses(PREPARE, "there is nothing that it can rename here"))?;
        let file = FileRef::Project(at.path.clone());
        let plain = prepared.start.zip(prepared.end).map(|(start, end)| lsp_types::Range { start, end });
        Ok(prepared.range.or(plain).map(|range| self.rim.span(&file, range)))
    }

    /// Converts a server's edit, and validates its document versions against those that were sent.
    pub(super) fn workspace_edit(
        &self,
        method: &'static str,
        shape: WorkspaceEditShape,
    ) -> Result<WorkspaceEdit, ServerError> {
        let known = |path: &_| self.files.sent_state(path).map(|told| (told.version, told.content.hash));
        self.rim.workspace_edit(shape, known).map_err(|problem| self.wrong(method, problem))
    }
}
