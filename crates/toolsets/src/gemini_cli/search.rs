//! `search_file_content` and `glob` (sections of the contract with these names; rulings on them).

use std::path::Path;
use symd_base::escaped;

use serde_json::{Map, Value, json};

use super::answer::{bad_argument, bounded, error, is_missing, is_outside};
use super::paths::{absolute_text, from_root, invalid, outside};
use crate::arguments::Arguments;
use crate::{Call, Reply, ReplyFuture, Tool, ask, ask_long};
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_files::glob::Glob;
use symd_files::search::{
    Case, MatchingFile, MatchingLines, Pattern, PatternError, SearchError, SearchQuery, matching_lines,
};
use symd_files::tree::{FileOpError, LocateError};
use symd_ops::newest::{FileSet, newest};
use symd_ops::view_tree::ViewTree;
use symd_vfs::EntryKind;

/// The maximum number of lines kept of a search, which is more than any answer holds.
const MAX_LINES: usize = 20_000;

/// The maximum number of characters shown of a line; longer lines are written by machines.
const MAX_LINE_CHARS: usize = 2_000;

pub(super) const SEARCH_FILE_CONTENT: Tool = Tool::read_only(
    "search_file_content",
    "Search file content",
    "Searches for a regular expression pattern within the content of files in a directory (or the whole project), line by \
     line and ignoring case. Returns the matching lines with their numbers, grouped by file. Files that git ignores are \
     not searched.",
    search_schema,
    search_file_content,
);

pub(super) const GLOB: Tool = Tool::read_only(
    "glob",
    "Find files",
    "Finds files whose paths match a glob pattern, such as src/**/*.ts or **/*.md, and returns their absolute paths, the \
     most recently modified first.",
    glob_schema,
    glob,
);

fn search_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "description": "The regular expression to search for; case does not matter."},
            "path": {"type": "string", "description": "The directory to search in, absolute or relative to the project root (optional, the whole project where it is not given)."},
            "include": {"type": "string", "description": "A glob pattern of the files to search, such as *.js or src/**/*.{ts,tsx} (optional, all files where it is not given)."}
        },
        "required": ["pattern"]
    })
}

fn glob_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "description": "The glob pattern to match paths against, such as **/*.py or docs/*.md."},
            "path": {"type": "string", "description": "The directory to search in, absolute or relative to the project root (optional, the project root where it is not given)."},
            "case_sensitive": {"type": "boolean", "default": false, "description": "Whether case matters (optional, defaults to false)."},
            "respect_git_ignore": {"type": "boolean", "default": true, "description": "Whether to leave out what git ignores (optional, defaults to true)."}
        },
        "required": ["pattern"]
    })
}

fn search_file_content(call: Call<'_>) -> ReplyFuture<'_> {
    let most = call.project.max_answer_chars;
    ask_long(call, move |view, arguments, cancel| {
        search_reply(view, arguments, most, cancel).unwrap_or_else(|reply| reply)
    })
}

fn search_reply(
    view: &View,
    arguments: &Map<String, Value>,
    most: usize,
    cancel: &Cancel,
) -> Result<Reply, Reply> {
    let arguments = Arguments::new(arguments);
    let root = view.files.path();
    let source = arguments.string("pattern").map_err(bad_argument)?;
    let written = arguments.string_if("path").map_err(bad_argument)?.filter(|path| !path.is_empty());
    let include = arguments.string_if("include").map_err(bad_argument)?.filter(|glob| !glob.is_empty());
    let pattern = Pattern::within_lines(source, Case::Insensitive).map_err(|problem| match problem {
        PatternError::Empty => invalid(problem),
        PatternError::Invalid { pattern, reason } => {
            invalid(format!("Invalid regular expression pattern provided: {pattern}. Error: {reason}"))
        }
    })?;
    let directory = from_root(root, written.unwrap_or("."))?;
    check_directory(view, &directory, written.unwrap_or("."), &SEARCHED)?;
    let mut query = SearchQuery::new(pattern);
    query.scope = directory.as_str().to_owned();
    query.include = include.map(|glob| Glob::beneath(&directory, glob)).transpose().map_err(invalid)?;
    let found = view.tree(|tree| matching_lines(tree, &query, MAX_LINES, cancel)).map_err(not_searched)?;
    let filter = include.map_or_else(String::new, |glob| format!(" (filter: \"{glob}\")"));
    let place = format!("for pattern \"{source}\" in path \"{}\"{filter}", written.unwrap_or("."));
    if found.count == 0 {
        return Ok(Reply::done(format!("No matches found {place}.")));
    }
    let matches = if found.count == 1 { "match" } else { "matches" };
    let head = format!("Found {} {matches} {place}:", found.count);
    let hint = "search a directory beneath it, or narrow pattern or include";
    Ok(Reply::done(listed(head, &directory, &found, most, hint)))
}

/// Formats `head`, then the lines of each file, as many as fit into `most` characters; the omitted ones are
/// counted after the last `---`.
fn listed(head: String, directory: &RelPath, found: &MatchingLines, most: usize, hint: &str) -> String {
    const END: &str = "\n---";
    let mut left = most.saturating_sub(head.chars().count() + END.len());
    let (mut text, mut shown) = (head + END, 0);
    'files: for MatchingFile { path, lines } in &found.files {
        let way = if directory.is_root() { 0 } else { directory.as_str().len() + 1 };
        let mut before = format!("\nFile: {}", escaped(path.as_str().get(way..).unwrap_or(path.as_str())));
        let mut cost = before.chars().count() + END.len();
        for line in lines {
            let line = format!("\nL{}: {}", line.number + 1, truncate_line(line.text.trim()));
            cost += line.chars().count();
            if cost > left {
                break 'files;
            }
            left -= cost;
            cost = 0;
            // A file's name is written with its first line.
            text.push_str(&std::mem::take(&mut before));
            text.push_str(&line);
            shown += 1;
        }
        text.push_str(END);
    }
    if shown < found.count {
        if !text.ends_with(END) {
            text.push_str(END);
        }
        let matches = if found.count - shown == 1 { "match" } else { "matches" };
        text.push_str(&format!("\n[{} more {matches} left out: {hint}]", found.count - shown));
    }
    text
}

fn truncate_line(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) if line.len() > MAX_LINE_CHARS => format!("{}... [truncated]", &line[..end]),
        _ => line.to_owned(),
    }
}

fn glob(call: Call<'_>) -> ReplyFuture<'_> {
    let most = call.project.max_answer_chars;
    ask(call, move |view, arguments, cancel| {
        glob_reply(view, arguments, most, cancel).unwrap_or_else(|reply| reply)
    })
}

fn glob_reply(
    view: &View,
    arguments: &Map<String, Value>,
    most: usize,
    cancel: &Cancel,
) -> Result<Reply, Reply> {
    let arguments = Arguments::new(arguments);
    let root = view.files.path();
    let pattern = arguments.string("pattern").map_err(bad_argument)?;
    let written = arguments.string_if("path").map_err(bad_argument)?.filter(|path| !path.is_empty());
    let exact = arguments.boolean_or("case_sensitive", false).map_err(bad_argument)?;
    let respect = arguments.boolean_or("respect_git_ignore", true).map_err(bad_argument)?;
    if pattern.trim().is_empty() {
        return Err(invalid("The 'pattern' parameter cannot be empty."));
    }
    let directory = from_root(root, written.unwrap_or("."))?;
    check_directory(view, &directory, written.unwrap_or("."), &GLOBBED)?;
    let place = absolute_text(root, &directory);
    let case = if exact { Case::Sensitive } else { Case::Insensitive };
    // The pattern may be an absolute path too.
    let relative = pattern.strip_prefix(place.as_str()).and_then(|rest| rest.strip_prefix('/'));
    let glob = Glob::anchored(&directory, relative.unwrap_or(pattern), case).map_err(invalid)?;
    let among = if respect { FileSet::NotIgnored } else { FileSet::All };
    let found = newest(view, &directory, &glob, among, cancel).map_err(error)?;
    if found.is_empty() {
        return Ok(Reply::done(format!("No files found matching pattern \"{pattern}\" within {place}.")));
    }
    let head = format!(
        "Found {} file(s) matching \"{pattern}\" within {place}, sorted by modification time (newest first):",
        found.len()
    );
    let lines: Vec<String> = found.iter().map(|path| absolute_text(root, path)).collect();
    let hint = "search a directory beneath it, or narrow pattern";
    Ok(Reply::done(bounded(head, &lines, most, hint)))
}

/// The texts of a tool for a path that is not a directory.
struct Words {
    missing: fn(&str) -> String,
    file: fn(&str) -> String,
}

const SEARCHED: Words = Words {
    missing: |path| {
        format!(
            "Failed to access path stats for {path}: Error: ENOENT: no such file or directory, stat '{path}'"
        )
    },
    file: |path| format!("Path is not a directory: {path}"),
};

const GLOBBED: Words = Words {
    missing: |path| format!("Search path does not exist {path}"),
    file: |path| format!("Search path is not a directory: {path}"),
};

/// Rejects a path that is not a directory.
fn check_directory(view: &View, directory: &RelPath, written: &str, words: &Words) -> Result<(), Reply> {
    let root = view.files.path();
    match view.whole_tree(|tree| tree.locate(directory.as_str())) {
        Ok(found) if found.kind == EntryKind::Directory => Ok(()),
        Ok(_) => Err(invalid((words.file)(&absolute_text(root, directory)))),
        Err(problem) => Err(no_directory(root, directory, written, words, problem.into())),
    }
}

fn no_directory(
    root: &Path,
    directory: &RelPath,
    written: &str,
    words: &Words,
    problem: FileOpError,
) -> Reply {
    match problem {
        problem if is_missing(&problem) => invalid((words.missing)(&absolute_text(root, directory))),
        problem if is_outside(&problem) => outside(root, written),
        problem => invalid(problem),
    }
}

fn not_searched(problem: SearchError) -> Reply {
    match problem {
        SearchError::Locate(problem @ LocateError::Ignored(_)) => invalid(problem),
        other => error(other),
    }
}
