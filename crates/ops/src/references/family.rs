//! Uses that may arrive at a member through another one: a call of what it overrides, or of what overrides it. They are the
//! other member's by the type before the dot, so they stand beside the answer and do not count in it.

use std::collections::HashSet;

use super::answer::{Reference, UsesOfKin};
use super::judge::{JudgedOccurrence, listed};
use crate::Project;
use crate::question::QuestionError;
use crate::target::Target;
use symd_base::RelPath;
use symd_engine::View;
use symd_resolve as resolve;

/// Returns the uses of the members that a member overrides, then of those that override it, the nearest classes first; `known` are
/// the member's own.
pub(super) async fn uses_of_kin(
    project: &Project,
    target: &Target,
    known: &[Reference],
) -> Result<Vec<UsesOfKin>, QuestionError> {
    let (of, name, languages) = (target.resolved(), target.name.clone(), project.languages.clone());
    let mut told: HashSet<(RelPath, u32)> = known.iter().map(place).collect();
    let work = move |view: &View, cancel: &_| {
        let mut found = Vec::new();
        for (member, uses) in resolve::kin_uses(view, &of, cancel)? {
            let Some(member) = Target::new(view, &languages, &member.file, member.row) else { continue };
            let uses: Vec<JudgedOccurrence> = uses.iter().map(JudgedOccurrence::of).collect();
            let mut uses = listed(view, &uses, &name, cancel)?;
            uses.retain(|one| told.insert(place(one)));
            if !uses.is_empty() {
                found.push(UsesOfKin { member, uses });
            }
        }
        Ok::<_, QuestionError>(found)
    };
    project.with_view(work).await?
}

fn place(one: &Reference) -> (RelPath, u32) {
    (one.spot.path.clone(), one.spot.range.start)
}
