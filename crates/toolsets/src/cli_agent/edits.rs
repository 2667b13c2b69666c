//! cli_agent's `create_file`, `replace_string_in_file` and `create_directory`.

use std::time::Instant;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::MAX_CONTENT_BYTES;
use super::answer::{Answer, ToolAction, by, checked, counted, invalid};
use super::envelope::{Code, Success, ToolError, reply};
use crate::arguments::Arguments;
use crate::{Annotations, Call, Risk, Tool};
use symd_files::tree::FileOpError;
use symd_ops::edits::{PerformError, PlanningError, create_directory, create_file, replace_first};
use symd_rewrite::ReplaceError;

/// The maximum number of characters of a string that a message repeats.
const QUOTED_CHARS: usize = 100;

pub(super) const CREATE_FILE: Tool = Tool::adding(
    "create_file",
    "Create file",
    "Create a new file with specified content. Missing directories are made; a file that exists is an \
     error.",
    create_file_schema,
    |call| {
        Box::pin(async move {
            let started = Instant::now();
            reply(started, create(&call).await)
        })
    },
)
.checked_by(|proposed| checked(CreateArgs::read(proposed.arguments)));

pub(super) const REPLACE_STRING_IN_FILE: Tool = Tool {
    risk: Risk::Dangerous,
    ..Tool::changing(
        "replace_string_in_file",
        "Replace string in file",
        "Replace a specific string in a file with new content. Only the first occurrence is replaced; the file \
         keeps its line endings.",
        replace_schema,
        |call| {
            Box::pin(async move {
                let started = Instant::now();
                reply(started, replace(&call).await)
            })
        },
    )
    .checked_by(|proposed| checked(ReplaceArgs::read(proposed.arguments)))
};

pub(super) const CREATE_DIRECTORY: Tool = Tool {
    annotations: Annotations { idempotent: true, ..Annotations::ADDS },
    ..Tool::adding(
        "create_directory",
        "Create directory",
        "Create a directory structure (equivalent to mkdir -p).",
        create_directory_schema,
        |call| {
            Box::pin(async move {
                let started = Instant::now();
                reply(started, make_directory(&call).await)
            })
        },
    )
    .checked_by(|proposed| checked(directory(proposed.arguments)))
};

fn create_file_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Relative path to the file to create"},
            "content": {"type": "string", "description": "Content to write to the file"}
        },
        "required": ["path", "content"]
    })
}

fn replace_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Relative path to the file to modify"},
            "old_string": {"type": "string", "description": "Exact string to find and replace"},
            "new_string": {"type": "string", "description": "String to replace with"}
        },
        "required": ["path", "old_string", "new_string"]
    })
}

fn create_directory_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Relative path to directory to create"}
        },
        "required": ["path"]
    })
}

/// The arguments of `create_file`.
struct CreateArgs<'a> {
    path: &'a str,
    content: &'a str,
}

impl<'a> CreateArgs<'a> {
    fn read(arguments: &'a Map<String, Value>) -> Result<CreateArgs<'a>, ToolError> {
        let arguments = Arguments::new(arguments);
        let (path, content) = (arguments.string("path")?, arguments.string("content")?);
        check_size("Content", content)?;
        if path.ends_with('/') {
            return Err(invalid(
                format!("Path '{path}' names a directory"),
                "Give the name of a file, or use create_directory",
            ));
        }
        ToolAction::creating(path).lexical()?;
        Ok(CreateArgs { path, content })
    }
}

async fn create(call: &Call<'_>) -> Answer {
    let CreateArgs { path, content } = CreateArgs::read(&call.arguments)?;
    let created = match create_file(call.project, path, content.to_owned(), by(call)).await {
        Ok(created) => created,
        Err(PerformError::Make(PlanningError::File(FileOpError::IsDirectory(path)))) => {
            return Err(ToolError::new(
                Code::FileExists,
                format!("Path '{path}' exists as a directory, cannot create file"),
                "Choose another path",
            ));
        }
        Err(error) => return Err(ToolAction::creating(path).perform(error)),
    };
    let bytes = counted(content.len(), "byte", "bytes");
    Ok(Success::new(format!("Created file: {created} ({bytes})"))
        .affecting(vec![created.as_str().to_owned()]))
}

#[derive(Serialize)]
struct ReplacedText {
    occurrences_found: usize,
    occurrences_replaced: usize,
    lines_changed: Vec<u32>,
}

/// The arguments of `replace_string_in_file`.
struct ReplaceArgs<'a> {
    path: &'a str,
    old: &'a str,
    new: &'a str,
}

impl<'a> ReplaceArgs<'a> {
    fn read(arguments: &'a Map<String, Value>) -> Result<ReplaceArgs<'a>, ToolError> {
        let arguments = Arguments::new(arguments);
        let path = arguments.string("path")?;
        let (old, new) = (arguments.string("old_string")?, arguments.string("new_string")?);
        if old.is_empty() {
            return Err(invalid(
                "Invalid parameter 'old_string': must not be empty".to_owned(),
                "Give the exact text to replace",
            ));
        }
        check_size("new_string", new)?;
        ToolAction::modifying(path).lexical()?;
        Ok(ReplaceArgs { path, old, new })
    }
}

async fn replace(call: &Call<'_>) -> Answer {
    let ReplaceArgs { path, old, new } = ReplaceArgs::read(&call.arguments)?;
    let done = match replace_first(call.project, path, old, new, by(call)).await {
        Ok(done) => done,
        Err(PerformError::Make(PlanningError::Replace(ReplaceError::NoMatches { .. }))) => {
            return Err(ToolError::new(
                Code::StringNotFound,
                format!("String '{}' not found in file", quoted(old)),
                "Use read_file to see the exact text of the file, white space included",
            ));
        }
        Err(error) => return Err(ToolAction::modifying(path).perform(error)),
    };
    let (first, last) = (done.lines.0 + 1, done.lines.1 + 1);
    let success = Success::new(format!("Replaced 1 occurrence in {}", done.path))
        .affecting(vec![done.path.as_str().to_owned()])
        .with(&ReplacedText {
            occurrences_found: done.count,
            occurrences_replaced: 1,
            lines_changed: (first..=last).collect(),
        });
    Ok(match done.count {
        1 => success,
        count => {
            success.warning(&format!("Found {count} occurrences, replaced only the first at line {first}"))
        }
    })
}

#[derive(Serialize)]
struct MadeParents {
    created_parents: Vec<String>,
}

/// Parses the directory in the arguments of `create_directory`.
fn directory(arguments: &Map<String, Value>) -> Result<&str, ToolError> {
    let path = Arguments::new(arguments).string("path")?;
    ToolAction::making(path).lexical()?;
    Ok(path)
}

async fn make_directory(call: &Call<'_>) -> Answer {
    let path = directory(&call.arguments)?;
    let done = match create_directory(call.project, path, by(call)).await {
        Ok(done) => done,
        Err(PerformError::Make(PlanningError::File(FileOpError::IsFile(path)))) => {
            return Err(ToolError::new(
                Code::IsAFile,
                format!("Path '{path}' exists as a file, cannot create directory"),
                "Choose another path",
            ));
        }
        Err(error) => return Err(ToolAction::making(path).perform(error)),
    };
    let Some((_, parents)) = done.made.split_last() else {
        return Ok(Success::new(format!("Directory already exists: {}", done.path))
            .with(&MadeParents { created_parents: Vec::new() }));
    };
    let created_parents = parents.iter().map(|path| path.as_str().to_owned()).collect();
    Ok(Success::new(format!("Created directory: {}", done.path))
        .affecting(vec![done.path.as_str().to_owned()])
        .with(&MadeParents { created_parents }))
}

fn check_size(what: &str, text: &str) -> Result<(), ToolError> {
    if text.len() <= MAX_CONTENT_BYTES {
        return Ok(());
    }
    Err(ToolError::new(
        Code::ContentTooLarge,
        format!("{what} too large ({} bytes, limit 10MB)", text.len()),
        "Write less at once",
    ))
}

/// Returns the text, truncated if it is long.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARS) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}
