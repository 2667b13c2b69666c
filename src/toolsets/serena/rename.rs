//! `rename_symbol` as the serena contract has it. Where something is in doubt the rename is refused: the contract has no
//! way to ask for more.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json as schema};
use tokio::time::Instant;

use super::answer::{bad_argument, error};
use super::references::refusal;
use crate::edit::By;
use crate::index::Locals;
use crate::lsp::Waiting;
use crate::ops::rename::{Doubts, Rename, RenameError, apply, plan};
use crate::ops::target::Wanted;
use crate::toolsets::arguments::Arguments;
use crate::toolsets::asked::{Refusal, in_time};
use crate::toolsets::{Annotations, Call, Reach, Reply, Risk, Running, Tool};

/// How long a server that is not ready is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Places that a refusal shows.
const MAX_PLACES: usize = 20;

/// The tool.
pub(super) const RENAME_SYMBOL: Tool = Tool {
    name: "rename_symbol",
    title: "Rename symbol",
    description: "Renames the symbol with the given name_path to new_name throughout the entire codebase. Refactoring: \
        all references to a class, function, method or variable are changed.",
    schema: rename_schema,
    annotations: Annotations::CHANGES,
    risk: Risk::SafeWrite,
    reach: Reach::Project,
    run: rename_symbol,
};

fn rename_schema() -> Value {
    schema!({
        "type": "object",
        "properties": {
            "name_path": {"type": "string", "description": "The name path of the symbol to rename: a simple name, a suffix (`Class/method`), or a path from the file's top level (`/Class/method`)."},
            "relative_path": {"type": "string", "description": "The relative path to the file containing the symbol."},
            "new_name": {"type": "string", "description": "The new name of the symbol."},
        },
        "required": ["name_path", "relative_path", "new_name"],
    })
}

fn rename_symbol(call: Call<'_>) -> Running<'_> {
    Box::pin(async move { run(&call).await.unwrap_or_else(|reply| reply) })
}

async fn run(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let ask = Rename {
        wanted: Wanted {
            name_path: arguments.string("name_path").map_err(bad_argument)?.to_owned(),
            relative_path: arguments.string("relative_path").map_err(bad_argument)?.to_owned(),
            locals: Locals::Included,
        },
        new_name: arguments.string("new_name").map_err(bad_argument)?.to_owned(),
        include: BTreeSet::new(),
        doubts: Doubts::Refuse,
        waiting: Waiting::Until(Instant::now() + PATIENCE),
    };
    let planned = in_time(call.project, PATIENCE, plan(call.project, &ask)).await.map_err(refusal)?;
    let planned = planned.map_err(refused)?;
    let title = format!("rename {} to {}", planned.target.symbol.name_path, planned.new_name);
    let by = By { who: call.client.name().to_owned(), tool: call.tool.to_owned(), title };
    apply(call.project, &planned, by).await.map_err(refused)?;
    let (old, new, count) = (&planned.target.name, &planned.new_name, planned.changes());
    Ok(Reply::done(format!("Successfully renamed '{old}' to '{new}' ({count} changes applied)")))
}

fn refused(problem: RenameError) -> Reply {
    if let RenameError::Question(problem) = problem {
        return refusal(Refusal::Question(problem));
    }
    let places = problem.places().iter().take(MAX_PLACES);
    let lines: Vec<String> = places.map(|one| format!("\n{}:{}: {}", one.path, one.line, one.text)).collect();
    error(format!("{problem}{}", lines.concat()))
}
