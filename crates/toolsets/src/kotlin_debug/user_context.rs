//! kotlin_debug's `get_user_error_context`.

use serde::Serialize;
use serde_json::{Value, json};

use super::answer::{DebugAnswer, in_time};
use super::callers::question_failed;
use super::envelope::{DebugToolError, ErrorCode, data};
use crate::Tool;
use crate::arguments::{ArgumentError, Arguments};
use crate::native::NOTHING_SHOWN;
use symd_lsp::Severity;
use symd_ops::Project;
use symd_ops::user_error_context::{CountedDiagnostic, DiagnosticsPart, user_error_context};

pub(super) const GET_USER_ERROR_CONTEXT: Tool = Tool::read_only(
    "get_user_error_context",
    "Get user error context",
    "Capture error context from user's active editor: selected text, cursor position, diagnostic messages, terminal \
     output.",
    schema,
    |call| {
        Box::pin(async move { in_time(call.project, captured(call.project, &Arguments::new(&call.arguments))).await })
    },
)
.in_order(&["captureSelection", "captureDiagnostics", "captureTerminal"]);

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "captureSelection": {"type": "boolean", "default": true, "description": "Include currently selected text"},
            "captureDiagnostics": {"type": "boolean", "default": true, "description": "Include VS Code error/warning diagnostics"},
            "captureTerminal": {"type": "boolean", "default": false, "description": "Include recent terminal output (last 50 lines)"}
        },
        "required": []
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UserContextData<'a> {
    active_file: &'a str,
    cursor_position: CursorData,
    #[serde(skip_serializing_if = "Option::is_none")]
    selected_text: Option<String>,
    diagnostics: Vec<DiagnosticData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terminal_output: Option<String>,
    /// When the editor reported it: an addition to the contract.
    captured_at: String,
}

#[derive(Serialize)]
struct CursorData {
    line: usize,
    character: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DiagnosticData<'a> {
    severity: &'static str,
    message: &'a str,
    line: usize,
    column: usize,
    source: &'a str,
    /// The file, if it is not the active one: an addition to the contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_path: Option<&'a str>,
}

/// What is captured.
struct Capture {
    selection: bool,
    diagnostics: bool,
    terminal: bool,
}

impl Capture {
    fn parse(arguments: &Arguments<'_>) -> Result<Capture, ArgumentError> {
        Ok(Capture {
            selection: arguments.boolean_or("captureSelection", true)?,
            diagnostics: arguments.boolean_or("captureDiagnostics", true)?,
            terminal: arguments.boolean_or("captureTerminal", false)?,
        })
    }

    fn is_of_diagnostics_alone(&self) -> bool {
        self.diagnostics && !self.selection && !self.terminal
    }
}

async fn captured(project: &Project, arguments: &Arguments<'_>) -> DebugAnswer {
    let capture = Capture::parse(arguments)?;
    let part = if capture.diagnostics { DiagnosticsPart::Shown } else { DiagnosticsPart::Omitted };
    let shown = user_error_context(project, part).await.map_err(question_failed)?;
    let shown = shown.ok_or_else(|| no_editor(NOTHING_SHOWN))?;
    if capture.is_of_diagnostics_alone() && shown.diagnostics.is_none() {
        let message = "the editor has not reported any diagnostics";
        return Err(DebugToolError::new(ErrorCode::NoDiagnostics, message));
    }
    let (file, cursor) = shown.active.ok_or_else(|| no_editor("the editor shows no file of this project"))?;
    let diagnostics = shown.diagnostics.filter(|_| capture.diagnostics).unwrap_or_default();
    data(&UserContextData {
        active_file: file.as_str(),
        cursor_position: CursorData { line: cursor.line, character: cursor.character },
        selected_text: shown.selected.filter(|_| capture.selection),
        diagnostics: diagnostics.iter().map(|one| diagnostic_data(one, file.as_str())).collect(),
        terminal_output: shown.terminal.filter(|_| capture.terminal).map(|lines| lines.join("\n")),
        captured_at: shown.at.to_string(),
    })
}

fn diagnostic_data<'a>(one: &'a CountedDiagnostic, active: &str) -> DiagnosticData<'a> {
    DiagnosticData {
        severity: match one.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information | Severity::Hint => "info",
        },
        message: &one.message,
        line: one.position.line,
        column: one.position.character,
        source: &one.source,
        file_path: (one.file.as_str() != active).then(|| one.file.as_str()),
    }
}

fn no_editor(message: &str) -> DebugToolError {
    DebugToolError::new(ErrorCode::NoActiveEditor, message)
}
