//! `textDocument/references`.

use serde_json::json;

use crate::session::Session;
use crate::shapes::{Listed, LocationShape};
use crate::{DocumentPosition, ServerError, Span};

impl Session {
    /// Returns all occurrences of the symbol at `at`, including its declarations: some servers count imports
    /// as declarations, so excluding declarations would lose uses.
    pub(crate) async fn references(&self, at: &DocumentPosition) -> Result<Vec<Span>, ServerError> {
        let Listed::<LocationShape>(found) = self
            .ask_at(at, "textDocument/references", |uri, position| {
                json!({
                    "textDocument": {"uri": uri},
                    "position": position,
                    "context": {"includeDeclaration": true},
                })
            })
            .await?;
        Ok(self.rim.spans(found))
    }
}
