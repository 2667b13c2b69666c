//! Requests of the editor: the life cycle (LSP 3.17), commands, and places that stand for the cursor.

use std::path::{Path, PathBuf};

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
            // Not offered; some editors ask all servers.
            (Phase::Running, "textDocument/documentHighlight" | "textDocument/completion") => {
                self.infer_place(params);
                Ok(Answer::Now(Value::Null))
            }
            (Phase::Running, method) if is_about_code(method) => self.navigate(id, method, params),
            (Phase::Running, _) => Err((METHOD_NOT_FOUND, format!("symd has no method {method}"))),
        }
    }

    /// Passes a command on to the daemon of the project that it names by a `uri` in it, or else of the only project.
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
        let root = project_of(self.links.keys(), file.as_deref());
        let root = root.map_err(|why| (REQUEST_FAILED, format!("{command}: {why}")))?.to_owned();
        let link = self.links.get_mut(&root);
        let link = link.ok_or_else(|| (REQUEST_FAILED, format!("{command}: its project was closed")))?;
        let used = if request.is_shown { AnswerUse::Shown } else { AnswerUse::Returned };
        let asked = AskedCommand { id: id.clone(), used, progress: progress.clone(), about: None };
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

/// Returns the root of the innermost project that contains `file`, or without a file the only root. Operations of two
/// projects may have the same number, so none of several is guessed. `roots` are in order.
fn project_of<'r>(
    roots: impl DoubleEndedIterator<Item = &'r PathBuf> + Clone,
    file: Option<&Path>,
) -> Result<&'r Path, String> {
    // A directory comes before those in it.
    let mut from_innermost = roots.clone().rev();
    if let Some(root) = file.and_then(|file| from_innermost.find(|root| file.starts_with(root))) {
        return Ok(root);
    }
    let mut each = roots.clone();
    match (each.next(), each.next()) {
        (Some(root), None) => Ok(root),
        (None, _) => Err("no folder belongs to a project".to_owned()),
        (Some(_), Some(_)) => {
            Err(format!("in which project? Name a file of it as `uri`; open are {}", listed(roots)))
        }
    }
}

fn listed<'r>(roots: impl Iterator<Item = &'r PathBuf>) -> String {
    roots.map(|root| root.display().to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_belongs_to_the_project_of_its_file_or_to_the_only_one() {
        let roots = ["/all", "/all/inner", "/other"].map(PathBuf::from);
        let of = |roots: &[PathBuf], file: Option<&str>| {
            project_of(roots.iter(), file.map(Path::new)).map(|root| root.display().to_string())
        };
        assert_eq!(of(&roots, Some("/all/inner/a.py")).as_deref(), Ok("/all/inner"));
        assert_eq!(of(&roots, Some("/all/a.py")).as_deref(), Ok("/all"));
        assert_eq!(of(&roots, Some("/other")).as_deref(), Ok("/other"));
        assert_eq!(of(&roots[2..], None).as_deref(), Ok("/other"));
        let several = of(&roots, None).unwrap_err();
        assert!(several.ends_with("open are /all, /all/inner, /other"), "{several}");
        assert!(of(&roots, Some("/elsewhere/a.py")).is_err());
        assert!(of(&[], None).is_err());
    }
}
