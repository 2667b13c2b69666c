//! native's `record_solution`: keeps what solved an error, for the user's later errors in all projects.

use serde_json::{Map, Value, json};

use super::files::failed;
use crate::arguments::{ArgumentError, Arguments};
use crate::{Annotations, Call, PendingCall, Reach, Reply, Risk, Tool};
use symd_knowledge::{InvalidSolution, Solution, redact};

/// The confidence of a solution whose author states none.
const DEFAULT_CONFIDENCE: f64 = 0.8;

pub(super) const RECORD_SOLUTION: Tool = Tool {
    // Outside of the project: the store is the user's, for all projects.
    annotations: Annotations { read_only: false, destructive: false, idempotent: false, open_world: true },
    risk: Risk::Dangerous,
    reach: Reach::BeyondProject,
    ..Tool::read_only(
        "record_solution",
        "Record solution",
        "Records what solved an error, for later errors of the user in all projects (vector_search_db of kotlin_debug finds \
         it). Secrets and home paths are taken out; the answer shows what was recorded.",
        schema,
        |call| Box::pin(async move { run(&call).await.unwrap_or_else(|refused| refused) }),
    )
    .checked_by(check)
    .cleaned_by(without_secrets)
};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "error_description": {"type": "string", "description": "What went wrong, as it was seen."},
            "root_cause": {"type": "string", "description": "Why it went wrong."},
            "solution": {"type": "string", "description": "What solved it."},
            "language": {"type": "string", "description": "The programming language, such as kotlin."},
            "error_type": {"type": "string", "description": "Such as NullPointerException."},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1, "default": DEFAULT_CONFIDENCE, "description": "How sure it is that this is the solution."},
            "fixed_in": {"type": "string", "description": "The file that was changed."}
        },
        "required": ["error_description", "root_cause", "solution", "language", "error_type"]
    })
}

/// Removes secrets and home paths before the call is logged, and before the user sees it and perhaps has a rule
/// for it written: every text is cleaned, whatever the client calls it.
fn without_secrets(mut arguments: Map<String, Value>) -> Map<String, Value> {
    arguments.values_mut().for_each(clean);
    arguments
}

fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = redact(text).0,
        Value::Array(values) => values.iter_mut().for_each(clean),
        Value::Object(values) => values.values_mut().for_each(clean),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn check(pending: &PendingCall<'_>) -> Result<(), Reply> {
    read(pending.arguments).map(drop)
}

fn read(arguments: &Map<String, Value>) -> Result<Solution, Reply> {
    let solution = parse(&Arguments::new(arguments)).map_err(failed)?;
    match solution.check() {
        Ok(()) => Ok(solution),
        Err(problem) => Err(Reply::failed(in_own_names(&problem))),
    }
}

fn parse(arguments: &Arguments<'_>) -> Result<Solution, ArgumentError> {
    let text = |name: &str| arguments.string(name).map(str::to_owned);
    Ok(Solution {
        id: String::new(),
        error_description: text("error_description")?,
        root_cause: text("root_cause")?,
        solution: text("solution")?,
        language: text("language")?,
        error_type: text("error_type")?,
        confidence: arguments.number_or("confidence", DEFAULT_CONFIDENCE)?,
        user_validated: false,
        created_at: String::new(),
        fixed_in: arguments.string_or("fixed_in", "")?.to_owned(),
    })
}

/// Names fields as this tool's parameters.
fn in_own_names(problem: &InvalidSolution) -> String {
    let text = problem.to_string();
    let own =
        [("errorDescription", "error_description"), ("rootCause", "root_cause"), ("errorType", "error_type")];
    own.into_iter().fold(text, |text, (theirs, ours)| text.replace(theirs, ours))
}

async fn run(call: &Call<'_>) -> Result<Reply, Reply> {
    let solution = read(&call.arguments)?;
    let recorded = call.project.solutions.record(solution).await;
    let recorded = recorded.map_err(|error| Reply::failed(error.to_string()))?;
    let of = &recorded.solution;
    let removed = match recorded.removed {
        0 => String::new(),
        1 => "; 1 secret or home path was taken out".to_owned(),
        count => format!("; {count} secrets and home paths were taken out"),
    };
    let notices: String = recorded.notices.iter().map(|notice| format!("\n[{notice}]")).collect();
    let fixed_in =
        if of.fixed_in.is_empty() { String::new() } else { format!("\nfixed in: {}", of.fixed_in) };
    Ok(Reply::done(format!(
        "{} ({}, confidence {})\nerror: {}\ncause: {}\nsolution: {}{fixed_in}\n[recorded as {}{removed}; `symd solutions \
         validate {}` once it has proven right]{notices}",
        of.error_type,
        of.language,
        of.confidence,
        of.error_description.trim(),
        of.root_cause.trim(),
        of.solution.trim(),
        of.id,
        of.id,
    )))
}
