//! `rename_symbol` of the serena contract, which has no parameters for doubtful uses. Uses that the server
//! leaves open are listed in additional lines; anything more doubtful refuses the rename.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value, json as schema};
use tokio::time::Instant;

use super::answer::{bad_argument, error};
use super::references::{format_target_error, refusal};
use crate::arguments::Arguments;
use crate::server_questions::{NoAnswerReason, in_time};
use crate::{Call, Reply, Tool};
use symd_edit::Originator;
use symd_index::Locals;
use symd_lsp::WaitPolicy;
use symd_ops::edits::{
    ApplyError, AttemptError, DiagnosticsReport, MultiFileOptions, RetryPolicy, plan_and_apply,
};
use symd_ops::rename::{DoubtPolicy, Listed, PlannedRename, Rename, RenameError, UncheckedUses, plan};
use symd_ops::target::SymbolSelector;

/// How long to wait for a server that is not ready.
const PATIENCE: Duration = Duration::from_secs(60);

/// The maximum number of places that a refusal shows.
const MAX_PLACES: usize = 20;

pub(super) const RENAME_SYMBOL: Tool = Tool::changing(
    "rename_symbol",
    "Rename symbol",
    "Renames the symbol with the given name_path to new_name throughout the entire codebase. Refactoring: \
     all references to a class, function, method or variable are changed.",
    rename_schema,
    |call| Box::pin(async move { run(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| RenameArgs::read(proposed.arguments).map(drop));

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

/// The arguments of `rename_symbol`.
struct RenameArgs {
    wanted: SymbolSelector,
    new_name: String,
}

impl RenameArgs {
    fn read(arguments: &Map<String, Value>) -> Result<RenameArgs, Reply> {
        let arguments = Arguments::new(arguments);
        let text = |name: &str| arguments.string(name).map(str::to_owned).map_err(bad_argument);
        let (name_path, relative_path) = (text("name_path")?, text("relative_path")?);
        let wanted =
            SymbolSelector { locals: Locals::Included, ..SymbolSelector::only(&name_path, &relative_path) };
        let new_name = text("new_name")?;
        wanted.check().map_err(format_target_error)?;
        Ok(RenameArgs { wanted, new_name })
    }
}

async fn run(call: &Call<'_>) -> Result<Reply, Reply> {
    let RenameArgs { wanted, new_name } = RenameArgs::read(&call.arguments)?;
    let ask = Rename {
        wanted,
        new_name,
        include: BTreeSet::new(),
        unchecked: UncheckedUses::Left,
        doubts: DoubtPolicy::NoteUses,
        waiting: WaitPolicy::Until(Instant::now() + PATIENCE),
    };
    let options =
        MultiFileOptions { retry: RetryPolicy::Allowed, dry_run: false, report: DiagnosticsReport::Nothing };
    let planning = || async {
        let planned = in_time(call.project, PATIENCE, plan(call.project, &ask)).await;
        let planned = planned.map_err(|why| AttemptError::Final(refusal(why)))?;
        let planned: PlannedRename = planned
            .map_err(|error| AttemptError::new(error, |error| error.is_conflict()).map(format_refusal))?;
        let title = format!("rename {} to {}", planned.target.symbol.name_path, planned.new_name);
        let by = Originator { who: call.client.name().to_owned(), tool: call.tool.to_owned(), title };
        Ok((planned, by))
    };
    let refused = |error: ApplyError| format_refusal(error.into());
    let (planned, _) = plan_and_apply(call.project, options, planning, refused).await?;
    let (old, new, count) = (&ask.wanted.name_path, &planned.new_name, planned.changes());
    let mut text = format!("Successfully renamed '{old}' to '{new}' ({count} changes applied)");
    for note in planned.notes.iter().filter(|note| note.is_doubt && !note.is_mention) {
        text.push_str(&format!("\n{}{}", note.text, place_lines(&note.places)));
    }
    Ok(Reply::done(text))
}

fn format_refusal(problem: RenameError) -> Reply {
    if let RenameError::Question(problem) = problem {
        return refusal(NoAnswerReason::Question(problem));
    }
    let advice = match problem {
        RenameError::Collides { .. } => "; choose another name",
        RenameError::Linked { .. } => "; nothing was written; rename what it is linked to by hand",
        RenameError::Doubtful { .. } => "; look at these places, and change them by hand",
        _ => "",
    };
    error(format!("{problem}{advice}{}", place_lines(problem.places())))
}

/// Formats the first of the places, each on a line of its own.
fn place_lines(places: &[Listed]) -> String {
    let lines = places.iter().take(MAX_PLACES);
    lines.map(|one| format!("\n{}:{}: {}", one.path, one.line, one.text)).collect()
}
