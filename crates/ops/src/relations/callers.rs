//! The callers of one function: from the server's call hierarchy, checked against the calls that syntax is
//! certain of. If the server has no hierarchy, is known to omit callers from it, or is found to do so, then
//! from its references that are calls, each with its enclosing function.

use std::collections::BTreeSet;

use super::Omitted;
use super::level::{FileLocation, Level, PlacesBySymbol, SymbolKey, SymbolSummary};
use crate::Project;
use crate::question::{QuestionError, Source};
use crate::references::{
    Completeness, JudgedOccurrences, Reference, References, import_alias, judge, of_judged,
};
use crate::spot::{Expect, Source as SpotSource, Spot, check, spots};
use crate::target::Target;
use symd_base::{Cancel, RelPath, TextRange};
use symd_config::server::Reliability;
use symd_engine::View;
use symd_index::NeededWords;
use symd_lsp::{CallSite, Direction, FileRef, ServerAnswer, ServerError, WaitPolicy};
use symd_resolve::{Judgement, Role};
use symd_syntax::SymbolKind;

pub(super) async fn callers(
    project: &Project,
    function: &Target,
    waiting: WaitPolicy,
) -> Result<Level, QuestionError> {
    // Syntax judges while the server works.
    let (judged, said) = tokio::try_join!(
        judge(project, std::slice::from_ref(function)),
        hierarchy(project, function, waiting),
    )?;
    // A hierarchy has the calls of a constructor under its class.
    if let Some(said) = &said
        && is_proven(project, said)
        && function.symbol.kind != SymbolKind::Constructor
        && let Some(level) = from_hierarchy(project, function, said, judged.clone()).await?
    {
        return Ok(level);
    }
    let found = of_judged(project, function, judged, waiting).await?;
    let source = found.source.clone();
    let languages = project.languages.clone();
    let calls = said.map(|said| said.value);
    let work = move |view: &View, cancel: &Cancel| {
        let (gathered, omitted) = gather(view, &found, calls.as_deref(), cancel)?;
        Ok((gathered.branches(view, &languages), omitted))
    };
    let (branches, omitted) = project.with_view(work).await?.map_err(|error: QuestionError| error)?;
    Ok(Level { branches, source, omitted })
}

/// Asks for the server's call hierarchy; returns `None` if it has none or does not answer.
pub(super) async fn hierarchy(
    project: &Project,
    function: &Target,
    waiting: WaitPolicy,
) -> Result<Option<ServerAnswer<Vec<CallSite>>>, QuestionError> {
    let Ok(language) = project.language_of(function) else { return Ok(None) };
    match project.servers.calls(language, &function.at, Direction::Up, waiting).await {
        Ok(said) => Ok(Some(said)),
        Err(changed @ ServerError::Changed { .. }) => Err(changed.into()),
        Err(_) => Ok(None),
    }
}

/// Whether the server's hierarchy is trusted as long as nothing contradicts it.
fn is_proven(project: &Project, said: &ServerAnswer<Vec<CallSite>>) -> bool {
    let known = project.languages.server(&said.server).map(|server| server.call_hierarchy);
    known.unwrap_or_default() == Reliability::Proven
}

/// Returns the callers in the hierarchy, or `None` if it lacks a function with a call that syntax is certain
/// of.
async fn from_hierarchy(
    project: &Project,
    function: &Target,
    said: &ServerAnswer<Vec<CallSite>>,
    judged: JudgedOccurrences,
) -> Result<Option<Level>, QuestionError> {
    let other_uses =
        judged.of(Judgement::Likely).filter(|one| matches!(one.role, Role::Use | Role::Argument));
    let unread = judged.unread.clone();
    let mut omitted = Omitted { other_uses: other_uses.count(), unread, ..Omitted::default() };
    let (calls, name, languages) = (said.value.clone(), function.name.clone(), project.languages.clone());
    let work = move |view: &View, cancel: &Cancel| {
        let (gathered, sites) = add(view, &calls, cancel)?;
        let is_told = |path: &RelPath, range: TextRange| sites.contains(&(path.clone(), range.start));
        let silent: Vec<(RelPath, TextRange)> = judged
            .of(Judgement::Likely)
            .filter(|one| one.role == Role::Call && !is_told(&one.path, one.range))
            .map(|one| (one.path.clone(), one.range))
            .collect();
        // The server may report another place in the same function, for example through an alias: compare the
        // functions.
        let around = spots(view, &silent, &name, cancel)?;
        let lacks = around.iter().flatten().any(|spot| !gathered.has(&SymbolKey::around(spot)));
        let unchecked = judged.open();
        let unchecked =
            unchecked.filter(|one| one.role == Role::Call && !is_told(&one.path, one.range)).count();
        let renamed = renamed(view, &judged, &name, &sites, cancel)?;
        Ok::<_, QuestionError>((!lacks).then(|| (gathered.branches(view, &languages), unchecked, renamed)))
    };
    let Some((branches, unchecked, renamed)) = project.with_view(work).await?? else { return Ok(None) };
    (omitted.unchecked, omitted.renamed) = (unchecked, renamed);
    Ok(Some(Level { branches, source: Source::Server(said.server.clone()), omitted }))
}

/// Returns the files that import the function under another name, each with that name, if no call by that
/// name begins at one of `sites`.
fn renamed(
    view: &View,
    judged: &JudgedOccurrences,
    name: &str,
    sites: &BTreeSet<(RelPath, u32)>,
    cancel: &Cancel,
) -> Result<Vec<(RelPath, String)>, QuestionError> {
    let imports = judged.of(Judgement::Likely).filter(|one| one.role == Role::Import);
    let imports: Vec<(RelPath, TextRange)> = imports.map(|one| (one.path.clone(), one.range)).collect();
    let mut renamed = Vec::new();
    for spot in spots(view, &imports, name, cancel)?.into_iter().flatten() {
        let Some(alias) = import_alias(&spot.around.line, name).filter(|alias| *alias != name) else {
            continue;
        };
        let text = SpotSource::read(view, &spot.path).map(|source| source.text);
        let calls_it = |(path, start): &(RelPath, u32)| {
            let there = text.as_ref().and_then(|text| text.as_str().get(*start as usize..));
            *path == spot.path && there.is_some_and(|there| there.starts_with(alias))
        };
        if !sites.iter().any(calls_it) {
            renamed.push((spot.path.clone(), alias.to_owned()));
        }
    }
    renamed.dedup();
    Ok(renamed)
}

fn gather(
    view: &View,
    found: &References,
    hierarchy: Option<&[CallSite]>,
    cancel: &Cancel,
) -> Result<(PlacesBySymbol, Omitted), QuestionError> {
    let mut gathered = PlacesBySymbol::default();
    let mut omitted = Omitted::default();
    match (found.completeness, &found.source) {
        (Completeness::Incomplete { missing, .. }, _) => omitted.missing = missing,
        (Completeness::Unchecked(unchecked), Source::Server(_)) => omitted.unchecked = unchecked,
        // Calls that syntax is uncertain of are in the tree, and marked there.
        (Completeness::Unchecked(_), Source::Syntax(_)) | (Completeness::Complete, _) => {}
    }
    omitted.unread = found.unread.clone();
    omitted.renamed = found
        .unfollowed_aliases()
        .into_iter()
        .map(|(path, alias)| (path.clone(), alias.to_owned()))
        .collect();
    let (of_hierarchy, _) = add(view, hierarchy.unwrap_or_default(), cancel)?;
    // Calls of which types do not tell what they mean are no callers.
    let is_call = |one: &&Reference| matches!(one.role, Role::Call | Role::Operator);
    omitted.unchecked += found.possible.iter().filter(is_call).count();
    for Reference { spot, role, judgement } in found.list.iter().chain(&found.in_other_languages) {
        match role {
            Role::Call | Role::Operator => {
                let key = SymbolKey::around(spot);
                let is_new = !gathered.has(&key) && hierarchy.is_some() && !of_hierarchy.has(&key);
                omitted.only_in_references += usize::from(is_new);
                gathered.add(key, Some(spot.line), *judgement == Judgement::Likely, None);
            }
            Role::Use | Role::Argument | Role::Key => omitted.other_uses += 1,
            Role::Import | Role::Declaration => {}
        }
    }
    omitted.only_in_hierarchy = of_hierarchy.keys().filter(|key| !gathered.has(key)).count();
    gathered.merge(of_hierarchy);
    Ok((gathered, omitted))
}

/// Returns the callers in a call hierarchy, and where in the project's files their calls begin.
pub(super) fn add(
    view: &View,
    calls: &[CallSite],
    cancel: &Cancel,
) -> Result<(PlacesBySymbol, BTreeSet<(RelPath, u32)>), QuestionError> {
    let mut gathered = PlacesBySymbol::default();
    let (mut spans, mut callers) = (Vec::new(), Vec::new());
    for call in calls {
        match &call.item.name_range.file {
            FileRef::Outside(path) => {
                let line = call.item.name_range.start.line;
                let key = SymbolKey { file: FileLocation::Outside(path.clone()), at: Some(line) };
                let summary = SymbolSummary { name_path: call.item.name.clone(), kind: call.item.kind, line };
                gathered.add(key, None, true, Some(summary));
            }
            FileRef::Project(_) if call.sites.is_empty() => callers.push(call.item.name_range.clone()),
            // The places of the calls identify the caller more reliably than the item, whose ranges servers
            // choose freely.
            FileRef::Project(_) => spans.extend(call.sites.iter().cloned()),
        }
    }
    // All in one pass, so that each file is read only once.
    let spots: Vec<Spot> = check(view, &spans, Expect::Anything, cancel)?.spots;
    spots.iter().for_each(|spot| gathered.add(SymbolKey::around(spot), Some(spot.line), true, None));
    let callers: Vec<Spot> = check(view, &callers, Expect::Anything, cancel)?.spots;
    callers.iter().for_each(|spot| gathered.add(SymbolKey::around(spot), None, true, None));
    Ok((gathered, spots.into_iter().map(|spot| (spot.path, spot.range.start)).collect()))
}

/// Reports for each of these functions whether it may be called from anywhere: whether its name occurs
/// anywhere but at its declaration. Checks only names, so that the cost stays negligible for any number of
/// functions.
pub(super) async fn have_callers(
    project: &Project,
    functions: Vec<Target>,
) -> Result<Vec<bool>, QuestionError> {
    let work = move |view: &View, cancel: &Cancel| {
        let is_named = |function: &Target| {
            cancel.check()?;
            let (own, names) = (&function.at.path, function.spellings());
            let words = names.iter().map(|name| NeededWords::of_name(name));
            Ok(view.snapshot.files.with_any_words(words).any(|file| {
                match file.outline().filter(|_| names.iter().any(|name| file.holds(name))) {
                    Some(outline) => names.iter().any(|name| {
                        let declared = usize::from(file.path == *own);
                        outline.occurrences.offsets_of(name).nth(declared).is_some()
                    }),
                    None => false,
                }
            }))
        };
        functions.iter().map(is_named).collect::<Result<Vec<bool>, QuestionError>>()
    };
    project.with_view(work).await?
}
