//! `read_file` (section of the contract with this name; rulings on it): texts whole or in part, images as
//! images.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::answer::{bad_argument, error, is_missing, is_outside};
use super::paths::{absolute, invalid, outside};
use crate::arguments::Arguments;
use crate::{Call, Image, Reply, ReplyFuture, Tool, ask};
use symd_base::{RelPath, Text};
use symd_engine::View;
use symd_files::read_file::{FileData, FileText, read_bytes};
use symd_files::tree::FileOpError;
use symd_ops::view_tree::ViewTree;

/// The default maximum of lines shown.
const MAX_LINES: usize = 2_000;

/// The maximum number of characters shown of a line.
const MAX_LINE_CHARS: usize = 2_000;

/// The maximum size of an image: images are sent as text, which is a third longer.
const MAX_IMAGE_BYTES: usize = 20 << 20;

/// Media types of images by extension, in lower case. SVG is text.
const IMAGES: [(&str, &str); 6] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("bmp", "image/bmp"),
];

pub(super) const READ_FILE: Tool = Tool::read_only(
    "read_file",
    "Read file",
    "Reads and returns the content of a specified file: text, or an image (PNG, JPEG, GIF, WEBP, BMP). Of a long text a \
     part is shown, and its first line says which.",
    schema,
    read_file,
);

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "absolute_path": {"type": "string", "description": "The absolute path of the file to read; it must lie inside the project root."},
            "offset": {"type": "integer", "minimum": 0, "description": "For text: the 0-based line to start at (optional)."},
            "limit": {"type": "integer", "minimum": 1, "description": "For text: the most lines to read (optional, 2000 where it is not given)."}
        },
        "required": ["absolute_path"]
    })
}

fn read_file(call: Call<'_>) -> ReplyFuture<'_> {
    ask(call, |view, arguments, _| reply(view, arguments).unwrap_or_else(|reply| reply))
}

fn reply(view: &View, arguments: &Map<String, Value>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(arguments);
    let root = view.files.path();
    let written = arguments.string("absolute_path").map_err(bad_argument)?;
    let path = absolute(root, written)?;
    let start = arguments.count_if("offset").map_err(bad_argument)?.unwrap_or(0);
    let count = arguments.count_if("limit").map_err(bad_argument)?;
    if count == Some(0) {
        return Err(bad_argument(arguments.invalid("limit", "an integer of at least 1")));
    }
    let file = view
        .whole_tree(|tree| read_bytes(tree, path.as_str()))
        .map_err(|problem| format_refusal(root, written, &problem))?;
    if let Some(mime_type) = image_type(&path) {
        return image(&path, file, mime_type);
    }
    let FileData { path: found, bytes } = file;
    let hash = symd_base::ContentHash::of(&bytes);
    let Ok(text) = Text::decode(bytes) else {
        return Err(Reply::failed(format!("Cannot display content of binary file: {path}")));
    };
    Ok(Reply::done(part(&FileText { path: found, text, hash }, start, count.unwrap_or(MAX_LINES))))
}

fn image_type(path: &RelPath) -> Option<&'static str> {
    let extension = path.extension()?.to_ascii_lowercase();
    IMAGES.iter().find(|(known, _)| *known == extension).map(|(_, mime_type)| *mime_type)
}

fn image(path: &RelPath, file: FileData, mime_type: &'static str) -> Result<Reply, Reply> {
    if file.bytes.len() > MAX_IMAGE_BYTES {
        let (bytes, most) = (file.bytes.len(), MAX_IMAGE_BYTES >> 20);
        return Err(error(format!("{path} has {bytes} bytes; images are shown up to {most} MiB")));
    }
    let image = Some(Image::new(&file.bytes, mime_type));
    Ok(Reply { image, ..Reply::done(format!("Read image file: {path}")) })
}

/// Formats up to `count` lines from `start` on (0-based). Anything less than the whole file begins with a
/// line that says so.
fn part(file: &FileText, start: usize, count: usize) -> String {
    let total = file.line_count();
    let first = start.min(total);
    let past = first.saturating_add(count).min(total);
    let shown = match past {
        _ if past == first => "",
        past => file.slice(first, past - 1),
    };
    let is_whole = first == 0 && past == total;
    let (shown, some_cut) = cut_lines(shown);
    if is_whole && !some_cut {
        return shown;
    }
    let shown = if past == total { shown.as_str() } else { without_break(&shown) };
    let lines = match past == first {
        true => format!("no lines of {total}"),
        false => format!("lines {}-{past} of {total}", first + 1),
    };
    let cut = match some_cut {
        true => {
            format!(" Some lines exceeded the maximum length of {MAX_LINE_CHARS} characters and are cut.")
        }
        false => String::new(),
    };
    format!(
        "[File content truncated: showing {lines} total lines.{cut} Use offset/limit parameters to view more.]\n{shown}"
    )
}

/// Cuts long lines; returns the text and whether there were any.
fn cut_lines(text: &str) -> (String, bool) {
    let mut cut = String::with_capacity(text.len());
    let mut some = false;
    for line in text.split_inclusive(['\n', '\r']) {
        let content = line.trim_end_matches(['\n', '\r']);
        // Bytes are never fewer than characters.
        let end = match content.len() > MAX_LINE_CHARS {
            true => content.char_indices().nth(MAX_LINE_CHARS).map(|(end, _)| end),
            false => None,
        };
        match end {
            Some(end) => {
                some = true;
                cut.push_str(&content[..end]);
                cut.push_str("... [truncated]");
                cut.push_str(&line[content.len()..]);
            }
            None => cut.push_str(line),
        }
    }
    (cut, some)
}

fn without_break(text: &str) -> &str {
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix(['\n', '\r'])).unwrap_or(text)
}

fn format_refusal(root: &Path, path: &str, problem: &FileOpError) -> Reply {
    match problem {
        _ if is_missing(problem) => Reply::failed(format!("File not found: {path}")),
        _ if is_outside(problem) => outside(root, path),
        FileOpError::IsDirectory(_) => Reply::failed(format!("Path is a directory, not a file: {path}")),
        FileOpError::Locate(other) => invalid(other),
        other => error(format!("reading file: {other}")),
    }
}
