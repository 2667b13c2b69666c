//! `textDocument/codeAction`: lists the offered actions. Nothing is resolved or applied.

use lsp_types::Position;
use serde_json::{Value, json};

use crate::convert::{self, Converter};
use crate::documents::SentDocument;
use crate::place;
use crate::session::Session;
use crate::shapes::ActionShape;
use crate::{CodeAction, DocumentPosition, ServerError};
use symd_base::TextRange;

impl Session {
    /// Returns the code actions for `range` of the file of `at`.
    pub(crate) async fn code_actions(
        &self,
        at: &DocumentPosition,
        range: TextRange,
    ) -> Result<Vec<CodeAction>, ServerError> {
        let found: Option<Vec<ActionShape>> =
            self.ask_about(at, "textDocument/codeAction", |told| params(&self.rim, told, range)).await?;
        Ok(found.unwrap_or_default().into_iter().map(convert::action).collect())
    }
}

/// Builds `CodeActionParams` for a range.
pub(super) fn params(rim: &Converter, told: &SentDocument, range: TextRange) -> Value {
    let place = |offset| place::of_offset(&told.content.text, offset, rim.encoding);
    let (start, end): (Position, Position) = (place(range.start).into(), place(range.end).into());
    json!({
        "textDocument": {"uri": told.uri},
        "range": {"start": start, "end": end},
        "context": {"diagnostics": []},
    })
}
