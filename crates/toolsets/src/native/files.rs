//! native's `list_dir`, `find_file` and `read_file`: compact text, one path per line, 1-based lines.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::arguments::{ArgumentError, Arguments};
use crate::{Client, Reply, Tool, ask};
use symd_base::{Cancel, RelPath};
use symd_files::list_dir::{Depth, DirectoryListing, Ignored};
use symd_files::read_file::FileText;
use symd_files::tree::{FileOpError, LocateError, Tree};
use symd_files::{find_file, list_dir, read_file};
use symd_ops::view_tree::ViewTree;

/// The default of `limit`: the maximum length of an answer, in characters.
pub const DEFAULT_LIMIT: usize = 20_000;

/// The description of `limit` in every schema.
pub(super) const LIMIT: &str = "The most characters to answer with; the answer says what was left out.";

pub(super) const LIST_DIR: Tool = Tool::read_only(
    "list_dir",
    "List directory",
    "Lists files and directories in the given directory, optionally recursively. \
     One path per line, relative to the project root; directories end in /.",
    list_dir_schema,
    |call| ask(call, |view, arguments, cancel| view.tree(|tree| run_list_dir(tree, arguments, cancel))),
);

fn list_dir_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "relative_path": {"type": "string", "default": "", "description": "The directory to list, relative to the project root. Empty: the root."},
            "recursive": {"type": "boolean", "default": false, "description": "Whether to list everything beneath the directory too."},
            "skip_ignored_files": {"type": "boolean", "default": true, "description": "Whether to leave out ignored files and directories."},
            "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT}
        },
        "required": []
    })
}

pub(super) fn run_list_dir(tree: &Tree<'_>, arguments: &Map<String, Value>, cancel: &Cancel) -> Reply {
    let arguments = Arguments::new(arguments);
    let reply = || -> Result<Reply, Reply> {
        let path = arguments.string_or("relative_path", "").map_err(failed)?;
        let recursive = arguments.boolean_or("recursive", false).map_err(failed)?;
        let skip = arguments.boolean_or("skip_ignored_files", true).map_err(failed)?;
        let limit = limit(&arguments).map_err(failed)?;
        let depth = if recursive { Depth::Recursive } else { Depth::Flat };
        let ignored = if skip { Ignored::Omitted } else { Ignored::Listed };
        let listing =
            list_dir::list_dir(tree, path, depth, ignored, cancel).map_err(|error| match error {
                FileOpError::Locate(LocateError::Missing(path)) => match tree.locate(&path) {
                    Ok(_) => failed(FileOpError::IsFile(path)),
                    Err(_) => failed(format!("Directory not found: {path}")),
                },
                other => failed(other),
            })?;
        Ok(Reply::done(listing_text(&listing, limit)))
    };
    reply().unwrap_or_else(|reply| reply)
}

fn listing_text(listing: &DirectoryListing, limit: usize) -> String {
    let mut lines: Vec<String> = listing.dirs.iter().map(|path| format!("{path}/")).collect();
    lines.extend(listing.files.iter().map(RelPath::to_string));
    let mut summary = format!(
        "{}, {}",
        counted(listing.dirs.len(), "directory", "directories"),
        counted(listing.files.len(), "file", "files")
    );
    if listing.non_utf8_names > 0 {
        let _ =
            write!(summary, "; {} not listed: not UTF-8", counted(listing.non_utf8_names, "name", "names"));
    }
    for path in &listing.unreadable {
        let _ = write!(summary, "; {path}/ cannot be read");
    }
    list_text(&lines, limit, &summary, "list a directory beneath it, or raise limit")
}

pub(super) const FIND_FILE: Tool = Tool::read_only(
    "find_file",
    "Find file",
    "Finds non-gitignored files matching the given file mask within the given relative path. \
     One path per line, relative to the project root.",
    find_file_schema,
    |call| ask(call, |view, arguments, cancel| view.tree(|tree| run_find_file(tree, arguments, cancel))),
);

fn find_file_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "file_mask": {"type": "string", "description": "The file name or a mask for it, with the wildcards *, ?, [seq] and {a,b}. It is matched against file names, not paths."},
            "relative_path": {"type": "string", "default": "", "description": "The directory to search in, relative to the project root. Empty: the root."},
            "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT}
        },
        "required": ["file_mask"]
    })
}

pub(super) fn run_find_file(tree: &Tree<'_>, arguments: &Map<String, Value>, cancel: &Cancel) -> Reply {
    let arguments = Arguments::new(arguments);
    let reply = || -> Result<Reply, Reply> {
        let mask = arguments.string("file_mask").map_err(failed)?;
        let path = arguments.string_or("relative_path", "").map_err(failed)?;
        let limit = limit(&arguments).map_err(failed)?;
        let files = find_file::find_file(tree, mask, path, cancel).map_err(failed)?;
        let lines: Vec<String> = files.iter().map(RelPath::to_string).collect();
        let mut summary = counted(lines.len(), "file", "files");
        if lines.is_empty() && mask.contains('/') {
            summary.push_str("; file_mask is matched against file names, which hold no '/': use relative_path for the directory");
        }
        Ok(Reply::done(list_text(
            &lines,
            limit,
            &summary,
            "narrow file_mask or relative_path, or raise limit",
        )))
    };
    reply().unwrap_or_else(|reply| reply)
}

/// Formats the lines that fit, then a line with the counts and what was left out.
fn list_text(lines: &[String], limit: usize, summary: &str, advice: &str) -> String {
    let mut text = String::new();
    let mut left = limit;
    let mut shown = 0;
    for line in lines {
        let Some(rest) = left.checked_sub(line.chars().count() + 1) else { break };
        left = rest;
        text.push_str(line);
        text.push('\n');
        shown += 1;
    }
    let _ = write!(text, "[{summary}");
    if shown < lines.len() {
        let _ = write!(text, "; the first {shown} of {} shown: {advice}", lines.len());
    }
    text.push(']');
    text
}

pub(super) const READ_FILE: Tool = Tool::read_only(
    "read_file",
    "Read file",
    "Reads the given file or a chunk of it. \
     The first line tells which lines of how many follow and the file's revision; the rest is the exact text. \
     To read one symbol, find_symbol with include_body takes less.",
    read_file_schema,
    |call| {
        let client = call.client.clone();
        ask(call, move |view, arguments, _| view.tree(|tree| run_read_file(tree, arguments, &client)))
    },
);

fn read_file_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "relative_path": {"type": "string", "description": "The file to read, relative to the project root."},
            "start_line": {"type": "integer", "default": 1, "minimum": 1, "description": "The first line to read, 1-based."},
            "end_line": {"type": "integer", "minimum": 1, "description": "The last line to read, 1-based, inclusive; to the end of the file when absent."},
            "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT}
        },
        "required": ["relative_path"]
    })
}

pub(super) fn run_read_file(tree: &Tree<'_>, arguments: &Map<String, Value>, client: &Client) -> Reply {
    let arguments = Arguments::new(arguments);
    let reply = || -> Result<Reply, Reply> {
        let path = arguments.string("relative_path").map_err(failed)?;
        let start = at_least_one(&arguments, "start_line", 1).map_err(failed)?;
        let end = at_least_one(&arguments, "end_line", usize::MAX).map_err(failed)?;
        let limit = limit(&arguments).map_err(failed)?;
        if start > end {
            return Err(failed(format!("start_line ({start}) must not be greater than end_line ({end})")));
        }
        let file = read_file::read_file(tree, path).map_err(failed)?;
        if let Ok(path) = tree.files.resolve(&file.path) {
            client.record_read(&path, file.hash);
        }
        Ok(Reply::done(file_text(&file, start, end, limit)))
    };
    reply().unwrap_or_else(|reply| reply)
}

/// Formats lines `start` to `end` (1-based, inclusive), at most `limit` characters of them, cut between lines
/// where possible.
fn file_text(file: &FileText, start: usize, end: usize, limit: usize) -> String {
    let count = file.line_count();
    let revision = file.hash.short();
    let path = &file.path;
    if start > count {
        return format!(
            "[{path}: nothing, the file has {}; revision {revision}]\n",
            counted(count, "line", "lines")
        );
    }
    let last = end.min(count);
    let exact = file.slice(start - 1, last - 1);
    let Some((cut, _)) = exact.char_indices().nth(limit) else {
        return format!("[{path}: lines {start}-{last} of {count}; revision {revision}]\n{exact}");
    };
    let whole_lines = (start..last).take_while(|line| file.slice(start - 1, *line - 1).len() <= cut).last();
    let Some(shown) = whole_lines else {
        return format!(
            "[{path}: the first {limit} characters of line {start} of {count}; revision {revision}; raise limit to read on]\n{}",
            &exact[..cut]
        );
    };
    format!(
        "[{path}: lines {start}-{shown} of {count}; revision {revision}; cut at {limit} characters, read on with start_line {}]\n{}",
        shown + 1,
        file.slice(start - 1, shown - 1)
    )
}

fn at_least_one(arguments: &Arguments<'_>, name: &str, default: usize) -> Result<usize, ArgumentError> {
    match arguments.count_or(name, default)? {
        0 => Err(arguments.invalid(name, "a 1-based line")),
        line => Ok(line),
    }
}

/// Parses the argument `limit`, in characters.
pub(super) fn limit(arguments: &Arguments<'_>) -> Result<usize, ArgumentError> {
    match arguments.count_or("limit", DEFAULT_LIMIT)? {
        0 => Err(arguments.invalid("limit", "a positive integer")),
        limit => Ok(limit),
    }
}

pub(super) fn failed(error: impl std::fmt::Display) -> Reply {
    Reply::failed(error.to_string())
}

/// Cuts a text to `room` characters, at the end of a line if there is one, and says so in a line of its own.
pub(super) fn cut(text: &mut String, room: usize) {
    let Some((end, _)) = text.char_indices().nth(room) else { return };
    let whole_lines = text[..end].rfind('\n').map_or(end, |line| line + 1);
    text.truncate(whole_lines);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str("… cut; raise limit for the rest\n");
}

/// Formats a count with its noun: `1 file`, `2 files`.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
