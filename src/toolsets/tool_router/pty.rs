//! tool_router's `exec_command` and `write_stdin`.

use serde::Serialize;
use serde_json::{Value, json};

use super::arguments::{Strict, error};
use super::shell::ANNOTATIONS;
use crate::ops::pty::{Request, Shown, Size};
use crate::ops::shell::Wanted;
use crate::toolsets::{Call, Reach, Reply, Risk, Tool};

pub(super) const EXEC_COMMAND: Tool = Tool {
    name: "exec_command",
    title: "Start a command on a terminal",
    description: "Start a PTY-backed long-running command. It runs in bash -c (sh where there is no bash) on a terminal \
        of its own, until it or the connection ends; the answer is what it prints until it is silent for 50 ms. Talk to \
        it with write_stdin. Words: terminal, interactive, session, REPL, server.",
    schema: exec_schema,
    annotations: ANNOTATIONS,
    risk: Risk::Dangerous,
    reach: Reach::Beyond,
    run: |call| Box::pin(async move { exec(&call).await.unwrap_or_else(|reply| reply) }),
};

pub(super) const WRITE_STDIN: Tool = Tool {
    name: "write_stdin",
    title: "Type into a terminal",
    description: "Send input to an existing PTY session created by `exec_command`. The answer is what it prints until \
        it is silent for 50 ms; empty chars only read. Words: terminal, interactive, type, poll.",
    schema: write_schema,
    annotations: ANNOTATIONS,
    risk: Risk::Dangerous,
    reach: Reach::Beyond,
    run: |call| Box::pin(async move { write(&call).await.unwrap_or_else(|reply| reply) }),
};

fn exec_schema() -> Value {
    json!({
        "properties": {
            "session_id": {"description": "Opaque PTY session identifier.", "title": "Session Id", "type": "string"},
            "cmd": {"description": "Command to execute in PTY.", "title": "Cmd", "type": "string"},
            "workdir": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "default": null,
                "description": "Working directory (optional).",
                "title": "Workdir"
            }
        },
        "required": ["session_id", "cmd", "workdir"],
        "title": "ExecCommandInput",
        "type": "object",
        "additionalProperties": false
    })
}

fn write_schema() -> Value {
    json!({
        "properties": {
            "session_id": {"description": "Existing PTY session id.", "title": "Session Id", "type": "string"},
            "chars": {"description": "Characters to write to stdin.", "title": "Chars", "type": "string"}
        },
        "required": ["session_id", "chars"],
        "title": "WriteStdinInput",
        "type": "object",
        "additionalProperties": false
    })
}

/// The contract's ExecCommandOutput and WriteStdinOutput.
#[derive(Serialize)]
struct Output {
    output: String,
    truncated: bool,
}

async fn exec(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Strict::read(&exec_schema(), &call.arguments)?;
    let (name, command) = (arguments.string("session_id")?, arguments.string("cmd")?);
    let (shells, client) = (&call.project.shells, &call.client);
    let directory = shells.directory(arguments.string_if("workdir")?.unwrap_or(".")).map_err(error)?;
    let environment = client.environment();
    let shell = shells.shell(Wanted::Bash, environment).map_err(error)?;
    let request =
        Request { shell: &shell, command, directory: &directory, environment, size: Size::default() };
    let shown = client.terminals.start(shells, &client.left_behind, name, request).await;
    reply(shown.map_err(error)?)
}

async fn write(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Strict::read(&write_schema(), &call.arguments)?;
    let (name, chars) = (arguments.string("session_id")?, arguments.string("chars")?);
    let shown = call.client.terminals.write(name, chars).await;
    reply(shown.map_err(error)?)
}

fn reply(shown: Shown) -> Result<Reply, Reply> {
    let output = Output { output: shown.output, truncated: shown.truncated };
    Ok(Reply::done(serde_json::to_string(&output).map_err(error)?))
}
