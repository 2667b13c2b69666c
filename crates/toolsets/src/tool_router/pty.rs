//! tool_router's `exec_command` and `write_stdin`.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer::file_error;
use super::arguments::{Strict, error};
use super::shell::workdir;
use crate::{Call, Reply, Tool};
use symd_shell::pty::{SessionOutput, TerminalRequest};
use symd_shell::{ShellChoice, can_be_run};

pub(super) const EXEC_COMMAND: Tool = Tool::running_commands(
    "exec_command",
    "Start a command on a terminal",
    "Start a PTY-backed long-running command. It runs in bash -c (sh where there is no bash) on a terminal \
     of its own, until it or the connection ends; the answer is what it prints until it is silent for 50 ms. Talk to \
     it with write_stdin. Words: terminal, interactive, session, REPL, server.",
    exec_schema,
    |call| Box::pin(async move { exec(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| StartArgs::read(proposed.arguments).map(drop));

pub(super) const WRITE_STDIN: Tool = Tool::running_commands(
    "write_stdin",
    "Type into a terminal",
    "Send input to an existing PTY session created by `exec_command`. The answer is what it prints until \
     it is silent for 50 ms; empty chars only read. Words: terminal, interactive, type, poll.",
    write_schema,
    |call| Box::pin(async move { write(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| TypeArgs::read(proposed.arguments).map(drop));

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

/// The arguments of `exec_command`.
struct StartArgs {
    session_id: String,
    cmd: String,
    workdir: String,
}

impl StartArgs {
    fn read(arguments: &Map<String, Value>) -> Result<StartArgs, Reply> {
        let arguments = Strict::read(&exec_schema(), arguments)?;
        let (session_id, cmd) = (arguments.string("session_id")?, arguments.string("cmd")?);
        can_be_run(cmd).map_err(error)?;
        let workdir = workdir(&arguments)?;
        Ok(StartArgs { session_id: session_id.to_owned(), cmd: cmd.to_owned(), workdir })
    }
}

/// The arguments of `write_stdin`.
struct TypeArgs {
    session_id: String,
    chars: String,
}

impl TypeArgs {
    fn read(arguments: &Map<String, Value>) -> Result<TypeArgs, Reply> {
        let arguments = Strict::read(&write_schema(), arguments)?;
        let (session_id, chars) = (arguments.string("session_id")?, arguments.string("chars")?);
        Ok(TypeArgs { session_id: session_id.to_owned(), chars: chars.to_owned() })
    }
}

async fn exec(call: &Call<'_>) -> Result<Reply, Reply> {
    let StartArgs { session_id, cmd, workdir } = StartArgs::read(&call.arguments)?;
    let (shells, client) = (&call.project.shells, &call.client);
    let directory = shells.directory(&workdir).map_err(file_error)?;
    let environment = client.environment();
    let shell = shells.shell(ShellChoice::Bash, environment).map_err(error)?;
    let request = TerminalRequest { shell: &shell, command: &cmd, directory: &directory, environment };
    let shown = client.terminals.start(shells, &client.left_behind, &session_id, request).await;
    reply(shown.map_err(error)?)
}

async fn write(call: &Call<'_>) -> Result<Reply, Reply> {
    let TypeArgs { session_id, chars } = TypeArgs::read(&call.arguments)?;
    let shown = call.client.terminals.write(&session_id, &chars).await;
    reply(shown.map_err(error)?)
}

fn reply(shown: SessionOutput) -> Result<Reply, Reply> {
    let output = Output { output: shown.output, truncated: shown.truncated };
    Ok(Reply::done(serde_json::to_string(&output).map_err(error)?))
}
