//! tool_router's `shell`.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer::file_error;
use super::arguments::{Strict, error};
use crate::shell_command::{self, Command};
use crate::{Call, Reply, Tool};
use symd_shell::{Captured, ChildEnd, CommandOutcome, Directory, Keep, ShellChoice, ShellEnd, can_be_run};

/// The bytes shown of each stream (ruling on shell); what follows is only counted.
const KEEP: Keep = Keep { first: 8 << 10, last: 0 };
/// The lines shown of each stream.
const LINES: usize = 200;

pub(super) const SHELL: Tool = Tool::running_commands(
    "shell",
    "Shell",
    "Run a shell command with truncation and timeout protections. It runs in bash (sh where there is none) \
     without input; of each stream the first 8 KiB or 200 lines are shown. Words: terminal, execute, build, test, git.",
    schema,
    |call| Box::pin(async move { shell(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| ShellCall::read(proposed.arguments).map(drop));

fn schema() -> Value {
    json!({
        "properties": {
            "command": {"description": "Shell command to run.", "title": "Command", "type": "string"},
            "workdir": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "default": null,
                "description": "Working directory (optional).",
                "title": "Workdir"
            },
            "timeout_ms": {"default": 60000, "description": "Timeout in milliseconds.", "minimum": 1, "title": "Timeout Ms", "type": "integer"}
        },
        "required": ["command", "workdir", "timeout_ms"],
        "title": "ShellInput",
        "type": "object",
        "additionalProperties": false
    })
}

/// The contract's ShellOutput.
#[derive(Serialize)]
struct Output {
    stdout: String,
    stderr: String,
    returncode: Option<i32>,
    stdout_truncated: bool,
    stderr_truncated: bool,
    timeout: bool,
    message: Option<String>,
}

/// The arguments of `shell`.
struct ShellCall {
    command: String,
    workdir: String,
    timeout_ms: usize,
}

impl ShellCall {
    fn read(arguments: &Map<String, Value>) -> Result<ShellCall, Reply> {
        let arguments = Strict::read(&schema(), arguments)?;
        let (command, timeout_ms) = (arguments.string("command")?, arguments.count("timeout_ms")?);
        can_be_run(command).map_err(error)?;
        Ok(ShellCall { command: command.to_owned(), workdir: workdir(&arguments)?, timeout_ms })
    }
}

/// Parses the argument `workdir`; null is the root.
pub(super) fn workdir(arguments: &Strict) -> Result<String, Reply> {
    let workdir = arguments.string_if("workdir")?.unwrap_or(".");
    Directory::named(workdir).map_err(file_error)?;
    Ok(workdir.to_owned())
}

async fn shell(call: &Call<'_>) -> Result<Reply, Reply> {
    let ShellCall { command, workdir, timeout_ms: ms } = ShellCall::read(&call.arguments)?;
    let directory = call.project.shells.directory(&workdir).map_err(file_error)?;
    let deadline = Duration::from_millis(u64::try_from(ms).unwrap_or(u64::MAX));
    let command =
        Command { shell: ShellChoice::Bash, text: &command, directory: &directory, deadline, keep: KEEP };
    let ran = shell_command::run(call, command).await.map_err(error)?;
    Ok(Reply::done(serde_json::to_string(&output(&ran, ms)).map_err(error)?))
}

fn output(ran: &CommandOutcome, ms: usize) -> Output {
    let (stdout, stdout_truncated) = shown(&ran.stdout);
    let (stderr, stderr_truncated) = shown(&ran.stderr);
    let (returncode, timeout) = match ran.end {
        ShellEnd::Exited(ChildEnd::Code(code)) => (Some(code), false),
        // Like Python's subprocess.
        ShellEnd::Exited(ChildEnd::Signal(signal)) => (Some(-signal), false),
        ShellEnd::TimedOut(_) => (None, true),
    };
    let background: Vec<String> = ran.background.iter().map(i32::to_string).collect();
    let message = match (timeout, background.is_empty()) {
        (true, _) => Some(format!("Command timed out after {ms} ms")),
        (false, false) => Some(format!("Still running in the background: {}", background.join(", "))),
        (false, true) => None,
    };
    Output { stdout, stderr, returncode, stdout_truncated, stderr_truncated, timeout, message }
}

/// Returns the shown part of a stream, and whether more was written.
fn shown(captured: &Captured) -> (String, bool) {
    let text = captured.beginning();
    let end = text.match_indices('\n').nth(LINES - 1).map_or(text.len(), |(at, _)| at + 1);
    (text[..end].to_owned(), end < text.len() || captured.omitted_bytes() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(text: &str) -> Captured {
        let mut captured = Captured::new(KEEP);
        captured.push(text.as_bytes());
        captured
    }

    #[test]
    fn the_first_bytes_or_lines_are_shown() {
        let lines = "x\n".repeat(200);
        assert_eq!(shown(&captured(&lines)), (lines.clone(), false));
        assert_eq!(shown(&captured(&format!("{lines}y"))), (lines.clone(), true));
        let long = "ä".repeat(5_000);
        let (text, truncated) = shown(&captured(&long));
        assert_eq!((text.len(), truncated), (8 << 10, true));
        assert_eq!(shown(&captured("")), (String::new(), false));
    }
}
