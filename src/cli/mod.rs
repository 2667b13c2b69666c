//! The command line: arguments in, an exit code out. stdout carries data, stderr messages. Commands get
//! everything they know about the project from the daemon.

mod args;
mod clickable;
mod client;
mod colour;
mod commands;
mod context;
mod daemon_process;
mod editor_pipes;
mod editor_socket;
mod failure;
mod languages;
mod reading;
mod shim;
mod spawn;
mod terminal;
mod words;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use args::Arguments;
use failure::{Exit, Failure};

use crate::files::search;
use crate::parse;
use crate::shell::warden;
use crate::sys::tether;

/// Runs the command in the process's arguments.
pub fn main() -> ExitCode {
    // Before clap, which would take time to parse: a warden is started for every shell command.
    let words: Vec<OsString> = std::env::args_os().collect();
    if let [_, name, words @ ..] = words.as_slice()
        && name == warden::NAME
    {
        return warden::run(words);
    }
    if let [_, name, words @ ..] = words.as_slice()
        && name == tether::NAME
    {
        return tether::run(words);
    }
    if let [_, name, words @ ..] = words.as_slice()
        && name == parse::NAME
    {
        return parse::run(words);
    }
    if let [_, name, words @ ..] = words.as_slice()
        && name == search::process::NAME
    {
        return search::process::run(words);
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let wrong = error.use_stderr();
            // If stderr is closed, the error cannot be reported.
            let _ = error.print();
            return if wrong { Exit::Usage.into() } else { ExitCode::SUCCESS };
        }
    };
    // Before anything else is loaded: this command needs nothing, and its exit code is the program's.
    if let args::Command::Supervise { program } = &arguments.command
        && let [program, arguments @ ..] = program.as_slice()
    {
        return crate::lsp::supervise::supervise(program, arguments);
    }
    match commands::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { exit, text, .. }) => {
            if !text.is_empty() {
                let text = terminal::for_reader(&text, &std::io::stderr());
                let _ = writeln!(std::io::stderr(), "symd: {text}");
            }
            exit.into()
        }
    }
}
