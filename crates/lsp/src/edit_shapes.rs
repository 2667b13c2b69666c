//! The JSON shapes of `WorkspaceEdit` and related types, decoded leniently. `edit_convert` interprets them.

use std::collections::BTreeMap;

use lsp_types::Range;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// `WorkspaceEdit`; if both forms are present, `documentChanges` takes precedence (LSP 3.17).
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
    /// The kind of a file operation: `create`, `rename`, `delete`; absent for text edits.
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

/// The result of `textDocument/prepareRename`: a range, a range with a placeholder, or `defaultBehavior`.
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

/// A `CodeAction` or `Command` to be applied; the raw JSON is sent back to the server unchanged.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AppliedActionShape {
    pub(crate) edit: Option<WorkspaceEditShape>,
    /// The command of a `CodeAction`, or the name of a bare `Command`.
    pub(crate) command: Option<CommandOrName>,
    pub(crate) arguments: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum CommandOrName {
    /// The action is a bare `Command`; this is the command's name.
    Name(String),
    /// The action is a `CodeAction` with this command.
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
