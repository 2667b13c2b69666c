//! One level of the type hierarchy: `textDocument/prepareTypeHierarchy`, then `typeHierarchy/supertypes` or
//! `typeHierarchy/subtypes`.

use serde_json::json;

use crate::session::Session;
use crate::shapes::ItemShape;
use crate::{Direction, DocumentPosition, Item, ServerError};

impl Session {
    /// Returns the supertypes (`Up`) or subtypes (`Down`) of the type at `at`.
    pub(crate) async fn types(
        &self,
        at: &DocumentPosition,
        direction: Direction,
    ) -> Result<Vec<Item>, ServerError> {
        let deadline = self.deadline();
        let method = match direction {
            Direction::Up => "typeHierarchy/supertypes",
            Direction::Down => "typeHierarchy/subtypes",
        };
        let mut types = Vec::new();
        for item in self.prepare(at, "textDocument/prepareTypeHierarchy").await? {
            let found: Option<Vec<ItemShape>> = self.ask(method, &json!({"item": item}), deadline).await?;
            types.extend(found.unwrap_or_default().into_iter().map(|item| self.rim.item(item)));
        }
        Ok(types)
    }
}
