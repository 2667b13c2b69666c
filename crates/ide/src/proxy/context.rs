//! What the editor's package pushes about its windows (`symd/didChangeEditorContext`,
//! `symd/didChangeEditorDiagnostics`, `symd/terminalTail`), as one daemon is told it.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::documents::{Documents, path_of};
use crate::position::{LspPosition, LspRange, PositionEncoding};
use crate::wire::{
    CONTEXT, DIAGNOSTICS, ShownContext, ShownCursor, ShownDiagnostic, ShownDiagnostics, ShownTerminal,
    TERMINAL,
};
use symd_rpc::write;

/// `symd/didChangeEditorContext`; without a document the user looks at no file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EditorContextParams {
    #[serde(default)]
    text_document: Option<NamedFile>,
    #[serde(default)]
    position: Option<LspPosition>,
    #[serde(default)]
    selection: Option<SelectedRange>,
    #[serde(default)]
    dirty: bool,
    #[serde(default)]
    visible_range: Option<LspRange>,
    /// Set by symd itself, for a position that a request named.
    #[serde(skip)]
    pub(super) is_inferred: bool,
}

#[derive(Clone, Debug, Deserialize)]
struct NamedFile {
    uri: String,
}

#[derive(Clone, Debug, Deserialize)]
struct SelectedRange {
    range: LspRange,
    text: String,
}

/// `symd/didChangeEditorDiagnostics`: all that the editor shows, by file.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct EditorDiagnosticsParams {
    files: Vec<FileDiagnostics>,
}

#[derive(Clone, Debug, Deserialize)]
struct FileDiagnostics {
    uri: String,
    diagnostics: Vec<PushedDiagnostic>,
}

#[derive(Clone, Debug, Deserialize)]
struct PushedDiagnostic {
    range: LspRange,
    #[serde(default)]
    severity: Option<u8>,
    message: String,
    #[serde(default)]
    source: Option<String>,
}

/// `symd/terminalTail`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct TerminalTailParams {
    pub(super) lines: Vec<String>,
}

/// The members of the answer to `symd/editorContext` besides those of `symd/didChangeEditorContext`.
#[derive(Debug, Default, Deserialize)]
struct EditorContextAnswer {
    #[serde(default)]
    diagnostics: Option<EditorDiagnosticsParams>,
    #[serde(default)]
    terminal: Option<TerminalTailParams>,
}

/// What the editor pushed last, for daemons that are connected later.
#[derive(Debug, Default)]
pub(super) struct PushedContext {
    pub(super) context: Option<EditorContextParams>,
    pub(super) diagnostics: Option<EditorDiagnosticsParams>,
    pub(super) terminal: Option<TerminalTailParams>,
}

/// A part of what the editor shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Context,
    Diagnostics,
    Terminal,
}

impl PushedContext {
    /// Takes the answer to `symd/editorContext`: each part as the editor pushes it, those that it has.
    pub(super) fn take(&mut self, answer: Value) {
        let EditorContextAnswer { diagnostics, terminal } =
            EditorContextAnswer::deserialize(&answer).unwrap_or_default();
        // Null says that the user looks at no file; a terminal, which has none either, changes nothing.
        if answer.get("textDocument").is_some()
            && let Ok(context) = serde_json::from_value(answer)
        {
            self.context = Some(context);
        }
        self.diagnostics = diagnostics.or_else(|| self.diagnostics.take());
        self.terminal = terminal.or_else(|| self.terminal.take());
    }

    /// Returns the messages that tell the daemon of `root` all parts.
    pub(super) fn messages(&self, root: &Path, units: &Units<'_>) -> Vec<Vec<u8>> {
        let parts = [Part::Diagnostics, Part::Terminal, Part::Context];
        parts.into_iter().filter_map(|part| self.message(part, root, units)).collect()
    }

    /// Returns the message that tells the daemon of `root` a part; `None` if the editor never pushed it.
    pub(super) fn message(&self, part: Part, root: &Path, units: &Units<'_>) -> Option<Vec<u8>> {
        Some(match part {
            Part::Context => {
                let cursor = self.context.as_ref()?.cursor_in(root, units);
                write::notification(CONTEXT, Some(ShownContext { cursor }))
            }
            Part::Diagnostics => {
                let list = self.diagnostics.as_ref()?.of_root(root, units);
                write::notification(DIAGNOSTICS, Some(ShownDiagnostics { list }))
            }
            Part::Terminal => {
                let lines = self.terminal.as_ref()?.lines.clone();
                write::notification(TERMINAL, Some(ShownTerminal { lines }))
            }
        })
    }
}

/// Positions of the editor in the units that daemons use, where the document's text is known.
pub(super) struct Units<'d> {
    pub(super) documents: &'d Documents,
    pub(super) encoding: PositionEncoding,
}

impl Units<'_> {
    fn utf16(&self, uri: &str, position: LspPosition) -> LspPosition {
        if self.encoding == PositionEncoding::Utf16 {
            return position;
        }
        let text = self.documents.by_uri.get(uri).map(|document| document.text.as_str());
        let place = text.and_then(|text| Some((text, self.encoding.offset(text, position)?)));
        place.map_or(position, |(text, offset)| PositionEncoding::Utf16.position(text, offset))
    }

    fn utf16_range(&self, uri: &str, range: LspRange) -> LspRange {
        LspRange { start: self.utf16(uri, range.start), end: self.utf16(uri, range.end) }
    }
}

impl EditorContextParams {
    /// Returns the position that a request named, in place of a cursor that the editor does not report. The daemon knows
    /// whether the document is saved.
    pub(super) fn inferred(uri: &str, position: LspPosition) -> EditorContextParams {
        EditorContextParams {
            text_document: Some(NamedFile { uri: uri.to_owned() }),
            position: Some(position),
            selection: None,
            dirty: false,
            visible_range: None,
            is_inferred: true,
        }
    }

    /// Returns the cursor for the daemon of `root`; `None` if the active file is not beneath it.
    pub(super) fn cursor_in(&self, root: &Path, units: &Units<'_>) -> Option<ShownCursor> {
        let uri = &self.text_document.as_ref()?.uri;
        let path = path_beneath(uri, root)?;
        let position = units.utf16(uri, self.position?);
        let selection = self.selection.as_ref().filter(|selected| !selected.text.is_empty());
        Some(ShownCursor {
            path,
            position,
            selection: selection
                .map(|selected| (units.utf16_range(uri, selected.range), selected.text.clone())),
            is_dirty: self.dirty,
            visible: self.visible_range.map(|range| (range.start.line, range.end.line)),
            is_inferred: self.is_inferred,
        })
    }
}

impl EditorDiagnosticsParams {
    /// Returns the diagnostics of the files beneath `root`.
    pub(super) fn of_root(&self, root: &Path, units: &Units<'_>) -> Vec<ShownDiagnostic> {
        let mut list = Vec::new();
        for file in &self.files {
            let Some(path) = path_beneath(&file.uri, root) else { continue };
            list.extend(file.diagnostics.iter().map(|one| ShownDiagnostic {
                path: path.clone(),
                severity: one.severity,
                message: one.message.clone(),
                start: units.utf16(&file.uri, one.range.start),
                source: one.source.clone().unwrap_or_default(),
            }));
        }
        list
    }
}

fn path_beneath(uri: &str, root: &Path) -> Option<String> {
    path_of(uri)?.strip_prefix(root).ok()?.to_str().map(str::to_owned)
}
