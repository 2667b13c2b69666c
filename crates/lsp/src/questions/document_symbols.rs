//! `textDocument/documentSymbol`.

use serde_json::json;

use crate::session::Session;
use crate::shapes::SymbolShape;
use crate::{DocumentPosition, FileRef, Item, ServerError};

impl Session {
    /// Returns the symbols of the file of `at`, as a tree. The offset is ignored.
    pub(crate) async fn document_symbols(&self, at: &DocumentPosition) -> Result<Vec<Item>, ServerError> {
        let found: Option<Vec<SymbolShape>> = self
            .ask_about(at, "textDocument/documentSymbol", |told| json!({"textDocument": {"uri": told.uri}}))
            .await?;
        Ok(self.rim.symbols(&FileRef::Project(at.path.clone()), found.unwrap_or_default()))
    }
}
