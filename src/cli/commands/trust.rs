//! `symd trust`, and the same question in an editor: shows what a project may run once it is trusted, asks the user, and records the trust.
//! Invariant: the files recorded are those that were shown, even if they change before the user answers.

use std::fmt::Write;
use std::io::{BufRead, IsTerminal};
use std::path::Path;

use crate::base::state::StateError;
use crate::cli::client::{Client, Role};
use crate::cli::commands::{life, print, say};
use crate::cli::context::{Context, Spawning};
use crate::cli::failure::{Exit, Failure};
use crate::cli::languages;
use crate::config::layers::{printable, server_tables};
use crate::config::{LanguageId, Languages, Trust};
use crate::ide::proxy::{TrustAnswer, TrustQuestion};
use crate::serve::DaemonPaths;
use crate::serve::setup::{self, Setup};

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
    say(&Allowed::of(&place, &setup)?.text);
    if asking == Asking::Ask && !confirmed("Trust this project?", "`symd trust --yes` trusts without asking")?
    {
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
    print(&format!("{}\n{}\n", setup.trust, Allowed::of(&place, &setup)?.text))
}

/// Stops the daemon, because it uses the trust that it read when it started.
fn renew(place: &DaemonPaths) -> Result<(), Failure> {
    if life::end(place)? {
        say("the next client starts a new daemon; `symd start` does so now");
    }
    Ok(())
}

/// Asks a question on the terminal; without one, the error says what `otherwise` is to be done.
pub(super) fn confirmed(question: &str, otherwise: &str) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(Exit::Usage.because(format!("there is no terminal to ask on; {otherwise}")));
    }
    say(&format!("{question} [y/N]"));
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| Exit::Failed.because(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Returns the question that an editor asks about trust in the project; `None` if trust would allow nothing, is given,
/// or the user does not want to be asked.
pub(super) fn question(config: &Path, place: &DaemonPaths, spawning: Spawning) -> Option<TrustQuestion> {
    let setup = setup::load(config, place).ok()?;
    let is_open = setup.trust != Trust::Trusted
        && setup.files.unreadable().is_empty()
        && !Trust::is_declined(&place.state, &place.root, &setup.files);
    if !is_open {
        return None;
    }
    let allowed = Allowed::of(place, &setup).ok().filter(|allowed| !allowed.is_nothing)?;
    let text = format!("symd: trust this project? {}", allowed.text);
    let place = place.clone();
    let record = move |answer| {
        let failed = |error: StateError| format!("the answer cannot be recorded: {error}");
        match answer {
            TrustAnswer::Never => {
                Trust::decline(&place.state, &place.root, &setup.files).map_err(failed)?;
                Ok("symd: not asked again while the project's files name the same commands; `symd trust` trusts it"
                    .to_owned())
            }
            TrustAnswer::Trust => {
                Trust::grant(&place.state, &place.root, &setup.files).map_err(failed)?;
                // The daemon uses the trust that it read when it started.
                life::end(&place).map_err(|failure| failure.text)?;
                Client::connect(&place, Role::Cli, &[], spawning).map_err(|failure| failure.text)?;
                Ok("symd: the project is trusted from now on; `symd trust --revoke` takes that back"
                    .to_owned())
            }
        }
    };
    Some(TrustQuestion { text, record: Box::new(record) })
}

/// What trust in a project allows.
struct Allowed {
    /// For people.
    text: String,
    /// Whether trust changes nothing.
    is_nothing: bool,
}

impl Allowed {
    fn of(place: &DaemonPaths, setup: &Setup) -> Result<Allowed, Failure> {
        let failed = |error: &dyn std::fmt::Display| Exit::Failed.because(error);
        let trusted = setup.if_trusted().map_err(|error| failed(&error))?;
        let present =
            languages::present_in(&place.root, &trusted.languages).map_err(|error| failed(&error))?;
        let mut text = format!("Trust in {} allows:\n", place.root.display());
        // Writing to a String cannot fail.
        let servers = runs_code(&trusted.languages, present);
        let tables = setup.project_file().map(|layer| (layer.file, server_tables(layer)));
        let tables = tables.filter(|(_, tables)| !tables.is_empty());
        let is_nothing = servers.is_empty() && tables.is_none();
        if servers.is_empty() {
            let _ =
                writeln!(text, "- no server that runs code of the project: none of its languages has one");
        } else {
            let _ = writeln!(text, "- servers that run code of the project, where they are installed:");
            for (language, server, runs) in servers {
                let line = printable(&format!("{language:<12} {server} runs {runs}"));
                let _ = writeln!(text, "    {}", line.replace('\n', " "));
            }
        }
        if let Some((file, tables)) = tables {
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
        Ok(Allowed { text, is_nothing })
    }
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
