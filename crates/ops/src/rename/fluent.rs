//! Uses of the results of methods that return their own object, of which the server knows the first, and of
//! objects whose class the text tells.

use super::definition_index::{DefinitionIndex, Placed};
use super::linked::LinkedSymbol;
use crate::Project;
use crate::question::QuestionError;
use symd_base::RelPath;
use symd_engine::View;
use symd_resolve::{self as resolve, FluentChain};

/// Records where those of `places` lead that follow calls of such methods.
pub(super) async fn follow_fluent(
    project: &Project,
    symbol: &LinkedSymbol,
    places: &[Placed],
    leads: &mut DefinitionIndex,
) -> Result<(), QuestionError> {
    if !resolve::is_dynamic(&symbol.target.file) {
        return Ok(());
    }
    let of = places.to_vec();
    let work = move |view: &View, cancel: &_| {
        let calls = resolve::preceding_calls(view, &of, cancel)?;
        let calls = of.into_iter().zip(calls).filter(|(_, calls)| !calls.is_empty());
        let named = |(place, calls): (Placed, Vec<_>)| {
            let file = view.snapshot.files.get(place.0.as_str())?;
            let text = view.current(file).ok()?.text;
            let named = |range| (range, text.slice(range).to_owned());
            Some((place, calls.into_iter().map(named).collect::<Vec<_>>()))
        };
        Ok::<_, QuestionError>(calls.filter_map(named).collect::<Vec<_>>())
    };
    let uses = project.with_view(work).await??;
    let asked: Vec<Placed> = uses
        .iter()
        .flat_map(|(place, calls)| calls.iter().map(|(range, _)| (place.0.clone(), *range)))
        .collect();
    leads.ask(project, symbol, &asked).await?;
    let (mut ends, mut chains) = (Vec::new(), Vec::new());
    for (place, calls) in uses {
        let declared = |at: usize| leads.declared(&(place.0.clone(), calls[at].0));
        let Some((at, method)) = (0..calls.len()).find_map(|at| Some((at, declared(at)?))) else { continue };
        let names = calls[..at].iter().rev().map(|(_, name)| name.clone()).collect();
        chains.push(FluentChain { method: (method.0, method.1.start), names });
        ends.push(place);
    }
    let (name, members) = (symbol.target.name.clone(), symbol.resolved());
    let work = move |view: &View, cancel: &_| {
        let found = resolve::fluent_members(view, &chains, &name, &members, cancel)?;
        let place = |member: resolve::IndexedDeclaration| {
            Some((member.file.path.clone(), member.row()?.1.name_start))
        };
        Ok::<_, QuestionError>(found.into_iter().map(|one| one.and_then(place)).collect::<Vec<_>>())
    };
    let found = project.with_view(work).await??;
    for (place, declared) in ends.into_iter().zip(found) {
        if let Some(declared) = declared {
            leads.record(place, declared, &symbol.target.name);
        }
    }
    Ok(())
}

/// Records where those of `places` lead that use a member of an object whose class the text tells.
pub(super) async fn follow_objects(
    project: &Project,
    symbol: &LinkedSymbol,
    places: &[Placed],
    leads: &mut DefinitionIndex,
) -> Result<(), QuestionError> {
    for (place, declared) in object_members(project, symbol, places).await? {
        leads.record(place, declared, &symbol.target.name);
    }
    Ok(())
}

/// Returns those of `places` that use a member of an object whose class the text tells, each with the member's declaration: its file,
/// and the byte at which its name begins.
pub(super) async fn object_members(
    project: &Project,
    symbol: &LinkedSymbol,
    places: &[Placed],
) -> Result<Vec<(Placed, (RelPath, u32))>, QuestionError> {
    let (of, members) = (places.to_vec(), symbol.resolved());
    let work = move |view: &View, cancel: &_| {
        let found = resolve::object_members(view, &of, &members, cancel)?;
        let member = |(place, member): (Placed, Option<resolve::IndexedDeclaration>)| {
            let member = member?;
            let start = member.row()?.1.name_start;
            Some((place, (member.file.path.clone(), start)))
        };
        Ok::<_, QuestionError>(of.into_iter().zip(found).filter_map(member).collect())
    };
    project.with_view(work).await?
}
