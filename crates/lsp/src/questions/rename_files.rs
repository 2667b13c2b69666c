//! `workspace/willRenameFiles` and `workspace/didRenameFiles`: the edits that follow from renamed files. The
//! servers' file filters are ignored: a server that is not interested returns no edit.

use serde_json::{Value, json};

use crate::edit_shapes::WorkspaceEditShape;
use crate::session::Session;
use crate::uri;
use crate::{ServerError, WorkspaceEdit};
use symd_base::RelPath;

const WILL: &str = "workspace/willRenameFiles";
const DID: &str = "workspace/didRenameFiles";

impl Session {
    /// Returns the further edits that renaming these files requires, given as pairs of old and new path.
    pub(crate) async fn will_rename_files(
        &self,
        files: &[(RelPath, RelPath)],
    ) -> Result<WorkspaceEdit, ServerError> {
        self.require(WILL)?;
        let edit: Option<WorkspaceEditShape> = self.ask_of_project(WILL, &self.renames(files)).await?;
        edit.map_or_else(|| Ok(WorkspaceEdit::default()), |edit| self.workspace_edit(WILL, edit))
    }

    /// Notifies the server that these files were renamed, if it registered for that.
    pub(crate) async fn did_rename_files(&self, files: &[(RelPath, RelPath)]) {
        if self.supports(DID) {
            self.notify(DID, &self.renames(files)).await;
        }
    }

    fn renames(&self, files: &[(RelPath, RelPath)]) -> Value {
        let uri = |path: &RelPath| uri::of_file(&self.rim.root, path);
        let all: Vec<Value> =
            files.iter().map(|(from, to)| json!({"oldUri": uri(from), "newUri": uri(to)})).collect();
        json!({ "files": all })
    }
}
