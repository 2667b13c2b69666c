//! Uses of the symbol that are no occurrences of it: names that the program computes, parameters that pytest fills.

use super::answer::{Note, RenameError};
use super::linked::LinkedSymbol;
use super::places::listed;
use super::{Draft, Rename};
use crate::base::{RelPath, TextRange};
use crate::engine::View;
use crate::ops::Project;
use crate::ops::question::QuestionError;
use crate::resolve;

/// Notes where the name may be computed; refuses where nothing else uses the symbol: that is how it is used then.
pub(super) async fn with_computed_names(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
    computed: Vec<(RelPath, TextRange)>,
) -> Result<Draft, RenameError> {
    if computed.is_empty() {
        return Ok(draft);
    }
    let work = move |view: &View, cancel: &_| listed(view, &computed, cancel);
    let places = project.look(work).await?.map_err(QuestionError::from)?;
    let name = &symbol.target.name;
    let is_used = draft
        .edit
        .files
        .iter()
        .any(|(path, file)| file.edits.iter().any(|edit| !symbol.declares(path, edit.range.start)));
    let why = format!("members of this class are reached by computed names, and '{name}' may be one of them");
    draft.notes.push(match is_used {
        true => Note::doubt(why, places),
        false => ask.doubt_of_uses(format!("{why}: nothing else uses it"), places)?,
    });
    Ok(draft)
}

/// Refuses, or notes, that pytest gives a fixture to parameters of its name, which keep that name.
pub(super) async fn with_parameters(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    let of = symbol.target.resolved();
    if !project.look(move |view, cancel| resolve::is_pytest_fixture(view, &of, cancel)).await? {
        return Ok(draft);
    }
    let why = format!(
        "'{}' is a fixture: pytest gives it to the parameters of that name, which keep it",
        symbol.target.name
    );
    draft.notes.push(ask.doubt_of_uses(why, Vec::new())?);
    Ok(draft)
}

/// Refuses, or notes, that the symbol's class stands for a module from outside: libraries call it by that module's names.
pub(super) async fn with_mirrored(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    let of = symbol.resolved();
    let work = move |view: &View, cancel: &_| {
        let place = resolve::mirrored(view, &of, cancel)?;
        Ok::<_, QuestionError>(listed(view, place.as_slice(), cancel)?)
    };
    let places = project.look(work).await??;
    if !places.is_empty() {
        let why = format!(
            "its class offers '{}' as a module from outside of the project does, and may be given to libraries in its place, which call it by that name",
            symbol.target.name
        );
        draft.notes.push(ask.doubt_of_uses(why, places)?);
    }
    Ok(draft)
}

/// Refuses, or notes, that something looks the symbol up by its name though nothing in the project does.
pub(super) fn with_readers(
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    let reader = resolve::read_by_name(&symbol.target.resolved(), &ask.new_name);
    if let Some(reader) = reader {
        let (name, new_name) = (&symbol.target.name, &ask.new_name);
        let why = format!("{reader} looks for '{name}' by its name, and does not find '{new_name}'");
        draft.notes.push(ask.doubt_of_uses(why, Vec::new())?);
    }
    Ok(draft)
}
