//! `diagnostics` and `list_code_actions` of `native`.

use serde_json::{Value, json};

use super::answer::{Footer, Format, fitting, format};
use super::edits::text::unknown;
use super::files::{counted, failed, limit};
use super::reference_text::within as inside;
use super::render::truncate;
use super::server_tools::{edit_selector, format_refusal, schema, server_wait, why_not};
use crate::arguments::Arguments;
use crate::server_questions::{outcome_of, within};
use crate::{Call, Outcome, Reply, Tool};
use symd_lsp::{CodeAction, Severity};
use symd_ops::code_actions::{AskCodeActions, CodeActions, Over, code_actions};
use symd_ops::diagnostics::{AskDiagnostics, Diagnostics, LocatedDiagnostic, Of, diagnostics};
use symd_ops::edits::EditEffects;

pub(super) const DIAGNOSTICS: Tool = Tool::read_only(
    "diagnostics",
    "Diagnostics",
    "Errors and warnings of the language servers (compiler errors, type errors, lint) \
     in a file, within one symbol, or in the whole project. Use it after a change.",
    diagnostics_schema,
    |call| Box::pin(async move { run_diagnostics(&call).await.unwrap_or_else(|reply| reply) }),
);

pub(super) const LIST_CODE_ACTIONS: Tool = Tool::read_only(
    "list_code_actions",
    "List code actions",
    "Quick fixes and refactorings that the language server offers for lines of a \
     file or for a symbol. Lists them; applies nothing.",
    code_actions_schema,
    |call| Box::pin(async move { run_code_actions(&call).await.unwrap_or_else(|reply| reply) }),
);

/// The maximum number of files with syntax errors that are listed. Where a grammar lags behind its language,
/// there are many.
const MAX_BROKEN: usize = 20;

const SEVERITIES: [(&str, Severity); 4] = [
    ("error", Severity::Error),
    ("warning", Severity::Warning),
    ("information", Severity::Information),
    ("hint", Severity::Hint),
];

fn diagnostics_schema() -> Value {
    let own = json!({
        "relative_path": {"type": "string", "default": "", "description": "The file; empty (and without name_path) for the whole project."},
        "name_path": {"type": "string", "description": "Only those within this symbol."},
        "min_severity": {"type": "string", "enum": ["error", "warning", "information", "hint"], "default": "warning", "description": "Nothing milder."},
    });
    schema(own, &[])
}

fn code_actions_schema() -> Value {
    let own = json!({
        "relative_path": {"type": "string", "default": "", "description": "The file."},
        "start_line": {"type": "integer", "minimum": 1, "description": "First line, 1-based."},
        "end_line": {"type": "integer", "minimum": 1, "description": "Last line, 1-based, inclusive; start_line when absent."},
        "name_path": {"type": "string", "description": "Instead of lines: a symbol."},
    });
    schema(own, &[])
}

async fn run_diagnostics(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let patience = server_wait(&arguments).map_err(failed)?;
    let word = arguments
        .one_of_or("min_severity", &["error", "warning", "information", "hint"], "warning")
        .map_err(failed)?;
    let at_least = SEVERITIES.iter().find(|(known, _)| *known == word).map_or(Severity::Warning, |one| one.1);
    let file = arguments.string_or("relative_path", "").map_err(failed)?;
    let of = match (arguments.string_if("name_path").map_err(failed)?, file) {
        (Some(_), _) => Of::Symbol(edit_selector(&arguments).map_err(failed)?),
        (None, "") => Of::Project,
        (None, file) => Of::File(file.to_owned()),
    };
    let (limit, format) = (limit(&arguments).map_err(failed)?, format(&arguments).map_err(failed)?);
    let ask = AskDiagnostics { of, at_least, waiting: patience.waiting };
    let op = diagnostics(call.project, &ask);
    let found = within(call.project, patience.at_most, op).await.map_err(format_refusal)?;
    let text = match format {
        Format::Json => diagnostics_json(&found, limit),
        Format::Text => diagnostics_text(&found, limit),
    };
    Ok(Reply { outcome: outcome(&found), ..Reply::done(text) })
}

/// Returns the outcome of the call, which failed if no server answered.
fn outcome(found: &Diagnostics) -> Outcome {
    match found.no_answer.first() {
        Some(why) if found.servers.is_empty() => {
            let outcomes: Vec<Outcome> = found.no_answer.iter().map(outcome_of).collect();
            if outcomes.contains(&Outcome::NotReady) { Outcome::NotReady } else { outcome_of(why) }
        }
        // No file is in a language with a known server.
        None if found.servers.is_empty() => Outcome::NoServer,
        _ => Outcome::Done,
    }
}

fn diagnostics_text(found: &Diagnostics, limit: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for of_file in found.found.chunk_by(|a, b| a.spot.path == b.spot.path) {
        lines.push(of_file[0].spot.path.to_string());
        lines.extend(of_file.iter().map(|one| format!(" {}", diagnostic_line(one))));
    }
    if !found.syntax_errors.is_empty() {
        lines.push("syntax errors in:".to_owned());
        lines.extend(found.syntax_errors.iter().take(MAX_BROKEN).map(|path| format!(" {path}")));
        if let more @ 1.. = found.syntax_errors.len().saturating_sub(MAX_BROKEN) {
            lines.push(format!(" … and {more} more"));
        }
    }
    if lines.is_empty() {
        let nothing = match (found.servers.is_empty(), is_whole(found)) {
            (true, _) => "No language server answered.",
            (false, true) => "No diagnostics.",
            (false, false) => "No diagnostics so far; not everything was checked.",
        };
        lines.push(nothing.to_owned());
    }
    let mut text = lines.join("\n");
    let counts = counted(found.found.len(), "diagnostic", "diagnostics");
    let mut footer = Footer::new(counts);
    if !found.servers.is_empty() {
        footer.set_source(found.servers.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
    }
    if found.dropped > 0 {
        footer.add_note(format!("dropped {} outside the text", counted(found.dropped, "range", "ranges")));
    }
    reasons(found).into_iter().for_each(|why| footer.add_incomplete(why));
    for server in &found.partial {
        footer.add_incomplete(format!(
            "{server} reported only files that it checked by itself, not the whole project; give a path"
        ));
    }
    if found.servers.is_empty() && found.no_answer.is_empty() {
        footer.add_incomplete("no file here is in a language with a known server".to_owned());
    }
    if truncate(&mut text, limit) {
        footer.add_incomplete(format!(
            "cut at {limit} characters; ask for one file, give min_severity, or raise limit"
        ));
    }
    format!("{text}\n{footer}")
}

/// Whether servers answered for every file that was asked about.
fn is_whole(found: &Diagnostics) -> bool {
    !found.servers.is_empty() && found.no_answer.is_empty() && found.partial.is_empty()
}

/// Returns the reasons why servers did not answer, each once: a server of several languages gives the same
/// one for each.
fn reasons(found: &Diagnostics) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for why in found.no_answer.iter().map(why_not) {
        if !reasons.contains(&why) {
            reasons.push(why);
        }
    }
    reasons
}

/// `12 error in Class/method: message [rule]`
pub(super) fn diagnostic_line(one: &LocatedDiagnostic) -> String {
    let rule = one.diagnostic.code.as_ref().map_or_else(String::new, |code| format!(" [{code}]"));
    let message = one.diagnostic.message.trim().replace('\n', "\n   ");
    format!(
        "{} {}{}: {message}{rule}",
        one.spot.line + 1,
        severity(one.diagnostic.severity),
        inside(&one.spot)
    )
}

fn severity(severity: Severity) -> &'static str {
    SEVERITIES.iter().find(|(_, known)| *known == severity).map_or("error", |one| one.0)
}

fn diagnostics_json(found: &Diagnostics, limit: usize) -> String {
    let all: Vec<Value> = found.found.iter().map(diagnostic_json).collect();
    let shown = fitting(&all, limit);
    let why = reasons(found);
    let broken: Vec<&str> = found.syntax_errors.iter().map(|path| path.as_str()).collect();
    json!({
        "diagnostics": all[..shown], "left_out": all.len() - shown, "dropped": found.dropped,
        "sources": found.servers, "partial": found.partial, "no_answer": why, "syntax_errors": broken,
        "complete": is_whole(found) && shown == all.len(), "revision": found.revision,
    })
    .to_string()
}

/// Returns the diagnostics that an edit caused, as JSON: `known`, then the new ones and their servers, or why
/// they are unknown.
pub(super) fn caused_json(caused: &EditEffects) -> Value {
    match caused {
        EditEffects::Known { new, servers } => {
            let new: Vec<Value> = new.iter().map(diagnostic_json).collect();
            json!({ "known": true, "new": new, "sources": servers })
        }
        EditEffects::Unknown(why) => json!({ "known": false, "why": unknown(why) }),
    }
}

fn diagnostic_json(one: &LocatedDiagnostic) -> Value {
    json!({
        "path": one.spot.path.as_str(), "line": one.spot.line + 1, "severity": severity(one.diagnostic.severity),
        "message": one.diagnostic.message, "code": one.diagnostic.code, "source": one.diagnostic.source,
        "in": one.spot.inside.as_ref().map(|inside| &inside.name_path),
    })
}

async fn run_code_actions(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let patience = server_wait(&arguments).map_err(failed)?;
    let (limit, format) = (limit(&arguments).map_err(failed)?, format(&arguments).map_err(failed)?);
    let ask = AskCodeActions { over: over(&arguments)?, waiting: patience.waiting };
    let op = code_actions(call.project, &ask);
    let found = within(call.project, patience.at_most, op).await.map_err(format_refusal)?;
    Ok(Reply::done(match format {
        Format::Json => actions_json(&found, limit),
        Format::Text => actions_text(&found, limit),
    }))
}

pub(super) fn over(arguments: &Arguments<'_>) -> Result<Over, Reply> {
    if arguments.string_if("name_path").map_err(failed)?.is_some() {
        return Ok(Over::Symbol(edit_selector(arguments).map_err(failed)?));
    }
    let first = arguments.count_or("start_line", 0).map_err(failed)?;
    let last = arguments.count_or("end_line", first).map_err(failed)?;
    if first == 0 || last < first {
        return Err(failed("give path with start_line (from 1) and end_line, or a name_path"));
    }
    let relative_path = arguments.string("relative_path").map_err(failed)?.to_owned();
    Ok(Over::Lines { relative_path, first: first - 1, last: last - 1 })
}

fn actions_text(found: &CodeActions, limit: usize) -> String {
    let lines: Vec<String> = found.actions.iter().map(action_line).collect();
    let mut text = if lines.is_empty() { "No code actions.".to_owned() } else { lines.join("\n") };
    let counts = counted(found.actions.len(), "code action", "code actions");
    let mut footer = Footer::new(counts);
    footer.set_source(found.server.clone());
    if truncate(&mut text, limit) {
        footer.add_incomplete(format!("cut at {limit} characters; raise limit"));
    }
    format!("{text}\n{footer}")
}

fn action_line(action: &CodeAction) -> String {
    let kind = action.kind.as_ref().map_or_else(String::new, |kind| format!("{kind}: "));
    let preferred = if action.preferred { " (preferred)" } else { "" };
    let disabled = action.disabled.as_ref().map_or_else(String::new, |why| format!(" (disabled: {why})"));
    format!("{kind}{}{preferred}{disabled}", action.title)
}

fn actions_json(found: &CodeActions, limit: usize) -> String {
    let all: Vec<Value> = found
        .actions
        .iter()
        .map(|one| {
            json!({ "title": one.title, "kind": one.kind, "preferred": one.preferred, "disabled": one.disabled })
        })
        .collect();
    let shown = fitting(&all, limit);
    json!({
        "code_actions": all[..shown], "left_out": all.len() - shown, "source": found.server,
        "revision": found.revision, "complete": shown == all.len(),
    })
    .to_string()
}
