//! gemini_cli's `run_shell_command`.

use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::ansi;
use super::answer::is_outside;
use super::paths::{invalid, outside};
use crate::arguments::Arguments;
use crate::shell_command::{self, Command};
use crate::{Call, Outcome, PendingCall, Reply, Tool};
use symd_files::tree::{FileOpError, LocateError};
use symd_shell::{
    Captured, ChildEnd, CommandOutcome, Directory, ShellChoice, ShellEnd, ShellError, Substitution,
    can_be_run,
};

/// The time limit of a command. Gemini CLI itself ends commands only when its user does; as an MCP client it
/// gives up a call after ten minutes, by which time the output so far should have been returned.
const DEADLINE: Duration = Duration::from_secs(9 * 60);

pub(super) const RUN_SHELL_COMMAND: Tool = Tool::running_commands(
    "run_shell_command",
    "Shell",
    "This tool executes a given shell command as `bash -c <command>`. The command runs in a process group \
     of its own, without input. The answer says command, directory, stdout, stderr, error, exit code, signal, the \
     PIDs of background processes that the command left, and the process group. Words: run, terminal, execute, \
     build, test, git.",
    schema,
    |call| Box::pin(async move { run(&call, DEADLINE).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| RunShellCommand::read(proposed).map(drop));

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "Exact bash command to execute as `bash -c <command>`"},
            "description": {"type": "string", "description": "Brief description of the command for the user."},
            "directory": {"type": "string", "description": "Directory to run the command in, relative to the project root; the root if it is left out."}
        },
        "required": ["command"]
    })
}

/// The arguments of `run_shell_command`.
struct RunShellCommand<'a> {
    text: &'a str,
    /// The directory as written by the client; empty for the root.
    directory: &'a str,
}

impl<'a> RunShellCommand<'a> {
    fn read(proposed: &PendingCall<'a>) -> Result<RunShellCommand<'a>, Reply> {
        let arguments = Arguments::new(proposed.arguments);
        let text = arguments.string("command").map_err(invalid)?;
        arguments.string_if("description").map_err(invalid)?;
        let directory = arguments.string_or("directory", "").map_err(invalid)?;
        if text.trim().is_empty() {
            return Err(invalid("Command cannot be empty."));
        }
        if let Some(substitution) = Substitution::in_command(text) {
            return Err(Reply::failed(format!(
                "Command rejected: {text}\nReason: Command substitution using {substitution} is not allowed for security reasons"
            )));
        }
        if directory.starts_with('/') {
            return Err(invalid(
                "Directory cannot be absolute. Must be relative to the project root directory.",
            ));
        }
        let named = Directory::named(directory);
        named.map_err(|problem| no_directory(proposed.root, directory, problem))?;
        can_be_run(text).map_err(|error| not_run(text, directory, &error))?;
        Ok(RunShellCommand { text, directory })
    }
}

async fn run(call: &Call<'_>, deadline: Duration) -> Result<Reply, Reply> {
    let RunShellCommand { text, directory: shown } = RunShellCommand::read(&call.proposed())?;
    let directory = call.project.shells.directory(shown);
    let directory = directory.map_err(|problem| no_directory(call.project.root(), shown, problem))?;
    let keep = shell_command::keep(call);
    let command = Command { shell: ShellChoice::Bash, text, directory: &directory, deadline, keep };
    Ok(match shell_command::run(call, command).await {
        Ok(ran) => ended(text, shown, &ran, deadline),
        Err(error) => not_run(text, shown, &error),
    })
}

fn no_directory(root: &Path, written: &str, problem: FileOpError) -> Reply {
    match problem {
        problem if is_outside(&problem) => outside(root, written),
        FileOpError::Locate(LocateError::Missing(_)) | FileOpError::IsFile(_) => {
            invalid("Directory must exist.")
        }
        other => invalid(other),
    }
}

fn not_run(command: &str, directory: &str, error: &ShellError) -> Reply {
    Reply::failed(block(&Block { error, ..Block::new(command, directory) }))
}

fn ended(command: &str, directory: &str, ran: &CommandOutcome, deadline: Duration) -> Reply {
    let late =
        format!("the command was ended after {} s with everything that it had started", deadline.as_secs());
    let (end, outcome, error): (_, _, &dyn Display) = match ran.end {
        ShellEnd::Exited(end) => (end, Outcome::Done, &NONE),
        ShellEnd::TimedOut(end) => (end, Outcome::NotReady, &late),
    };
    let (code, signal) = match (ran.end, end) {
        (ShellEnd::Exited(_), ChildEnd::Code(code)) => (code.to_string(), NONE.to_owned()),
        // A command that symd ended may have caught the signal and exited by itself; its exit code means
        // nothing then.
        (ShellEnd::TimedOut(_), ChildEnd::Code(_)) => (NONE.to_owned(), NONE.to_owned()),
        (_, ChildEnd::Signal(signal)) => (NONE.to_owned(), signal.to_string()),
    };
    let background: Vec<String> = ran.background.iter().map(i32::to_string).collect();
    let background = if background.is_empty() { NONE.to_owned() } else { background.join(", ") };
    let text = block(&Block {
        stdout: &stream(&ran.stdout),
        stderr: &stream(&ran.stderr),
        error,
        code: &code,
        signal: &signal,
        background: &background,
        group: &ran.group,
        ..Block::new(command, directory)
    });
    Reply { outcome, image: None, ..Reply::done(text) }
}

fn stream(captured: &Captured) -> String {
    match ansi::stripped(&captured.text()) {
        text if text.is_empty() => EMPTY.to_owned(),
        text => text.into_owned(),
    }
}

const NONE: &str = "(none)";
const EMPTY: &str = "(empty)";

/// The lines of an answer.
struct Block<'a> {
    command: &'a str,
    directory: &'a str,
    stdout: &'a str,
    stderr: &'a str,
    error: &'a dyn Display,
    code: &'a str,
    signal: &'a str,
    background: &'a str,
    group: &'a dyn Display,
}

impl<'a> Block<'a> {
    /// Returns the lines for a command that did not run.
    fn new(command: &'a str, directory: &'a str) -> Block<'a> {
        Block {
            command,
            directory: if directory.is_empty() { "(root)" } else { directory },
            stdout: EMPTY,
            stderr: EMPTY,
            error: &NONE,
            code: NONE,
            signal: NONE,
            background: NONE,
            group: &NONE,
        }
    }
}

fn block(block: &Block<'_>) -> String {
    let Block { command, directory, stdout, stderr, error, code, signal, background, group } = block;
    format!(
        "Command: {command}\nDirectory: {directory}\nStdout: {stdout}\nStderr: {stderr}\nError: {error}\nExit Code: \
         {code}\nSignal: {signal}\nBackground PIDs: {background}\nProcess Group PGID: {group}"
    )
}
