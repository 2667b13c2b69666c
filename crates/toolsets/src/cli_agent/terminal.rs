//! cli_agent's `run_in_terminal` and `terminal_last_command`.

use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer::checked;
use super::envelope::{self, Code, Success, ToolError};
use crate::arguments::Arguments;
use crate::shell_command::{self, Command};
use crate::{Call, Tool};
use symd_base::Timestamp;
use symd_shell::{CommandOutcome, LastCommand, ShellChoice, ShellEnd, ShellError, can_be_run};

/// The accepted timeouts of a command, in seconds.
const SECONDS: std::ops::RangeInclusive<i64> = 1..=300;
/// The default timeout, in seconds.
const USUAL_SECONDS: i64 = 30;
/// The exit code of a shell that did not find the command.
const NOT_FOUND: i32 = 127;

pub(super) const RUN_IN_TERMINAL: Tool = Tool::running_commands(
    "run_in_terminal",
    "Run in terminal",
    "Execute a shell command. It runs in the user's default shell, in the project's root and without \
     input, and is ended with everything that it started when its time is over. Words: terminal, bash, build, \
     test, git.",
    schema,
    |call| {
        Box::pin(async move {
            let started = Instant::now();
            envelope::reply(started, run(&call).await)
        })
    },
)
.checked_by(|proposed| checked(RunInTerminal::read(proposed.arguments)));

pub(super) const TERMINAL_LAST_COMMAND: Tool = Tool::read_only(
    "terminal_last_command",
    "Last terminal command",
    "Retrieve the last shell command that was executed. Its output, exit code and time too, also if it failed or was \
     ended; only commands of this session. Words: history, previous.",
    || json!({"type": "object", "properties": {}, "required": []}),
    |call| {
        Box::pin(async move {
            let started = Instant::now();
            envelope::reply(started, last(&call))
        })
    },
);

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "Shell command to execute"},
            "timeout_seconds": {"type": "integer", "default": USUAL_SECONDS, "description": "Timeout in seconds (default: 30)"}
        },
        "required": ["command"]
    })
}

#[derive(Serialize)]
struct RunMetadata {
    exit_code: i32,
    stdout_lines: u64,
    stderr_lines: u64,
    /// The standard error, for which the contract's text of a success has no place; it often matters (a
    /// compiler's warnings).
    #[serde(skip_serializing_if = "String::is_empty")]
    stderr: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    background_pids: Vec<i32>,
}

/// The arguments of `run_in_terminal`.
struct RunInTerminal<'a> {
    text: &'a str,
    deadline: Duration,
}

impl<'a> RunInTerminal<'a> {
    fn read(arguments: &'a Map<String, Value>) -> Result<RunInTerminal<'a>, ToolError> {
        let arguments = Arguments::new(arguments);
        let text = arguments.string("command")?;
        let seconds = arguments.integer_or("timeout_seconds", USUAL_SECONDS)?;
        if text.trim().is_empty() {
            return Err(invalid("Parameter 'command' must not be empty".to_owned()));
        }
        let Some(deadline) = u64::try_from(seconds).ok().filter(|_| SECONDS.contains(&seconds)) else {
            let (from, to) = (SECONDS.start(), SECONDS.end());
            return Err(invalid(format!(
                "Parameter 'timeout_seconds' must be between {from} and {to}, got: {}",
                arguments.as_sent("timeout_seconds")
            )));
        };
        can_be_run(text).map_err(not_run)?;
        Ok(RunInTerminal { text, deadline: Duration::from_secs(deadline) })
    }
}

async fn run(call: &Call<'_>) -> Result<Success, ToolError> {
    let RunInTerminal { text, deadline } = RunInTerminal::read(&call.arguments)?;
    let directory = call.project.shells.directory(".").map_err(|problem| {
        let suggestion = "Check that the project's root is still there";
        ToolError::new(Code::FileNotFound, problem.to_string(), suggestion)
    })?;
    let executed_at = SystemTime::now();
    let command = Command {
        shell: ShellChoice::Users,
        text,
        directory: &directory,
        deadline,
        keep: shell_command::keep(call),
    };
    let ran = shell_command::run(call, command).await.map_err(not_run)?;
    let (stdout, stderr) = (ran.stdout.text(), ran.stderr.text());
    let exit_code = exit_code(ran.end);
    call.client.last_command.keep(LastCommand {
        command: text.to_owned(),
        exit_code,
        output: match exit_code {
            Some(0) => joined(&stdout, &stderr),
            _ => joined(&stderr, &stdout),
        },
        executed_at,
    });
    match exit_code {
        None => Err(ToolError::new(
            Code::Timeout,
            joined(
                &format!("Command timed out after {} seconds", deadline.as_secs()),
                &printed(&stderr, &stdout),
            ),
            "Raise timeout_seconds (at most 300), or run it in the background; terminal_last_command shows what it printed",
        )),
        Some(0) => Ok(succeeded(ran, &stdout, stderr)),
        Some(NOT_FOUND) if let Some(name) = not_found(text, &stderr) => Err(ToolError::new(
            Code::CommandNotFound,
            missing(name, &stderr, &stdout),
            "Check the spelling, or install the program",
        )),
        Some(code) => Err(ToolError::new(
            Code::CommandFailed,
            failed(code, &stderr, &stdout),
            "Read what it printed and correct the command",
        )),
    }
}

fn succeeded(ran: CommandOutcome, stdout: &str, stderr: String) -> Success {
    let end = if stdout.is_empty() || stdout.ends_with('\n') { "" } else { "\n" };
    Success::new(format!("Command output:\n{stdout}{end}")).with(&RunMetadata {
        exit_code: 0,
        stdout_lines: ran.stdout.lines(),
        stderr_lines: ran.stderr.lines(),
        stderr,
        background_pids: ran.background,
    })
}

fn failed(code: i32, stderr: &str, stdout: &str) -> String {
    joined(&format!("Command failed with exit code {code}:\n"), &printed(stderr, stdout))
}

/// Formats the failure of a command that was not found. The shell's own message tells no more than the name
/// and is omitted; any other output is shown.
fn missing(name: &str, stderr: &str, stdout: &str) -> String {
    let text = format!("Command '{name}' not found");
    let is_all = stdout.is_empty() && stderr.lines().count() <= 1;
    if is_all { text } else { joined(&text, &printed(stderr, stdout)) }
}

/// Formats the output of a failed command: stderr first, which usually has the reason.
fn printed(stderr: &str, stdout: &str) -> String {
    match stdout {
        "" => stderr.to_owned(),
        stdout => joined(stderr, &format!("Command output:\n{stdout}")),
    }
}

/// Joins two texts; the second begins on a new line.
fn joined(first: &str, second: &str) -> String {
    let between = if first.is_empty() || second.is_empty() || first.ends_with('\n') { "" } else { "\n" };
    format!("{first}{between}{second}")
}

/// Returns the exit code; `None` for a command that timed out.
fn exit_code(end: ShellEnd) -> Option<i32> {
    match end {
        ShellEnd::Exited(end) => Some(end.to_code()),
        ShellEnd::TimedOut(_) => None,
    }
}

/// Finds the name that a shell did not find in its message on stderr: "sh: 1: x: not found", "bash: line 1:
/// x: command not found", "zsh:1: command not found: x", "fish: Unknown command: x". Returns `None` if no
/// shell wrote such a message: a command may exit with that code itself.
fn not_found<'a>(command: &'a str, stderr: &'a str) -> Option<&'a str> {
    let after = |sign: &str| {
        let rest = stderr.lines().find_map(|line| line.split_once(sign))?.1;
        Some(rest.trim())
    };
    let before = |sign: &str| {
        let line = stderr.lines().find_map(|line| line.strip_suffix(sign))?;
        line.rsplit(": ").next()
    };
    let named = after("command not found: ")
        .or_else(|| after("Unknown command: "))
        .or_else(|| before(": command not found"))
        .or_else(|| before(": not found"));
    named.filter(|name| !name.is_empty()).or_else(|| {
        // The shell's message is in another language.
        let first = command.split_whitespace().next()?;
        stderr.contains(first).then_some(first).filter(|_| stderr.lines().count() == 1)
    })
}

#[derive(Serialize)]
struct LastMetadata<'a> {
    command: &'a str,
    exit_code: Option<i32>,
    executed_at: String,
}

fn last(call: &Call<'_>) -> Result<Success, ToolError> {
    let Some(last) = call.client.last_command.get() else {
        return Err(ToolError::new(
            Code::NoCommandHistory,
            "No previous command in this session",
            "Run a command with run_in_terminal first",
        ));
    };
    let metadata = LastMetadata {
        command: &last.command,
        exit_code: last.exit_code,
        executed_at: Timestamp::from(last.executed_at).to_string(),
    };
    Ok(Success::new(format!("Last command: {}\nOutput: {}", last.command, last.output)).with(&metadata))
}

fn invalid(text: String) -> ToolError {
    ToolError::new(
        Code::InvalidParameters,
        text,
        "Correct the parameters as the tool's schema says and call it again",
    )
}

fn not_run(error: ShellError) -> ToolError {
    if let ShellError::Nul = error {
        return invalid(error.to_string());
    }
    ToolError::new(
        Code::CommandFailed,
        error.to_string(),
        "Call the tool again, or see the end of `symd logs`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_programs_name_is_what_the_shell_says() {
        let cases = [
            ("bash: line 1: invalid_cmd: command not found\n", Some("invalid_cmd")),
            ("sh: 1: invalid_cmd: not found\n", Some("invalid_cmd")),
            ("zsh:1: command not found: invalid_cmd\n", Some("invalid_cmd")),
            ("fish: Unknown command: invalid_cmd\nfish: \ninvalid_cmd x\n^~~~^\n", Some("invalid_cmd")),
            ("bash: Zeile 1: other: Kommando nicht gefunden.\n", Some("other")),
            ("", None),
            ("something else\nother\n", None),
        ];
        for (stderr, expected) in cases {
            assert_eq!(not_found("other x", stderr), expected, "{stderr}");
        }
    }

    #[test]
    fn a_failure_says_stderr_first() {
        assert_eq!(failed(1, "e", "o\n"), "Command failed with exit code 1:\ne\nCommand output:\no\n");
        assert_eq!(failed(2, "e\n", ""), "Command failed with exit code 2:\ne\n");
        assert_eq!(failed(2, "", "o"), "Command failed with exit code 2:\nCommand output:\no");
        assert_eq!(missing("x", "sh: 1: x: not found\n", ""), "Command 'x' not found");
        assert_eq!(
            missing("x", "e\nsh: 1: x: not found\n", "o\n"),
            "Command 'x' not found\ne\nsh: 1: x: not found\nCommand output:\no\n"
        );
    }
}
