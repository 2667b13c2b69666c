//! `WorkspaceEdit` and what comes with it, decoded leniently. Only shapes; what they mean is `edit_convert`'s.

use std::collections::BTreeMap;

use lsp_types::Range;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// `WorkspaceEdit`: `documentChanges` counts where both forms are there (LSP 3.17).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkspaceEditShape {
    pub(crate) changes: Option<BTreeMap<String, Vec<TextEditShape>>>,
    pub(crate) document_changes: Option<Vec<DocumentChangeShape>>,
    pub(crate) change_annotations: Option<BTreeMap<String, AnnotationShape>>,
}

/// `TextDocumentEdit`, `CreateFile`, `RenameFile` or `DeleteFile`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentChangeShape {
    /// Of a file operation: `create`, `rename`, `delete`.
    pub(crate) kind: Option<String>,
    pub(crate) uri: Option<String>,
    pub(crate) old_uri: Option<String>,
    pub(crate) new_uri: Option<String>,
    #[serde(default)]
    pub(crate) options: Option<OptionsShape>,
    pub(crate) annotation_id: Option<String>,
    pub(crate) text_document: Option<VersionedShape>,
    #[serde(default)]
    pub(crate) edits: Vec<TextEditShape>,
}

/// `OptionalVersionedTextDocumentIdentifier`.
#[derive(Debug, Deserialize)]
pub(crate) struct VersionedShape {
    pub(crate) uri: String,
    pub(crate) version: Option<i64>,
}

/// Options of file operations.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct OptionsShape {
    pub(crate) overwrite: bool,
    pub(crate) ignore_if_exists: bool,
    pub(crate) ignore_if_not_exists: bool,
}

/// `TextEdit`, `AnnotatedTextEdit`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextEditShape {
    pub(crate) range: Range,
    pub(crate) new_text: String,
    pub(crate) annotation_id: Option<String>,
}

/// `ChangeAnnotation`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnnotationShape {
    #[serde(default)]
    pub(crate) label: String,
    #[serde(default)]
    pub(crate) needs_confirmation: bool,
    pub(crate) description: Option<String>,
}

/// What `textDocument/prepareRename` answers: a range, a range with a placeholder, or "as you think best".
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreparedShape {
    #[serde(default)]
    pub(crate) range: Option<Range>,
    #[serde(default)]
    pub(crate) start: Option<lsp_types::Position>,
    #[serde(default)]
    pub(crate) end: Option<lsp_types::Position>,
}

/// A `CodeAction` or `Command` that is to be applied. It goes back to the server as it came.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AppliedActionShape {
    pub(crate) edit: Option<WorkspaceEditShape>,
    /// A code action's command, or a command's own name.
    pub(crate) command: Option<CommandOrName>,
    pub(crate) arguments: Option<Box<RawValue>>,
}

/// A command, whole or by name.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum CommandOrName {
    /// The action is itself a command.
    Name(String),
    /// The action has one.
    Command(CommandShape),
}

/// `Command`.
#[derive(Debug, Deserialize)]
pub(crate) struct CommandShape {
    pub(crate) command: String,
    #[serde(default)]
    pub(crate) arguments: Value,
}

/// `ApplyWorkspaceEditParams`.
#[derive(Debug, Deserialize)]
pub(crate) struct ApplyEditShape {
    pub(crate) edit: WorkspaceEditShape,
}
