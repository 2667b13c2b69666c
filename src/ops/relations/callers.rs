//! The callers of one function: its references that are calls, by the function around them, together with what the
//! server's own call hierarchy has. Servers' hierarchies were found to drop callers; references show them.

use super::Omitted;
use super::level::{Gathered, Key, Level, Party, Where};
use crate::base::Cancel;
use crate::engine::View;
use crate::lsp::{CallSite, Direction, FileRef, NoAnswer, Waiting};
use crate::ops::Project;
use crate::ops::question::QuestionError;
use crate::ops::references::{Completeness, Reference, References, judge, of_target};
use crate::ops::spot::{Expect, Spot, check};
use crate::ops::target::Target;
use crate::resolve::{Judgement, Role};

pub(super) async fn callers(
    project: &Project,
    function: &Target,
    waiting: Waiting,
) -> Result<Level, QuestionError> {
    let (found, hierarchy) =
        tokio::join!(of_target(project, function, waiting), hierarchy(project, function, waiting));
    let (found, hierarchy) = (found?, hierarchy?);
    let source = found.source.clone();
    let languages = project.languages.clone();
    let work = move |view: &View, cancel: &Cancel| {
        let (gathered, omitted) = gather(view, &found, hierarchy.as_deref(), cancel)?;
        Ok((gathered.branches(view, &languages), omitted))
    };
    let (branches, omitted) = project.look(work).await?.map_err(|error: QuestionError| error)?;
    Ok(Level { branches, source, omitted })
}

/// What the server's call hierarchy says; `None` where it has none or does not answer.
async fn hierarchy(
    project: &Project,
    function: &Target,
    waiting: Waiting,
) -> Result<Option<Vec<CallSite>>, QuestionError> {
    let Ok(language) = project.language_of(function) else { return Ok(None) };
    match project.servers.calls(language, &function.at, Direction::Up, waiting).await {
        Ok(said) => Ok(Some(said.value)),
        Err(changed @ NoAnswer::Changed { .. }) => Err(changed.into()),
        Err(_) => Ok(None),
    }
}

fn gather(
    view: &View,
    found: &References,
    hierarchy: Option<&[CallSite]>,
    cancel: &Cancel,
) -> Result<(Gathered, Omitted), QuestionError> {
    let mut gathered = Gathered::default();
    let mut omitted = Omitted::default();
    if let Completeness::Incomplete { missing, .. } = found.completeness {
        omitted.missing = missing;
    }
    let mut of_hierarchy = Gathered::default();
    for call in hierarchy.unwrap_or_default() {
        add(view, call, &mut of_hierarchy, cancel)?;
    }
    for Reference { spot, role, judgement } in found.list.iter().chain(&found.elsewhere) {
        match role {
            Role::Call => {
                let key = Key::around(spot);
                let is_new = !gathered.has(&key) && hierarchy.is_some() && !of_hierarchy.has(&key);
                omitted.only_in_references += usize::from(is_new);
                gathered.add(key, Some(spot.line), *judgement == Judgement::Likely, None);
            }
            Role::Use => omitted.other_uses += 1,
            Role::Import | Role::Declaration => {}
        }
    }
    omitted.only_in_hierarchy = of_hierarchy.keys().filter(|key| !gathered.has(key)).count();
    gathered.merge(of_hierarchy);
    Ok((gathered, omitted))
}

/// Adds one caller of a call hierarchy.
fn add(view: &View, call: &CallSite, gathered: &mut Gathered, cancel: &Cancel) -> Result<(), QuestionError> {
    let sites = check(view, &call.sites, Expect::Anything, cancel)?.spots;
    if let FileRef::Outside(path) = &call.item.name_range.file {
        let line = call.item.name_range.start.line;
        let key = Key { file: Where::Outside(path.clone()), at: Some(line) };
        let party = Party { name_path: call.item.name.clone(), kind: call.item.kind, line };
        gathered.add(key, None, true, Some(party));
        return Ok(());
    }
    // Where the calls stand says more reliably who calls than the item, whose ranges servers choose freely.
    for site in &sites {
        gathered.add(Key::around(site), Some(site.line), true, None);
    }
    if sites.is_empty() {
        let name = std::slice::from_ref(&call.item.name_range);
        let spots: Vec<Spot> = check(view, name, Expect::Anything, cancel)?.spots;
        spots.iter().for_each(|spot| gathered.add(Key::around(spot), None, true, None));
    }
    Ok(())
}

/// Whether each of these functions is called at all, as far as syntax can tell.
pub(super) async fn have_callers(
    project: &Project,
    functions: Vec<Target>,
) -> Result<Vec<bool>, QuestionError> {
    let mut called = Vec::with_capacity(functions.len());
    for function in &functions {
        let judged = judge(project, function).await?;
        called.push(judged.is_called());
    }
    Ok(called)
}
