//! One file per command, or per few that belong together.

mod ask;
mod call;
mod config;
mod daemon;
mod demo;
mod docs;
mod doctor;
mod gc;
mod index;
mod life;
mod logs;
mod mcp;
mod status;
mod tools;

use serde_json::json;

use super::args::{Arguments, Command, ConfigCommand};
use super::context::Context;
use super::failure::Failure;

pub(super) fn run(arguments: Arguments) -> Result<(), Failure> {
    let context = Context::new(arguments.global)?;
    match arguments.command {
        Command::Demo => demo::run(),
        Command::Daemon { spawned: true } => daemon::spawned(&context),
        Command::Daemon { spawned: false } => daemon::foreground(&context),
        Command::Start => life::start(&context),
        Command::Stop { all: false } => life::stop(&context),
        Command::Stop { all: true } => life::stop_all(&context),
        Command::Restart => life::restart(&context),
        Command::Status { json, all } => status::run(&context, Form::new(json), status::Which::new(all)),
        Command::Socket => life::socket(&context),
        Command::Mcp(toolset) => mcp::run(&context, &toolset.names),
        Command::Tools { toolset, format } => tools::run(&context, &toolset.names, format),
        Command::Call { toolset, tool, arguments } => {
            call::run(&context, &toolset.names, &tool, arguments.as_deref())
        }
        Command::Find { pattern, within, body, kinds, substring } => {
            let wanted = json!({
                "name_path_pattern": pattern,
                "relative_path": within.map(|path| context.in_project(&path)),
                "include_body": body.then_some(true),
                "include_kinds": (!kinds.is_empty()).then_some(kinds),
                "substring_matching": substring.then_some(true),
            });
            ask::run(&context, "find_symbol", wanted)
        }
        Command::Overview { file, depth } => {
            let wanted = json!({ "relative_path": context.in_project(&file), "depth": depth });
            ask::run(&context, "get_symbols_overview", wanted)
        }
        Command::Search { pattern, within } => {
            let path = within.map(|path| context.in_project(&path));
            ask::run(
                &context,
                "search_for_pattern",
                json!({ "substring_pattern": pattern, "relative_path": path }),
            )
        }
        Command::Index { json } => index::run(&context, Form::new(json)),
        Command::Logs { follow: false } => logs::show(&context),
        Command::Logs { follow: true } => logs::follow(&context),
        Command::Gc => gc::run(&context),
        Command::Config { command: ConfigCommand::Show { json } } => config::show(&context, Form::new(json)),
        Command::Doctor { json } => doctor::run(&context, Form::new(json)),
        Command::Completions { shell } => docs::completions(shell),
        Command::Man => docs::man(),
    }
}

/// How to print data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    Json,
}

impl Form {
    fn new(json: bool) -> Form {
        if json { Form::Json } else { Form::Text }
    }
}

/// Writes data to stdout. A reader that has had enough (`| head`) is no failure.
fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(super::failure::Exit::Failed.because(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Talks to people.
fn say(text: &str) {
    use std::io::Write;
    // Nobody to tell that nobody can be told.
    let _ = writeln!(std::io::stderr(), "{text}");
}
