//! `symd help`, `symd completions` and `symd man`: describe the command line for people, agents, shells and
//! `man`.

use clap::CommandFactory;

use crate::cli::args::Arguments;
use crate::cli::commands::print;
use crate::cli::failure::{Exit, Failure};

pub(super) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "symd", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Instructions for agents that work in a shell, in the format of clients with skills.
const SKILL: &str = include_str!("../../../docs/SKILL.md");

/// Prints the help for `words`: none, for symd itself; a command and perhaps its subcommand; or `agents`.
pub(super) fn help(words: &[String]) -> Result<(), Failure> {
    if words == ["agents"] {
        return print(SKILL);
    }
    let mut symd = Arguments::command();
    symd.build();
    let mut command = &mut symd;
    for word in words {
        command = command.find_subcommand_mut(word).ok_or_else(|| {
            let message =
                format!("there is no command {word:?}; `symd help` lists them, `symd help agents` explains");
            Exit::Usage.because(message)
        })?;
    }
    print(&command.render_long_help().to_string())
}

/// Prints the manual pages: symd itself, then its commands.
pub(super) fn man() -> Result<(), Failure> {
    let mut command = Arguments::command();
    command.build();
    let mut pages = Vec::new();
    render(&command, &mut pages)
        .map_err(|error| Exit::Failed.because(format!("cannot write the manual: {error}")))?;
    print(&String::from_utf8_lossy(&pages))
}

fn render(command: &clap::Command, pages: &mut Vec<u8>) -> std::io::Result<()> {
    clap_mangen::Man::new(command.clone()).render(pages)?;
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    for subcommand in shown {
        render(subcommand, pages)?;
    }
    Ok(())
}
