//! serena's `activate_project` and `remove_project`. The active project belongs to the state of the
//! connection. Invariant: a connection switches only to projects that the user has registered: an agent in a
//! sandbox must not reach directories by naming them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::answer::{bad_argument, error};
use super::memories::names_json;
use crate::arguments::Arguments;
use crate::{Annotations, ConnectionCall, ConnectionOutcome, Reply, Risk, Tool};
use symd_config::projects::{Projects, ProjectsError, RegisteredProject, directory_name};
use symd_ops::{Project, memory};

pub(super) const ACTIVATE_PROJECT: Tool = Tool::about_connection(
    "activate_project",
    "Activate project",
    "Activates the project with the given name or path: the tools of this connection work on it from now on. \
     Only projects that the user has opened with symd can be activated.",
    activate_project_schema,
    |call| Box::pin(async move { activate(&call).await.unwrap_or_else(ConnectionOutcome::Answer) }),
);

pub(super) const REMOVE_PROJECT: Tool = Tool {
    annotations: Annotations::CHANGES,
    risk: Risk::SafeWrite,
    ..Tool::about_connection(
        "remove_project",
        "Remove project",
        "Removes a project from the configuration: it cannot be activated by name any more. Nothing of the \
         project itself is changed or deleted.",
        remove_project_schema,
        |call| {
            Box::pin(
                async move { ConnectionOutcome::Answer(remove(&call).await.unwrap_or_else(|reply| reply)) },
            )
        },
    )
    .checked_by(|proposed| removed(proposed.arguments).map(drop))
};

/// The maximum number of names that an error lists.
const LISTED: usize = 50;

/// How long to wait for a project's languages and memories: the project may have to be read first.
const PATIENCE: Duration = Duration::from_secs(60);

fn activate_project_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "project": {"type": "string", "description": "The name of a registered project, or the absolute path of its root."},
        },
        "required": ["project"],
    })
}

fn remove_project_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "project_name": {"type": "string", "description": "The name of the project, as it is registered."},
        },
        "required": ["project_name"],
    })
}

async fn activate(call: &ConnectionCall<'_>) -> Result<ConnectionOutcome, Reply> {
    let wanted = Arguments::new(&call.arguments).string("project").map_err(bad_argument)?.to_owned();
    let looked_up = look_up(call, wanted.clone()).await;
    if let Some((project, root)) = call.own {
        // The daemon's own project exists whatever the list contains, and even if there is none.
        let LookedUp { all, path } = looked_up.as_ref().cloned().unwrap_or_default();
        let name = own_name(&all, root);
        // A registered name takes precedence over a directory's name.
        let is_named = wanted == name && all.iter().all(|one| one.name != name || one.root == root);
        if is_named || Path::new(&wanted) == root || path.as_deref() == Some(root) {
            call.client.activate(None);
            return Ok(ConnectionOutcome::Answer(Reply::done(describe(&name, project, root).await)));
        }
    }
    let LookedUp { all, path } = looked_up?;
    let at = |one: &&RegisteredProject| one.root == Path::new(&wanted) || path.as_ref() == Some(&one.root);
    let found = all.iter().find(|one| one.name == wanted).or_else(|| all.iter().find(at));
    Ok(ConnectionOutcome::Activate(found.ok_or_else(|| not_registered(&wanted, &all))?.clone()))
}

/// The user's projects, and the target of the given path with links resolved.
#[derive(Clone, Debug, Default)]
struct LookedUp {
    all: Vec<RegisteredProject>,
    path: Option<PathBuf>,
}

async fn look_up(call: &ConnectionCall<'_>, wanted: String) -> Result<LookedUp, Reply> {
    blocking(call, move |projects| {
        let path = Path::new(&wanted);
        let path = if path.is_absolute() { path.canonicalize().ok() } else { None };
        Ok(LookedUp { all: projects.list()?, path })
    })
    .await
}

/// Runs `work` on the user's projects in a thread that may block on the disk and on locks.
pub(super) async fn blocking<T: Send + 'static>(
    call: &ConnectionCall<'_>,
    work: impl FnOnce(&Projects) -> Result<T, ProjectsError> + Send + 'static,
) -> Result<T, Reply> {
    let projects = call.projects.clone().map_err(error)?;
    let done = tokio::task::spawn_blocking(move || work(&projects)).await;
    done.map_err(error)?.map_err(error)
}

fn not_registered(wanted: &str, all: &[RegisteredProject]) -> Reply {
    error(format!(
        "Project '{wanted}' is not registered. Only the user can register it, by running `symd start` in its \
         directory, or `symd projects add PATH`. Registered projects: {}",
        listed(all)
    ))
}

pub(super) fn listed(all: &[RegisteredProject]) -> String {
    if all.is_empty() {
        return "none".to_owned();
    }
    let mut names: Vec<&str> = all.iter().take(LISTED).map(|one| one.name.as_str()).collect();
    let more = format!("and {} more", all.len().saturating_sub(LISTED));
    if all.len() > LISTED {
        names.push(&more);
    }
    names.join(", ")
}

/// Returns the name of the project in `root`.
pub(super) fn own_name(registered: &[RegisteredProject], root: &Path) -> String {
    let known = registered.iter().find(|one| one.root == root);
    known.map_or_else(|| directory_name(root), |one| one.name.clone())
}

/// Describes the project: what an agent needs to know of it first.
async fn describe(name: &str, project: &Project, root: &Path) -> String {
    let memories = tokio::time::timeout(PATIENCE, memory::list(project)).await;
    // Read after the question, because the engine's status is as fresh as its last answer.
    let mut languages: Vec<(String, usize)> = project.engine.status().languages.into_iter().collect();
    languages.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let languages: Vec<&str> = languages.iter().map(|(language, _)| language.as_str()).collect();
    let languages = if languages.is_empty() { "none found".to_owned() } else { languages.join(", ") };
    let memories = match memories {
        Ok(Ok(names)) => names_json(&names),
        Ok(Err(problem)) => format!("not readable ({problem})"),
        Err(_) => "not known yet: the project is still being read".to_owned(),
    };
    format!(
        "Project '{name}' is active, at {}.\nProgramming languages: {languages}\nMemories: {memories}",
        root.display()
    )
}

/// Parses the name in the arguments of `remove_project`.
fn removed(arguments: &Map<String, Value>) -> Result<&str, Reply> {
    Arguments::new(arguments).string("project_name").map_err(bad_argument)
}

async fn remove(call: &ConnectionCall<'_>) -> Result<Reply, Reply> {
    let name = removed(&call.arguments)?.to_owned();
    let wanted = name.clone();
    let (removed, left) =
        blocking(call, move |projects| Ok((projects.remove(&wanted)?, projects.list()?))).await?;
    match removed {
        Some(_) => Ok(Reply::done(format!("Successfully removed project '{name}' from configuration."))),
        None => Err(error(format!(
            "Project '{name}' not found in configuration. Registered projects: {}",
            listed(&left)
        ))),
    }
}
