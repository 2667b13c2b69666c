//! Requests of the editor: the life cycle (LSP 3.17), commands, and places that stand for the cursor.

use serde_json::{Value, json};

use super::commands;
use super::documents::path_of;
use super::editor::{self, EditorAbilities};
use super::link::{AnswerUse, AskedCommand};
use super::navigation::is_about_code;
use super::progress;
use super::published::PublishedDiagnostics;
use super::registrations::NavigationState;
use super::workspace::Workspace;
use super::{Answer, Phase, Proxy};
use crate::position::PositionEncoding;
use symd_rpc::codes::{
    BUSY, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, REQUEST_FAILED, SERVER_NOT_INITIALIZED,
};
use symd_rpc::server_message::RawJson;

impl Proxy {
    pub(super) fn request(
        &mut self,
        id: &Value,
        method: &str,
        params: &RawJson,
    ) -> Result<Answer, (i64, String)> {
        match (self.phase, method) {
            (Phase::Uninitialized, "initialize") => self.initialize(params).map(Answer::Now),
            (Phase::Uninitialized, _) => {
                Err((SERVER_NOT_INITIALIZED, format!("{method} before initialize; initialize first")))
            }
            (Phase::ShutDown, _) => Err((INVALID_REQUEST, format!("{method} after shutdown"))),
            (Phase::Running, "initialize") => Err((INVALID_REQUEST, "initialize was sent twice".to_owned())),
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.keep_links(|_| false);
                Ok(Answer::Now(Value::Null))
            }
            (Phase::Running, "workspace/willRenameFiles") => self.follow_renames(id, params),
            // No edit follows: these operations are the editor's.
            (Phase::Running, "workspace/willCreateFiles" | "workspace/willDeleteFiles") => {
                Ok(Answer::Now(Value::Null))
            }
            (Phase::Running, "workspace/executeCommand") => self.execute(id, params),
            (Phase::Running, "textDocument/codeAction") => {
                self.infer_cursor(params);
                Ok(Answer::Now(json!([])))
            }
            (Phase::Running, method) if is_about_code(method) => self.navigate(id, method, params),
            (Phase::Running, _) => Err((METHOD_NOT_FOUND, format!("symd has no method {method}"))),
        }
    }

    /// Passes a command on to the daemon of the project that it names, or else of the first one.
    pub(super) fn execute(&mut self, id: &Value, params: &RawJson) -> Result<Answer, (i64, String)> {
        let invalid = |message: String| (INVALID_PARAMS, message);
        let params: Value = params.decode().map_err(|error| invalid(error.to_string()))?;
        let command =
            params["command"].as_str().ok_or_else(|| invalid("the command is missing".to_owned()))?;
        let mut arguments = params["arguments"].clone();
        let place = arguments.get_mut(0).and_then(Value::as_object_mut).and_then(|first| first.remove("uri"));
        let mut request = commands::request_of(command, &arguments).map_err(invalid)?;
        let progress = params.get("workDoneToken").filter(|token| !token.is_null()).cloned();
        if progress.is_some() && request.method == commands::CALL {
            request.params["progress"] = json!(true);
        }
        let file = place.as_ref().and_then(Value::as_str).and_then(path_of);
        let named = file.and_then(|file| self.links.keys().find(|root| file.starts_with(root)).cloned());
        let root = named.or_else(|| self.links.keys().next().cloned());
        let link = root.as_ref().and_then(|root| self.links.get_mut(root));
        let link =
            link.ok_or_else(|| (REQUEST_FAILED, format!("{command}: no folder belongs to a project")))?;
        let used = if request.is_shown { AnswerUse::Shown } else { AnswerUse::Returned };
        let asked = AskedCommand { id: id.clone(), used, progress: progress.clone() };
        match link.ask(request.method, &request.params, asked) {
            Ok(()) => Ok(Answer::Later(progress.map(|token| progress::begun(&token, command)))),
            Err(_) => Err((BUSY, format!("{command}: too many commands wait for the daemon"))),
        }
    }

    pub(super) fn initialize(&mut self, params: &RawJson) -> Result<Value, (i64, String)> {
        let params: Value = params.decode().map_err(|error| (INVALID_PARAMS, error.to_string()))?;
        self.abilities = EditorAbilities::of(&params);
        self.encoding = PositionEncoding::choose(&self.abilities.encodings);
        self.workspace = Workspace::of(&params);
        self.navigation = NavigationState::of(&params);
        self.published = PublishedDiagnostics::of(&params);
        self.phase = Phase::Running;
        self.connect_folders();
        Ok(editor::initialize_result(
            self.encoding,
            &self.abilities,
            self.navigation.capabilities(),
            self.navigation.is_wanted,
        ))
    }
}
