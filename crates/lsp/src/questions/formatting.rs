//! `textDocument/formatting` and `textDocument/rangeFormatting`.

use lsp_types::Position;
use serde_json::{Value, json};

use crate::documents::SentDocument;
use crate::edit_shapes::TextEditShape;
use crate::place;
use crate::session::Session;
use crate::{DocumentPosition, EditStep, FileRef, Formatting, Indent, ServerError, WorkspaceEdit};
use symd_base::TextRange;

impl Session {
    /// Returns the edit that formats the file of `at`, or `range` of it.
    pub(crate) async fn formatting(
        &self,
        at: &DocumentPosition,
        range: Option<TextRange>,
        how: Formatting,
    ) -> Result<WorkspaceEdit, ServerError> {
        let options = json!({"tabSize": how.tab_size, "insertSpaces": how.indent == Indent::Spaces});
        let whole = |told: &SentDocument| json!({"textDocument": {"uri": told.uri}, "options": options});
        let found: Option<Vec<TextEditShape>> = match range {
            None => self.ask_about(at, "textDocument/formatting", whole).await?,
            Some(range) => {
                let part = |told: &SentDocument| -> Value {
                    let place = |offset| place::of_offset(&told.content.text, offset, self.rim.encoding);
                    let (start, end): (Position, Position) =
                        (place(range.start).into(), place(range.end).into());
                    let mut params = whole(told);
                    params["range"] = json!({"start": start, "end": end});
                    params
                };
                self.ask_about(at, "textDocument/rangeFormatting", part).await?
            }
        };
        let file = FileRef::Project(at.path.clone());
        let edits = self.rim.span_edits(&file, found.unwrap_or_default());
        let step = EditStep::Text { file, seen: Some(at.hash), edits };
        Ok(WorkspaceEdit { steps: vec![step], notes: Vec::new() })
    }
}
