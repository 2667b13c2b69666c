//! Finds the uses of all overloads of a name; overloads with equal answers share one entry. Invariant: no use
//! is listed twice for one overload, and no use that was found is omitted.

use super::{Completeness, FindReferences, Reference, References, of_target};
use crate::Project;
use crate::question::{QuestionError, Source, unchanged};
use crate::target::{OfOverloads, Target};
use symd_lsp::Waiting;
use symd_resolve::{Judgement, Role};

/// Finds the uses of a symbol, or of all overloads of a name, in the order of the overloads. Never returns an
/// empty list.
pub async fn references_of_overloads(
    project: &Project,
    ask: &FindReferences,
) -> Result<Vec<OfOverloads<References>>, QuestionError> {
    unchanged(|| async {
        let targets = project.targets(&ask.wanted).await?;
        let mut all = Vec::new();
        let are_several = targets.len() > 1;
        for of in project.things(targets).await? {
            let mut found = of_thing(project, &of, ask.waiting).await?;
            if are_several {
                leave_out_declarations(&mut found);
            }
            OfOverloads::add(&mut all, of, found, says_the_same);
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
    waiting: Waiting,
) -> Result<References, QuestionError> {
    let mut best: Option<References> = None;
    for declaration in declarations {
        let found = of_target(project, declaration, waiting).await?;
        let is_complete = found.completeness == Completeness::Complete;
        let is_better = best.as_ref().is_none_or(|best| is_complete || found.list.len() > best.list.len());
        if is_better {
            best = Some(found);
        }
        if is_complete {
            break;
        }
    }
    best.ok_or_else(|| QuestionError::Place("bug in symd: no declaration was searched".to_owned()))
}

/// Removes declarations: the overloads are listed above their uses and are not uses of one another.
fn leave_out_declarations(found: &mut References) {
    let is_use = |one: &Reference| one.role != Role::Declaration;
    found.list.retain(is_use);
    found.silent.retain(is_use);
    if let (Completeness::Unchecked(_), Source::Syntax(_)) = (found.completeness, &found.source) {
        let left = found.list.iter().filter(|one| one.judgement == Judgement::Unchecked).count();
        found.completeness = if left == 0 { Completeness::Complete } else { Completeness::Unchecked(left) };
    }
}

fn says_the_same(one: &References, other: &References) -> bool {
    one.list == other.list
        && one.silent == other.silent
        && one.elsewhere == other.elsewhere
        && one.outside == other.outside
        && one.completeness == other.completeness
        && one.source == other.source
}
