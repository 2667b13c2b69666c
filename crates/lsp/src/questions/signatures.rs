//! `textDocument/signatureHelp`.

use serde_json::json;

use crate::convert;
use crate::session::Session;
use crate::shapes::SignaturesShape;
use crate::{DocumentPosition, ServerError};

impl Session {
    /// Returns the signatures of the call in whose argument list `at` is, the active one first.
    pub(crate) async fn signatures(&self, at: &DocumentPosition) -> Result<Vec<String>, ServerError> {
        let help: Option<SignaturesShape> = self
            .ask_at(
                at,
                "textDocument/signatureHelp",
                |uri, position| json!({"textDocument": {"uri": uri}, "position": position}),
            )
            .await?;
        Ok(help.map(convert::signatures).unwrap_or_default())
    }
}
