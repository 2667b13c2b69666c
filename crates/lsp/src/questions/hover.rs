//! `textDocument/hover`.

use serde_json::json;

use crate::convert::markdown;
use crate::session::Session;
use crate::shapes::HoverShape;
use crate::{DocumentPosition, ServerError};

impl Session {
    /// Returns the hover text at `at` as Markdown; `None` if there is none.
    pub(crate) async fn hover(&self, at: &DocumentPosition) -> Result<Option<String>, ServerError> {
        let hover: Option<HoverShape> = self
            .ask_at(
                at,
                "textDocument/hover",
                |uri, position| json!({"textDocument": {"uri": uri}, "position": position}),
            )
            .await?;
        Ok(hover.and_then(|hover| markdown(&hover.contents)))
    }
}
