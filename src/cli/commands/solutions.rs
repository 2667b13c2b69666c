//! `symd solutions`: the user's past solutions. Needs no daemon: the store takes several processes at once.

mod import;

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::args::SolutionsCommand;
use crate::cli::commands::trust::confirmed;
use crate::cli::commands::{print, say};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::config::settings::ChromaSettings;
use crate::knowledge::{Embedder, ImportedSolutions, Solution, SolutionStore, StoreError};
use crate::ops::solutions::Solutions;
use import::ReadSolutions;

/// Maximum number of characters of an error's first line in the list.
const SHOWN: usize = 80;

pub(super) fn run(context: &Context, command: &SolutionsCommand) -> Result<(), Failure> {
    let data = &context.dirs.persistent.data;
    let mut settings = context.settings()?;
    if matches!(command, SolutionsCommand::Export { local: true }) {
        settings.chroma = ChromaSettings::default();
    }
    let solutions = Solutions::new(data, &settings);
    let done = match command {
        SolutionsCommand::Connect { yes } => {
            settings.chroma = ChromaSettings::default();
            connect(&solutions, &Solutions::new(data, &settings), *yes)
        }
        SolutionsCommand::Reembed { yes } => reembed(&solutions, *yes),
        command => run_on(solutions.store(), command),
    };
    solutions.store().take_notices().iter().for_each(|notice| say(notice));
    done
}

fn run_on(store: &dyn SolutionStore, command: &SolutionsCommand) -> Result<(), Failure> {
    match command {
        SolutionsCommand::List => {
            let all = store.all().map_err(failed)?;
            print(&all.iter().map(line).collect::<String>())
        }
        SolutionsCommand::Show { id } => print(&shown(&store.get(id).map_err(failed)?)),
        SolutionsCommand::Validate { id } => {
            let solution = store.validate(id).map_err(failed)?;
            say(&format!("{} ({}) counts as confirmed by you", solution.id, solution.error_type));
            Ok(())
        }
        SolutionsCommand::Delete { id } => {
            let solution = store.delete(id).map_err(failed)?;
            say(&format!("{} ({}) is deleted", solution.id, solution.error_type));
            Ok(())
        }
        SolutionsCommand::Export { .. } => {
            let all = store.all().map_err(failed)?;
            let lines: Result<Vec<String>, _> = all.iter().map(serde_json::to_string).collect();
            let lines = lines.map_err(|error| Exit::Failed.because(error))?;
            print(&lines.iter().map(|line| format!("{line}\n")).collect::<String>())
        }
        SolutionsCommand::Import => import(store),
        // `run` has handled them.
        SolutionsCommand::Connect { .. } | SolutionsCommand::Reembed { .. } => Ok(()),
    }
}

/// Keeps the user's yes to the team's server, and makes its collection. What this machine has is not sent: whether the team needs
/// it is the user's to say.
fn connect(solutions: &Solutions, local: &Solutions, yes: bool) -> Result<(), Failure> {
    let Some(team) = solutions.team() else {
        let how = "write the lines `[chroma]` and `url = \"http://HOST:PORT\"` there first";
        return Err(Exit::Usage.because(format!("config.toml names no Chroma; {how}")));
    };
    let server = team.server();
    if !server.has_consent() {
        say(&format!(
            "Solutions are kept at {}, where everyone who may use it reads them: the texts of each that is recorded or imported \
             from now on, without secrets and home paths; of searches the vector and the filters.",
            server.url()
        ));
        if !yes && !confirmed("Connect?", "`symd solutions connect --yes` connects without asking")? {
            return Err(Exit::Denied.because("nothing was sent"));
        }
        server.consent().map_err(|error| Exit::Failed.because(error))?;
    }
    let records = team.prepare().map_err(failed)?;
    say(&format!("connected to {}: {}", server.url(), counted(records, "record")));
    let here = local.store().all().map_err(failed)?.len();
    if here > 0 {
        let how = "`symd solutions export --local | symd solutions import` copies them";
        say(&format!("not there yet: {} of this machine; {how}", counted(here, "solution")));
    }
    Ok(())
}

/// Computes vectors again, with a bar on a terminal. The user's yes to a model behind a URL is kept for all that is sent
/// later, too.
fn reembed(solutions: &Solutions, yes: bool) -> Result<(), Failure> {
    if let Some(embedder) = solutions.url_embedder().filter(|embedder| !embedder.has_consent()) {
        say(&format!(
            "Texts of errors are sent to {} ({}): of all solutions now, later of each that is recorded, and what is searched \
             for. Secrets and home paths are taken out first.",
            embedder.endpoint(),
            embedder.model()
        ));
        if !yes && !confirmed("Send them?", "`symd solutions reembed --yes` sends them without asking")? {
            return Err(Exit::Denied.because("nothing was sent"));
        }
        embedder.consent().map_err(|error| Exit::Failed.because(error))?;
    }
    if let Some(team) = solutions.team() {
        say(&format!("Vectors at {} are computed again for everyone who uses it.", team.server().url()));
        if !yes && !confirmed("Compute them?", "`symd solutions reembed --yes` computes them without asking")?
        {
            return Err(Exit::Denied.because("nothing was changed"));
        }
    }
    let bar = ProgressBar::new(0);
    bar.set_style(ProgressStyle::default_bar());
    let done = solutions.store().reembed(&mut |done, of| {
        bar.set_length(of as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let done = done.map_err(|error| {
        Exit::Failed
            .because(format!("{error}; what is done is kept, and the next `symd solutions reembed` goes on"))
    })?;
    say(&match done {
        0 => "every solution has a vector of this model".to_owned(),
        1 => "1 vector was computed".to_owned(),
        done => format!("{done} vectors were computed"),
    });
    Ok(())
}

/// Imports all lines or, if one of them is no solution, none.
fn import(store: &dyn SolutionStore) -> Result<(), Failure> {
    let ReadSolutions { list, removed } = import::read(std::io::stdin().lock())?;
    let ImportedSolutions { count, replaced, renumbered } = store.import(list).map_err(failed)?;
    let secrets = match removed {
        0 => String::new(),
        removed => format!("; {removed} secrets and home paths were taken out"),
    };
    let count = counted(count, "solution");
    let replaced = match replaced {
        0 => String::new(),
        replaced => format!("; {replaced} replaced an earlier copy"),
    };
    let renumbered = match renumbered {
        0 => String::new(),
        renumbered => format!("; {renumbered} got a new id, because another solution has theirs"),
    };
    say(&format!("{count} imported{replaced}{renumbered}{secrets}"));
    Ok(())
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn line(solution: &Solution) -> String {
    let Solution { id, error_description, confidence, .. } = solution;
    // Imported names may hold anything: a line is one solution, a tab the end of a column.
    let named = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ");
    let (language, error_type) = (named(&solution.language), named(&solution.error_type));
    let first: String = error_description.lines().next().unwrap_or_default().chars().take(SHOWN).collect();
    let confirmed = if solution.user_validated { ", confirmed" } else { "" };
    format!("{id}\t{language}\t{error_type}: {first} (confidence {confidence}{confirmed})\n")
}

fn shown(solution: &Solution) -> String {
    let Solution { id, error_description, root_cause, language, error_type, confidence, .. } = solution;
    let confirmed = if solution.user_validated { ", confirmed by you" } else { "" };
    let fixed_in = match solution.fixed_in.as_str() {
        "" => String::new(),
        path => format!("fixed in: {path}\n"),
    };
    format!(
        "{id}: {error_type} ({language}, {}, confidence {confidence}{confirmed})\nerror: {error_description}\n\
         cause: {root_cause}\nsolution: {}\n{fixed_in}",
        solution.created_at, solution.solution
    )
}

fn failed(error: StoreError) -> Failure {
    Exit::Failed.because(error)
}
