//! The commands, one file each, or one for a few that belong together.

mod approvals;
mod ask;
mod call;
mod config;
mod daemon;
mod demo;
mod docs;
mod doctor;
mod edits;
mod gc;
mod index;
mod install;
mod life;
mod logs;
mod lsp;
mod mcp;
mod projects;
mod semantic;
mod server;
mod solutions;
mod status;
mod tools;
mod trace;
mod trust;
mod waiting_line;

use serde_json::json;

use super::args::{Arguments, Command, ConfigCommand};
use super::context::Context;
use super::failure::Failure;
use super::terminal;

pub(super) fn run(arguments: Arguments) -> Result<(), Failure> {
    let context = Context::new(arguments.global)?;
    match arguments.command {
        // `cli::main` has handled it.
        Command::Supervise { .. } => Ok(()),
        Command::Demo => demo::run(),
        Command::Daemon { spawned: true } => daemon::spawned(&context),
        Command::Daemon { spawned: false } => daemon::foreground(&context),
        Command::Start => life::start(&context),
        Command::Stop { all: false } => life::stop(&context),
        Command::Stop { all: true } => life::stop_all(&context),
        Command::Restart => life::restart(&context),
        Command::Status { json, all } => status::run(&context, Form::new(json), status::Which::new(all)),
        Command::Socket => life::socket(&context),
        Command::Lsp => lsp::run(&context),
        Command::Mcp(shown) => mcp::run(&context, shown.names()?),
        Command::Tools { shown, format } => tools::run(&context, &shown.names()?, format),
        Command::Call { toolset, tool, arguments, yes, json } => {
            let (said, form) = (call::AdvanceAnswer::new(yes), Form::new(json));
            call::run(&context, &toolset.names, &tool, arguments.as_deref(), said, form)
        }
        Command::Approvals { command } => approvals::run(&context, command),
        Command::Find { pattern, within, body, kinds, substring, length } => {
            let wanted = json!({
                "name_path_pattern": pattern,
                "relative_path": within.map(|path| context.in_project(&path)),
                "include_body": body.then_some(true),
                "include_kinds": (!kinds.is_empty()).then_some(kinds),
                "substring_matching": substring.then_some(true),
                "limit": length.limit,
            });
            ask::run(&context, "find_symbol", wanted)
        }
        Command::Refs { symbol, kinds, unlisted, family, patience } => {
            let listed = semantic::Listed { unlisted, family };
            semantic::refs(&context, &symbol, &kinds, listed, patience)
        }
        Command::Explore { symbol, depth, budget, patience } => {
            semantic::explore(&context, &symbol, (depth, budget), patience)
        }
        Command::Impact { symbol, change, depth, patience } => {
            semantic::impact(&context, &symbol, change, depth, patience)
        }
        Command::Callers { symbol, depth, patience } => {
            semantic::tree(&context, "find_callers", &symbol, depth, patience)
        }
        Command::Callees { symbol, depth, patience } => {
            semantic::tree(&context, "find_callees", &symbol, depth, patience)
        }
        Command::Def { place, declaration, of_type, patience } => {
            let which = match (declaration, of_type) {
                (true, _) => "declaration",
                (_, true) => "type_definition",
                _ => "definition",
            };
            semantic::def(&context, &place, which, patience)
        }
        Command::Impls { symbol, patience } => {
            semantic::tree(&context, "find_implementations", &symbol, None, patience)
        }
        Command::Hover { place, patience } => semantic::hover(&context, &place, patience),
        Command::Diagnostics { file, severity, patience } => {
            semantic::diagnostics(&context, file.as_deref(), severity.as_deref(), patience)
        }
        Command::Overview { file, depth, length } => {
            let path = file.map(|file| context.in_project(&file));
            let wanted = json!({ "relative_path": path, "depth": depth, "limit": length.limit });
            ask::run(&context, "get_symbols_overview", wanted)
        }
        Command::Search { pattern, within, length } => {
            let path = within.map(|path| context.in_project(&path));
            ask::run(
                &context,
                "search_for_pattern",
                json!({ "substring_pattern": pattern, "relative_path": path, "limit": length.limit }),
            )
        }
        Command::Rename { name_path, new_name, within, dry_run, include, force, deadline, length } => {
            let within = within.map(|path| context.in_project(&path));
            let wanted = json!({
                "name_path": name_path, "new_name": new_name, "relative_path": within,
                "dry_run": dry_run.then_some(true), "force": force.then_some(true), "deadline_seconds": deadline,
                "include": (!include.is_empty()).then_some(include), "limit": length.limit,
            });
            ask::run(&context, "rename_symbol", wanted)
        }
        Command::Format { file, dry_run, deadline, length } => {
            let file = context.in_project(&file);
            let wanted = json!({
                "relative_path": file, "dry_run": dry_run.then_some(true), "deadline_seconds": deadline,
                "limit": length.limit,
            });
            ask::run(&context, "format", wanted)
        }
        Command::Undo { id, dry_run, length } => {
            edits::undo(&context, id, edits::DryRun::new(dry_run), length)
        }
        Command::Resolve { id, resolution, dry_run } => {
            edits::resolve(&context, id, resolution, edits::DryRun::new(dry_run))
        }
        Command::Finish { id, dry_run } => edits::finish(&context, id, edits::DryRun::new(dry_run)),
        Command::Redo { dry_run, length } => edits::redo(&context, edits::DryRun::new(dry_run), length),
        Command::History { count, json } => edits::history(&context, count, Form::new(json)),
        Command::Patch { file, dry_run, force, length } => {
            edits::patch(&context, &file, edits::DryRun::new(dry_run), edits::Breaking::new(force), length)
        }
        Command::Index { retry, json } => {
            index::run(&context, Form::new(json), index::Unparsable::new(retry))
        }
        Command::Server { command } => server::run(&context, command),
        Command::Logs { follow: false } => logs::show(&context),
        Command::Logs { follow: true } => logs::follow(&context),
        Command::Gc => gc::run(&context),
        Command::Projects { command } => projects::run(&context, command),
        Command::Trace { file, mapping, variant, rev, callers, length } => {
            let more = json!({ "mapping": mapping, "variant": variant, "rev": rev, "callers": callers, "limit": length.limit });
            trace::run(&context, "resolve_stack_trace", file.as_deref(), more)
        }
        Command::Investigate { file, mapping, variant, rev, limit } => {
            let more = json!({ "mapping": mapping, "variant": variant, "rev": rev, "limit": limit });
            trace::run(&context, "investigate", file.as_deref(), more)
        }
        Command::BuildErrors { file, length } => {
            let more = json!({ "limit": length.limit });
            trace::run(&context, "explain_build_output", file.as_deref(), more)
        }
        Command::Solutions { command } => {
            solutions::run(&context, &command.unwrap_or(crate::cli::args::SolutionsCommand::List))
        }
        Command::Config { command: ConfigCommand::Show { json } } => config::show(&context, Form::new(json)),
        Command::Trust { revoke: true, .. } => trust::revoke(&context),
        Command::Trust { show: true, .. } => trust::show(&context),
        Command::Trust { yes, .. } => trust::grant(&context, trust::Asking::new(yes)),
        Command::Install { list: true, names, .. } => install::list(&context, &names),
        Command::Install { list: false, names, force } => install::run(&context, &names, force.into()),
        Command::Doctor { json } => doctor::run(&context, Form::new(json)),
        Command::Completions { shell } => docs::completions(shell),
        Command::Help { words } => docs::help(&words),
        Command::Man => docs::man(),
    }
}

/// The format of printed data.
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

/// Writes data to stdout; on a terminal, control characters are escaped. A reader that closes the pipe (`|
/// head`) is not an error.
fn print(text: &str) -> Result<(), Failure> {
    print_styled(&terminal::for_reader(text, &std::io::stdout()))
}

/// Writes text to stdout without escaping; untrusted parts must be escaped already.
fn print_styled(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(super::failure::Exit::Failed.because(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a message to stderr.
pub(super) fn say(text: &str) {
    use std::io::Write;
    // If stderr is closed, the error cannot be reported.
    let text = terminal::for_reader(text, &std::io::stderr());
    let _ = writeln!(std::io::stderr(), "{text}");
}
