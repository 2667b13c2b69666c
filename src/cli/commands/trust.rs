//! `symd trust`: shows what a project may run once it is trusted, asks the user, and records the trust.
//! Invariant: the files recorded are those that were shown, even if they change before the user answers.

use std::fmt::Write;
use std::io::{BufRead, IsTerminal};

use crate::cli::commands::{life, print, say};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::cli::languages;
use crate::config::layers::{printable, server_tables};
use crate::config::{LanguageId, Languages, Trust};
use crate::serve::DaemonPaths;
use crate::serve::setup::Setup;

/// Whether to ask the user first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asking {
    Ask,
    Yes,
}

impl Asking {
    pub(super) fn new(yes: bool) -> Asking {
        if yes { Asking::Yes } else { Asking::Ask }
    }
}

pub(super) fn grant(context: &Context, asking: Asking) -> Result<(), Failure> {
    let place = context.place()?;
    let setup = context.setup(&place)?;
    if let Some(file) = setup.files.unreadable().first() {
        return Err(Exit::Failed.because(format!(
            "{file} cannot be read, so what it allows is unknown; make it a regular file that you can read, or remove it"
        )));
    }
    if setup.trust == Trust::Trusted {
        say(&format!(
            "{} is trusted already; `symd trust --show` shows what that allows",
            place.root.display()
        ));
        return Ok(());
    }
    say(&allowed(&place, &setup)?);
    if asking == Asking::Ask && !confirmed()? {
        return Err(Exit::Denied.because("nothing was changed"));
    }
    Trust::grant(&place.state, &place.root, &setup.files).map_err(|error| Exit::Failed.because(error))?;
    say(&format!("{} is trusted from now on; `symd trust --revoke` takes that back", place.root.display()));
    renew(&place)
}

pub(super) fn revoke(context: &Context) -> Result<(), Failure> {
    let place = context.place()?;
    Trust::revoke(&place.state).map_err(|error| Exit::Failed.because(error))?;
    say(&format!("{} is not trusted any more", place.root.display()));
    renew(&place)
}

pub(super) fn show(context: &Context) -> Result<(), Failure> {
    let place = context.place()?;
    let setup = context.setup(&place)?;
    print(&format!("{}\n{}\n", setup.trust, allowed(&place, &setup)?))
}

/// Stops the daemon, because it uses the trust that it read when it started.
fn renew(place: &DaemonPaths) -> Result<(), Failure> {
    if life::end(place)? {
        say("the next client starts a new daemon; `symd start` does so now");
    }
    Ok(())
}

fn confirmed() -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(
            Exit::Usage.because("there is no terminal to ask on; `symd trust --yes` trusts without asking")
        );
    }
    say("Trust this project? [y/N]");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| Exit::Failed.because(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Returns text for people about what trust in the project allows.
fn allowed(place: &DaemonPaths, setup: &Setup) -> Result<String, Failure> {
    let failed = |error: &dyn std::fmt::Display| Exit::Failed.because(error);
    let trusted = setup.if_trusted().map_err(|error| failed(&error))?;
    let present = languages::present_in(&place.root, &trusted.languages).map_err(|error| failed(&error))?;
    let mut text = format!("Trust in {} allows:\n", place.root.display());
    // Writing to a String cannot fail.
    let servers = runs_code(&trusted.languages, present);
    if servers.is_empty() {
        let _ = writeln!(text, "- no server that runs code of the project: none of its languages has one");
    } else {
        let _ = writeln!(text, "- servers that run code of the project, where they are installed:");
        for (language, server, runs) in servers {
            let line = printable(&format!("{language:<12} {server} runs {runs}"));
            let _ = writeln!(text, "    {}", line.replace('\n', " "));
        }
    }
    let tables = setup.project_file().map(|layer| (layer.file, server_tables(layer)));
    if let Some((file, tables)) = tables.filter(|(_, tables)| !tables.is_empty()) {
        let _ = writeln!(text, "- the server settings in {file}:");
        for (name, lines) in tables {
            let _ = writeln!(text, "    [language-server.{name}]");
            for line in lines {
                let _ = writeln!(text, "      {line}");
            }
        }
    }
    for note in &trusted.notes {
        let _ = writeln!(text, "- but {note}");
    }
    text.push_str("It lapses when .symd/languages.toml or .symd/config.toml changes.");
    Ok(text)
}

/// Returns language, server and the code that it runs, for every server of the languages `present` that runs
/// code of the project.
fn runs_code(
    languages: &Languages,
    present: impl IntoIterator<Item = LanguageId>,
) -> Vec<(&str, &str, &str)> {
    let mut found = Vec::new();
    for language in present.into_iter().map(|id| languages.get(id)) {
        for used in &language.language_servers {
            let server = languages.server(&used.name);
            if let Some(runs) = server.and_then(|server| server.runs_project_code.as_deref()) {
                found.push((language.name.as_str(), used.name.as_str(), runs));
            }
        }
    }
    found
}
