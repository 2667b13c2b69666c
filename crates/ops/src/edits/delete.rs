//! Deletes a symbol that nothing uses and that no member is linked to by overriding. A possible use counts as
//! one: also a text by which a program may look it up, and an annotation that may register it. Invariant: nothing came into use between the check and the deletion.

use std::sync::Arc;

use super::effects::DiagnosticsReport;
use super::perform::{EditResult, PerformError, attempt};
use super::request::Request;
use super::retry::{AttemptError, RetryPolicy, retry_on_conflict};
use super::users::NameUsers;
use crate::Project;
use crate::overrides::{FindOverrides, OverrideLinks, overrides};
use crate::question::QuestionError;
use crate::references::{FindReferences, Reference, References, of_target, references_of_declarations};
use crate::rename::{Listed, MentionPlace, listed, mentioned};
use crate::target::Target;
use symd_edit::Originator;
use symd_engine::View;
use symd_resolve::{self as resolve, UnseenUser};

/// Whether a symbol can be deleted.
#[derive(Debug)]
pub enum Deletable {
    /// Nothing uses it, as long as the users of its name are these.
    Yes(NameUsers),
    /// It is still used.
    Used(Box<References>),
    /// Files that could use it were not read. Another check may find them read: one is being parsed.
    Unsure { unread: Box<References>, is_being_parsed: bool },
    /// Members are linked to it, or may be.
    Linked(Box<(Target, OverrideLinks)>),
    /// Something uses it without its name in the project's code.
    UsedUnseen(Box<(Target, UnseenUser)>),
    /// Its class accesses members by names that are computed at these places, and this may be one of them. Never empty.
    NameComputed(Box<(Target, Vec<Listed>)>),
    /// Texts name it, by which a program may look it up. Never empty.
    Mentioned(Box<(Target, Vec<MentionPlace>)>),
}

/// Checks whether all declarations of the symbol can be deleted together.
pub async fn check_deletable(project: &Project, ask: &FindReferences) -> Result<Deletable, QuestionError> {
    // Taken before the search for references: it shows whether the name came into use afterwards.
    let users = NameUsers::of(project, &ask.wanted).await?;
    let mut found = references_of_declarations(project, ask).await?;
    leave_out_own(&mut found);
    found.extend(uses_of_members(project, ask, &found).await?);
    if let Some(used) = found.iter().position(is_used) {
        return Ok(Deletable::Used(Box::new(found.swap_remove(used))));
    }
    let is_being_parsed = found.iter().any(|one| one.unread.is_being_parsed());
    if let Some(unsure) = found.iter().position(|one| !one.unread.is_empty()) {
        return Ok(Deletable::Unsure { unread: Box::new(found.swap_remove(unsure)), is_being_parsed });
    }
    let linked = FindOverrides { wanted: ask.wanted.clone(), waiting: ask.waiting };
    let (target, links) = overrides(project, &linked).await?;
    if links.others(&target).next().is_some() || !links.objections.is_empty() {
        return Ok(Deletable::Linked(Box::new((target, links))));
    }
    for declared in found {
        if let Some(user) = unseen_user(project, &declared.target).await? {
            return Ok(Deletable::UsedUnseen(Box::new((declared.target, user))));
        }
    }
    if !links.by_computed_name.is_empty() {
        let computed = links.by_computed_name;
        let work = move |view: &View, cancel: &_| listed(view, &computed, cancel);
        let places = project.with_view(work).await?.map_err(QuestionError::from)?;
        return Ok(Deletable::NameComputed(Box::new((target, places))));
    }
    let named = |project: Project| {
        let target = target.clone();
        async move { mentioned(&project, &target).await }
    };
    let mut mentions = project.by_need(named).await?.places;
    mentions.retain(|one| one.may_be_looked_up);
    if !mentions.is_empty() {
        return Ok(Deletable::Mentioned(Box::new((target, mentions))));
    }
    Ok(Deletable::Yes(users))
}

/// Finds the uses, outside of the declarations that are to be deleted, of members that code reaches without naming these.
async fn uses_of_members(
    project: &Project,
    ask: &FindReferences,
    found: &[References],
) -> Result<Vec<References>, QuestionError> {
    let declared: Vec<Target> = found.iter().map(|one| one.target.clone()).collect();
    let waiting = ask.waiting;
    let mut uses = project
        .by_need(|project| {
            let declared = declared.clone();
            async move {
                let languages = project.languages.clone();
                let work = move |view: &View, _: &_| -> Vec<Target> {
                    let members = declared.iter().flat_map(|one| {
                        let rows = resolve::members_reached_past(view, &one.resolved());
                        rows.into_iter().filter_map(|row| Target::new(view, &languages, &one.file, row))
                    });
                    members.collect()
                };
                let mut uses = Vec::new();
                for member in project.with_view(work).await? {
                    uses.push(of_target(&project, &member, waiting).await?);
                }
                Ok(uses)
            }
        })
        .await?;
    leave_out_within(&mut uses, &found.iter().map(|one| &one.target).collect::<Vec<_>>());
    Ok(uses)
}

async fn unseen_user(project: &Project, target: &Target) -> Result<Option<UnseenUser>, QuestionError> {
    let target = &target.resolved();
    project
        .by_need(|project| async move {
            let target = target.clone();
            let work = move |view: &View, cancel: &_| {
                Ok::<_, QuestionError>(resolve::unseen_user(view, &target, cancel)?)
            };
            project.with_view(work).await?
        })
        .await
}

/// Deletes what `request` names once `check` allows it, and as long as nothing came into use since. Returns `None`
/// if the symbol could be deleted and this is a dry run.
pub async fn delete_unused<E, F>(
    project: &Project,
    (request, report, by): (Request, DiagnosticsReport, Originator),
    dry_run: bool,
    check: impl Fn() -> F,
    refused: impl Fn(PerformError) -> E,
) -> Result<Option<EditResult>, E>
where
    F: Future<Output = Result<NameUsers, AttemptError<E>>>,
{
    let request = Arc::new(request);
    let deleted = retry_on_conflict(project, RetryPolicy::Allowed, || async {
        let users = check().await?;
        if dry_run {
            return Ok(None);
        }
        let deleted = attempt(project, &request, report, &by, Some(&users)).await;
        deleted.map(Some).map_err(|error| error.map(&refused))
    })
    .await?;
    Ok(match deleted {
        Some(deleted) => Some(deleted.finish(project).await),
        None => None,
    })
}

fn is_used(found: &References) -> bool {
    let lists = [&found.list, &found.possible, &found.unreported, &found.in_other_languages];
    !found.outside.is_empty() || lists.iter().any(|list| !list.is_empty())
}

/// Drops references from inside a declaration, or inside another declaration of the same thing: they are
/// deleted with it.
fn leave_out_own(found: &mut [References]) {
    let own: Vec<Target> = found.iter().map(|one| one.target.clone()).collect();
    leave_out_within(found, &own.iter().collect::<Vec<_>>());
}

/// Drops references from inside these declarations.
fn leave_out_within(found: &mut [References], declared: &[&Target]) {
    let is_use = |one: &Reference| {
        let holds =
            |target: &&Target| one.spot.path == target.at.path && target.range.contains(one.spot.range);
        !declared.iter().any(holds)
    };
    for one in found {
        one.list.retain(is_use);
        one.possible.retain(is_use);
        one.unreported.retain(is_use);
    }
}
