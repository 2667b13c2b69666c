//! kotlin_debug's `read_file`. Invariant: a whole file is its exact text; a range is its lines without the last
//! line's break.

use serde::Serialize;
use serde_json::{Value, json};

use super::answer::{DebugAnswer, ask, binary, unreadable};
use super::envelope::{DebugToolError, data};
use crate::Tool;
use crate::arguments::{ArgumentError, Arguments};
use symd_base::{DeclaredEncoding, Text};
use symd_files::read_bytes::read_bytes_within;
use symd_files::tree::Tree;
use symd_ops::code_context::{counted_lines, lines_of};
use symd_ops::view_tree::ViewTree;

/// The contract's limit on a file's size.
pub(super) const MAX_BYTES: u64 = 10 << 20;

const ENCODINGS: [&str; 3] = ["utf-8", "utf-16", "ascii"];

pub(super) const READ_FILE: Tool = Tool::read_only(
    "read_file",
    "Read file",
    "Read the complete contents of a file in the workspace, optionally specifying line range.",
    schema,
    |call| ask(call, |view, arguments, _| view.whole_tree(|tree| read_file(tree, arguments))),
)
.in_order(&["filePath", "lineStart", "lineEnd", "encoding"]);

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "filePath": {"type": "string", "description": "Relative path from workspace root (e.g., \"src/utils/helper.ts\")"},
            "lineStart": {"type": "integer", "minimum": 1, "description": "Starting line number (1-indexed, inclusive)"},
            "lineEnd": {"type": "integer", "minimum": 1, "description": "Ending line number (1-indexed, inclusive)"},
            "encoding": {"type": "string", "enum": ENCODINGS, "default": "utf-8", "description": "File encoding"}
        },
        "required": ["filePath"]
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileData<'a> {
    file_path: &'a str,
    content: &'a str,
    line_count: usize,
    encoding: &'a str,
    file_size: u64,
}

/// The arguments of a call.
struct ReadRequest<'a> {
    path: &'a str,
    /// The first and last line, 1-based, inclusive; `None` for the whole file.
    lines: Option<(usize, usize)>,
    encoding: &'static str,
}

impl<'a> ReadRequest<'a> {
    fn parse(arguments: &Arguments<'a>) -> Result<ReadRequest<'a>, ArgumentError> {
        let path = arguments.string("filePath")?;
        let (start, end) = (line_number(arguments, "lineStart")?, line_number(arguments, "lineEnd")?);
        let encoding = arguments.one_of_or("encoding", &ENCODINGS, "utf-8")?;
        let lines = match (start, end) {
            (None, None) => None,
            (start, end) => Some((start.unwrap_or(1), end.unwrap_or(usize::MAX))),
        };
        match lines {
            Some((start, end)) if start > end => {
                Err(arguments.invalid("lineEnd", &format!("a line not before lineStart ({start})")))
            }
            lines => Ok(ReadRequest { path, lines, encoding }),
        }
    }
}

/// Returns a line number, if there is one.
pub(super) fn line_number(arguments: &Arguments<'_>, name: &str) -> Result<Option<usize>, ArgumentError> {
    match arguments.integer_if(name)? {
        Some(line) if line < 1 => Err(arguments.invalid(name, "a line number, from 1")),
        Some(line) => Ok(Some(usize::try_from(line).unwrap_or(usize::MAX))),
        None => Ok(None),
    }
}

fn read_file(tree: &Tree<'_>, arguments: &Arguments<'_>) -> DebugAnswer {
    let ReadRequest { path, lines, encoding } = ReadRequest::parse(arguments)?;
    let file = read_bytes_within(tree, path, MAX_BYTES).map_err(|error| unreadable(path, error))?;
    let text = decode(&file.bytes, encoding).ok_or_else(|| not_text(path, &file.bytes, encoding))?;
    let total = counted_lines(&text);
    let (content, line_count) = match lines {
        None => (text.as_str().to_owned(), total),
        Some((start, end)) if start <= total => {
            let end = end.min(total);
            (lines_of(&text, start - 1, end - 1), end - start + 1)
        }
        Some(_) => (String::new(), 0),
    };
    let file_path = file.path.as_str();
    data(&FileData { file_path, content: &content, line_count, encoding, file_size: file.size })
}

fn decode(bytes: &[u8], encoding: &str) -> Option<Text> {
    let encoding = match encoding {
        "utf-16" => DeclaredEncoding::Utf16,
        "ascii" => DeclaredEncoding::Ascii,
        _ => DeclaredEncoding::Utf8,
    };
    Text::decode(encoding.decode(bytes).ok()?.into_bytes()).ok()
}

fn not_text(path: &str, bytes: &[u8], encoding: &str) -> DebugToolError {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] if encoding != "utf-16" => {
            let message = format!("File '{path}' is not {encoding}: read it with encoding utf-16");
            DebugToolError::new(super::envelope::ErrorCode::BinaryFile, message)
        }
        _ => binary(path),
    }
}
