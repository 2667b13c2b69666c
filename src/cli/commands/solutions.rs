//! `symd solutions`: the user's past solutions. Needs no daemon: the store takes several processes at once.

mod import;

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::args::SolutionsCommand;
use crate::cli::commands::trust::confirmed;
use crate::cli::commands::{print, say};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::knowledge::{Embedder, ImportedSolutions, Solution, SolutionStore, StoreError};
use crate::ops::solutions::Solutions;
use import::ReadSolutions;

/// Maximum number of characters of an error's first line in the list.
const SHOWN: usize = 80;

pub(super) fn run(context: &Context, command: &SolutionsCommand) -> Result<(), Failure> {
    let solutions = Solutions::new(&context.dirs.persistent.data, &context.settings()?.embedder);
    let done = match command {
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
        SolutionsCommand::Export => {
            let all = store.all().map_err(failed)?;
            let lines: Result<Vec<String>, _> = all.iter().map(serde_json::to_string).collect();
            let lines = lines.map_err(|error| Exit::Failed.because(error))?;
            print(&lines.iter().map(|line| format!("{line}\n")).collect::<String>())
        }
        SolutionsCommand::Import => import(store),
        // `run` has handled it.
        SolutionsCommand::Reembed { .. } => Ok(()),
    }
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
    let count = if count == 1 { "1 solution".to_owned() } else { format!("{count} solutions") };
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

fn line(solution: &Solution) -> String {
    let Solution { id, language, error_type, error_description, confidence, .. } = solution;
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
