//! `symd projects`: lists and changes the projects that agents may switch to.

use serde_json::json;

use crate::cli::args::ProjectsCommand;
use crate::cli::commands::{print, say};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::config::projects::{Projects, ProjectsError};
use crate::config::roots;

pub(super) fn run(context: &Context, command: Option<ProjectsCommand>) -> Result<(), Failure> {
    let projects = Projects::new(&context.dirs.persistent.state);
    match command.unwrap_or(ProjectsCommand::List { json: false }) {
        ProjectsCommand::List { json: false } => {
            let all = projects.list().map_err(failed)?;
            let lines: Vec<String> =
                all.iter().map(|one| format!("{}\t{}\n", one.name, one.root.display())).collect();
            print(&lines.concat())
        }
        ProjectsCommand::List { json: true } => {
            print(&format!("{}\n", json!({ "projects": projects.list().map_err(failed)? })))
        }
        ProjectsCommand::Add { path } => {
            let root = roots::canonical_root(&path).map_err(|error| Exit::Usage.because(error))?;
            let added = projects.add(&root).map_err(failed)?;
            say(&format!("{} is registered as {}", added.root.display(), added.name));
            Ok(())
        }
        ProjectsCommand::Remove { name } => match projects.remove(&name).map_err(failed)? {
            Some(removed) => {
                say(&format!("{} is unregistered; its files were not changed", removed.root.display()));
                Ok(())
            }
            None => {
                Err(Exit::Failed.because(format!("there is no project {name:?}; `symd projects` lists them")))
            }
        },
    }
}

fn failed(error: ProjectsError) -> Failure {
    Exit::Failed.because(error)
}
