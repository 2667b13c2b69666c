//! What syntax says of every occurrence of a symbol's name: the yardstick for a server's answer, and the answer where
//! there is no server.

use std::collections::HashMap;

use super::answer::Reference;
use crate::Project;
use crate::question::QuestionError;
use crate::spot::{Spot, spots};
use crate::target::Target;
use crate::unread::{self, Unread};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_engine::View;
use symd_resolve::{self as resolve, Judgement, Occurrence, Role};

/// What syntax says.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    /// Every occurrence in files of the symbol's language and its kin (Kotlin and Java), in path order, then by
    /// offset.
    pub(crate) occurrences: Vec<Occurrence>,
    roles: HashMap<(RelPath, u32), Role>,
    own: Vec<(RelPath, u32)>,
    /// What could not be looked into and may hold more.
    pub(crate) unread: Unread,
}

/// An occurrence on its way to a reference.
#[derive(Clone, Debug)]
pub(crate) struct JudgedOccurrence {
    pub(crate) path: RelPath,
    pub(crate) range: TextRange,
    pub(crate) judgement: Judgement,
    pub(crate) role: Role,
}

impl JudgedOccurrence {
    pub(crate) fn of(one: &Occurrence) -> JudgedOccurrence {
        JudgedOccurrence {
            path: one.path.clone(),
            range: one.range,
            judgement: one.judgement,
            role: one.role,
        }
    }
}

impl Judged {
    /// The occurrences of this judgement, without the definitions themselves.
    pub(crate) fn of(&self, judgement: Judgement) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |one| one.judgement == judgement && !self.is_own(one))
    }

    /// Notes that these occurrences mean the symbol.
    pub(crate) fn take_for_likely(&mut self, places: &[(RelPath, TextRange)]) {
        for one in &mut self.occurrences {
            if places.iter().any(|(path, range)| one.path == *path && one.range == *range) {
                one.judgement = Judgement::Likely;
            }
        }
    }

    /// Whether it is a definition itself.
    pub(crate) fn is_own(&self, one: &Occurrence) -> bool {
        self.own.iter().any(|(path, start)| one.path == *path && one.range.start == *start)
    }

    /// What a spot does, as syntax sees it.
    pub(crate) fn role_at(&self, spot: &Spot) -> Role {
        let known = self.roles.get(&(spot.path.clone(), spot.range.start));
        known.copied().unwrap_or(spot.role)
    }
}

/// Judges every occurrence of the name of these targets, which are one symbol.
pub(crate) async fn judge(project: &Project, targets: &[Target]) -> Result<Judged, QuestionError> {
    let targets = targets.to_vec();
    Ok(project.look(move |view, cancel| all(view, &targets, cancel)).await??)
}

/// Occurrences with their lines and what is around them, without those that are no longer there.
pub(crate) fn listed(
    view: &View,
    found: &[JudgedOccurrence],
    name: &str,
    cancel: &Cancel,
) -> Result<Vec<Reference>, QuestionError> {
    let ranges: Vec<(RelPath, TextRange)> = found.iter().map(|one| (one.path.clone(), one.range)).collect();
    let spots = spots(view, &ranges, name, cancel)?;
    let reference = |(spot, one): (Option<Spot>, &JudgedOccurrence)| {
        Some(Reference { spot: spot?, role: one.role, judgement: one.judgement })
    };
    Ok(spots.into_iter().zip(found).filter_map(reference).collect())
}

fn all(view: &View, targets: &[Target], cancel: &Cancel) -> Result<Judged, Cancelled> {
    let resolved: Vec<resolve::Target> = targets.iter().map(Target::resolved).collect();
    let occurrences = resolve::occurrences(view, &resolved, cancel)?;
    let roles = occurrences.iter().map(|one| ((one.path.clone(), one.range.start), one.role)).collect();
    // They have one name: what may hold a use of one may hold a use of each.
    let unread = match targets.first() {
        Some(target) => unread::of_target(view, target, &[], cancel)?,
        None => Unread::default(),
    };
    let own = targets.iter().map(|target| (target.at.path.clone(), target.name_range.start)).collect();
    Ok(Judged { occurrences, roles, own, unread })
}
