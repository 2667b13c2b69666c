//! cli_agent's `read_file`. Invariant: the shown text is exact, line ends included, and the header gives the
//! numbers of the shown lines.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};

use super::MAX_CONTENT_BYTES;
use super::answer::{Answer, ToolAction, ask, counted};
use super::envelope::{Code, Success, ToolError};
use crate::Tool;
use crate::arguments::Arguments;
use symd_base::Text;
use symd_files::read_bytes::{Bytes, read_bytes};
use symd_files::tree::Tree;
use symd_ops::view_tree::ViewTree;

/// The number of bytes shown of a binary file.
const HEX_BYTES: usize = 1024;

pub(super) const READ_FILE: Tool = Tool::read_only(
    "read_file",
    "Read file",
    "Read the contents of a file, optionally specifying line range. The text is exact; binary files are shown as hex.",
    schema,
    |call| ask(call, |view, arguments, _| view.tree(|tree| read_file(tree, arguments))),
);

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Relative path to the file to read"},
            "start_line": {"type": "integer", "description": "Starting line number (1-indexed, optional)"},
            "end_line": {"type": "integer", "description": "Ending line number (1-indexed, inclusive, optional)"}
        },
        "required": ["path"]
    })
}

#[derive(Serialize)]
struct Metadata {
    total_lines: usize,
    lines_returned: usize,
    file_size_bytes: u64,
}

fn read_file(tree: &Tree<'_>, arguments: &Arguments<'_>) -> Answer {
    let path = arguments.string("path")?;
    let start = arguments.integer_if("start_line")?;
    let end = arguments.integer_if("end_line")?;
    let file = read_bytes(tree, path).map_err(|error| ToolAction::reading(path).file(error))?;
    let Bytes { path, bytes, size } = file;
    let is_whole = bytes.len() as u64 >= size;
    let head = bytes[..bytes.len().min(HEX_BYTES)].to_vec();
    let Ok(text) = Text::decode(bytes) else {
        return Ok(Success::new(format!("Contents of {path} (bytes 1-{}):\n{}", head.len(), hex(&head)))
            .warning("File appears to be binary, displaying first 1KB as hex")
            .with(&Metadata { total_lines: 0, lines_returned: 0, file_size_bytes: size }));
    };
    let total = line_count(&text);
    let (first, last) = range(start, end, total).ok_or_else(|| {
        let given = |name, value: Option<i64>, other: &str| {
            value.map_or_else(|| other.to_owned(), |_| arguments.as_sent(name))
        };
        let (start, end) = (given("start_line", start, "1"), given("end_line", end, "end"));
        ToolError::new(
            Code::InvalidLineRange,
            format!(
                "Line range invalid - file has {}, requested {start}-{end}",
                counted(total, "line", "lines")
            ),
            "Lines count from 1; start_line must be a line of the file and end_line not less than it",
        )
    })?;
    let asked = &text.as_str()[text.line_start(first - 1)..text.line_start(last)];
    let (shown, last) = within_limit(asked, first, last);
    let lines_returned = last + 1 - first;
    // An empty file has no line 1.
    let success = Success::new(format!("Contents of {path} (lines {}-{last}):\n{shown}", first.min(total)))
        .with(&Metadata { total_lines: total, lines_returned, file_size_bytes: size });
    let is_all = shown.len() == asked.len() && (is_whole || last < total);
    Ok(if is_all { success } else { success.warning("File too large (>10MB), truncating") })
}

/// Returns the number of lines; the empty one after a final line break does not count.
fn line_count(text: &Text) -> usize {
    let is_empty_last = text.as_str().is_empty() || text.as_str().ends_with(['\n', '\r']);
    text.line_count() - usize::from(is_empty_last)
}

/// Returns the lines to show, 1-based, inclusive; `None` if the range is invalid.
fn range(start: Option<i64>, end: Option<i64>, total: usize) -> Option<(usize, usize)> {
    let number = |line: i64| usize::try_from(line).ok().filter(|line| *line > 0);
    let first = number(start.unwrap_or(1))?;
    let last = end.map_or(Some(usize::MAX), number)?;
    (first <= last && first <= total.max(1)).then_some((first, last.min(total)))
}

/// Returns the part of `text`, lines `first` to `last`, that fits into an answer, and its last line.
fn within_limit(text: &str, first: usize, last: usize) -> (&str, usize) {
    if text.len() <= MAX_CONTENT_BYTES {
        return (text, last);
    }
    let kept = &text[..text.floor_char_boundary(MAX_CONTENT_BYTES)];
    let breaks = symd_base::text::line_starts(kept).len() - 1;
    let is_whole = kept.ends_with(['\n', '\r']);
    (kept, first + breaks - usize::from(is_whole))
}

/// Formats bytes like Go's `hex.Dump`, which has the form of `hexdump -C`.
fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (row, chunk) in bytes.chunks(16).enumerate() {
        let _ = write!(text, "{:08x} ", row * 16);
        for column in 0..16 {
            let gap = if column % 8 == 0 { " " } else { "" };
            let _ = match chunk.get(column) {
                Some(byte) => write!(text, "{gap}{byte:02x} "),
                None => write!(text, "{gap}   "),
            };
        }
        let printable = |byte: &u8| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' };
        let _ = writeln!(text, " |{}|", chunk.iter().map(printable).collect::<String>());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_as_go_dumps_it() {
        assert_eq!(
            hex(b"I am a secret message\0"),
            "00000000  49 20 61 6d 20 61 20 73  65 63 72 65 74 20 6d 65  |I am a secret me|\n\
             00000010  73 73 61 67 65 00                                 |ssage.|\n"
        );
    }

    #[test]
    fn more_than_the_limit_is_cut_at_a_character_and_names_the_last_line_shown() {
        let line = "ä".repeat(511) + "x\n";
        assert_eq!(line.len(), 1024);
        let long = line.repeat(MAX_CONTENT_BYTES / 1024 + 10);
        let (kept, last) = within_limit(&long, 3, 20_000);
        assert_eq!((kept.len(), last), (MAX_CONTENT_BYTES, MAX_CONTENT_BYTES / 1024 + 2));
        let (kept, last) = within_limit(&long[1022..], 1, 20_000);
        assert!(kept.len() <= MAX_CONTENT_BYTES && !kept.ends_with('\n'));
        assert_eq!(last, MAX_CONTENT_BYTES / 1024 + 1);
    }
}
