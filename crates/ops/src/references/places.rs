//! Where the uses of a symbol are, without their lines and what stands around them: an editor shows those itself.

use std::sync::Arc;

use super::answer::{Completeness, Reference};
use super::{
    Project, QuestionError, SettledAnswer, add_indirect_uses, ask_and_judge, from_answer, is_imprecise,
    settle, show,
};
use crate::spot::{FilePlace, OutsideSpot};
use crate::target::Target;
use symd_lsp::WaitPolicy;
use symd_resolve as resolve;

/// The places of a symbol's uses: those that are known, and those that may be meant as far as types are not known to symd.
#[derive(Debug, Default)]
pub(crate) struct UsePlaces {
    /// In the project, in path order, then by offset.
    pub(crate) inside: Vec<FilePlace>,
    pub(crate) outside: Vec<OutsideSpot>,
}

/// Finds the places of the uses of a resolved symbol.
pub(crate) async fn use_places(
    project: &Project,
    target: &Target,
    waiting: WaitPolicy,
) -> Result<UsePlaces, QuestionError> {
    let (said, judged) = ask_and_judge(project, target, waiting).await?;
    match said {
        Ok(said) if !(is_imprecise(project, &said.server) && resolve::has_types(&target.file)) => {
            let settled = settle(project, target, said, &Arc::new(judged), waiting).await?;
            of_settled(project, target, settled).await
        }
        said => {
            let uses = from_answer(project, target, (said, judged), waiting).await?;
            let more = uses.unreported.into_iter().chain(uses.in_other_languages);
            let mut inside: Vec<FilePlace> = uses.list.into_iter().map(place).collect();
            add(&mut inside, more);
            Ok(UsePlaces { inside, outside: uses.outside })
        }
    }
}

async fn of_settled(
    project: &Project,
    target: &Target,
    settled: SettledAnswer<FilePlace>,
) -> Result<UsePlaces, QuestionError> {
    let SettledAnswer { checked, compared, standing, .. } = settled;
    let silent = standing.not_refuted(&compared.silent);
    let silent = match standing.completeness(&compared, &silent) {
        Completeness::Incomplete { .. } => silent,
        Completeness::Complete | Completeness::Unchecked(_) => Vec::new(),
    };
    let silent = silent.into_iter().chain(standing.confirmed_among(&compared.open).cloned()).collect();
    let (silent, elsewhere) = show(project, target, silent, compared.other_languages).await?;
    let mut indirect = Vec::new();
    add_indirect_uses(project, target, &mut indirect).await?;
    let mut inside = checked.spots;
    add(&mut inside, silent.into_iter().chain(elsewhere).chain(indirect));
    Ok(UsePlaces { inside, outside: checked.outside })
}

fn place(one: Reference) -> FilePlace {
    FilePlace { path: one.spot.path, range: one.spot.range }
}

/// Adds places that are not there yet.
fn add(inside: &mut Vec<FilePlace>, more: impl Iterator<Item = Reference>) {
    let known = inside.len();
    inside.extend(more.map(place));
    if inside.len() > known {
        inside.sort();
        inside.dedup();
    }
}
