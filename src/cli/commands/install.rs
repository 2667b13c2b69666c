//! `symd install`: installs language servers. Progress is printed to stderr, as one updated line on a
//! terminal; the result of each server to stdout.

use std::fmt::Write;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::commands::{print, say};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::cli::languages;
use crate::config::{LanguageServer, Languages};
use crate::install::{
    Home, InstallEnvironment, InstallError, InstallLock, InstallOutcome, InstallProgress, Installer, Locking,
    Reinstall, Resolved, ServerSource, default_server, resolve, servers_directory, source_of,
};

/// How often a terminal's status line is updated while nothing is printed, in milliseconds.
const TICK_MS: u64 = 120;

pub(super) fn run(context: &Context, names: &[String], force: Reinstall) -> Result<(), Failure> {
    let languages = &*languages::of_user(&context.dirs)?;
    let project = context.find_place().ok().map(|place| place.root);
    let here = InstallEnvironment::of_process(project.as_deref());
    let wanted = if names.is_empty() {
        of_project(context, languages, &here)?
    } else {
        of_names(languages, names, &here)?
    };
    let servers = servers_directory(&context.dirs);
    let failed = |error: &dyn std::fmt::Display| Exit::Failed.because(error);
    let lock = match InstallLock::take(&servers).map_err(|error| failed(&error))? {
        Locking::Held(lock) => lock,
        Locking::Busy(waiting) => {
            say("another `symd install` is at work; waiting for it");
            waiting.wait().map_err(|error| failed(&error))?
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(&error))?;
    runtime.block_on(async {
        let mut installer = Installer::new(&servers, lock, here).map_err(|error| failed(&error))?;
        let mut failures = 0;
        for (name, server) in &wanted {
            let progress = Progress::new(name);
            let done = installer.install(name, server, force, &mut |told| progress.tell(&told)).await;
            progress.end();
            match done {
                Ok(done) => print(&format!("{name}: {}\n", words(&done)))?,
                // The user did not name this server, so the hint is no error.
                Err(InstallError::ByHand { hint }) if names.is_empty() => {
                    print(&format!("{name}: by hand: {hint}\n"))?
                }
                Err(InstallError::Interrupted) => {
                    return Err(Exit::Failed.because(format!("{name}: {}", InstallError::Interrupted)));
                }
                Err(error) => {
                    say(&format!("symd: {name}: {error}"));
                    failures += 1;
                }
            }
        }
        if failures == 0 { Ok(()) } else { Err(Exit::Failed.silent()) }
    })
}

fn words(done: &InstallOutcome) -> String {
    match done {
        InstallOutcome::AlreadyThere(manifest) => format!("{} is already installed", manifest.version()),
        InstallOutcome::Installed(manifest) => {
            format!("{} installed; running daemons use it from the next question on", manifest.version())
        }
        InstallOutcome::OnPath(path) => format!("found at {}", path.display()),
    }
}

type ChosenServers<'a> = Vec<(&'a str, &'a LanguageServer)>;

fn of_names<'a>(
    languages: &'a Languages,
    names: &[String],
    here: &InstallEnvironment,
) -> Result<ChosenServers<'a>, Failure> {
    let mut wanted = ChosenServers::new();
    for name in names {
        let server = match resolve(languages, name, here) {
            Resolved::Server(server) => server,
            Resolved::NoServer => {
                return Err(Exit::Usage.because(format!(
                    "{name}: symd knows no language server for it; `symd install --list` shows which it knows"
                )));
            }
            Resolved::Unknown(near) if near.is_empty() => {
                return Err(Exit::Usage.because(format!(
                    "{name:?} is neither a language nor a server; `symd install --list` shows which there are"
                )));
            }
            Resolved::Unknown(near) => {
                return Err(Exit::Usage.because(format!(
                    "{name:?} is neither a language nor a server; is it one of: {}?",
                    near.join(", ")
                )));
            }
        };
        add(&mut wanted, languages, &server);
    }
    Ok(wanted)
}

fn of_project<'a>(
    context: &Context,
    languages: &'a Languages,
    here: &InstallEnvironment,
) -> Result<ChosenServers<'a>, Failure> {
    let place = context.place().map_err(|failure| {
        failure.exit.because(format!("{}; or say what to install: symd install LANGUAGE", failure.text))
    })?;
    let found = languages::present_in(&place.root, languages).map_err(|error| Exit::Failed.because(error))?;
    let mut wanted = ChosenServers::new();
    let mut without = Vec::new();
    for id in found {
        let language = &languages.get(id).name;
        match default_server(languages, language, here) {
            Some(server) => add(&mut wanted, languages, server),
            None => without.push(language.as_str()),
        }
    }
    if !without.is_empty() {
        say(&format!("symd knows no language server for {}", without.join(", ")));
    }
    if wanted.is_empty() {
        say("this project has no language that symd knows a server for");
    }
    Ok(wanted)
}

/// Adds a server unless it is present: several languages may share it.
fn add<'a>(wanted: &mut ChosenServers<'a>, languages: &'a Languages, server: &str) {
    let found = languages.servers().find(|(name, _)| *name == server);
    wanted.extend(found.filter(|(name, _)| wanted.iter().all(|(known, _)| known != name)));
}

/// Prints every server with its languages and whether it is installed (`symd install --list`); only `names`,
/// if any are given.
pub(super) fn list(context: &Context, names: &[String]) -> Result<(), Failure> {
    let languages = &*languages::of_user(&context.dirs)?;
    let project = context.find_place().ok().map(|place| place.root);
    let here = InstallEnvironment::of_process(project.as_deref());
    let mut shown: ChosenServers<'_> =
        if names.is_empty() { languages.servers().collect() } else { of_names(languages, names, &here)? };
    shown.sort_by_key(|(name, _)| *name);
    let servers = servers_directory(&context.dirs);
    let mut text = String::new();
    for (name, server) in shown {
        let state = match (Home::new(&servers, name).manifest(), source_of(server)) {
            (Some(manifest), _) => format!("installed, {}", manifest.version()),
            (None, source) => match (here.find(&server.command), source) {
                (Some(path), _) => format!("at {}", path.display()),
                (None, ServerSource::Registry(tool)) if here.find(tool).is_none() => format!("needs {tool}"),
                (None, ServerSource::Registry(_)) => "can be installed".to_owned(),
                (None, ServerSource::ByHand | ServerSource::Unspecified) => "by hand".to_owned(),
            },
        };
        let serves = |id| languages.get(id).language_servers.iter().any(|used| used.name == name);
        let served: Vec<&str> = languages
            .all()
            .filter(|(id, _)| serves(*id))
            .map(|(_, language)| language.name.as_str())
            .collect();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<28} {state:<28} {}", served.join(", "));
    }
    print(&text)
}

/// The progress of one server's installation: an updated line on a terminal, plain lines elsewhere.
struct Progress<'a> {
    name: &'a str,
    bar: ProgressBar,
}

impl Progress<'_> {
    fn new(name: &str) -> Progress<'_> {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}: {wide_msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_prefix(name.to_owned());
        Progress { name, bar }
    }

    fn tell(&self, told: &InstallProgress<'_>) {
        match told {
            InstallProgress::Begins(parts) => {
                self.line(&format!("installing {}", parts.join(", ")));
                self.bar.enable_steady_tick(std::time::Duration::from_millis(TICK_MS));
            }
            InstallProgress::WithoutHashes => {
                let text = "symd has no reviewed hashes for this version; only the version is pinned";
                self.bar.suspend(|| say(&format!("{}: {text}", self.name)));
            }
            InstallProgress::Line(line) => self.line(line.trim()),
        }
    }

    fn line(&self, text: &str) {
        if self.bar.is_hidden() {
            say(&format!("{}: {text}", self.name));
        } else {
            self.bar.set_message(text.to_owned());
        }
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}
