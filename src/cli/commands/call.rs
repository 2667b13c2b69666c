//! `symd call`: makes one tool call, prints its text on stdout, and returns its outcome as the exit code. If
//! the user has to approve the call, asks on the terminal.

mod human;
mod question;

use std::io::{IsTerminal, Read};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::cli::clickable::{self, LinkForm};
use crate::cli::client::{Client, Role};
use crate::cli::colour;
use crate::cli::commands::waiting_line::WaitingLine;
use crate::cli::commands::{Form, print, print_styled};
use crate::cli::context::{Context, Spawning};
use crate::cli::failure::{Exit, Failure};
use crate::cli::reading::is_reading_tool;
use crate::cli::{terminal, words};
use crate::serve::approvals::proof;
use crate::serve::protocol::{CALL, PROGRESS};
use question::{UsersAnswer, asked};

/// The answer that the user gave in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AdvanceAnswer {
    Nothing,
    Yes,
}

impl AdvanceAnswer {
    pub(super) fn new(yes: bool) -> AdvanceAnswer {
        if yes { AdvanceAnswer::Yes } else { AdvanceAnswer::Nothing }
    }
}

pub(super) fn run(
    context: &Context,
    toolset: &[String],
    tool: &str,
    arguments: Option<&str>,
    said: AdvanceAnswer,
    form: Form,
) -> Result<(), Failure> {
    let (tool, arguments) = match (tool, arguments) {
        ("-", None) => whole_call(&stdin()?)?,
        (tool, None) => (tool.to_owned(), Map::new()),
        (tool, Some("-")) => (tool.to_owned(), object(&stdin()?)?),
        (tool, Some(text)) => (tool.to_owned(), object(text)?),
    };
    call_and_print(context, toolset, &tool, &arguments, said, form)
}

fn stdin() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| Exit::Usage.because(format!("cannot read the arguments from stdin: {error}")))?;
    Ok(text)
}

/// A call as a model writes it after a prompt from `symd tools --format prompt`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WholeCall {
    tool: String,
    #[serde(default)]
    parameters: Map<String, Value>,
}

fn whole_call(text: &str) -> Result<(String, Map<String, Value>), Failure> {
    let WholeCall { tool, parameters } = serde_json::from_str(text).map_err(|error| {
        Exit::Usage.because(format!("stdin must be {{\"tool\": NAME, \"parameters\": {{…}}}}: {error}"))
    })?;
    Ok((tool, parameters))
}

/// Calls a native tool and prints its answer.
pub(super) fn tool_call(
    context: &Context,
    toolset: &[String],
    tool: &str,
    arguments: &Map<String, Value>,
) -> Result<(), Failure> {
    let answer = answered(context, toolset, tool, arguments, AdvanceAnswer::Nothing)?;
    let went_well = answer["outcome"].as_str() == Some("done");
    let text = answer["text"].as_str().unwrap_or_default();
    let text = words::of_command_line(text, went_well, REPORT_TOOLS.contains(&tool));
    show(&text, tool, arguments, context.place()?.root.as_path())?;
    exit(&answer)
}

fn call_and_print(
    context: &Context,
    toolset: &[String],
    tool: &str,
    arguments: &Map<String, Value>,
    said: AdvanceAnswer,
    form: Form,
) -> Result<(), Failure> {
    let answer = answered(context, toolset, tool, arguments, said)?;
    let root = context.place()?.root;
    let text = human::shown(form, answer["text"].as_str().unwrap_or_default(), toolset, tool, &root);
    show(&text, tool, arguments, &root)?;
    exit(&answer)
}

/// Tools that take a trace or a log apart: their answers are read at a terminal, place by place.
const REPORT_TOOLS: [&str; 3] = ["explain_build_output", "investigate", "resolve_stack_trace"];

/// Prints a tool's answer. A terminal that wants colours gets the diff of a dry run coloured, and links to the places in a trace.
fn show(text: &str, tool: &str, arguments: &Map<String, Value>, root: &Path) -> Result<(), Failure> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let text = format!("{text}{end}");
    let is_diff = arguments.get("dry_run") == Some(&Value::Bool(true));
    if !colour::is_wanted() || !(is_diff || REPORT_TOOLS.contains(&tool)) {
        return print(&text);
    }
    // The answer's own control characters are escaped before ours are added.
    let text = terminal::harmless(&text);
    print_styled(&match is_diff {
        true => colour::diff(&text),
        false => clickable::places(&text, root, LinkForm::of_terminal()),
    })
}

fn exit(answer: &Value) -> Result<(), Failure> {
    match Exit::of_outcome(answer["outcome"].as_str().unwrap_or_default()) {
        None => Ok(()),
        Some(exit) => Err(exit.silent()),
    }
}

/// Returns the daemon's answer: `{text, outcome}`. If the daemon exits before it answers a call that only
/// reads, the next daemon is asked.
fn answered(
    context: &Context,
    toolset: &[String],
    tool: &str,
    arguments: &Map<String, Value>,
    said: AdvanceAnswer,
) -> Result<Value, Failure> {
    let answer = asked_once(context, toolset, tool, arguments, said);
    let may_ask_again = context.spawning == Spawning::Allowed && is_reading_tool(tool);
    match answer {
        Err(failure) if failure.is_lost && may_ask_again => {
            asked_once(context, toolset, tool, arguments, said)
        }
        answer => answer,
    }
}

/// Returns one daemon's answer. Asks the user first if the daemon requires approval.
fn asked_once(
    context: &Context,
    toolset: &[String],
    tool: &str,
    arguments: &Map<String, Value>,
    said: AdvanceAnswer,
) -> Result<Value, Failure> {
    let place = context.place()?;
    let (mut client, welcome) = Client::connect(&place, Role::Cli, toolset, context.spawning)?;
    // Progress is for a person who watches, not for a script.
    let looks_on = std::io::stderr().is_terminal();
    let mut params =
        json!({ "tool": tool, "arguments": arguments, "toolset": toolset, "progress": looks_on });
    let request = |client: &mut Client, params: Value| {
        let line = WaitingLine::new();
        client.request(CALL, params, |message| {
            if message["method"] == PROGRESS {
                line.show(&message["params"]);
            }
        })
    };
    let Some(word) = welcome.proof.as_deref() else {
        // This daemon has no approvals and does not know these parameters.
        return request(&mut client, params);
    };
    // The proof is needed for rules about commands, too, and only the daemon knows whether there are any.
    let shown = proof::prove(&place.proofs(), word).map_err(|error| {
        Exit::Denied.because(format!("cannot prove to the daemon that you are the user: {error}"))
    });
    params["can_ask"] = json!(looks_on && std::io::stdin().is_terminal());
    if said == AdvanceAnswer::Yes {
        shown.clone()?;
        params["answer"] = json!("once");
    }
    let answer = request(&mut client, params.clone())?;
    if answer["ask"].as_str().is_none() {
        return Ok(answer);
    }
    if let UsersAnswer::Here(word) = asked(&answer, &mut client)? {
        params["answer"] = json!(word);
        if word != "no" {
            shown?;
        }
    }
    if answer["question"].is_u64() {
        params["question"] = answer["question"].clone();
    }
    request(&mut client, params)
}

fn object(text: &str) -> Result<Map<String, Value>, Failure> {
    serde_json::from_str(text)
        .map_err(|error| Exit::Usage.because(format!("the arguments must be a JSON object: {error}")))
}
