//! The editor's notifications about documents (LSP 3.17), read leniently: a member that symd does not need may
//! have any form.

use serde::Deserialize;

use crate::position::{LspPosition, LspRange};

use super::documents::{ContentChange, DocumentItem};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidOpen {
    pub(super) text_document: DocumentItem,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidChange {
    pub(super) text_document: VersionedDocument,
    pub(super) content_changes: Vec<ContentChange>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidSave {
    pub(super) text_document: NamedDocument,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidClose {
    pub(super) text_document: NamedDocument,
}

/// `workspace/didRenameFiles`, and the request before it.
#[derive(Debug, Deserialize)]
pub(super) struct RenameFiles {
    pub(super) files: Vec<FileRename>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileRename {
    pub(super) old_uri: String,
    pub(super) new_uri: String,
}

/// A request about a place, such as `codeAction`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PlaceRequest {
    pub(super) text_document: NamedDocument,
    pub(super) range: LspRange,
}

/// A request about one position, such as `completion`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PositionRequest {
    pub(super) text_document: NamedDocument,
    pub(super) position: LspPosition,
}

/// `$/cancelRequest`.
#[derive(Debug, Deserialize)]
pub(super) struct Cancelled {
    /// The id of the request, a number or a string.
    pub(super) id: serde_json::Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct NamedDocument {
    pub(super) uri: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct VersionedDocument {
    pub(super) uri: String,
    /// `None` from clients that count no versions.
    #[serde(default)]
    pub(super) version: Option<i64>,
}
