//! The parts that native's tools for language servers share: the arguments for a symbol and for the wait, the
//! texts of refusals, the source of an answer.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::answer::{FORMAT, Footer};
use super::files::{DEFAULT_LIMIT, LIMIT, failed};
use super::render::{Signatures, line};
use crate::arguments::{ArgumentError, Arguments};
use crate::server_questions::NoAnswerReason;
use crate::{Client, Reply};
use symd_lsp::{ServerError, WaitPolicy};
use symd_ops::question::{QuestionError, Source};
use symd_ops::symbol::Symbol;
use symd_ops::target::{AmbiguityPolicy, Reading, SymbolSelector, TargetError};
use symd_resolve::Role;

/// The default of `deadline_seconds`.
pub(super) const DEFAULT_DEADLINE: usize = 60;
/// The maximum of `deadline_seconds`: an hour.
const MAX_DEADLINE: usize = 3_600;

/// The maximum number of candidates that are listed when several symbols match.
const MAX_CANDIDATES: usize = 20;

/// The maximum length of a reason shown beside an answer, in characters.
const MAX_REASON: usize = 300;

/// The wait for a server that is not ready.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerWait {
    pub(super) waiting: WaitPolicy,
    /// The maximum duration of that wait.
    pub(super) at_most: Duration,
}

/// Returns a schema of these properties and those that all such tools share.
pub(super) fn schema(properties: Value, required: &[&str]) -> Value {
    let mut all = json!({
        "wait": {"type": "string", "enum": ["no", "ready"], "default": "no", "description": "no: answer from syntax while a language server is still starting, and say so; ready: wait for it."},
        "deadline_seconds": {"type": "integer", "minimum": 1, "default": DEFAULT_DEADLINE, "description": "How long wait: ready waits."},
        "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT},
        "format": {"type": "string", "enum": ["text", "json"], "default": "text", "description": FORMAT},
    });
    if let (Value::Object(all), Value::Object(own)) = (&mut all, properties) {
        all.extend(own);
    }
    json!({ "type": "object", "properties": all, "required": required })
}

/// Returns the schema of `name_path`.
pub(super) fn name_path() -> Value {
    json!({"type": "string", "description": "The symbol: `name`, `Class/method`, `/top_level_name`, `name[1]` for the second of several."})
}

/// Returns the schema of `relative_path` for tools that take a symbol.
pub(super) fn relative_path() -> Value {
    json!({"type": "string", "default": "", "description": "The file (or directory, or `file:line`) that declares the symbol; needed where several have that name path."})
}

/// Parses the symbol that a question is about.
pub(super) fn selector(arguments: &Arguments<'_>) -> Result<SymbolSelector, ArgumentError> {
    Ok(SymbolSelector {
        several: AmbiguityPolicy::OneEntity,
        reading: Reading::Free,
        ..edit_selector(arguments)?
    })
}

/// Parses the symbol that an edit is to change. Its name is taken literally, never read as another one.
pub(super) fn edit_selector(arguments: &Arguments<'_>) -> Result<SymbolSelector, ArgumentError> {
    Ok(SymbolSelector::only(arguments.string("name_path")?, arguments.string_or("relative_path", "")?))
}

/// Parses the wait of a question; the default is not to wait.
pub(super) fn server_wait(arguments: &Arguments<'_>) -> Result<ServerWait, ArgumentError> {
    server_wait_or(arguments, "no")
}

/// Parses the wait of an edit that only a server can make; the default is to wait until the server is ready.
pub(super) fn edit_server_wait(arguments: &Arguments<'_>) -> Result<ServerWait, ArgumentError> {
    server_wait_or(arguments, "ready")
}

/// Whether the client wants to wait for servers.
pub(super) fn is_waiting(arguments: &Arguments<'_>) -> Result<bool, ArgumentError> {
    Ok(arguments.one_of_or("wait", &["no", "ready"], "no")? == "ready")
}

fn server_wait_or(arguments: &Arguments<'_>, default: &'static str) -> Result<ServerWait, ArgumentError> {
    let seconds = arguments.count_or("deadline_seconds", DEFAULT_DEADLINE)?;
    if seconds == 0 {
        return Err(arguments.invalid("deadline_seconds", "a positive integer"));
    }
    let at_most = Duration::from_secs(u64::try_from(seconds.min(MAX_DEADLINE)).unwrap_or(0));
    Ok(match arguments.one_of_or("wait", &["no", "ready"], default)? {
        "ready" => ServerWait { waiting: WaitPolicy::Until(Instant::now() + at_most), at_most },
        _ => ServerWait { waiting: WaitPolicy::DontWait, at_most: Duration::ZERO },
    })
}

/// Formats a refusal: why there is no answer, and what to do.
pub(super) fn format_refusal(refusal: NoAnswerReason) -> Reply {
    let outcome = refusal.outcome();
    let text = match refusal {
        NoAnswerReason::TooLate(text) => text,
        NoAnswerReason::Question(QuestionError::Target(error)) => target_error_text(&error),
        NoAnswerReason::Question(QuestionError::Engine(error)) => format!("Error: {error}"),
        NoAnswerReason::Question(error) => error.to_string(),
    };
    Reply { outcome, ..failed(text) }
}

fn target_error_text(error: &TargetError) -> String {
    let mut text = error.to_string();
    match error {
        TargetError::None { elsewhere, similar, similar_may_lack, gaps, meant, .. } => {
            for gap in gaps.unread.clauses().iter().chain(&gaps.not_outlined) {
                text.push_str(&format!(". But {gap}"));
            }
            if !meant.is_empty() {
                text.push_str(". Did you mean:");
                list(meant, &mut text);
            } else if !elsewhere.is_empty() {
                text.push_str(". Symbols with this name elsewhere:");
                list(elsewhere, &mut text);
            } else if !similar.is_empty() {
                text.push_str(&format!(". Similar names: {}", similar.join(", ")));
            }
            if *similar_may_lack && meant.is_empty() {
                text.push_str(if similar.is_empty() { ". Similar names" } else { "; others" });
                text.push_str(" are not known before all files are read");
            }
        }
        TargetError::Several { candidates, .. } => {
            text.push_str("; give the name path of one, and its file (or file:line) as path:");
            list(candidates, &mut text);
        }
        TargetError::Pattern(_) | TargetError::Symbol(_) => {}
    }
    text
}

fn list(symbols: &[Symbol], text: &mut String) {
    for symbol in symbols.iter().take(MAX_CANDIDATES) {
        text.push_str(&format!("\n{}:{}", symbol.path, line(symbol, &symbol.name_path, Signatures::Shown)));
    }
    if let more @ 1.. = symbols.len().saturating_sub(MAX_CANDIDATES) {
        text.push_str(&format!("\n… and {more} more"));
    }
}

/// Notes how a name was interpreted, where it is not a name path of the project.
pub(super) fn note_reading(read_as: Option<&String>, footer: &mut Footer) {
    if let Some(meaning) = read_as {
        footer.add_note(format!("read as {meaning}"));
    }
}

/// Adds that interpretation to a JSON answer, as `read_as`.
pub(super) fn reading_json(read_as: Option<&String>, object: &mut Value) {
    if let Some(meaning) = read_as {
        object["read_as"] = json!(meaning);
    }
}

/// States the source of an answer. A client is given the reason for a missing server once, or every time if
/// the reason may pass.
pub(super) fn note_source(source: &Source, client: &Client, footer: &mut Footer) {
    match source {
        Source::Server(name) => footer.set_source(name.clone()),
        Source::Syntax(why) => {
            let reason = briefly(why);
            let is_told = client.note_reason(&reason) || why.may_pass();
            footer.set_source(if is_told { format!("syntax ({reason})") } else { "syntax".to_owned() });
        }
    }
}

/// Adds the source to a JSON answer (`source`), with the reason why it is not a server (`no_server`).
pub(super) fn source_json(source: &Source, object: &mut Value) {
    object["source"] = json!(source.name());
    if let Source::Syntax(why) = source {
        object["no_server"] = json!({ "why": why.to_string(), "may_pass": why.may_pass() });
    }
}

/// Explains why a server did not answer, and what would help.
pub(super) fn why_not(why: &ServerError) -> String {
    match why {
        ServerError::NotReady { .. } => format!("{why}; wait: \"ready\" waits for it"),
        other => shortened(other.to_string()),
    }
}

/// Explains it more briefly where no server is installed and symd can install one; `symd status` has the
/// details.
fn briefly(why: &ServerError) -> String {
    match why {
        ServerError::NoServer { install: Some(command), .. } => format!("no server; `{command}`"),
        other => why_not(other),
    }
}

/// Truncates a server's error message, which can be long; `symd status` and the log have the whole text.
fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_REASON) {
        text.truncate(end);
        text.push_str("…; `symd logs` shows more");
    }
    text
}

/// Returns the word for a role.
pub(super) fn role_word(role: Role) -> &'static str {
    match role {
        Role::Declaration => "declaration",
        Role::Import => "import",
        Role::Call => "call",
        Role::Operator => "operator",
        Role::Key => "string",
        Role::Use | Role::Argument => "use",
    }
}
