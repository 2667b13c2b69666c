//! `undo`, `redo` and `history`, for the edits that any client made through symd.

use serde_json::{Map, Value, json};

use super::super::answer::{FORMAT, Format, fitting, format};
use super::super::files::{DEFAULT_LIMIT, LIMIT, counted, failed, limit};
use super::super::render::truncate;
use super::super::server_edit_text::remember;
use super::text::{diffs_text, inverse_text, short_title};
use super::{RunMode, not_applied, run_mode, schema};
use crate::arguments::Arguments;
use crate::{Call, Reply, Tool};
use symd_base::Timestamp;
use symd_edit::{
    Applied, EditError, Operation, OperationId, OperationKind, Originator, PartState, UndoTarget,
};
use symd_ops::edits::{ApplyError, history, preview_redo, preview_undo, redo, undo};

/// The default number of operations shown.
const DEFAULT_COUNT: usize = 20;

/// The maximum number of files named for an operation.
const NAMED_FILES: usize = 5;

/// What helps where a file is not as the edit left it.
const UNDO_WAY: &str = "an edit is only undone where its files are as it left them: undo the later edits of them first \
    (history lists them), or change them by hand";

/// What helps where a file is not as the undo left it.
const REDO_WAY: &str =
    "an edit is only made again where its files are as the undo left them: change them by hand";

pub(in super::super) const UNDO: Tool = Tool::changing(
    "undo",
    "Undo edit",
    "Undoes an edit made through symd: the last one that is not undone, or the one of that number. Refused, \
     naming the files, where a file is not as the edit left it.",
    undo_schema,
    |call| Box::pin(async move { run_undo(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| UndoArgs::read(proposed.arguments).map(drop));

pub(in super::super) const REDO: Tool = Tool::changing(
    "redo",
    "Redo edit",
    "Makes the edit again that was undone last, as long as no other was made since.",
    redo_schema,
    |call| Box::pin(async move { run_redo(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| RedoArgs::read(proposed.arguments).map(drop));

pub(in super::super) const HISTORY: Tool = Tool::read_only(
    "history",
    "History of edits",
    "Lists the edits made through symd, newest first: number, time, who, tool, files; which are undone.",
    history_schema,
    |call| Box::pin(async move { show(&call).await.unwrap_or_else(|reply| reply) }),
);

fn undo_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": {"type": "integer", "minimum": 1, "description": "The operation's number; the last one when absent."},
            "dry_run": schema::dry_run(),
            "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT},
        },
        "required": [],
    })
}

fn redo_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "dry_run": schema::dry_run(),
            "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT},
        },
        "required": [],
    })
}

fn history_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer", "default": DEFAULT_COUNT, "minimum": 1, "description": "How many operations to show."},
            "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT},
            "format": {"type": "string", "enum": ["text", "json"], "default": "text", "description": FORMAT},
        },
        "required": [],
    })
}

/// The arguments of `undo`.
struct UndoArgs {
    which: UndoTarget,
    mode: RunMode,
    limit: usize,
}

impl UndoArgs {
    fn read(arguments: &Map<String, Value>) -> Result<UndoArgs, Reply> {
        let arguments = Arguments::new(arguments);
        let limit = limit(&arguments).map_err(failed)?;
        let which = match arguments.count_if("id").map_err(failed)? {
            Some(id) => UndoTarget::Id(OperationId(u64::try_from(id).unwrap_or(u64::MAX))),
            None => UndoTarget::Last,
        };
        Ok(UndoArgs { which, mode: run_mode(&arguments)?, limit })
    }
}

async fn run_undo(call: &Call<'_>) -> Result<Reply, Reply> {
    let UndoArgs { which, mode, limit } = UndoArgs::read(&call.arguments)?;
    if mode == RunMode::DryRun {
        let diffs =
            preview_undo(call.project, which).await.map_err(|error| not_inverted(&error, UNDO_WAY))?;
        return Ok(Reply::done(diffs_text(&diffs, &[], limit)));
    }
    let title = match which {
        UndoTarget::Id(id) => format!("undo of operation {id}"),
        UndoTarget::Last => "undo".to_owned(),
    };
    let undone =
        undo(call.project, which, by(call, &title)).await.map_err(|error| not_inverted(&error, UNDO_WAY))?;
    remember(&call.client, &undone);
    let head = format!("undone{}", inverted(call, &undone).await);
    Ok(Reply::done(inverse_text(&head, &undone, Some("redo reapplies it"), limit)))
}

/// The arguments of `redo`.
struct RedoArgs {
    mode: RunMode,
    limit: usize,
}

impl RedoArgs {
    fn read(arguments: &Map<String, Value>) -> Result<RedoArgs, Reply> {
        let arguments = Arguments::new(arguments);
        let limit = limit(&arguments).map_err(failed)?;
        Ok(RedoArgs { mode: run_mode(&arguments)?, limit })
    }
}

async fn run_redo(call: &Call<'_>) -> Result<Reply, Reply> {
    let RedoArgs { mode, limit } = RedoArgs::read(&call.arguments)?;
    if mode == RunMode::DryRun {
        let diffs = preview_redo(call.project).await.map_err(|error| not_inverted(&error, REDO_WAY))?;
        return Ok(Reply::done(diffs_text(&diffs, &[], limit)));
    }
    let redone =
        redo(call.project, by(call, "redo")).await.map_err(|error| not_inverted(&error, REDO_WAY))?;
    remember(&call.client, &redone);
    let head = format!("redone{}", inverted(call, &redone).await);
    Ok(Reply::done(inverse_text(&head, &redone, Some("undo takes it back"), limit)))
}

/// Formats a refusal of an undo or a redo. Unlike an edit, repeating one does not help if a file has changed;
/// `way` says what does.
fn not_inverted(error: &ApplyError, way: &str) -> Reply {
    match error {
        ApplyError::Edit(EditError::Conflict { files }) => {
            let files: Vec<String> = files.iter().map(ToString::to_string).collect();
            failed(format!("conflict: {}; nothing was written; {way}", files.join(", ")))
        }
        other => not_applied(other),
    }
}

/// Returns `: rename a to b`, the title of the operation that was undone or redone; empty if the history does
/// not have it.
async fn inverted(call: &Call<'_>, by: &Applied) -> String {
    let operations = history(call.project, usize::MAX).await.unwrap_or_default();
    let of = match operations.iter().find(|one| Some(one.id) == by.id).map(|one| one.what) {
        Some(OperationKind::Undo(of) | OperationKind::Redo(of)) => operations.iter().find(|one| one.id == of),
        _ => None,
    };
    of.map_or_else(String::new, |of| format!(": {}", short_title(&of.by.title, by)))
}

fn by(call: &Call<'_>, title: &str) -> Originator {
    Originator { who: call.client.name().to_owned(), tool: call.tool.to_owned(), title: title.to_owned() }
}

async fn show(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let (limit, format) = (limit(&arguments).map_err(failed)?, format(&arguments).map_err(failed)?);
    let count = match arguments.count_or("count", DEFAULT_COUNT).map_err(failed)? {
        0 => return Err(failed(arguments.invalid("count", "a positive integer"))),
        count => count,
    };
    // One more than are shown tells whether there are older ones.
    let mut operations =
        history(call.project, count.saturating_add(1)).await.map_err(|error| not_applied(&error))?;
    let has_older = operations.len() > count;
    operations.truncate(count);
    Ok(Reply::done(match format {
        Format::Text => history_text(&operations, has_older, limit),
        Format::Json => history_json(&operations, has_older, limit),
    }))
}

fn history_text(operations: &[Operation], has_older: bool, limit: usize) -> String {
    let lines: Vec<String> = operations.iter().map(line).collect();
    let mut text = lines.join("\n");
    let mut footer = counted(operations.len(), "operation", "operations");
    if has_older {
        footer.push_str("; older ones are not shown; give a larger count");
    }
    if truncate(&mut text, limit) {
        footer.push_str(&format!("; cut at {limit} characters; give a smaller count, or raise limit"));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    format!("{text}[{footer}]")
}

/// Formats an operation: `7 2026-11-21T15:04:05Z claude-code 2.1 rename_symbol: rename a to b (undone);
/// src/a.py, src/b.py`.
fn line(operation: &Operation) -> String {
    let Operation { id, time, by, undone, files, .. } = operation;
    let mut names: Vec<String> = files.iter().take(NAMED_FILES).map(|file| file.path.to_string()).collect();
    let more = format!("and {} more", files.len().saturating_sub(NAMED_FILES));
    if files.len() > NAMED_FILES {
        names.push(more);
    }
    let mark = if *undone { " (undone)".to_owned() } else { unsaved_mark(operation) };
    let time = Timestamp::from(*time);
    format!("{id} {time} {} {}: {}{mark}; {}", by.who, by.tool, what(operation), names.join(", "))
}

/// Returns what an operation's mark says of the changes that are in unsaved texts: ` (pending save: a.py)`; empty if there are
/// none.
fn unsaved_mark(operation: &Operation) -> String {
    let of = |wanted: PartState| {
        let parts = operation.unsaved.iter().filter(|(_, state)| *state == wanted);
        parts.map(|(path, _)| path.to_string()).collect::<Vec<String>>().join(", ")
    };
    let (pending, closed) = (of(PartState::Pending), of(PartState::Closed));
    let (taken_back, id) = (of(PartState::TakenBack), operation.id);
    let mut marks = Vec::new();
    if !pending.is_empty() {
        marks.push(format!("pending save: {pending}"));
    }
    if !closed.is_empty() {
        marks.push(format!(
            "half saved: {closed} was closed in its editor and not saved; `symd undo {id}` or `symd finish {id}`"
        ));
    }
    if !taken_back.is_empty() {
        marks.push(format!("changed since: undone in the editor in {taken_back}"));
    }
    if marks.is_empty() { String::new() } else { format!(" ({})", marks.join("; ")) }
}

fn what(operation: &Operation) -> String {
    match operation.what {
        OperationKind::Edit | OperationKind::Recovery => operation.by.title.clone(),
        OperationKind::Undo(of) => format!("undo of operation {of}"),
        OperationKind::Redo(of) => format!("redo of operation {of}"),
    }
}

fn history_json(operations: &[Operation], has_older: bool, limit: usize) -> String {
    let all: Vec<Value> = operations.iter().map(operation_json).collect();
    let shown = fitting(&all, limit);
    json!({ "operations": all[..shown], "left_out": all.len() - shown, "has_older": has_older }).to_string()
}

fn operation_json(operation: &Operation) -> Value {
    let (what, of) = match operation.what {
        OperationKind::Edit => ("edit", None),
        OperationKind::Recovery => ("recovery", None),
        OperationKind::Undo(of) => ("undo", Some(of.0)),
        OperationKind::Redo(of) => ("redo", Some(of.0)),
    };
    let files: Vec<Value> = operation
        .files
        .iter()
        .map(|file| {
            let short = |hash: Option<symd_base::ContentHash>| hash.map(|hash| hash.short());
            json!({ "path": file.path.as_str(), "before": short(file.before), "after": short(file.after) })
        })
        .collect();
    let unsaved: Vec<Value> = operation
        .unsaved
        .iter()
        .map(|(path, state)| {
            let state = match state {
                PartState::Pending => "pending save",
                PartState::Closed => "half saved",
                PartState::TakenBack => "changed since",
            };
            json!({ "path": path.as_str(), "state": state })
        })
        .collect();
    json!({
        "id": operation.id.0, "time": Timestamp::from(operation.time).to_string(), "who": operation.by.who, "tool": operation.by.tool,
        "title": operation.by.title, "what": what, "of": of, "undone": operation.undone, "files": files, "unsaved": unsaved,
    })
}
