//! serena's `execute_shell_command`.

use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;
use serde::Serialize;
use serde_json::{Value, json};

use super::answer::{AnswerLimit, bad_argument, error, file_error};
use super::{files, json};
use crate::arguments::Arguments;
use crate::shell_command::{self, Command};
use crate::{Call, Outcome, PendingCall, Reply, Tool};
use symd_shell::{ChildEnd, CommandOutcome, Directory, Keep, ShellChoice, ShellEnd, can_be_run};

/// The time limit of a command (ruling on execute_shell_command).
const DEADLINE: Duration = Duration::from_secs(240);
/// The bytes kept of each stream: its beginning and its end, half each. `max_answer_chars` decides whether
/// they are shown.
const KEEP: Keep = Keep { first: 512 << 10, last: 512 << 10 };

pub(super) const EXECUTE_SHELL_COMMAND: Tool = Tool::running_commands(
    "execute_shell_command",
    "Execute shell command",
    "Execute a shell command and return its output. Runs in bash (sh where there is none), without input \
     and for 240 seconds at most; answers JSON with the keys stdout, stderr and returncode. Do not use it for \
     processes that never end or wait for input. Words: run, terminal, build, test, git.",
    schema,
    |call| Box::pin(async move { reply(&call, DEADLINE).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| ExecuteArgs::read(proposed).map(drop));

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "The shell command to execute."},
            "cwd": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "description": "The directory to execute it in, relative to the project root; null is the root."},
            "capture_stderr": {"type": "boolean", "default": true, "description": "Whether to return what the command writes to stderr."},
            "max_answer_chars": {"type": "integer", "default": -1, "description": files::MAX_ANSWER_CHARS}
        },
        "required": ["command"]
    })
}

#[derive(Serialize)]
struct Response<'a> {
    stdout: &'a str,
    stderr: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    returncode: Option<i32>,
}

/// The arguments of `execute_shell_command`.
struct ExecuteArgs<'a> {
    text: &'a str,
    cwd: &'a str,
    with_stderr: bool,
    limit: AnswerLimit,
}

impl<'a> ExecuteArgs<'a> {
    fn read(proposed: &PendingCall<'a>) -> Result<ExecuteArgs<'a>, Reply> {
        let arguments = Arguments::new(proposed.arguments);
        let text = arguments.string("command").map_err(bad_argument)?;
        let cwd = arguments.string_or("cwd", ".").map_err(bad_argument)?;
        let with_stderr = arguments.boolean_or("capture_stderr", true).map_err(bad_argument)?;
        let limit = AnswerLimit::read(&arguments, proposed.max_answer_chars)?;
        Directory::named(cwd).map_err(|problem| file_error(&problem))?;
        can_be_run(text).map_err(error)?;
        Ok(ExecuteArgs { text, cwd, with_stderr, limit })
    }
}

async fn reply(call: &Call<'_>, deadline: Duration) -> Result<Reply, Reply> {
    let ExecuteArgs { text, cwd, with_stderr, limit } = ExecuteArgs::read(&call.proposed())?;
    let directory = call.project.shells.directory(cwd).map_err(|problem| file_error(&problem))?;
    let command = Command { shell: ShellChoice::Bash, text, directory: &directory, deadline, keep: KEEP };
    let ran = shell_command::run(call, command).await.map_err(error)?;
    let stderr = if with_stderr { stderr(&ran) } else { String::new() };
    let response =
        |returncode| json::to_string(&Response { stdout: &ran.stdout.text(), stderr: &stderr, returncode });
    match ran.end {
        ShellEnd::Exited(ChildEnd::Code(code)) => Ok(limit.reply(response(Some(code)))),
        // Like Python's subprocess.
        ShellEnd::Exited(ChildEnd::Signal(signal)) => Ok(limit.reply(response(Some(-signal)))),
        ShellEnd::TimedOut(_) => {
            let text = format!(
                "Execution timeout: the command was ended after {} s with everything that it had started. It had \
                 printed: {}",
                deadline.as_secs(),
                response(None)
            );
            let shown = limit.reply(text);
            Ok(match shown.outcome {
                Outcome::Done => Reply { outcome: Outcome::NotReady, ..shown },
                _ => shown,
            })
        }
    }
}

/// Returns what the command wrote, followed by the processes that it left running: the contract has no other
/// field for them.
fn stderr(ran: &CommandOutcome) -> String {
    let mut text = normalize_not_found(&ran.stderr.text());
    if !ran.background.is_empty() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let left: Vec<String> = ran.background.iter().map(i32::to_string).collect();
        text.push_str(&format!("Still running in the background: {}\n", left.join(", ")));
    }
    text
}

/// Rewrites messages about a command that does not exist to the form of the contract's example, which has the
/// name alone; bash adds the position, and sh words it differently.
fn normalize_not_found(stderr: &str) -> String {
    static NOT_FOUND: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?m)^(?:bash|sh): (?:line )?\d+: (.+): (?:command )?not found$").ok());
    match NOT_FOUND.as_ref() {
        Some(not_found) => not_found.replace_all(stderr, "$1: command not found").into_owned(),
        None => stderr.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_found_is_said_as_in_the_example() {
        let check = |stderr: &str, expected: &str| assert_eq!(normalize_not_found(stderr), expected);
        check(
            "bash: line 1: nonexistent_command: command not found\n",
            "nonexistent_command: command not found\n",
        );
        check("a\nsh: 12: foo bar: not found\nb", "a\nfoo bar: command not found\nb");
        check("./x.sh: line 1: y: command not found\n", "./x.sh: line 1: y: command not found\n");
        check(
            "bash: line 1: ./x: No such file or directory\n",
            "bash: line 1: ./x: No such file or directory\n",
        );
        check("", "");
    }
}
