//! `format` and `apply_code_action` of `native`.

use serde_json::{Value, json};

use super::answer::{Footer, Format, format};
use super::asked::{patience_of_edit, refused, schema};
use super::diagnostics::over;
use super::edited::{counts, diff_text, dry_run, file_lines, files_json, remember};
use super::edits::text::caused_text;
use super::files::{failed, limit};
use crate::edit::By;
use crate::ops::edits::preview;
use crate::ops::format::{
    ApplyCodeAction, AskFormat, ServerPlan, ServerPlanError, apply, code_action, format as format_file,
};
use crate::toolsets::arguments::Arguments;
use crate::toolsets::asked::{Refusal, in_time};
use crate::toolsets::{Annotations, Call, Reach, Reply, Risk, Running, Tool};

/// `format`.
pub(super) const FORMAT: Tool = Tool {
    name: "format",
    title: "Format",
    description: "Formats a file, or lines of it, by its language server. Can be undone.",
    schema: format_schema,
    annotations: Annotations::CHANGES,
    risk: Risk::SafeWrite,
    reach: Reach::Project,
    run: run_format,
};

/// `apply_code_action`.
pub(super) const APPLY_CODE_ACTION: Tool = Tool {
    name: "apply_code_action",
    title: "Apply code action",
    description: "Applies a quick fix or refactoring that list_code_actions lists for the same lines or symbol, by its \
        title; all files or none. Can be undone.",
    schema: action_schema,
    annotations: Annotations::CHANGES,
    risk: Risk::SafeWrite,
    reach: Reach::Project,
    run: run_action,
};

fn waiting() -> Value {
    json!({"type": "string", "enum": ["no", "ready"], "default": "ready", "description": "ready: wait for a language server that is still starting; no: fail then."})
}

fn format_schema() -> Value {
    let own = json!({
        "relative_path": {"type": "string", "description": "The file."},
        "start_line": {"type": "integer", "minimum": 1, "description": "Only from this line on, 1-based."},
        "end_line": {"type": "integer", "minimum": 1, "description": "Last line, 1-based, inclusive; start_line when absent."},
        "dry_run": dry_run(),
        "wait": waiting(),
    });
    schema(own, &["relative_path"])
}

fn action_schema() -> Value {
    let own = json!({
        "title": {"type": "string", "description": "As list_code_actions writes it, without its kind."},
        "relative_path": {"type": "string", "default": "", "description": "The file."},
        "start_line": {"type": "integer", "minimum": 1, "description": "First line, 1-based."},
        "end_line": {"type": "integer", "minimum": 1, "description": "Last line, 1-based, inclusive; start_line when absent."},
        "name_path": {"type": "string", "description": "Instead of lines: a symbol."},
        "dry_run": dry_run(),
        "wait": waiting(),
    });
    schema(own, &["title"])
}

fn run_format(call: Call<'_>) -> Running<'_> {
    Box::pin(async move { formatted(&call).await.unwrap_or_else(|reply| reply) })
}

fn run_action(call: Call<'_>) -> Running<'_> {
    Box::pin(async move { action_applied(&call).await.unwrap_or_else(|reply| reply) })
}

async fn formatted(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let patience = patience_of_edit(&arguments).map_err(failed)?;
    let relative_path = arguments.string("relative_path").map_err(failed)?.to_owned();
    let first = arguments.count_if("start_line").map_err(failed)?;
    let last = arguments.count_if("end_line").map_err(failed)?;
    let lines = match (first, last) {
        (None, None) => None,
        (Some(first @ 1..), last) if last.unwrap_or(first) >= first => {
            Some((first - 1, last.unwrap_or(first) - 1))
        }
        _ => return Err(failed("start_line begins at 1, and end_line, which needs it, is not before it")),
    };
    let title = format!("format {relative_path}");
    let ask = AskFormat { relative_path, lines, waiting: patience.waiting };
    let op = format_file(call.project, &ask);
    let planned = in_time(call.project, patience.at_most, op).await.map_err(refused)?;
    carried_out(call, &arguments, planned, title).await
}

async fn action_applied(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let patience = patience_of_edit(&arguments).map_err(failed)?;
    let title = arguments.string("title").map_err(failed)?.to_owned();
    let ask = ApplyCodeAction { over: over(&arguments)?, title: title.clone(), waiting: patience.waiting };
    let op = code_action(call.project, &ask);
    let planned = in_time(call.project, patience.at_most, op).await.map_err(refused)?;
    carried_out(call, &arguments, planned, title).await
}

/// Shows the edit, or makes it.
async fn carried_out(
    call: &Call<'_>,
    arguments: &Arguments<'_>,
    planned: Result<ServerPlan, ServerPlanError>,
    title: String,
) -> Result<Reply, Reply> {
    let planned = planned.map_err(refusal)?;
    let (limit, format) = (limit(arguments).map_err(failed)?, format(arguments).map_err(failed)?);
    let mut footer = Footer::new(counts(&planned.files), planned.revision);
    footer.source(planned.server.clone());
    planned.notes.iter().for_each(|note| footer.note(format!("the server says: {note}")));
    let mut facts = json!({
        "changes": planned.files.iter().map(|(_, count)| count).sum::<usize>(), "files": files_json(&planned.files),
        "notes": planned.notes, "source": planned.server, "revision": planned.revision,
    });
    let mut lines;
    if arguments.boolean_or("dry_run", false).map_err(failed)? {
        let diffs = preview(call.project, planned.plan.clone()).await.map_err(failed)?;
        let (diff, is_cut) = diff_text(&diffs, limit);
        facts["diff"] = json!(diff);
        footer.note("nothing is changed yet".to_owned());
        if is_cut {
            footer.incomplete(format!("the diff is cut at {limit} characters; raise limit"));
        }
        lines = vec![diff];
    } else {
        let by = By { who: call.client.name().to_owned(), tool: call.tool.to_owned(), title };
        let (applied, caused) = apply(call.project, &planned, by).await.map_err(refusal)?;
        remember(&call.client, &applied);
        facts["operation"] = json!(applied.id.map(|id| id.0));
        lines = file_lines(&planned.files, &planned.renamed);
        if let Some(id) = applied.id {
            let mut new = String::new();
            footer.note(format!("operation {id}"));
            footer.note(caused_text(&caused, &mut new));
            lines.extend(new.lines().map(str::to_owned));
        }
    }
    lines.retain(|line| !line.is_empty());
    if lines.is_empty() {
        lines.push("Nothing to change.".to_owned());
    }
    Ok(Reply::done(match format {
        Format::Json => facts.to_string(),
        Format::Text => format!("{}\n{footer}", lines.join("\n")),
    }))
}

fn refusal(error: ServerPlanError) -> Reply {
    match error {
        ServerPlanError::Question(error) => refused(Refusal::Question(error)),
        error => failed(error),
    }
}
