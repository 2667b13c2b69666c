//! kotlin_debug's `get_code_context`.

use serde::Serialize;
use serde_json::{Value, json};

use super::answer::{DebugAnswer, ask, binary, unreadable};
use super::envelope::{DebugToolError, ErrorCode, data};
use super::read::{MAX_BYTES, line_number};
use crate::Tool;
use crate::arguments::{ArgumentError, Arguments};
use symd_base::Cancel;
use symd_engine::View;
use symd_ops::code_context::{
    CodeContext, CodeContextError, EnclosingFunction, FindCodeContext, FunctionPart, RelevantImport,
    code_context,
};
use symd_ops::relations::dotted;

/// The number of lines around the error line.
const LINES: std::ops::RangeInclusive<usize> = 5..=100;
const DEFAULT_LINES: usize = 50;

pub(super) const GET_CODE_CONTEXT: Tool = Tool::read_only(
    "get_code_context",
    "Get code context",
    "Extract code surrounding an error location, including function definitions and relevant imports.",
    schema,
    |call| ask(call, get_code_context),
)
.in_order(&["filePath", "line", "contextLines", "includeFunctionDef"]);

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "filePath": {"type": "string", "description": "File containing the error"},
            "line": {"type": "integer", "minimum": 1, "description": "Error line number (1-indexed)"},
            "contextLines": {"type": "integer", "minimum": LINES.start(), "maximum": LINES.end(), "default": DEFAULT_LINES, "description": "Number of lines to include (before and after error)"},
            "includeFunctionDef": {"type": "boolean", "default": true, "description": "Whether to include the full function containing the error"}
        },
        "required": ["filePath", "line"]
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContextData<'a> {
    file_path: &'a str,
    error_line: usize,
    context: LinesAround<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_definition: Option<FunctionData<'a>>,
    relevant_imports: Vec<ImportData<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LinesAround<'a> {
    before: &'a str,
    error_line: &'a str,
    after: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FunctionData<'a> {
    name: String,
    start_line: usize,
    end_line: usize,
    signature: &'a str,
    body: &'a str,
}

#[derive(Serialize)]
struct ImportData<'a> {
    module: &'a str,
    imported: &'a [String],
    line: usize,
}

fn request(arguments: &Arguments<'_>) -> Result<FindCodeContext, ArgumentError> {
    let path = arguments.string("filePath")?.to_owned();
    arguments.integer("line")?;
    let line = line_number(arguments, "line")?.unwrap_or(1);
    let lines = arguments.integer_if("contextLines")?;
    let lines = lines.map_or(Some(DEFAULT_LINES), |lines| usize::try_from(lines).ok());
    let lines = lines.filter(|lines| LINES.contains(lines));
    let expected = format!("an integer from {} to {}", LINES.start(), LINES.end());
    let lines = lines.ok_or_else(|| arguments.invalid("contextLines", &expected))?;
    let function = match arguments.boolean_or("includeFunctionDef", true)? {
        true => FunctionPart::Shown,
        false => FunctionPart::Omitted,
    };
    Ok(FindCodeContext { path, line, max_bytes: MAX_BYTES, lines, function })
}

fn get_code_context(view: &View, arguments: &Arguments<'_>, cancel: &Cancel) -> DebugAnswer {
    let ask = request(arguments)?;
    let CodeContext { path, before, at, after, function, imports } =
        code_context(view, &ask, cancel).map_err(|error| failed(&ask.path, error))?;
    data(&ContextData {
        file_path: path.as_str(),
        error_line: ask.line,
        context: LinesAround { before: &before, error_line: &at, after: &after },
        function_definition: function.as_ref().map(function_data),
        relevant_imports: imports.iter().map(import_data).collect(),
    })
}

fn function_data(function: &EnclosingFunction) -> FunctionData<'_> {
    FunctionData {
        name: dotted(&function.name_path),
        start_line: function.start_line,
        end_line: function.end_line,
        signature: &function.signature,
        body: &function.body,
    }
}

fn import_data(import: &RelevantImport) -> ImportData<'_> {
    ImportData { module: &import.module, imported: &import.imported, line: import.line }
}

fn failed(path: &str, error: CodeContextError) -> DebugToolError {
    match error {
        CodeContextError::File(error) => unreadable(path, error),
        CodeContextError::Binary(_) => binary(path),
        CodeContextError::OutOfRange { line, lines } => {
            let lines = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
            let message = format!("Line {line} is out of range: '{path}' has {lines}");
            DebugToolError::new(ErrorCode::LineOutOfRange, message)
        }
    }
}
