//! Uses through parameters that pytest fills with fixtures: the server is asked of what type a fixture's value is. Invariant: a
//! use leads to the symbol only if that type declares or inherits it.

use tokio::task::JoinSet;

use super::LinkedSymbol;
use super::leads::{Leads, Placed};
use crate::engine::View;
use crate::index::Content;
use crate::lsp::{At, Goto, Span, Waiting};
use crate::ops::Project;
use crate::ops::question::QuestionError;
use crate::ops::spot::{Expect, check};
use crate::resolve;

/// Fixtures whose values are asked about in one rename.
const MAX_ASKED: usize = 24;

/// Notes where those of `places` lead that use a member of a fixture's value.
pub(super) async fn follow_fixtures(
    project: &Project,
    symbol: &LinkedSymbol,
    places: Vec<Placed>,
    leads: &mut Leads,
) -> Result<(), QuestionError> {
    let is_python = symbol.target.file.grammar().is_some_and(|grammar| grammar.name() == "python");
    let Ok(language) = project.language_of(&symbol.target) else { return Ok(()) };
    if !is_python || places.is_empty() {
        return Ok(());
    }
    let of = places.clone();
    let work = move |view: &View, cancel: &_| {
        let values = resolve::fixture_values(view, &of, cancel)?;
        let at = |value: resolve::FixtureValue| {
            let Content::Code { hash, .. } = &value.file.content else { return None };
            let path = value.file.path.clone();
            Some(At { hash: *hash, revision: view.snapshot.revision, path, offset: value.at })
        };
        Ok::<_, QuestionError>(
            values.into_iter().map(|value| value.and_then(at)).collect::<Vec<Option<At>>>(),
        )
    };
    let values = project.look(work).await??;
    let mut different: Vec<&At> = values.iter().flatten().collect();
    different.sort_by(|a, b| (&a.path, a.offset).cmp(&(&b.path, b.offset)));
    different.dedup_by(|a, b| (&a.path, a.offset) == (&b.path, b.offset));
    let mut asked = JoinSet::new();
    for at in different.into_iter().take(MAX_ASKED).cloned() {
        let servers = project.servers.clone();
        asked.spawn(async move {
            let said = servers.goto(language, &at, Goto::TypeDefinition, Waiting::No).await;
            said.ok().map(|said| (at, said.value))
        });
    }
    let types: Vec<(At, Vec<Span>)> = asked.join_all().await.into_iter().flatten().collect();
    let members = symbol.resolved();
    let work = move |view: &View, cancel: &_| {
        let mut classes = Vec::new();
        for (_, spans) in &types {
            let checked = check(view, spans, Expect::Anything, cancel)?;
            // One class, of the project.
            let only = match &checked.spots[..] {
                [only] if checked.outside.is_empty() => Some((only.path.clone(), only.range)),
                _ => None,
            };
            classes.push(only);
        }
        let known: Vec<Placed> = classes.iter().flatten().cloned().collect();
        let mut found = resolve::inherited_members(view, &known, &members, cancel)?.into_iter();
        let mut declared = Vec::new();
        for ((at, _), class) in types.into_iter().zip(classes) {
            if let Some(member) = class.and_then(|_| found.next()).flatten()
                && let Some((_, row)) = member.row()
            {
                declared.push((at, (member.file.path.clone(), row.name_start)));
            }
        }
        Ok::<_, QuestionError>(declared)
    };
    let declared = project.look(work).await??;
    for (place, value) in places.into_iter().zip(values) {
        let Some(value) = value else { continue };
        let is_it = |(at, _): &&(At, _)| at.path == value.path && at.offset == value.offset;
        if let Some((_, (path, name_start))) = declared.iter().find(is_it) {
            leads.learn(place, (path.clone(), *name_start), &symbol.target.name);
        }
    }
    Ok(())
}
