//! serena's `list_dir`, `find_file` and `read_file`.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer::{AnswerLimit, bad_argument, error, file_error};
use super::json;
use crate::arguments::Arguments;
use crate::{Reply, Tool, ask};
use symd_base::{Cancel, RelPath};
use symd_files::list_dir::{Depth, Ignored};
use symd_files::tree::{FileOpError, LocateError, Tree};
use symd_files::{find_file, list_dir, read_file};
use symd_ops::view_tree::ViewTree;

/// The description of `max_answer_chars` in every schema.
pub(super) const MAX_ANSWER_CHARS: &str = "If the answer is longer than this many characters, an error with its length is returned instead. \
     -1 (the default) is the configured limit; raise it only when there is no other way to get what the task needs.";

pub(super) const LIST_DIR: Tool = Tool::read_only(
    "list_dir",
    "List directory",
    "Lists files and directories in the given directory, optionally recursively. \
     Answers JSON with the keys dirs and files; paths are relative to the project root.",
    list_dir_schema,
    |call| {
        let chars = call.project.max_answer_chars;
        ask(call, move |view, arguments, cancel| {
            view.tree(|tree| run_list_dir(tree, arguments, chars, cancel))
        })
    },
);

fn list_dir_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "relative_path": {"type": "string", "description": "The directory to list, relative to the project root; \".\" is the root."},
            "recursive": {"type": "boolean", "description": "Whether to list everything beneath the directory too."},
            "skip_ignored_files": {"type": "boolean", "default": false, "description": "Whether to leave out ignored files and directories."},
            "max_answer_chars": {"type": "integer", "default": -1, "description": MAX_ANSWER_CHARS}
        },
        "required": ["relative_path", "recursive"]
    })
}

#[derive(Serialize)]
struct ListDirResponse {
    dirs: Vec<String>,
    files: Vec<String>,
}

#[derive(Serialize)]
struct ListDirError {
    error: String,
    project_root: String,
    hint: &'static str,
}

pub(super) fn run_list_dir(
    tree: &Tree<'_>,
    arguments: &Map<String, Value>,
    max_answer_chars: usize,
    cancel: &Cancel,
) -> Reply {
    list_dir_reply(tree, Arguments::new(arguments), max_answer_chars, cancel).unwrap_or_else(|reply| reply)
}

fn list_dir_reply(
    tree: &Tree<'_>,
    arguments: Arguments<'_>,
    max_answer_chars: usize,
    cancel: &Cancel,
) -> Result<Reply, Reply> {
    let path = arguments.string("relative_path").map_err(bad_argument)?;
    let depth =
        if arguments.boolean("recursive").map_err(bad_argument)? { Depth::Recursive } else { Depth::Flat };
    let skip = arguments.boolean_or("skip_ignored_files", false).map_err(bad_argument)?;
    let ignored = if skip { Ignored::Omitted } else { Ignored::Listed };
    let limit = AnswerLimit::read(&arguments, max_answer_chars)?;
    match list_dir::list_dir(tree, path, depth, ignored, cancel) {
        Ok(listing) => Ok(limit.reply(json::to_string(&ListDirResponse {
            dirs: texts(&listing.dirs),
            files: texts(&listing.files),
        }))),
        // The contract answers a missing directory with a result, not with a failure.
        Err(FileOpError::Locate(LocateError::Missing(_))) => {
            Ok(Reply::done(json::to_string(&ListDirError {
                error: format!("Directory not found: {path}"),
                project_root: tree.files.path().display().to_string(),
                hint: "Check if the path is correct relative to the project root",
            })))
        }
        Err(other) => Err(file_error(&other)),
    }
}

pub(super) const FIND_FILE: Tool = Tool::read_only(
    "find_file",
    "Find file",
    "Finds non-gitignored files matching the given file mask within the given relative path. \
     Answers JSON with the key files; paths are relative to the project root.",
    find_file_schema,
    |call| {
        let chars = call.project.max_answer_chars;
        ask(call, move |view, arguments, cancel| {
            view.tree(|tree| run_find_file(tree, arguments, chars, cancel))
        })
    },
);

fn find_file_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "file_mask": {"type": "string", "description": "The file name or a mask for it, with the wildcards *, ? and [seq]. It is matched against file names, not paths."},
            "relative_path": {"type": "string", "description": "The directory to search in, relative to the project root; \".\" is the root."}
        },
        "required": ["file_mask", "relative_path"]
    })
}

#[derive(Serialize)]
struct FindFileResponse {
    files: Vec<String>,
}

pub(super) fn run_find_file(
    tree: &Tree<'_>,
    arguments: &Map<String, Value>,
    max_answer_chars: usize,
    cancel: &Cancel,
) -> Reply {
    let arguments = Arguments::new(arguments);
    let reply = || -> Result<Reply, Reply> {
        let mask = arguments.string("file_mask").map_err(bad_argument)?;
        let path = arguments.string("relative_path").map_err(bad_argument)?;
        let limit = AnswerLimit::read(&arguments, max_answer_chars)?;
        let files = find_file::find_file(tree, mask, path, cancel).map_err(|error| file_error(&error))?;
        Ok(limit.reply(json::to_string(&FindFileResponse { files: texts(&files) })))
    };
    reply().unwrap_or_else(|reply| reply)
}

pub(super) const READ_FILE: Tool = Tool::read_only(
    "read_file",
    "Read file",
    "Reads the given file or a chunk of it. Generally, symbolic operations like find_symbol or \
     find_referencing_symbols should be preferred if you know which symbols you are looking for.",
    read_file_schema,
    |call| {
        let chars = call.project.max_answer_chars;
        ask(call, move |view, arguments, _| view.tree(|tree| run_read_file(tree, arguments, chars)))
    },
);

fn read_file_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "relative_path": {"type": "string", "description": "The file to read, relative to the project root."},
            "start_line": {"type": "integer", "default": 0, "description": "The 0-based index of the first line to read."},
            "end_line": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": null, "description": "The 0-based index of the last line to read (inclusive); null reads to the end of the file."},
            "max_answer_chars": {"type": "integer", "default": -1, "description": MAX_ANSWER_CHARS}
        },
        "required": ["relative_path"]
    })
}

pub(super) fn run_read_file(
    tree: &Tree<'_>,
    arguments: &Map<String, Value>,
    max_answer_chars: usize,
) -> Reply {
    read_file_reply(tree, Arguments::new(arguments), max_answer_chars).unwrap_or_else(|reply| reply)
}

fn read_file_reply(
    tree: &Tree<'_>,
    arguments: Arguments<'_>,
    max_answer_chars: usize,
) -> Result<Reply, Reply> {
    let path = arguments.string("relative_path").map_err(bad_argument)?;
    let start = arguments.count_or("start_line", 0).map_err(bad_argument)?;
    let end = arguments.count_if("end_line").map_err(bad_argument)?;
    let limit = AnswerLimit::read(&arguments, max_answer_chars)?;
    if let Some(end) = end
        && start > end
    {
        let (start, end) = (arguments.as_sent("start_line"), arguments.as_sent("end_line"));
        return Err(error(format!("start_line ({start}) must not be greater than end_line ({end})")));
    }
    let file = read_file::read_file(tree, path).map_err(|error| file_error(&error))?;
    let text = match (start, end) {
        (0, None) => file.text.as_str().to_owned(),
        (start, end) => file.lines(start, end.unwrap_or(usize::MAX)).collect::<Vec<_>>().join("\n"),
    };
    Ok(limit.reply(text))
}

fn texts(paths: &[RelPath]) -> Vec<String> {
    paths.iter().map(|path| path.as_str().to_owned()).collect()
}
