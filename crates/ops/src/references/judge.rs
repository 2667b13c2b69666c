//! Judges every occurrence of a symbol's name by syntax: what a server's answer is compared with, and the
//! answer itself if there is no server.

use super::answer::Reference;
use crate::Project;
use crate::question::QuestionError;
use crate::spot::{Spot, spots};
use crate::target::Target;
use crate::unsearched::{self, UnsearchedFiles};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_engine::View;
use symd_resolve::{self as resolve, Judgement, Occurrence, Role};

/// The occurrences of a symbol's name, judged by syntax.
#[derive(Clone, Debug)]
pub(crate) struct JudgedOccurrences {
    /// Every occurrence in files of the symbol's language and related ones (Kotlin and Java), in path order,
    /// then by offset.
    pub(crate) occurrences: Vec<Occurrence>,
    own: Vec<(RelPath, u32)>,
    /// What could not be searched and may hold more uses.
    pub(crate) unread: UnsearchedFiles,
}

/// An occurrence that is to become a [`Reference`].
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

impl JudgedOccurrences {
    /// Returns the occurrences with this judgement, except the definitions themselves.
    pub(crate) fn of(&self, judgement: Judgement) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |one| one.judgement == judgement && !self.is_definition(one))
    }

    /// Returns the occurrences of which it is not determined what they mean, except the definitions themselves.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(|one| one.judgement.is_open() && !self.is_definition(one))
    }

    /// Returns the open ones that leave an answer incomplete. An import that also brings other declarations of its name does not.
    pub(crate) fn undecided(&self) -> impl Iterator<Item = &Occurrence> {
        self.open().filter(|one| !(one.role == Role::Import && one.judgement == Judgement::Probable))
    }

    /// Marks these occurrences as likely references.
    pub(crate) fn mark_likely(&mut self, places: &[(RelPath, TextRange)]) {
        for one in &mut self.occurrences {
            if places.iter().any(|(path, range)| one.path == *path && one.range == *range) {
                one.judgement = Judgement::Likely;
            }
        }
    }

    /// Whether `one` is one of the definitions.
    pub(crate) fn is_definition(&self, one: &Occurrence) -> bool {
        self.own.iter().any(|(path, start)| one.path == *path && one.range.start == *start)
    }

    /// Returns how syntax judged the occurrence at a spot; `None` where it found none.
    pub(crate) fn judgement_at(&self, spot: &Spot) -> Option<Judgement> {
        self.at(spot).map(|one| one.judgement)
    }

    /// Returns the role of a spot as judged by syntax, or else the spot's own role.
    pub(crate) fn role_at(&self, spot: &Spot) -> Role {
        self.at(spot).map_or(spot.role, |one| one.role)
    }

    fn at(&self, spot: &Spot) -> Option<&Occurrence> {
        let wanted = (&spot.path, spot.range.start);
        let at = self.occurrences.binary_search_by(|one| (&one.path, one.range.start).cmp(&wanted));
        Some(&self.occurrences[at.ok()?])
    }
}

/// Judges every occurrence of the name of these targets, which are declarations of one symbol.
pub(crate) async fn judge(project: &Project, targets: &[Target]) -> Result<JudgedOccurrences, QuestionError> {
    let targets = targets.to_vec();
    Ok(project.with_view(move |view, cancel| all(view, &targets, cancel)).await??)
}

/// Converts occurrences to references with their lines and context; omits occurrences that no longer exist.
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

fn all(view: &View, targets: &[Target], cancel: &Cancel) -> Result<JudgedOccurrences, Cancelled> {
    let resolved: Vec<resolve::IndexedDeclaration> = targets.iter().map(Target::resolved).collect();
    let occurrences = resolve::occurrences(view, &resolved, cancel)?;
    // The targets share a name, so whatever may hold a use of one may hold a use of each.
    let unread = match targets.first() {
        Some(target) => {
            let listed = occurrences.iter().filter(|one| one.judgement != resolve::Judgement::Unlikely);
            let listed = listed.map(|one| (&one.path, one.range.start)).collect();
            let mut unread = unsearched::unsearched_for_target(view, target, &[], cancel)?;
            unread.join(unsearched::broken_around(view, target, &listed, cancel)?);
            unread
        }
        None => UnsearchedFiles::default(),
    };
    let mut own: Vec<(RelPath, u32)> =
        targets.iter().map(|target| (target.at.path.clone(), target.name_range.start)).collect();
    // The other declarations of a symbol of C or C++ are no uses of it.
    if resolved.first().is_some_and(|one| resolve::has_prototypes(&one.file)) {
        let is_declaration =
            |one: &&Occurrence| one.role == Role::Declaration && one.judgement == Judgement::Likely;
        own.extend(occurrences.iter().filter(is_declaration).map(|one| (one.path.clone(), one.range.start)));
    }
    Ok(JudgedOccurrences { occurrences, own, unread })
}
