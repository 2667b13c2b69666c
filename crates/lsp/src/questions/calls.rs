//! One level of the call hierarchy: `textDocument/prepareCallHierarchy`, then `callHierarchy/incomingCalls`
//! or `callHierarchy/outgoingCalls`.

use serde_json::json;
use serde_json::value::RawValue;

use crate::session::Session;
use crate::shapes::{CallShape, ItemShape};
use crate::{CallSite, Direction, DocumentPosition, ServerError};

impl Session {
    /// Returns the callers of the function at `at` (`Up`), or the functions that it calls (`Down`).
    pub(crate) async fn calls(
        &self,
        at: &DocumentPosition,
        direction: Direction,
    ) -> Result<Vec<CallSite>, ServerError> {
        let deadline = self.deadline();
        let items: Vec<Box<RawValue>> = self.prepare(at, "textDocument/prepareCallHierarchy").await?;
        let method = match direction {
            Direction::Up => "callHierarchy/incomingCalls",
            Direction::Down => "callHierarchy/outgoingCalls",
        };
        let mut calls = Vec::new();
        for item in items {
            let found: Option<Vec<CallShape>> = self.ask(method, &json!({"item": item}), deadline).await?;
            let found = found.unwrap_or_default();
            match direction {
                Direction::Up => calls.extend(found.into_iter().map(|call| self.rim.incoming(call))),
                Direction::Down => {
                    let caller = self.item_of(&item, "textDocument/prepareCallHierarchy")?.range.file;
                    calls.extend(found.into_iter().map(|call| self.rim.outgoing(call, &caller)));
                }
            }
        }
        Ok(calls)
    }

    /// Returns the hierarchy items at a place as raw JSON, because they are sent back to the server with all
    /// their members.
    pub(super) async fn prepare(
        &self,
        at: &DocumentPosition,
        method: &'static str,
    ) -> Result<Vec<Box<RawValue>>, ServerError> {
        let items: Option<Vec<Box<RawValue>>> = self
            .ask_at(at, method, |uri, position| json!({"textDocument": {"uri": uri}, "position": position}))
            .await?;
        Ok(items.unwrap_or_default())
    }

    fn item_of(&self, item: &RawValue, method: &'static str) -> Result<crate::Item, ServerError> {
        let shape: Result<ItemShape, _> = serde_json::from_str(item.get());
        shape.map(|shape| self.rim.item(shape)).map_err(|error| self.odd(method, &error))
    }
}
