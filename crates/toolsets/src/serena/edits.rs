//! serena's edit tools, with the contract's parameters and texts and 0-based lines. The contract has no
//! revisions: an edit is made to the content at the moment of the call. It is not refused for its syntax, and
//! its new diagnostics are not determined.

use serde_json::{Value, json};

use super::answer::{bad_argument, error, file_error, io_error, path_error, replace_error};
use super::references::format_target_error;
use crate::arguments::Arguments;
use crate::{Call, Outcome, PendingCall, Reply, ReplyFuture, Tool};
use symd_edit::{EditError, Originator};
use symd_files::tree::LocateError;
use symd_index::Locals;
use symd_ops::edits::{
    ApplyError, Breaking, DiagnosticsReport, EditAction, EditResult, ExpectedRevisions, IgnoredEdits,
    PerformError, PlanningError, Request, SymbolAction, TextAction, perform,
};
use symd_ops::target::SymbolSelector;
use symd_rewrite::{ExpectedCount, Indentation, ReplaceMode};
use symd_vfs::VfsError;

/// The answer of the contract's tools that have nothing to report.
pub(super) const SUCCESS: &str = "OK";

pub(super) const CREATE_TEXT_FILE: Tool = Tool::changing(
    "create_text_file",
    "Create file",
    "Creates/overwrites a file in the project directory. The content is written as it is; missing \
     directories are made.",
    || {
        schema(json!({
            "relative_path": {"type": "string", "description": "The file to create, relative to the project root."},
            "content": {"type": "string", "description": "The content of the file."},
        }))
    },
    |call| run(call, create_text_file, created),
)
.checked_by(|proposed| check(proposed, create_text_file));

pub(super) const REPLACE_CONTENT: Tool = Tool::changing(
    "replace_content",
    "Replace content",
    "Replaces one or more occurrences of a pattern in a file. Fails when there are several and \
     allow_multiple_occurrences is false.",
    || {
        json!({
            "type": "object",
            "properties": {
                "relative_path": file(),
                "needle": {"type": "string", "description": "The string or regular expression to search for."},
                "repl": {"type": "string", "description": "The replacement; in regex mode $!1, $!2 … refer to the groups."},
                "mode": {"type": "string", "enum": ["literal", "regex"], "description": "Whether needle is a literal string or a regular expression (with DOTALL and MULTILINE)."},
                "allow_multiple_occurrences": {"type": "boolean", "default": false, "description": "Whether to replace all occurrences if there are several."},
            },
            "required": ["relative_path", "needle", "repl", "mode"],
        })
    },
    |call| run(call, replace_content, ok),
)
.checked_by(|proposed| check(proposed, replace_content));

pub(super) const DELETE_LINES: Tool = Tool::changing(
    "delete_lines",
    "Delete lines",
    "Deletes a range of lines within a file.",
    || schema(json!({ "relative_path": file(), "start_line": start_line(), "end_line": end_line() })),
    |call| run(call, delete_lines, ok),
)
.checked_by(|proposed| check(proposed, delete_lines));

pub(super) const REPLACE_LINES: Tool = Tool::changing(
    "replace_lines",
    "Replace lines",
    "Replaces a range of lines within a file with new content.",
    || {
        schema(json!({
            "relative_path": file(), "start_line": start_line(), "end_line": end_line(),
            "content": {"type": "string", "description": "The content to put there."},
        }))
    },
    |call| run(call, replace_lines, ok),
)
.checked_by(|proposed| check(proposed, replace_lines));

pub(super) const INSERT_AT_LINE: Tool = Tool::adding(
    "insert_at_line",
    "Insert at line",
    "Inserts content at a given line in a file. The line that was there, and those behind it, move down.",
    || {
        schema(json!({
            "relative_path": file(),
            "line": {"type": "integer", "description": "The 0-based index of the line to insert content at."},
            "content": {"type": "string", "description": "The content to insert."},
        }))
    },
    |call| run(call, insert_at_line, ok),
)
.checked_by(|proposed| check(proposed, insert_at_line));

pub(super) const REPLACE_SYMBOL_BODY: Tool = Tool::changing(
    "replace_symbol_body",
    "Replace symbol body",
    "Replaces the full definition of a symbol using the language server backend. The body is the whole \
     symbol, its signature included, without a comment before it.",
    || symbol_schema("The new symbol body."),
    |call| run(call, replace_symbol_body, ok),
)
.checked_by(|proposed| check(proposed, replace_symbol_body));

pub(super) const INSERT_AFTER_SYMBOL: Tool = Tool::adding(
    "insert_after_symbol",
    "Insert after symbol",
    "Inserts content after the end of the definition of a given symbol.",
    || symbol_schema("The content to insert, on lines of its own after the symbol."),
    |call| run(call, insert_after_symbol, ok),
)
.checked_by(|proposed| check(proposed, insert_after_symbol));

pub(super) const INSERT_BEFORE_SYMBOL: Tool = Tool::adding(
    "insert_before_symbol",
    "Insert before symbol",
    "Inserts content before the beginning of the definition of a given symbol.",
    || symbol_schema("The content to insert, on lines of its own before the symbol."),
    |call| run(call, insert_before_symbol, ok),
)
.checked_by(|proposed| check(proposed, insert_before_symbol));

/// Returns a schema of properties that are all required.
fn schema(properties: Value) -> Value {
    let required: Vec<String> =
        properties.as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default();
    json!({ "type": "object", "properties": properties, "required": required })
}

fn symbol_schema(body: &str) -> Value {
    schema(json!({
        "name_path": {"type": "string", "description": "The name path of the symbol: a simple name, a suffix (`Class/method`), or a path from the file's top level (`/Class/method`)."},
        "relative_path": {"type": "string", "description": "The relative path to the file containing the symbol."},
        "body": {"type": "string", "description": body},
    }))
}

fn file() -> Value {
    json!({"type": "string", "description": "The relative path to the file."})
}

fn start_line() -> Value {
    json!({"type": "integer", "description": "The 0-based index of the first line."})
}

fn end_line() -> Value {
    json!({"type": "integer", "description": "The 0-based index of the last line (inclusive)."})
}

type Read = fn(&Arguments<'_>) -> Result<EditAction, Reply>;
type Answer = fn(&EditResult, &Arguments<'_>) -> Reply;

fn run(call: Call<'_>, read: Read, answer: Answer) -> ReplyFuture<'_> {
    Box::pin(async move {
        let arguments = Arguments::new(&call.arguments);
        let what = match read(&arguments) {
            Ok(what) => what,
            Err(reply) => return reply,
        };
        let request = Request {
            what,
            base: ExpectedRevisions::default(),
            breaking: Breaking::Allowed,
            ignored: IgnoredEdits::Created,
        };
        let by = Originator {
            who: call.client.name().to_owned(),
            tool: call.tool.to_owned(),
            title: String::new(),
        };
        match perform(call.project, request, DiagnosticsReport::Nothing, by).await {
            Ok(done) => answer(&done, &arguments),
            Err(problem) => {
                let reply = refusal(problem);
                Reply {
                    text: arguments.restore_clamped(&reply.text, &["line", "start_line", "end_line"]),
                    ..reply
                }
            }
        }
    })
}

fn ok(_: &EditResult, _: &Arguments<'_>) -> Reply {
    Reply::done(SUCCESS)
}

fn created(done: &EditResult, arguments: &Arguments<'_>) -> Reply {
    let path = arguments.string_or("relative_path", "").unwrap_or_default();
    let overwrote = if done.overwrote { " Overwrote existing file." } else { "" };
    Reply::done(format!("File created: {path}.{overwrote}"))
}

fn create_text_file(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    Ok(EditAction::Write {
        path: arguments.string("relative_path").map_err(bad_argument)?.to_owned(),
        content: arguments.string("content").map_err(bad_argument)?.to_owned(),
    })
}

fn replace_content(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    let path = arguments.string("relative_path").map_err(bad_argument)?.to_owned();
    let needle = arguments.string("needle").map_err(bad_argument)?.to_owned();
    let replacement = arguments.string("repl").map_err(bad_argument)?.to_owned();
    let mode = replace_mode(arguments)?;
    let many = arguments.boolean_or("allow_multiple_occurrences", false).map_err(bad_argument)?;
    let how_many = if many { ExpectedCount::Any } else { ExpectedCount::One };
    Ok(EditAction::Text { path, act: TextAction::Replace { needle, replacement, mode, how_many } })
}

/// Parses the contract's `ReplaceMode`.
pub(super) fn replace_mode(arguments: &Arguments<'_>) -> Result<ReplaceMode, Reply> {
    match arguments.string("mode").map_err(bad_argument)? {
        "literal" => Ok(ReplaceMode::Literal),
        "regex" => Ok(ReplaceMode::Regex),
        other => Err(error(format!("Invalid mode: '{other}', expected 'literal' or 'regex'"))),
    }
}

fn delete_lines(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    let path = arguments.string("relative_path").map_err(bad_argument)?.to_owned();
    let start = arguments.integer("start_line").map_err(bad_argument)?;
    let end = arguments.integer("end_line").map_err(bad_argument)?;
    Ok(EditAction::Text { path, act: TextAction::DeleteLines { start, end } })
}

fn replace_lines(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    let path = arguments.string("relative_path").map_err(bad_argument)?.to_owned();
    let start = arguments.integer("start_line").map_err(bad_argument)?;
    let end = arguments.integer("end_line").map_err(bad_argument)?;
    let content = arguments.string("content").map_err(bad_argument)?.to_owned();
    Ok(EditAction::Text { path, act: TextAction::ReplaceLines { start, end, content } })
}

fn insert_at_line(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    let path = arguments.string("relative_path").map_err(bad_argument)?.to_owned();
    let line = arguments.integer("line").map_err(bad_argument)?;
    let content = arguments.string("content").map_err(bad_argument)?.to_owned();
    Ok(EditAction::Text { path, act: TextAction::InsertAtLine { line, content } })
}

fn replace_symbol_body(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    symbol(arguments, SymbolAction::Replace)
}

fn insert_after_symbol(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    symbol(arguments, SymbolAction::InsertAfter)
}

fn insert_before_symbol(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    symbol(arguments, SymbolAction::InsertBefore)
}

fn symbol(arguments: &Arguments<'_>, act: fn(String) -> SymbolAction) -> Result<EditAction, Reply> {
    let text = |name: &str| arguments.string(name).map_err(bad_argument);
    let wanted = SymbolSelector {
        locals: Locals::Included,
        ..SymbolSelector::only(text("name_path")?, text("relative_path")?)
    };
    let body = text("body")?.to_owned();
    Ok(EditAction::Symbol { wanted, act: act(body), indentation: Indentation::ByContract })
}

/// Validates an edit by its arguments alone.
fn check(proposed: &PendingCall<'_>, read: Read) -> Result<(), Reply> {
    read(&Arguments::new(proposed.arguments))?.check().map_err(|problem| refusal(problem.into()))
}

/// Formats a failure in the contract's words.
fn refusal(problem: PerformError) -> Reply {
    match problem {
        PerformError::Make(PlanningError::File(problem)) => file_error(&problem),
        PerformError::Make(PlanningError::Target(problem)) => format_target_error(problem),
        PerformError::Make(PlanningError::Replace(problem)) => replace_error(&problem),
        PerformError::Apply(problem) => not_applied(problem),
        PerformError::Engine(_) => Reply { outcome: Outcome::NotReady, ..error(problem) },
        other => error(other),
    }
}

pub(super) fn not_applied(problem: ApplyError) -> Reply {
    match problem {
        ApplyError::Edit(EditError::File(problem)) => refused_by_disk(problem),
        other => error(other),
    }
}

fn refused_by_disk(problem: VfsError) -> Reply {
    match problem {
        VfsError::Outside { path } => path_error(&LocateError::Outside(path.to_string())),
        VfsError::InGitDirectory { path } => path_error(&LocateError::Ignored(path.to_string())),
        other => io_error(&other),
    }
}
