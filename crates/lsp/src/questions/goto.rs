//! `textDocument/definition` and its siblings.

use serde_json::json;

use crate::session::Session;
use crate::shapes::{Listed, LocationShape};
use crate::{DocumentPosition, Goto, ServerError, Span};

impl Goto {
    /// Returns LSP's method name.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Goto::Definition => "textDocument/definition",
            Goto::Declaration => "textDocument/declaration",
            Goto::TypeDefinition => "textDocument/typeDefinition",
            Goto::Implementation => "textDocument/implementation",
        }
    }
}

impl Session {
    /// Returns the targets of the name at `at`.
    pub(crate) async fn goto(&self, at: &DocumentPosition, which: Goto) -> Result<Vec<Span>, ServerError> {
        let Listed::<LocationShape>(found) = self
            .ask_at(
                at,
                which.method(),
                |uri, position| json!({"textDocument": {"uri": uri}, "position": position}),
            )
            .await?;
        Ok(self.rim.spans(found))
    }
}
