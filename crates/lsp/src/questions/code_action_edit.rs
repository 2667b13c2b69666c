//! Computes a code action's edit: `textDocument/codeAction`, `codeAction/resolve` if the action has no edit
//! yet, and `workspace/executeCommand` if the action is or has a command; edits that the server requests
//! meanwhile (`workspace/applyEdit`) become part of the result. Nothing is applied here.

use serde_json::json;
use serde_json::value::RawValue;

use super::code_actions::params;
use crate::edit_shapes::{AppliedActionShape, CommandOrName, WorkspaceEditShape};
use crate::session::Session;
use crate::shapes::ActionShape;
use crate::{DocumentPosition, ServerError, WorkspaceEdit};
use symd_base::TextRange;

const LIST: &str = "textDocument/codeAction";
const RESOLVE: &str = "codeAction/resolve";
const EXECUTE: &str = "workspace/executeCommand";

impl Session {
    /// Returns the edit of the code action titled `title`, one of those that the server offers for `range` of
    /// the file of `at`.
    pub(crate) async fn code_action_edit(
        &self,
        at: &DocumentPosition,
        range: TextRange,
        title: &str,
    ) -> Result<WorkspaceEdit, ServerError> {
        let offered: Option<Vec<Box<RawValue>>> =
            self.ask_about(at, LIST, |told| params(&self.rim, told, range)).await?;
        let raw = self.called(offered.unwrap_or_default(), title)?;
        let mut action: AppliedActionShape = self.decode(LIST, &raw)?;
        if action.edit.is_none()
            && !matches!(action.command, Some(CommandOrName::Name(_)))
            && self.supports(RESOLVE)
        {
            let deadline = self.deadline();
            action = self.ask(RESOLVE, &json!(raw), deadline).await?;
        }
        let mut edit = match action.edit.take() {
            Some(edit) => self.workspace_edit(RESOLVE, edit)?,
            None => WorkspaceEdit::default(),
        };
        let command = match (action.command, action.arguments) {
            (None, _) => None,
            (Some(CommandOrName::Name(name)), arguments) => {
                Some(json!({"command": name, "arguments": arguments}))
            }
            (Some(CommandOrName::Command(command)), _) => {
                Some(json!({"command": command.command, "arguments": command.arguments}))
            }
        };
        if let Some(command) = command {
            self.require(EXECUTE)?;
            for more in self.execute(&command).await? {
                let more = self.workspace_edit(EXECUTE, more)?;
                edit.steps.extend(more.steps);
                edit.notes.extend(more.notes);
            }
        }
        Ok(edit)
    }

    /// Returns the only action with this title.
    fn called(&self, offered: Vec<Box<RawValue>>, title: &str) -> Result<Box<RawValue>, ServerError> {
        let mut titles = Vec::new();
        let mut found = Vec::new();
        for raw in offered {
            let action: ActionShape = self.decode(LIST, &raw)?;
            if action.title == title {
                found.push((raw, action.disabled));
            } else {
                titles.push(action.title);
            }
        }
        match (found.pop(), found.is_empty()) {
            (Some((_, Some(disabled))), true) => Err(self.refuses(LIST, &disabled.reason)),
            (Some((raw, None)), true) => Ok(raw),
            (Some(_), false) => {
                Err(self.refuses(LIST, &format!("it offers several actions titled {title:?} there")))
            }
            (None, _) if titles.is_empty() => Err(self.refuses(LIST, "it offers nothing there")),
            (None, _) => Err(self.refuses(LIST, &format!("it offers only: {}", titles.join(", ")))),
        }
    }

    /// Executes a command and returns the edits that the server requests meanwhile, in its order.
    async fn execute(&self, command: &serde_json::Value) -> Result<Vec<WorkspaceEditShape>, ServerError> {
        let deadline = self.deadline();
        let collecting = self.collect_edits(EXECUTE, deadline).await?;
        // The response is ignored: it does not contain the changes.
        let _: Box<RawValue> = self.ask(EXECUTE, command, deadline).await?;
        collecting.finish().map_err(|problem| self.wrong(EXECUTE, problem))
    }

    fn decode<T: serde::de::DeserializeOwned>(
        &self,
        method: &'static str,
        raw: &RawValue,
    ) -> Result<T, ServerError> {
        serde_json::from_str(raw.get()).map_err(|error| self.odd(method, &error))
    }
}
