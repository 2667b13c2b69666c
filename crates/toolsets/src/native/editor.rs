//! `editor_context`: what the user's editor shows. Lines and columns are 1-based; columns count UTF-16 code units, as
//! editors do.

use serde_json::{Value, json};

use super::files::counted;
use crate::{Call, Reply, ReplyFuture, Tool};
use symd_lsp::Severity;
use symd_ops::editor_context::{DiagnosticsOrigin, EditorContext, EditorCursor, EditorPosition, shown_now};
use symd_ops::stand_in_diagnostics::with_stand_in;

pub(super) const EDITOR_CONTEXT: Tool = Tool::read_only(
    "editor_context",
    "Editor context",
    "Shows what the user's editor shows: the active file with the cursor, the selected text, the editor's own \
     diagnostics, and the last lines of its terminal. For requests about \"this\", \"here\" or \"the selection\".",
    schema,
    run,
);

/// What a client is told where no editor is connected, or none has told anything.
pub(crate) const NOTHING_SHOWN: &str = "no connected editor tells what it shows; ask the user for the file and the line, or to start the editor \
     with symd's package (docs/editors.md)";

fn schema() -> Value {
    json!({ "type": "object", "properties": {}, "required": [] })
}

fn run(call: Call<'_>) -> ReplyFuture<'_> {
    Box::pin(async move {
        match shown_now(call.project).await {
            Some(context) => Reply::done(text(&with_stand_in(call.project, context).await)),
            None => Reply::failed(NOTHING_SHOWN),
        }
    })
}

fn text(context: &EditorContext) -> String {
    let editor = &context.editor;
    let mut text = match &context.cursor {
        Some(cursor) => cursor_text(cursor, editor),
        None => format!("{editor} shows no file of this project"),
    };
    if let Some(diagnostics) = &context.diagnostics {
        let count = counted(diagnostics.len(), "diagnostic", "diagnostics");
        let origin = match context.diagnostics_origin {
            DiagnosticsOrigin::Editor => format!("in {editor}"),
            DiagnosticsOrigin::Symd => {
                format!("of this file from symd's servers, since {editor} reports none")
            }
        };
        text.push_str(&format!("\n{count} {origin}"));
        for one in diagnostics {
            let severity = match one.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Information => "information",
                Severity::Hint => "hint",
            };
            let source = if one.source.is_empty() { String::new() } else { format!(" ({})", one.source) };
            text.push_str(&format!(
                "\n{}:{} {severity}: {}{source}",
                one.file,
                place(one.start),
                one.message
            ));
        }
    }
    if let Some(lines) = &context.terminal {
        text.push_str(&format!(
            "\nterminal, {}:\n{}",
            counted(lines.len(), "line", "lines"),
            lines.join("\n")
        ));
    }
    text.push_str(&format!("\n[as of {}]", context.at));
    text
}

fn cursor_text(cursor: &EditorCursor, editor: &str) -> String {
    let mut text = format!("{}:{} in {editor}", cursor.file, place(cursor.position));
    if cursor.is_dirty {
        text.push_str(", not saved");
    }
    if cursor.is_inferred {
        text.push_str("; inferred from its last request, the cursor may be elsewhere");
    }
    if let Some((first, last)) = cursor.visible {
        let (first, last) = (u64::from(first) + 1, u64::from(last) + 1);
        text.push_str(&format!("\nvisible: lines {first}-{last}"));
    }
    if let Some(selection) = &cursor.selection {
        let (start, end) = (place(selection.start), place(selection.end));
        text.push_str(&format!("\nselected, {start}-{end}:\n{}", selection.text));
    }
    text
}

fn place(position: EditorPosition) -> String {
    format!("{}:{}", u64::from(position.line) + 1, u64::from(position.character) + 1)
}
