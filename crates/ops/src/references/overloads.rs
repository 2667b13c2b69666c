//! Finds the uses of all overloads of a name; overloads with equal answers share one entry. Invariant: no use
//! is listed twice for one overload, and no use that was found is omitted.

use super::family::uses_of_kin;
use super::{Completeness, FindReferences, Reference, References, of_target};
use crate::Project;
use crate::question::{QuestionError, Source};
use crate::target::{OverloadAnswer, Target};
use symd_lsp::WaitPolicy;
use symd_resolve::Role;

/// Finds the uses of a symbol, or of all overloads of a name, in the order of the overloads, and those that may arrive through
/// other members of their override families. Never returns an empty list.
pub async fn references_of_overloads(
    project: &Project,
    ask: &FindReferences,
) -> Result<Vec<OverloadAnswer<References>>, QuestionError> {
    project
        .by_need(|project| async move {
            let project = &project;
            let targets = project.targets(&ask.wanted).await?;
            let mut all = Vec::new();
            let are_several = targets.len() > 1;
            for of in project.group_by_entity(targets).await? {
                let mut found = of_thing(project, &of, ask.waiting).await?;
                if are_several || of.iter().any(has_namesakes) {
                    remove_declarations(&mut found);
                }
                found.of_kin = uses_of_kin(project, &found.target, &found.list).await?;
                OverloadAnswer::add(&mut all, of, found, is_equal_answer);
            }
            Ok(all)
        })
        .await
}

/// Finds the uses of one entity: the answer for one of its declarations holds for all. A server may know only
/// some of the uses: the first complete answer counts, or else the longest.
async fn of_thing(
    project: &Project,
    declarations: &[Target],
    waiting: WaitPolicy,
) -> Result<References, QuestionError> {
    let mut best: Option<References> = None;
    for declaration in declarations {
        let found = of_target(project, declaration, waiting).await?;
        let is_complete = found.completeness == Completeness::Complete;
        // Syntax judges the uses of all declarations of a symbol of C or C++ at once.
        let holds_for_all = declaration.has_prototypes() && matches!(found.source, Source::Syntax(_));
        let is_better = best.as_ref().is_none_or(|best| is_complete || found.list.len() > best.list.len());
        if is_better {
            best = Some(found);
        }
        if is_complete || holds_for_all {
            break;
        }
    }
    best.ok_or_else(|| QuestionError::Place("bug in symd: no declaration was searched".to_owned()))
}

/// Whether other declarations in the same container have the target's name.
fn has_namesakes(target: &Target) -> bool {
    let row = target.file.outline().and_then(|outline| outline.rows.get(target.row));
    row.is_some_and(|row| row.index > 0)
}

/// Removes declarations: the overloads are listed above their uses and are not uses of one another.
fn remove_declarations(found: &mut References) {
    let is_use = |one: &Reference| one.role != Role::Declaration;
    let doubts = found.list.iter().filter(|one| !is_use(one) && one.judgement.is_open()).count();
    found.list.retain(is_use);
    found.unreported.retain(is_use);
    if let (Completeness::Unchecked(all), Source::Syntax(_)) = (found.completeness, &found.source) {
        let left = all.saturating_sub(doubts);
        found.completeness = if left == 0 { Completeness::Complete } else { Completeness::Unchecked(left) };
    }
}

fn is_equal_answer(one: &References, other: &References) -> bool {
    one.list == other.list
        && one.possible == other.possible
        && one.unreported == other.unreported
        && one.in_other_languages == other.in_other_languages
        && one.of_kin.iter().map(|kin| &kin.uses).eq(other.of_kin.iter().map(|kin| &kin.uses))
        && one.outside == other.outside
        && one.completeness == other.completeness
        && one.source == other.source
}
