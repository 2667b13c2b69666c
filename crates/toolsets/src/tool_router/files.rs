//! tool_router's `list_dir`, `read_file` and `grep_files` (sections of the contract with these names; rulings
//! on them).

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer::{error, file_error, json_text};
use super::arguments::Strict;
use crate::{Call, Reply, ReplyFuture, Tool, ask, ask_long};
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_files::glob::{Glob, GlobError};
use symd_files::levels::list_by_level;
use symd_files::read_file::read_file as read;
use symd_files::search::{Case, Pattern, SearchQuery, matching_lines};
use symd_ops::view_tree::ViewTree;
use symd_vfs::EntryKind;

/// The maximum number of characters shown of a matching line; longer lines are written by machines.
const MAX_LINE_CHARS: usize = 2_000;

/// The maximum number of lines in an answer of `grep_files`, whatever limit is given.
const MAX_LINES: usize = 20_000;

/// The advice how to get a shorter answer of `grep_files`.
const GREP_LESS: &str = "a smaller limit, or a narrower pattern, path or include";

pub(super) const LIST_DIR: Tool = Tool::read_only(
    "list_dir",
    "List directory",
    "List directory entries breadth-first up to a depth. Directories end with a slash and come before files; paths are \
     relative to the listed directory.",
    list_dir_schema,
    |call| answered(call, list_dir_schema, list_dir),
);

pub(super) const READ_FILE: Tool = Tool::read_only(
    "read_file",
    "Read file",
    "Read a slice of a file with optional indentation formatting. Lines are counted from 0; truncated says that more of \
     the file follows.",
    read_file_schema,
    |call| answered(call, read_file_schema, read_file),
);

pub(super) const GREP_FILES: Tool = Tool::read_only(
    "grep_files",
    "Search files",
    "Recursive regex search with optional include globs. Every line is searched alone; ignored and binary files are left \
     out, and paths are relative to the searched directory.",
    grep_files_schema,
    |call| searched(call, grep_files_schema, grep_files),
);

fn list_dir_schema() -> Value {
    json!({
        "properties": {
            "path": {"default": ".", "description": "Root directory to list from.", "title": "Path", "type": "string"},
            "depth": {"default": 2, "description": "Maximum depth to traverse (BFS).", "minimum": 0, "title": "Depth", "type": "integer"},
            "offset": {"default": 0, "description": "Number of entries to skip from the start.", "minimum": 0, "title": "Offset", "type": "integer"},
            "limit": {"default": 200, "description": "Maximum number of entries to return.", "minimum": 1, "title": "Limit", "type": "integer"}
        },
        "title": "ListDirInput",
        "type": "object",
        "required": ["path", "depth", "offset", "limit"],
        "additionalProperties": false
    })
}

fn read_file_schema() -> Value {
    json!({
        "properties": {
            "path": {"description": "File path to read.", "title": "Path", "type": "string"},
            "offset": {"default": 0, "description": "Starting line (0-indexed).", "minimum": 0, "title": "Offset", "type": "integer"},
            "limit": {"default": 400, "description": "Maximum number of lines to return.", "minimum": 1, "title": "Limit", "type": "integer"},
            "mode": {"default": "slice", "description": "Either 'slice' or 'indentation'.", "title": "Mode", "type": "string"},
            "indent": {"default": "    ", "description": "Indentation prefix when mode='indentation'.", "title": "Indent", "type": "string"}
        },
        "required": ["path", "offset", "limit", "mode", "indent"],
        "title": "ReadFileInput",
        "type": "object",
        "additionalProperties": false
    })
}

fn grep_files_schema() -> Value {
    json!({
        "properties": {
            "pattern": {"description": "Regex pattern to search for.", "title": "Pattern", "type": "string"},
            "path": {"default": ".", "description": "Root directory to search under.", "title": "Path", "type": "string"},
            "include": {
                "anyOf": [
                    {"items": {"type": "string"}, "type": "array"},
                    {"type": "null"}
                ],
                "default": null,
                "description": "Optional glob filters to include.",
                "title": "Include"
            },
            "limit": {"default": 200, "description": "Maximum matches to return.", "minimum": 1, "title": "Limit", "type": "integer"}
        },
        "required": ["pattern", "path", "include", "limit"],
        "title": "GrepFilesInput",
        "type": "object",
        "additionalProperties": false
    })
}

/// The input of a tool besides the project.
struct FileCall<'a> {
    arguments: Strict,
    /// The maximum length of an answer, in characters.
    most: usize,
    cancel: &'a Cancel,
}

type Answer = fn(&View, &FileCall<'_>) -> Result<Reply, Reply>;

fn answered(call: Call<'_>, schema: fn() -> Value, answer: Answer) -> ReplyFuture<'_> {
    let most = call.project.max_answer_chars;
    ask(call, move |view, arguments, cancel| reply(view, schema, answer, (arguments, most, cancel)))
}

/// Answers a call that reads every file.
fn searched(call: Call<'_>, schema: fn() -> Value, answer: Answer) -> ReplyFuture<'_> {
    let most = call.project.max_answer_chars;
    ask_long(call, move |view, arguments, cancel| reply(view, schema, answer, (arguments, most, cancel)))
}

fn reply(
    view: &View,
    schema: fn() -> Value,
    answer: Answer,
    (arguments, most, cancel): (&Map<String, Value>, usize, &Cancel),
) -> Reply {
    let reply = || answer(view, &FileCall { arguments: Strict::read(&schema(), arguments)?, most, cancel });
    reply().unwrap_or_else(|reply| reply)
}

#[derive(Serialize)]
struct ListDirOutput<'a> {
    entries: Vec<Cow<'a, str>>,
}

fn list_dir(view: &View, asked: &FileCall<'_>) -> Result<Reply, Reply> {
    let arguments = &asked.arguments;
    let (path, depth) = (arguments.string("path")?, arguments.count("depth")?);
    let (offset, limit) = (arguments.count("offset")?, arguments.count("limit")?);
    let page = offset..offset.saturating_add(limit);
    let listed =
        view.whole_tree(|tree| list_by_level(tree, path, depth, page, asked.cancel)).map_err(file_error)?;
    let directory = RelPath::new(path).map_err(error)?;
    let entries: Vec<Cow<str>> = listed
        .iter()
        .map(|entry| match entry.is_directory {
            true => format!("{}/", beneath(&directory, &entry.path)).into(),
            false => beneath(&directory, &entry.path).into(),
        })
        .collect();
    let chars: usize = entries.iter().map(|entry| entry.len() + 3).sum();
    if chars > asked.most {
        return Err(too_long(chars, "characters", "a smaller limit or depth"));
    }
    Ok(json_text(&ListDirOutput { entries }))
}

#[derive(Serialize)]
struct ReadFileOutput<'a> {
    text: &'a str,
    truncated: bool,
}

fn read_file(view: &View, asked: &FileCall<'_>) -> Result<Reply, Reply> {
    let arguments = &asked.arguments;
    let (path, offset, limit) =
        (arguments.string("path")?, arguments.count("offset")?, arguments.count("limit")?);
    let indent = match arguments.string("mode")? {
        "slice" => "",
        "indentation" => arguments.string("indent")?,
        other => return Err(error(format!("Invalid mode: '{other}', expected 'slice' or 'indentation'"))),
    };
    let file = view.whole_tree(|tree| read(tree, path)).map_err(file_error)?;
    let past = offset.saturating_add(limit);
    let mut text = Cow::Borrowed(if offset < file.line_count() { file.slice(offset, past - 1) } else { "" });
    if !indent.is_empty() {
        text = indented(&text, indent).into();
    }
    let cut = text.char_indices().nth(asked.most).map_or(text.len(), |(end, _)| end);
    let truncated = past < file.line_count() || cut < text.len();
    Ok(json_text(&ReadFileOutput { text: &text[..cut], truncated }))
}

/// Prefixes every line with `indent`.
fn indented(text: &str, indent: &str) -> String {
    let mut indented = String::with_capacity(text.len() + indent.len());
    let mut rest = text;
    while !rest.is_empty() {
        let line = match rest.find(['\n', '\r']) {
            Some(at) if rest[at..].starts_with("\r\n") => at + 2,
            Some(at) => at + 1,
            None => rest.len(),
        };
        indented.push_str(indent);
        indented.push_str(&rest[..line]);
        rest = &rest[line..];
    }
    indented
}

#[derive(Serialize)]
struct GrepFilesOutput<'a> {
    results: Vec<GrepFile<'a>>,
}

#[derive(Serialize)]
struct GrepFile<'a> {
    file: &'a str,
    matches: Vec<GrepMatch<'a>>,
}

#[derive(Serialize)]
struct GrepMatch<'a> {
    line_num: usize,
    line: Cow<'a, str>,
}

fn grep_files(view: &View, asked: &FileCall<'_>) -> Result<Reply, Reply> {
    let arguments = &asked.arguments;
    let pattern = Pattern::within_lines(arguments.string("pattern")?, Case::Sensitive).map_err(error)?;
    let path = arguments.string("path")?;
    let include = arguments.strings_if("include")?.unwrap_or_default();
    let limit = arguments.count("limit")?;
    let found = view.tree(|tree| tree.locate(path)).map_err(|problem| file_error(problem.into()))?;
    let mut query = SearchQuery::new(pattern);
    query.scope = path.to_owned();
    query.include = included(&found.path, &include).map_err(error)?;
    let most = limit.min(MAX_LINES);
    let lines = view.tree(|tree| matching_lines(tree, &query, most, asked.cancel)).map_err(error)?;
    let wanted = lines.count.min(limit);
    if wanted > most {
        return Err(too_long(wanted, "lines", GREP_LESS));
    }
    let directory = match found.kind {
        EntryKind::Directory => found.path,
        _ => found.path.parent().unwrap_or_else(RelPath::root),
    };
    let results = lines.files.iter().map(|file| GrepFile {
        file: beneath(&directory, &file.path),
        matches: file
            .lines
            .iter()
            .map(|line| GrepMatch { line_num: line.number + 1, line: truncate_line(&line.text) })
            .collect(),
    });
    let reply = json_text(&GrepFilesOutput { results: results.collect() });
    let chars = reply.text.chars().count();
    if chars > asked.most {
        return Err(too_long(chars, "characters", GREP_LESS));
    }
    Ok(reply)
}

/// Returns a glob for the files that match any of `globs`, relative to the root as in serena, or to the
/// searched directory, to which the answer's paths are relative.
fn included(directory: &RelPath, globs: &[&str]) -> Result<Option<Glob>, GlobError> {
    if globs.is_empty() {
        return Ok(None);
    }
    let mut compiled = Vec::new();
    for glob in globs {
        compiled.push(Glob::path(glob)?);
        compiled.push(Glob::beneath(directory, glob)?);
    }
    Glob::any(&compiled).map(Some)
}

fn truncate_line(line: &str) -> Cow<'_, str> {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => {
            let left_out = line[end..].chars().count();
            format!("{}… [{left_out} more characters]", &line[..end]).into()
        }
        None => line.into(),
    }
}

/// Returns `path`, which lies beneath `directory`, relative to that.
fn beneath<'a>(directory: &RelPath, path: &'a RelPath) -> &'a str {
    if directory.is_root() {
        return path.as_str();
    }
    path.as_str().get(directory.as_str().len() + 1..).unwrap_or(path.as_str())
}

fn too_long(count: usize, of: &str, less: &str) -> Reply {
    error(format!("the answer is too long ({count} {of}); ask for less, by {less}"))
}
