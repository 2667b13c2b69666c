//! native's `explain_build_output`: the root cause of a failed build first, with its code, and what follows from it last.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::files::{DEFAULT_LIMIT, LIMIT, counted, cut, failed, limit};
use crate::arguments::Arguments;
use crate::{Reply, Tool, ask};
use symd_base::Cancel;
use symd_engine::View;
use symd_ops::build_output::{BuildOutcome, BuildProblem, ExplainedBuild, ExplainedProblem, explain_build};

pub(super) const EXPLAIN_BUILD_OUTPUT: Tool = Tool::read_only(
    "explain_build_output",
    "Explain build output",
    "Finds the root cause in the output of a failed build (Gradle, kotlinc, javac, KSP, kapt, AAPT2, R8, lint, dependencies): the cause \
     first, with its place, symbol and code in this project, then other errors, what follows from them last. Equal errors of several \
     variants are one.",
    schema,
    |call| ask(call, explain),
);

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "The output, as it was printed; its end suffices where it is long."},
            "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT}
        },
        "required": ["text"]
    })
}

/// Maximum number of lines of a message that are shown of the root cause, and of another error.
const ROOT_LINES: usize = 14;
const OTHER_LINES: usize = 3;

/// Maximum number of tasks that are named.
const MAX_TASKS: usize = 4;

fn explain(view: &View, arguments: &serde_json::Map<String, Value>, cancel: &Cancel) -> Reply {
    let arguments = Arguments::new(arguments);
    let (text, limit) = match (arguments.string("text"), limit(&arguments)) {
        (Ok(text), Ok(limit)) => (text, limit),
        (Err(error), _) | (_, Err(error)) => return failed(error),
    };
    match explain_build(view, text, cancel) {
        Ok(build) => Reply::done(shown(&build, limit)),
        Err(error) => failed(error),
    }
}

pub(super) fn shown(build: &ExplainedBuild, limit: usize) -> String {
    let warnings = counted(build.warnings, "warning", "warnings");
    let Some((root, others)) = build.errors.split_first() else {
        let said = match build.outcome {
            BuildOutcome::Succeeded => "the build succeeded",
            BuildOutcome::Failed => {
                "the build failed, but no error that symd knows is in the text; give the whole output, or run it with --stacktrace"
            }
            BuildOutcome::Unknown => "there is no error in the text",
        };
        return format!("{said}\n[0 errors; {warnings}]");
    };
    let mut text = "root cause: ".to_owned();
    problem(root, ROOT_LINES, true, &mut text);
    let (own, following): (Vec<_>, Vec<_>) = others.iter().partition(|other| other.follows.is_none());
    if !own.is_empty() {
        text.push_str("\nother errors:\n");
        own.iter().for_each(|other| problem(other, OTHER_LINES, false, &mut text));
    }
    if !following.is_empty() {
        text.push_str("\nfollows from these:\n");
        following.iter().for_each(|other| problem(other, 1, false, &mut text));
    }
    let footer = format!(
        "[{}; {warnings}; places are those of the output]",
        counted(build.errors.len(), "error", "errors")
    );
    cut(&mut text, limit.saturating_sub(footer.chars().count() + 64));
    text + &footer
}

/// Writes one problem; with its code if `has_code`.
fn problem(explained: &ExplainedProblem, lines: usize, has_code: bool, text: &mut String) {
    let BuildProblem { tool, message, .. } = &explained.problem;
    let mut shown: Vec<&str> = message.lines().take(lines).collect();
    if message.lines().nth(lines).is_some() && lines > 1 {
        shown.push("…");
    }
    let follows = explained.follows.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}: {}{follows}", tool.name(), shown.join("\n  "));
    place(explained, text);
    if has_code && let Some(place) = &explained.place {
        for (number, line) in (place.first_line..).zip(&place.around) {
            let mark = if Some(number) == place.line { '>' } else { ' ' };
            let _ = writeln!(text, "  {mark}{number:>4} {line}");
        }
    }
    let tasks = &explained.problem.tasks;
    if has_code && !tasks.is_empty() {
        let more = if tasks.len() > MAX_TASKS { ", …" } else { "" };
        let _ = writeln!(text, "  in {}{more}", tasks[..tasks.len().min(MAX_TASKS)].join(", "));
    }
}

fn place(explained: &ExplainedProblem, text: &mut String) {
    let numbers = |line: Option<usize>, column: Option<usize>| {
        [line, column].into_iter().flatten().map(|number| format!(":{number}")).collect::<String>()
    };
    if let Some(place) = &explained.place {
        let inside =
            if place.name_path.is_empty() { String::new() } else { format!(" in {}", place.name_path) };
        let mark = if place.doubt.is_some() { "? " } else { "" };
        let doubt = place.doubt.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
        let _ = writeln!(text, "  {mark}{}{}{inside}{doubt}", place.path, numbers(place.line, place.column));
    } else if let Some(place) = &explained.problem.place {
        let _ = writeln!(
            text,
            "  {}{} (not a file of this project)",
            place.path,
            numbers(place.line, place.column)
        );
    }
}
