//! `list_directory` (section of the contract with this name; rulings on it).

use std::path::Path;

use serde_json::{Map, Value, json};

use super::answer::{bad_argument, bounded, error, is_missing, is_outside};
use super::paths::{absolute, invalid, outside};
use crate::arguments::Arguments;
use crate::{Call, Reply, ReplyFuture, Tool, ask};
use symd_base::escaped;
use symd_engine::View;
use symd_files::glob::Glob;
use symd_files::tree::FileOpError;
use symd_ops::entries::{GitIgnored, entries};

pub(super) const LIST_DIRECTORY: Tool = Tool::read_only(
    "list_directory",
    "List directory",
    "Lists the names of the files and subdirectories directly within a directory, directories first. Git-ignored entries \
     are left out and counted.",
    schema,
    list_directory,
);

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The absolute path of the directory to list; it must lie inside the project root."},
            "ignore": {"type": "array", "items": {"type": "string"}, "description": "Glob patterns of entry names to leave out (optional)."},
            "respect_git_ignore": {"type": "boolean", "default": true, "description": "Whether to leave out what git ignores (optional, defaults to true)."}
        },
        "required": ["path"]
    })
}

fn list_directory(call: Call<'_>) -> ReplyFuture<'_> {
    let most = call.project.max_answer_chars;
    ask(call, move |view, arguments, _| reply(view, arguments, most).unwrap_or_else(|reply| reply))
}

fn reply(view: &View, arguments: &Map<String, Value>, most: usize) -> Result<Reply, Reply> {
    let arguments = Arguments::new(arguments);
    let root = view.files.path();
    let path = arguments.string("path").map_err(bad_argument)?;
    let without = arguments.strings_or_empty("ignore").map_err(bad_argument)?;
    let without: Vec<Glob> =
        without.into_iter().map(Glob::name).collect::<Result<_, _>>().map_err(invalid)?;
    let respect = arguments.boolean_or("respect_git_ignore", true).map_err(bad_argument)?;
    let git_ignored = if respect { GitIgnored::LeftOut } else { GitIgnored::Listed };
    let directory = absolute(root, path)?;
    let found = entries(view, &directory, &without, git_ignored)
        .map_err(|problem| format_refusal(root, path, &problem))?;
    if found.is_empty {
        return Ok(Reply::done(format!("Directory {path} is empty.")));
    }
    let directories = found.directories.iter().map(|name| format!("[DIR] {}", escaped(name)));
    let files = found.files.iter().map(|name| escaped(name).into_owned());
    let mut lines: Vec<String> = directories.chain(files).collect();
    if lines.is_empty() {
        // The colon is followed by a list, even if that is empty.
        lines.push(String::new());
    }
    let hint = "list a directory beneath it, or leave names out with ignore";
    let mut text = bounded(format!("Directory listing for {path}:"), &lines, most, hint);
    for (count, what) in
        [(found.unnamed, "with a name that is not UTF-8"), (found.git_ignored, "git-ignored")]
    {
        if count > 0 {
            text.push_str(&format!("\n\n({count} {what})"));
        }
    }
    Ok(Reply::done(text))
}

fn format_refusal(root: &Path, path: &str, problem: &FileOpError) -> Reply {
    match problem {
        _ if is_missing(problem) => Reply::failed(format!(
            "Error listing directory: ENOENT: no such file or directory, stat '{path}'"
        )),
        _ if is_outside(problem) => outside(root, path),
        FileOpError::IsFile(_) => error(format!("Path is not a directory: {path}")),
        other => Reply::failed(format!("Error listing directory: {other}")),
    }
}
