//! `symd server`: lists, restarts and stops the project's language servers.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::cli::args::ServerCommand;
use crate::cli::client::{Client, Role};
use crate::cli::commands::{Form, print, say};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::serve::protocol::{SERVER, STATUS};

const MIB: u64 = 1 << 20;

pub(super) fn run(context: &Context, command: Option<ServerCommand>) -> Result<(), Failure> {
    match command {
        None => list(context, Form::Text),
        Some(ServerCommand::List { json }) => list(context, Form::new(json)),
        Some(ServerCommand::Restart { name }) => act(context, "restart", &name),
        Some(ServerCommand::Stop { name }) => act(context, "stop", &name),
    }
}

fn list(context: &Context, form: Form) -> Result<(), Failure> {
    let (mut client, _) = Client::connect(&context.place()?, Role::Cli, &[], context.spawning)?;
    let status = client.request(STATUS, json!({}), |_| ())?;
    let servers = &status["servers"];
    match (form, servers.as_array()) {
        (Form::Json, _) => print(&format!("{servers:#}\n")),
        (Form::Text, Some(servers)) if !servers.is_empty() => {
            print(&servers.iter().map(text).collect::<String>())
        }
        (Form::Text, _) => {
            say(
                "no language server is known for this project's languages; `symd doctor` says what could be installed",
            );
            Ok(())
        }
    }
}

fn act(context: &Context, action: &str, name: &str) -> Result<(), Failure> {
    let (mut client, _) = Client::connect(&context.place()?, Role::Cli, &[], context.spawning)?;
    let answer = client.request(SERVER, json!({ "action": action, "server": name }), |_| ())?;
    match answer["error"].as_str() {
        None => Ok(()),
        Some(error) => Err(Exit::Failed.because(error)),
    }
}

/// Formats one server on a line, and its last error on another.
pub(super) fn text(server: &Value) -> String {
    let word = |key: &str| server[key].as_str().unwrap_or_default();
    let languages: Vec<&str> =
        server["languages"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut text = format!("{} ({}): {}", word("name"), languages.join(", "), word("state"));
    let mut add = |part: String| {
        // Writing to a String cannot fail.
        let _ = write!(text, ", {part}");
    };
    server["doing"].as_str().into_iter().for_each(|doing| add(doing.to_owned()));
    server["version"].as_str().into_iter().for_each(|version| add(format!("version {version}")));
    server["pid"].as_u64().into_iter().for_each(|pid| add(format!("pid {pid}")));
    server["memory_bytes"].as_u64().into_iter().for_each(|bytes| add(format!("{} MiB", bytes / MIB)));
    if let Some(requests @ 1..) = server["requests"].as_u64() {
        add(format!("{requests} requests"));
    }
    if let Some(starts @ 2..) = server["starts"].as_u64() {
        add(format!("started {starts} times"));
    }
    text.push('\n');
    if let Some(error) = server["last_error"].as_str() {
        let _ = writeln!(text, "  last error: {error}");
    }
    if let Some(note) = server["memory_note"].as_str() {
        let _ = writeln!(text, "  memory: {note}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_a_line() {
        let server = json!({
            "name": "ty", "languages": ["python"], "state": "ready", "doing": null, "version": "0.0.105",
            "pid": 7, "memory_bytes": 3 << 20, "requests": 2, "starts": 1, "last_error": "exited (code 1)",
            "memory_note": "left running",
        });
        assert_eq!(
            text(&server),
            "ty (python): ready, version 0.0.105, pid 7, 3 MiB, 2 requests\n  last error: exited (code 1)\n  memory: left running\n"
        );
    }
}
