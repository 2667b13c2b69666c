//! native's edit tools: arguments in, what was done out. 1-based lines. Each can be tried with `dry_run`, and undone.
//! Invariant: a refusal says that nothing was written, or what was.

mod delete;
mod history;
mod request;
mod resolve;
mod schema;
pub(super) mod text;

pub(super) use history::{HISTORY, REDO, UNDO};
pub(super) use resolve::RESOLVE_EDIT;

use serde_json::Value;

use self::request::{Asked, asked};
use super::asked::refused;
use super::files::failed;
use crate::edit::{By, EditError};
use crate::ops::edits::{
    ApplyError, LineError, MakeError, PerformError, Report, dry_run, perform as perform_edit,
};
use crate::toolsets::arguments::Arguments;
use crate::toolsets::asked::Refusal;
use crate::toolsets::{Annotations, Call, Outcome, Reach, Reply, Risk, Running, Tool};

pub(super) const REPLACE_SYMBOL_BODY: Tool = Tool {
    name: "replace_symbol_body",
    title: "Replace symbol",
    description: "Replaces the whole of a symbol (function, class, method, variable …), from its first decorator or \
        modifier to its last line, by the given code. The way to rewrite one function without naming lines.",
    schema: schema::replace_symbol_body,
    annotations: Annotations::CHANGES,
    risk: Risk::SafeWrite,
    reach: Reach::Project,
    run: |call| run(call, request::replace_symbol_body),
};

pub(super) const INSERT_BEFORE_SYMBOL: Tool = Tool {
    name: "insert_before_symbol",
    title: "Insert before symbol",
    description: "Inserts code on lines of its own before a symbol: a new function before another, an import before \
        the first class.",
    schema: schema::insert_at_symbol,
    annotations: Annotations::ADDS,
    risk: Risk::SafeWrite,
    reach: Reach::Project,
    run: |call| run(call, request::insert_before_symbol),
};

pub(super) const INSERT_AFTER_SYMBOL: Tool = Tool {
    name: "insert_after_symbol",
    title: "Insert after symbol",
    description: "Inserts code on lines of its own behind a symbol: a new method behind another, a new class behind the \
        last.",
    schema: schema::insert_at_symbol,
    annotations: Annotations::ADDS,
    risk: Risk::SafeWrite,
    reach: Reach::Project,
    run: |call| run(call, request::insert_after_symbol),
};

pub(super) const SAFE_DELETE: Tool = Tool {
    name: "safe_delete",
    title: "Delete unused symbol",
    description: "Deletes a symbol if nothing refers to it; else lists the references and deletes nothing.",
    schema: schema::safe_delete,
    annotations: Annotations::CHANGES,
    risk: Risk::SafeWrite,
    reach: Reach::Project,
    run: delete::safe_delete,
};

pub(super) const CREATE_TEXT_FILE: Tool = Tool {
    name: "create_text_file",
    title: "Write file",
    description: "Writes a new file, its directories included, or overwrites an existing one as a whole.",
    schema: schema::create_text_file,
    annotations: Annotations::CHANGES,
    risk: Risk::SafeWrite,
    reach: Reach::Project,
    run: |call| run(call, request::create_text_file),
};

pub(super) const REPLACE_CONTENT: Tool = Tool {
    name: "replace_content",
    title: "Replace text in file",
    description: "Replaces occurrences of a literal text or a regular expression in a file. Refused when there are \
        several, unless that is expected.",
    schema: schema::replace_content,
    annotations: Annotations::CHANGES,
    risk: Risk::SafeWrite,
    reach: Reach::Project,
    run: |call| run(call, request::replace_content),
};

pub(super) const DELETE_LINES: Tool = Tool {
    name: "delete_lines",
    title: "Delete lines",
    description: "Deletes a range of lines of a file.",
    schema: schema::delete_lines,
    annotations: Annotations::CHANGES,
    risk: Risk::SafeWrite,
    reach: Reach::Project,
    run: |call| run(call, request::delete_lines),
};

pub(super) const REPLACE_LINES: Tool = Tool {
    name: "replace_lines",
    title: "Replace lines",
    description: "Replaces a range of lines of a file by the given content.",
    schema: schema::replace_lines,
    annotations: Annotations::CHANGES,
    risk: Risk::SafeWrite,
    reach: Reach::Project,
    run: |call| run(call, request::replace_lines),
};

pub(super) const INSERT_AT_LINE: Tool = Tool {
    name: "insert_at_line",
    title: "Insert lines",
    description: "Inserts content before a line of a file; one past the last line appends.",
    schema: schema::insert_at_line,
    annotations: Annotations::ADDS,
    risk: Risk::SafeWrite,
    reach: Reach::Project,
    run: |call| run(call, request::insert_at_line),
};

pub(super) const APPLY_PATCH: Tool = Tool {
    name: "apply_patch",
    title: "Apply patch",
    description: "Applies a patch to any number of files, wholly or not at all: a unified diff, or the form `*** Begin \
        Patch` … `*** End Patch`. A hunk goes where its context stands, once and only there.",
    schema: schema::apply_patch,
    annotations: Annotations::CHANGES,
    risk: Risk::SafeWrite,
    reach: Reach::Project,
    run: |call| run(call, request::apply_patch),
};

/// Reads what a tool is to do.
type Read = fn(&Arguments<'_>) -> Result<crate::ops::edits::What, Reply>;

fn run(call: Call<'_>, read: Read) -> Running<'_> {
    Box::pin(async move {
        let asked = asked(&call, read);
        match asked {
            Ok(asked) => perform(&call, asked).await.unwrap_or_else(|reply| reply),
            Err(reply) => reply,
        }
    })
}

/// Makes the edit, or shows what it would change.
async fn perform(call: &Call<'_>, asked: Asked) -> Result<Reply, Reply> {
    let Asked { request, trial, limit } = asked;
    if trial == Trial::Dry {
        let would = dry_run(call.project, request).await.map_err(refusal)?;
        return Ok(Reply::done(text::would_text(&would, limit)));
    }
    let by = By { who: call.client.name().to_owned(), tool: call.tool.to_owned(), title: String::new() };
    let done = perform_edit(call.project, request, Report::NewDiagnostics, by).await.map_err(refusal)?;
    remember(call, &done.applied);
    Ok(Reply::done(text::done_text(&done, limit)))
}

/// Whether anything is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    Real,
    Dry,
}

fn trial(arguments: &Arguments<'_>) -> Result<Trial, Reply> {
    Ok(if arguments.boolean_or("dry_run", false).map_err(failed)? { Trial::Dry } else { Trial::Real })
}

/// The client knows what it has written itself.
fn remember(call: &Call<'_>, applied: &crate::edit::Applied) {
    for file in &applied.files {
        match file.after {
            Some(hash) => call.client.has_read(&file.path, hash),
            None => call.client.forget(&file.path),
        }
    }
}

/// Why nothing was done.
fn refusal(error: PerformError) -> Reply {
    match error {
        PerformError::Make(MakeError::Target(error)) => refused(Refusal::Question(error.into())),
        PerformError::Make(MakeError::Lines(error)) => failed(line_error(&error)),
        PerformError::Question(error) => refused(Refusal::Question(error)),
        PerformError::Apply(error) => not_applied(&error),
        PerformError::Engine(_) => Reply { outcome: Outcome::NotReady, ..failed(error) },
        other => failed(other),
    }
}

fn not_applied(error: &ApplyError) -> Reply {
    match error {
        ApplyError::Edit(EditError::RecoveryDue { .. }) => {
            Reply { outcome: Outcome::NotReady, ..failed(error) }
        }
        _ => failed(error),
    }
}

/// The same in 1-based lines.
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

/// An argument, unless it is null.
fn json_or(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| !value.is_null())
}
