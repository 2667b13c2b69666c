//! `workspace/willRenameFiles` and `workspace/didRenameFiles`: what follows from files' new names. Servers' filters are
//! not looked at: a server that cares for no such file answers with nothing.

use serde_json::{Value, json};

use crate::edit_shapes::WorkspaceEditShape;
use crate::session::Session;
use crate::uri;
use crate::{NoAnswer, WorkspaceEdit};
use symd_base::RelPath;

const WILL: &str = "workspace/willRenameFiles";
const DID: &str = "workspace/didRenameFiles";

impl Session {
    /// What else has to change when these files get other names.
    pub(crate) async fn will_rename_files(
        &self,
        files: &[(RelPath, RelPath)],
    ) -> Result<WorkspaceEdit, NoAnswer> {
        self.require(WILL)?;
        let edit: Option<WorkspaceEditShape> = self.ask_of_project(WILL, &self.renames(files)).await?;
        edit.map_or_else(|| Ok(WorkspaceEdit::default()), |edit| self.workspace_edit(WILL, edit))
    }

    /// Tells that these files have other names now, if the server wants to hear of it.
    pub(crate) async fn did_rename_files(&self, files: &[(RelPath, RelPath)]) {
        if self.supports(DID) {
            self.tell(DID, &self.renames(files)).await;
        }
    }

    fn renames(&self, files: &[(RelPath, RelPath)]) -> Value {
        let uri = |path: &RelPath| uri::of_file(&self.rim.root, path);
        let all: Vec<Value> =
            files.iter().map(|(from, to)| json!({"oldUri": uri(from), "newUri": uri(to)})).collect();
        json!({ "files": all })
    }
}
