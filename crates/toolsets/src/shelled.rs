//! Running a shell command for a tool. The texts are the toolsets' own; what is the same in all of them is here: whose
//! environment, which shell, and that no command outlives its call.

use std::time::Duration;

use super::Call;
use symd_shell::{CommandRequest, Directory, Keep, Ran, ShellChoice, ShellError};

/// A command as a tool has it.
#[derive(Debug)]
pub(super) struct Command<'a> {
    pub(super) shell: ShellChoice,
    pub(super) text: &'a str,
    pub(super) directory: &'a Directory,
    pub(super) deadline: Duration,
    pub(super) keep: Keep,
}

/// Runs it.
pub(super) async fn run(call: &Call<'_>, command: Command<'_>) -> Result<Ran, ShellError> {
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
        // Not every contract has a place to tell it.
        tracing::info!(tool = call.tool, processes = ?ran.background, "left running in the background");
    }
    Ok(ran)
}

/// What is kept of each stream where a contract names no bound: together no more than a configured answer.
pub(super) fn keep(call: &Call<'_>) -> Keep {
    let half = call.project.max_answer_chars / 2;
    Keep { first: half, last: half }
}
