//! `textDocument/definition` and its siblings.

use serde_json::json;

use crate::session::Session;
use crate::shapes::{Listed, LocationShape};
use crate::{At, Goto, NoAnswer, Span};

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
    pub(crate) async fn goto(&self, at: &At, which: Goto) -> Result<Vec<Span>, NoAnswer> {
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
