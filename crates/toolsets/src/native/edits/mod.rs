//! native's edit tools, with 1-based lines. Each edit can be tried with `dry_run`, and undone. Invariant: a
//! refusal says that nothing was written, or what was.

mod delete;
mod finish;
mod history;
pub(super) mod request;
mod resolve;
pub(super) mod schema;
pub(super) mod text;

pub(super) use delete::SAFE_DELETE;
pub(super) use finish::FINISH_EDIT;
pub(super) use history::{HISTORY, REDO, UNDO};
pub(super) use resolve::RESOLVE_EDIT;

use serde_json::Value;

use self::request::{EditCall, parse_call};
use super::files::failed;
use super::server_tools::format_refusal;
use crate::arguments::Arguments;
use crate::server_questions::NoAnswerReason;
use crate::{Call, Outcome, Reply, ReplyFuture, Tool};
use symd_edit::{EditError, Originator};
use symd_ops::edits::{
    ApplyError, DiagnosticsReport, EditResult, PerformError, PlanningError, dry_run, perform as perform_edit,
};
use symd_rewrite::LineError;

pub(super) const REPLACE_SYMBOL_BODY: Tool = Tool::changing(
    "replace_symbol_body",
    "Replace symbol",
    "Replaces the whole of a symbol (function, class, method, variable …), from its first decorator or \
     modifier to its last line, by the given code. The way to rewrite one function without naming lines.",
    schema::replace_symbol_body,
    |call| run(call, request::replace_symbol_body),
)
.checked_by(|proposed| request::check(proposed.arguments, request::replace_symbol_body));

pub(super) const INSERT_BEFORE_SYMBOL: Tool = Tool::adding(
    "insert_before_symbol",
    "Insert before symbol",
    "Inserts code on lines of its own before a symbol and its documentation: a new function before another, an \
     import before the first class.",
    schema::insert_at_symbol,
    |call| run(call, request::insert_before_symbol),
)
.checked_by(|proposed| request::check(proposed.arguments, request::insert_before_symbol));

pub(super) const INSERT_AFTER_SYMBOL: Tool = Tool::adding(
    "insert_after_symbol",
    "Insert after symbol",
    "Inserts code on lines of its own behind a symbol: a new method behind another, a new class behind the \
     last.",
    schema::insert_at_symbol,
    |call| run(call, request::insert_after_symbol),
)
.checked_by(|proposed| request::check(proposed.arguments, request::insert_after_symbol));

pub(super) const CREATE_TEXT_FILE: Tool = Tool::changing(
    "create_text_file",
    "Write file",
    "Writes a new file, its directories included, or overwrites an existing one as a whole.",
    schema::create_text_file,
    |call| run(call, request::create_text_file),
)
.checked_by(|proposed| request::check(proposed.arguments, request::create_text_file));

pub(super) const REPLACE_CONTENT: Tool = Tool::changing(
    "replace_content",
    "Replace text in file",
    "Replaces occurrences of a literal text or a regular expression in a file. Refused when there are \
     several, unless that is expected.",
    schema::replace_content,
    |call| run(call, request::replace_content),
)
.checked_by(|proposed| request::check(proposed.arguments, request::replace_content));

pub(super) const DELETE_LINES: Tool = Tool::changing(
    "delete_lines",
    "Delete lines",
    "Deletes a range of lines of a file.",
    schema::delete_lines,
    |call| run(call, request::delete_lines),
)
.checked_by(|proposed| request::check(proposed.arguments, request::delete_lines));

pub(super) const REPLACE_LINES: Tool = Tool::changing(
    "replace_lines",
    "Replace lines",
    "Replaces a range of lines of a file by the given content.",
    schema::replace_lines,
    |call| run(call, request::replace_lines),
)
.checked_by(|proposed| request::check(proposed.arguments, request::replace_lines));

pub(super) const INSERT_AT_LINE: Tool = Tool::adding(
    "insert_at_line",
    "Insert lines",
    "Inserts content before a line of a file; one past the last line appends.",
    schema::insert_at_line,
    |call| run(call, request::insert_at_line),
)
.checked_by(|proposed| request::check(proposed.arguments, request::insert_at_line));

pub(super) const APPLY_PATCH: Tool = Tool::changing(
    "apply_patch",
    "Apply patch",
    "Applies a patch to any number of files, wholly or not at all: a unified diff, or the form `*** Begin \
     Patch` … `*** End Patch`. A hunk goes where its context stands, once and only there.",
    schema::apply_patch,
    |call| run(call, request::apply_patch),
)
.checked_by(|proposed| request::check(proposed.arguments, request::apply_patch));

/// The function that parses the arguments of an edit tool.
type Read = fn(&Arguments<'_>) -> Result<symd_ops::edits::EditAction, Reply>;

fn run(call: Call<'_>, read: Read) -> ReplyFuture<'_> {
    Box::pin(async move {
        let asked = parse_call(&call, read);
        match asked {
            Ok(asked) => perform(&call, asked).await.unwrap_or_else(|reply| reply),
            Err(reply) => reply,
        }
    })
}

/// Makes the edit, or shows what it would change.
async fn perform(call: &Call<'_>, asked: EditCall) -> Result<Reply, Reply> {
    let EditCall { request, mode, limit } = asked;
    if mode == RunMode::DryRun {
        let would = dry_run(call.project, request).await.map_err(refusal)?;
        return Ok(Reply::done(text::would_text(&would, limit)));
    }
    let by =
        Originator { who: call.client.name().to_owned(), tool: call.tool.to_owned(), title: String::new() };
    let done =
        perform_edit(call.project, request, DiagnosticsReport::NewDiagnostics, by).await.map_err(refusal)?;
    Ok(done_reply(call, &done, limit))
}

/// Formats the answer, and records for the client what it wrote.
fn done_reply(call: &Call<'_>, done: &EditResult, limit: usize) -> Reply {
    remember(call, &done.applied);
    Reply::done(text::done_text(done, limit))
}

/// Whether anything is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunMode {
    Apply,
    DryRun,
}

fn run_mode(arguments: &Arguments<'_>) -> Result<RunMode, Reply> {
    Ok(if arguments.boolean_or("dry_run", false).map_err(failed)? { RunMode::DryRun } else { RunMode::Apply })
}

/// Records the versions that the client wrote: the edit was checked against those that it knew. Undo and redo
/// bring back what others wrote and use [`super::server_edit_text::remember`] instead.
fn remember(call: &Call<'_>, applied: &symd_edit::Applied) {
    for file in &applied.files {
        match file.after {
            Some(hash) => call.client.record_read(&file.path, hash),
            None => call.client.forget(&file.path),
        }
    }
}

/// Formats a refusal: why nothing was done.
fn refusal(error: PerformError) -> Reply {
    match error {
        PerformError::Make(PlanningError::Target(error)) => {
            format_refusal(NoAnswerReason::Question(error.into()))
        }
        PerformError::Make(PlanningError::Lines(error)) => failed(line_error(&error)),
        PerformError::Question(error) => format_refusal(NoAnswerReason::Question(error)),
        PerformError::Apply(error) => not_applied(&error),
        PerformError::Engine(_) => Reply { outcome: Outcome::NotReady, ..failed(error) },
        other => failed(unwritten(&other.to_string())),
    }
}

/// Adds that nothing was written, if the reason does not say so.
fn unwritten(why: &str) -> String {
    if why.contains("nothing was written") {
        return why.to_owned();
    }
    format!("{}; nothing was written", why.trim_end_matches('.'))
}

fn not_applied(error: &ApplyError) -> Reply {
    match error {
        ApplyError::Edit(EditError::RecoveryDue { .. }) => {
            Reply { outcome: Outcome::NotReady, ..failed(error) }
        }
        _ => failed(error),
    }
}

/// Formats the error with 1-based lines.
fn line_error(error: &LineError) -> String {
    match error {
        LineError::Negative { line } => format!("lines are 1-based, got: {}", line + 1),
        LineError::Reversed { start, end } => {
            format!("start_line {} is after end_line {}; nothing was written", start + 1, end + 1)
        }
        LineError::PastEnd { line, count } => {
            format!("line {} is past the end of the file, which has {count}; nothing was written", line + 1)
        }
        LineError::InsertPastEnd { line, count } => format!(
            "line {} is past the end of the file; insert at line {} to append; nothing was written",
            line + 1,
            count + 1
        ),
    }
}

/// Returns an argument, unless it is null.
fn json_or(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| !value.is_null())
}
