//! Renames that the editor makes itself, as an edit of its own.

use super::ranges::{Ranges, text_of, with_ranges};
use super::{AnswerForm, TextPlace, identifier, targets_at};
use crate::Project;
use crate::question::QuestionError;
use crate::rename::{DoubtPolicy, Listed, Rename, RenameError, UncheckedUses, plan};
use crate::target::{AmbiguityPolicy, Reading, SymbolSelector, Target};
use symd_base::RelPath;
use symd_edit::PlanStep;
use symd_index::Locals;
use symd_lsp::{ServerError, Span};

/// How many places of a refusal are named.
const NAMED_PLACES: usize = 3;

/// The changes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedEdit {
    pub path: RelPath,
    /// Ranges of the text before the rename, each with what comes in its place.
    pub changes: Vec<(Span, String)>,
}

/// A rename.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacedRename {
    pub edits: Vec<PlacedEdit>,
    /// Files that get another name, after the edits.
    pub renamed: Vec<(RelPath, RelPath)>,
}

/// Returns the name at a place if it is of one symbol, which can be renamed.
pub async fn renameable_at(
    project: &Project,
    place: &TextPlace,
    form: AnswerForm,
) -> Result<Option<Span>, QuestionError> {
    project
        .by_need(|project| async move {
            if targets_at(&project, place, form.waiting).await?.len() != 1 {
                return Ok(None);
            }
            let place = place.clone();
            let work = move |ranges: &mut Ranges<'_>| {
                let (range, _) = identifier(ranges.view(), &place)?;
                ranges.span(&place.path, range)
            };
            with_ranges(&project, form.encoding, work).await
        })
        .await
}

/// Returns the changes that rename the symbol at a place; the error says, for people, why there are none.
pub async fn rename_at(
    project: &Project,
    place: &TextPlace,
    new_name: &str,
    form: AnswerForm,
) -> Result<PlacedRename, String> {
    let meant = project.by_need(|project| async move { targets_at(&project, place, form.waiting).await });
    let meant = meant.await.map_err(|error| error.to_string())?;
    let target = match meant.as_slice() {
        [] => return Err("no symbol is known here; nothing was changed".to_owned()),
        [target] => target,
        several => {
            return Err(format!(
                "this may mean {} symbols, among them {}; rename it where it is declared",
                several.len(),
                several[0].symbol.name_path
            ));
        }
    };
    let asked = Rename {
        wanted: selector(target),
        new_name: new_name.to_owned(),
        include: std::collections::BTreeSet::new(),
        unchecked: UncheckedUses::Left,
        doubts: DoubtPolicy::Refuse,
        waiting: form.waiting.requiring_answer(),
    };
    let planned = plan(project, &asked).await.map_err(|error| refusal(&error))?;
    let steps = planned.plan.steps;
    let placed = with_ranges(project, form.encoding, move |ranges| placed(ranges, &steps))
        .await
        .map_err(|error| error.to_string())?;
    placed.map_err(|error| error.to_string())
}

/// Returns the selector of one declaration, by its line.
fn selector(target: &Target) -> SymbolSelector {
    let line = target.file.outline().and_then(|outline| outline.rows.get(target.row));
    let line = line.map_or(target.symbol.start_line, |row| row.name_line);
    SymbolSelector {
        name_path: target.symbol.name_path.clone(),
        relative_path: format!("{}:{}", target.at.path, u64::from(line) + 1),
        locals: Locals::Included,
        several: AmbiguityPolicy::OneEntity,
        reading: Reading::Literal,
    }
}

fn refusal(error: &RenameError) -> String {
    let places = error.places();
    let named: Vec<String> = places
        .iter()
        .take(NAMED_PLACES)
        .map(|Listed { path, line, .. }| format!("{path}:{}", line + 1))
        .collect();
    let more = places.len().saturating_sub(NAMED_PLACES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    if named.is_empty() { error.to_string() } else { format!("{error}: {}{more}", named.join(", ")) }
}

fn placed(ranges: &mut Ranges<'_>, steps: &[PlanStep]) -> Result<PlacedRename, QuestionError> {
    let mut rename = PlacedRename::default();
    for step in steps {
        match step {
            PlanStep::Text { path, base, edits } => {
                let changed = || QuestionError::from(ServerError::Changed { path: path.to_string() });
                if text_of(ranges.view(), path).is_none_or(|(_, hash)| hash != *base) {
                    return Err(changed());
                }
                let change = |edit: &symd_base::TextEdit| {
                    Some((ranges.span(path, edit.range)?, edit.new_text.clone()))
                };
                let changes: Option<Vec<(Span, String)>> = edits.iter().map(change).collect();
                rename.edits.push(PlacedEdit { path: path.clone(), changes: changes.ok_or_else(changed)? });
            }
            PlanStep::Rename { from, to, .. } => rename.renamed.push((from.clone(), to.clone())),
            PlanStep::MakeDirectory { .. } => {}
            PlanStep::Write { path, .. } | PlanStep::Create { path, .. } | PlanStep::Delete { path, .. } => {
                return Err(QuestionError::Place(format!(
                    "the rename makes, empties or removes {path}, which an editor is not asked to do; use `symd rename`"
                )));
            }
        }
    }
    Ok(rename)
}
