//! Runs a shell command for a tool: the part that all toolsets share, namely the environment, the choice of
//! the shell, and that no command outlives its call. The texts are the toolsets' own.

use std::time::Duration;

use super::Call;
use symd_shell::{CommandOutcome, CommandRequest, Directory, Keep, ShellChoice, ShellError};

/// A shell command that a tool is to run.
#[derive(Debug)]
pub(super) struct Command<'a> {
    pub(super) shell: ShellChoice,
    pub(super) text: &'a str,
    pub(super) directory: &'a Directory,
    pub(super) deadline: Duration,
    pub(super) keep: Keep,
}

pub(super) async fn run(call: &Call<'_>, command: Command<'_>) -> Result<CommandOutcome, ShellError> {
    let (shells, client) = (&call.project.shells, &call.client);
    let environment = client.environment();
    let shell = shells.shell(command.shell, environment)?;
    let request = CommandRequest {
        shell: &shell,
        command: command.text,
        directory: command.directory,
        environment,
        deadline: command.deadline,
        keep: command.keep,
    };
    let ran = symd_shell::run(shells, &client.left_behind, request).await?;
    if !ran.background.is_empty() {
        // Not every contract has a field that reports them.
        tracing::info!(tool = call.tool, processes = ?ran.background, "left running in the background");
    }
    Ok(ran)
}

/// Returns how much of each stream is kept where a contract sets no bound: together no more than the
/// configured length of an answer.
pub(super) fn keep(call: &Call<'_>) -> Keep {
    let half = call.project.max_answer_chars / 2;
    Keep { first: half, last: half }
}
