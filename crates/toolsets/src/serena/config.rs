//! serena's `get_current_config` and `initial_instructions`, which describe the connection. Both work without
//! a project.

use super::SERENA;
use super::modes::{MODES, Modes, describe};
use super::projects::{blocking, listed, own_name};
use super::prompts::no_parameters;
use crate::{ConnectionCall, ConnectionOutcome, Reply, Tool};
use symd_config::projects::Projects;

pub(super) const GET_CURRENT_CONFIG: Tool = Tool::about_connection(
    "get_current_config",
    "Current configuration",
    "Prints the current configuration: the active and the registered projects, modes and tools.",
    no_parameters,
    |call| Box::pin(async move { ConnectionOutcome::Answer(config(&call).await) }),
);

pub(super) const INITIAL_INSTRUCTIONS: Tool = Tool::about_connection(
    "initial_instructions",
    "Initial instructions",
    "Gives the initial instructions: how to work with these tools. Call it before you begin, if you have not \
     been given them.",
    no_parameters,
    |call| Box::pin(async move { ConnectionOutcome::Answer(instructions(&call).await) }),
);

const INSTRUCTIONS: &str = "\
You work on code through tools that know its symbols. They are answered from an index that is always up to date: an \
answer shows every change of files that was finished before you asked.

Reading code
- Do not read whole files to get to know them. get_symbols_overview shows what a file declares; find_symbol with depth=1 \
shows the members of a class without their bodies, and with include_body=true exactly the code that you need.
- A symbol is named by its name path: `method`, `Class/method`, or `/Class/method` from the file's top level. `name[1]` is \
the second of several of one name in one place.
- find_referencing_symbols tells who uses a symbol, with the lines around each use.
- search_for_pattern finds text by regular expression, in files of any kind. Restrict it by relative_path or globs.
- Give relative_path wherever you know it, and keep depth small: answers become shorter and faster.
- Lines are counted from 0. Paths are relative to the project's root.

Changing code
- replace_symbol_body for a whole function, method or class; insert_after_symbol and insert_before_symbol for new ones; \
rename_symbol for a name everywhere. They need no line numbers, so nothing can have moved.
- replace_content for a few lines inside a larger symbol. A regular expression with .*? in the middle saves writing out \
what is to be replaced.
- Before you change what others use, look at its references, and change them along.

Memories are notes about the project. Call check_onboarding_performed when you begin, read the memories whose names have \
to do with your task, and write down what was hard to find out.";

async fn config(call: &ConnectionCall<'_>) -> Reply {
    let registered = blocking(call, Projects::list).await;
    let projects = match &registered {
        Ok(all) => listed(all),
        Err(problem) => format!("not known ({})", problem.text.trim_start_matches("Error: ")),
    };
    let all_modes: Vec<&str> = MODES.iter().map(|mode| mode.name).collect();
    let modes = call.client.state::<Modes>();
    let excluded = modes.excluded();
    let active: Vec<&str> =
        SERENA.tools.iter().map(|tool| tool.name).filter(|name| !excluded.contains(name)).collect();
    let excluded = if excluded.is_empty() { "none".to_owned() } else { excluded.join(", ") };
    Reply::done(format!(
        "symd {}, tools of serena\nActive project: {}\nRegistered projects: {projects}\nActive modes: {}\n\
         Known modes: {}\nActive tools: {}\nTools that are not active: {excluded}",
        env!("CARGO_PKG_VERSION"),
        active_project(call).await,
        modes.names(),
        all_modes.join(", "),
        active.join(", "),
    ))
}

/// Returns `name, at /root` of the active project, or `none`.
async fn active_project(call: &ConnectionCall<'_>) -> String {
    if let Some(elsewhere) = call.client.project_override() {
        return format!("{}, at {}", elsewhere.name, elsewhere.root.display());
    }
    let Some((_, root)) = call.own else { return "none".to_owned() };
    let registered = blocking(call, Projects::list).await.unwrap_or_default();
    format!("{}, at {}", own_name(&registered, root), root.display())
}

async fn instructions(call: &ConnectionCall<'_>) -> Reply {
    let project = active_project(call).await;
    let project = match project.as_str() {
        "none" => "No project is active: call activate_project with the name or path of a registered one."
            .to_owned(),
        project => format!("Active project: {project}"),
    };
    let modes = describe(&call.client.state::<Modes>());
    Reply::done(format!("{INSTRUCTIONS}\n\n{project}\n{modes}"))
}
