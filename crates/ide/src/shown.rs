//! What an editor shows, from the wire into the project's store.

use serde_json::Value;

use crate::position::LspPosition;
use crate::wire::{
    CONTEXT, DIAGNOSTICS, ShownContext, ShownCursor, ShownDiagnostic, ShownDiagnostics, ShownTerminal,
    TERMINAL,
};
use symd_base::RelPath;
use symd_lsp::Severity;
use symd_ops::editor_context::{
    ConnectedEditor, EditorCursor, EditorDiagnostic, EditorPosition, EditorSelection,
};

/// Handles a notification about what the editor shows. One that cannot be read changes nothing.
pub(super) fn notify(editor: &ConnectedEditor, method: &str, params: Value) {
    match method {
        CONTEXT => {
            if let Ok(ShownContext { cursor }) = serde_json::from_value(params) {
                editor.set_cursor(cursor.and_then(cursor_of));
            }
        }
        DIAGNOSTICS => {
            if let Ok(ShownDiagnostics { list }) = serde_json::from_value(params) {
                editor.set_diagnostics(list.into_iter().filter_map(diagnostic_of).collect());
            }
        }
        TERMINAL => {
            if let Ok(ShownTerminal { lines }) = serde_json::from_value(params) {
                editor.set_terminal(lines);
            }
        }
        _ => {}
    }
}

fn cursor_of(shown: ShownCursor) -> Option<EditorCursor> {
    let selection = shown.selection.map(|(range, text)| EditorSelection {
        start: position_of(range.start),
        end: position_of(range.end),
        text,
    });
    Some(EditorCursor {
        file: RelPath::new(&shown.path).ok()?,
        position: position_of(shown.position),
        selection,
        is_dirty: shown.is_dirty,
        visible: shown.visible,
        is_inferred: shown.is_inferred,
    })
}

fn diagnostic_of(shown: ShownDiagnostic) -> Option<EditorDiagnostic> {
    let severity = match shown.severity {
        Some(2) => Severity::Warning,
        Some(3) => Severity::Information,
        Some(4) => Severity::Hint,
        _ => Severity::Error,
    };
    let file = RelPath::new(&shown.path).ok()?;
    let start = position_of(shown.start);
    Some(EditorDiagnostic { file, severity, message: shown.message, start, source: shown.source })
}

fn position_of(position: LspPosition) -> EditorPosition {
    EditorPosition { line: position.line, character: position.character }
}
