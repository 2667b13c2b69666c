//! `symd call`: one tool call, its text on stdout, its outcome as the exit code.

use std::io::{IsTerminal, Read};

use serde_json::{Map, Value, json};

use crate::cli::client::{Client, Role};
use crate::cli::colour;
use crate::cli::commands::{print, say};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::serve::protocol::CALL;

pub(super) fn run(
    context: &Context,
    toolset: &[String],
    tool: &str,
    arguments: Option<&str>,
) -> Result<(), Failure> {
    let arguments = match arguments {
        None => Map::new(),
        Some("-") => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map_err(|error| {
                Exit::Usage.because(format!("cannot read the arguments from stdin: {error}"))
            })?;
            object(&text)?
        }
        Some(text) => object(text)?,
    };
    tool_call(context, toolset, tool, &arguments)
}

/// Calls a tool and prints what it says.
pub(super) fn tool_call(
    context: &Context,
    toolset: &[String],
    tool: &str,
    arguments: &Map<String, Value>,
) -> Result<(), Failure> {
    let place = context.place()?;
    let (mut client, _) = Client::connect(&place, Role::Cli, toolset, context.spawning)?;
    // What is being waited for concerns whoever looks on, not a script.
    let looks_on = std::io::stderr().is_terminal();
    let params = json!({ "tool": tool, "arguments": arguments, "toolset": toolset, "progress": looks_on });
    let mut told = String::new();
    let answer = client.request(CALL, params, |progress| {
        if let Some(doing) = progress["doing"].as_str().filter(|doing| *doing != told) {
            say(doing);
            told = doing.to_owned();
        }
    })?;
    let text = answer["text"].as_str().unwrap_or_default();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let is_diff = arguments.get("dry_run") == Some(&Value::Bool(true));
    match is_diff && colour::is_wanted() {
        true => print(&colour::diff(&format!("{text}{end}")))?,
        false => print(&format!("{text}{end}"))?,
    }
    match Exit::of_outcome(answer["outcome"].as_str().unwrap_or_default()) {
        None => Ok(()),
        Some(exit) => Err(exit.silent()),
    }
}

fn object(text: &str) -> Result<Map<String, Value>, Failure> {
    serde_json::from_str(text)
        .map_err(|error| Exit::Usage.because(format!("the arguments must be a JSON object: {error}")))
}
