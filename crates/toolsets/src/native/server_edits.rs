//! `format` and `apply_code_action` of `native`.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::answer::{Footer, Format, format};
use super::diagnostics::{caused_json, over};
use super::edits::request::{base, given};
use super::edits::schema::expect;
use super::edits::text::{add_unsettled_buffers, caused_text, operation_of};
use super::files::{failed, limit};
use super::server_edit_text::{
    counts, diff_text, dry_run, expect_of_each, file_lines, files_json, remember_expected,
};
use super::server_tools::{edit_server_wait, format_refusal, schema};
use crate::arguments::Arguments;
use crate::server_questions::{NoAnswerReason, in_time};
use crate::{Call, Reply, ReplyFuture, Tool};
use symd_edit::Originator;
use symd_ops::Project;
use symd_ops::code_actions::Over;
use symd_ops::edits::{
    AppliedEdit, ApplyError, AttemptError, DiagnosticsReport, ExpectForm, ExpectedRevisions,
    MultiFileOptions, NamedRevisions, RetryPolicy, check_base, plan_and_apply, preview,
};
use symd_ops::format::{
    ApplyCodeAction, AskFormat, ServerPlan, ServerPlanError, code_action, format as format_file,
};

pub(super) const FORMAT: Tool = Tool::changing(
    "format",
    "Format",
    "Formats a file, or lines of it, by its language server. Can be undone.",
    format_schema,
    |call| run(call, ServerEditArgs::format),
)
.checked_by(|proposed| ServerEditArgs::format(proposed.arguments).map(drop));

pub(super) const APPLY_CODE_ACTION: Tool = Tool::changing(
    "apply_code_action",
    "Apply code action",
    "Applies a quick fix or refactoring that list_code_actions lists for the same lines or symbol, by its \
     title; all files or none. Can be undone.",
    action_schema,
    |call| run(call, ServerEditArgs::action),
)
.checked_by(|proposed| ServerEditArgs::action(proposed.arguments).map(drop));

fn waiting() -> Value {
    json!({"type": "string", "enum": ["no", "ready"], "default": "ready", "description": "ready: wait for a language server that is still starting; no: fail then."})
}

fn format_schema() -> Value {
    let own = json!({
        "relative_path": {"type": "string", "description": "The file."},
        "start_line": {"type": "integer", "minimum": 1, "description": "Only from this line on, 1-based."},
        "end_line": {"type": "integer", "minimum": 1, "description": "Last line, 1-based, inclusive; start_line when absent."},
        "dry_run": dry_run(),
        "expect": expect(),
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
        "expect": expect_of_each(),
        "wait": waiting(),
    });
    schema(own, &["title"])
}

/// The arguments of an edit that a server computes.
struct ServerEditArgs {
    ask: Ask,
    at_most: Duration,
    /// The title in the history.
    title: String,
    given: Option<NamedRevisions>,
    is_shown_only: bool,
    limit: usize,
    format: Format,
}

impl ServerEditArgs {
    /// Parses the arguments of `format`.
    fn format(all: &Map<String, Value>) -> Result<ServerEditArgs, Reply> {
        let arguments = Arguments::new(all);
        let patience = edit_server_wait(&arguments).map_err(failed)?;
        let relative_path = arguments.string("relative_path").map_err(failed)?.to_owned();
        let first = arguments.count_if("start_line").map_err(failed)?;
        let last = arguments.count_if("end_line").map_err(failed)?;
        let lines = match (first, last) {
            (None, None) => None,
            (Some(first @ 1..), last) if last.unwrap_or(first) >= first => {
                Some((first - 1, last.unwrap_or(first) - 1))
            }
            _ => return Err(failed("start_line (from 1) is required with end_line and must not exceed it")),
        };
        let title = format!("format {relative_path}");
        let ask = AskFormat { relative_path, lines, waiting: patience.waiting };
        ServerEditArgs::of(Ask::Format(ask), patience.at_most, title, all)
    }

    /// Parses the arguments of `apply_code_action`.
    fn action(all: &Map<String, Value>) -> Result<ServerEditArgs, Reply> {
        let arguments = Arguments::new(all);
        let patience = edit_server_wait(&arguments).map_err(failed)?;
        let title = arguments.string("title").map_err(failed)?.to_owned();
        let ask =
            ApplyCodeAction { over: over(&arguments)?, title: title.clone(), waiting: patience.waiting };
        ServerEditArgs::of(Ask::Action(ask), patience.at_most, title, all)
    }

    /// Parses the arguments that both tools have.
    fn of(
        ask: Ask,
        at_most: Duration,
        title: String,
        all: &Map<String, Value>,
    ) -> Result<ServerEditArgs, Reply> {
        let arguments = Arguments::new(all);
        let (limit, format) = (limit(&arguments).map_err(failed)?, format(&arguments).map_err(failed)?);
        let is_shown_only = arguments.boolean_or("dry_run", false).map_err(failed)?;
        Ok(ServerEditArgs { ask, at_most, title, given: given(all)?, is_shown_only, limit, format })
    }
}

/// The function that parses the arguments of one of the tools.
type Read = fn(&Map<String, Value>) -> Result<ServerEditArgs, Reply>;

fn run(call: Call<'_>, read: Read) -> ReplyFuture<'_> {
    Box::pin(async move {
        match read(&call.arguments) {
            Ok(edit) => apply_or_preview(&call, edit).await.unwrap_or_else(|reply| reply),
            Err(reply) => reply,
        }
    })
}

/// The request to the server.
enum Ask {
    Format(AskFormat),
    Action(ApplyCodeAction),
}

impl Ask {
    async fn plan(&self, project: &Project) -> Result<ServerPlan, ServerPlanError> {
        match self {
            Ask::Format(ask) => format_file(project, ask).await,
            Ask::Action(ask) => code_action(project, ask).await,
        }
    }

    /// Returns the accepted form of `expect`: formatting changes only one file.
    fn form(&self) -> ExpectForm {
        match self {
            Ask::Format(_) => ExpectForm::Alone,
            Ask::Action(_) => ExpectForm::ByPath,
        }
    }

    /// Whether the edit may be planned again: given line numbers may mean other lines once a file has
    /// changed.
    fn again(&self) -> RetryPolicy {
        match self {
            Ask::Format(AskFormat { lines: Some(_), .. })
            | Ask::Action(ApplyCodeAction { over: Over::Lines { .. }, .. }) => RetryPolicy::Never,
            _ => RetryPolicy::Allowed,
        }
    }
}

/// Makes the edit, or only plans it.
async fn plan_or_apply(
    call: &Call<'_>,
    edit: &ServerEditArgs,
    base: &ExpectedRevisions,
) -> Result<(ServerPlan, Option<AppliedEdit>), Reply> {
    let ask = &edit.ask;
    let options = MultiFileOptions {
        retry: ask.again(),
        dry_run: edit.is_shown_only,
        report: DiagnosticsReport::NewDiagnostics,
    };
    let planning = || async {
        let planned = in_time(call.project, edit.at_most, ask.plan(call.project)).await;
        let planned = planned.map_err(|why| AttemptError::Final(format_refusal(why)))?;
        let planned: ServerPlan =
            planned.map_err(|error| AttemptError::new(error, |error| error.is_conflict()).map(refusal))?;
        check_base(&planned, base, ask.form()).map_err(|stale| AttemptError::Final(failed(stale)))?;
        let (who, tool) = (call.client.name().to_owned(), call.tool.to_owned());
        Ok((planned, Originator { who, tool, title: edit.title.clone() }))
    };
    plan_and_apply(call.project, options, planning, |error: ApplyError| refusal(error.into())).await
}

/// Makes the edit, or shows what it would change.
async fn apply_or_preview(call: &Call<'_>, mut edit: ServerEditArgs) -> Result<Reply, Reply> {
    let base = base(call, edit.given.take());
    let (planned, carried) = plan_or_apply(call, &edit, &base).await?;
    let ServerEditArgs { limit, format, .. } = edit;
    let mut footer = Footer::new(counts(&planned.files));
    footer.set_source(planned.server.clone());
    planned.notes.iter().for_each(|note| footer.add_note(format!("the server says: {note}")));
    let mut facts = json!({
        "changes": planned.files.iter().map(|(_, count)| count).sum::<usize>(), "files": files_json(&planned.files),
        "notes": planned.notes, "source": planned.server, "revision": planned.revision,
    });
    let mut lines;
    if let Some(carried) = carried {
        remember_expected(&call.client, &carried.applied, &base.of_file(&planned.asked_at.0));
        let id = carried.applied.id;
        let operation = operation_of(&carried.applied);
        facts["operation"] = json!(id.map(|id| id.0));
        add_unsettled_buffers(&carried.applied, &mut facts);
        let caused = carried.caused(call.project).await;
        facts["new_diagnostics"] = caused_json(&caused);
        lines = file_lines(&planned.files, &planned.renamed);
        if id.is_some() {
            let mut new = String::new();
            footer.add_note(operation);
            footer.add_note(caused_text(&caused, &mut new));
            lines.extend(new.lines().map(str::to_owned));
        }
    } else {
        let diffs = preview(call.project, planned.plan.clone()).await.map_err(failed)?;
        let (diff, is_cut) = diff_text(&diffs, limit);
        facts["diff"] = json!(diff);
        footer.add_note("nothing is changed yet".to_owned());
        if is_cut {
            footer.add_incomplete(format!("the diff is cut at {limit} characters; raise limit"));
        }
        lines = vec![diff];
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
        ServerPlanError::Question(error) => format_refusal(NoAnswerReason::Question(error)),
        error => failed(error),
    }
}
