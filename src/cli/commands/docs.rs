//! `symd completions` and `symd man`: the command line, described for shells and for `man`.

use clap::CommandFactory;

use crate::cli::args::Arguments;
use crate::cli::commands::print;
use crate::cli::failure::{Exit, Failure};

pub(super) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "symd", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// One page after the other: symd itself, then its commands.
pub(super) fn man() -> Result<(), Failure> {
    let mut command = Arguments::command().disable_help_subcommand(true);
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
