//! Uses of the symbol that are not occurrences of its name: computed names, parameters that pytest fills.

use super::answer::{RenameError, RenameNote};
use super::linked::LinkedSymbol;
use super::places::listed;
use super::{DoubtPolicy, Draft, Rename};
use crate::Project;
use crate::question::{QuestionError, Source};
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};
use symd_engine::View;
use symd_resolve as resolve;

/// Notes where the name may be computed; rejects the rename if nothing else uses the symbol, which is then
/// how it is used.
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
    // A test is found by its runner, by how its name begins.
    let (of, new) = (symbol.target.resolved(), ask.new_name.clone());
    let is_found_test = move |view: &View, cancel: &_| {
        let is_read = resolve::find_external_reader(view, &of, None, cancel)?.is_some();
        Ok::<_, Cancelled>(
            is_read
                && of.name().starts_with("test")
                && resolve::find_external_reader(view, &of, Some(&new), cancel)?.is_none(),
        )
    };
    if project.with_view(is_found_test).await?.map_err(QuestionError::from)? {
        return Ok(draft);
    }
    let work = move |view: &View, cancel: &_| listed(view, &computed, cancel);
    let places = project.with_view(work).await?.map_err(QuestionError::from)?;
    let name = &symbol.target.name;
    let is_used = draft
        .edit
        .files
        .iter()
        .any(|(path, file)| file.edits.iter().any(|edit| !symbol.declares(path, edit.range.start)));
    let why = format!("members of this class are reached by computed names, and '{name}' may be one of them");
    draft.notes.push(match is_used {
        true => RenameNote::doubt(why, places),
        false => ask.doubt_of_uses(format!("{why}; nothing else uses it"), places)?,
    });
    Ok(draft)
}

/// Rejects, or notes, that the program computes names of members from the name of a class, which have to change with it.
pub(super) async fn with_members_named_by_class(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    let of = symbol.target.resolved();
    let work = move |view: &View, cancel: &_| {
        let found = resolve::members_named_by_class(view, &of, cancel)?;
        let places: Vec<_> = found.iter().map(|one| one.place.clone()).collect();
        let member = found.into_iter().next().map(|one| one.member);
        Ok::<_, QuestionError>((member, listed(view, &places, cancel)?))
    };
    if let (Some(member), places) = project.with_view(work).await?? {
        let name = &symbol.target.name;
        let why = format!(
            "the program computes '{member}' from the name '{name}'; rename '{member}' and its like with it"
        );
        draft.notes.push(ask.doubt_of_uses(why, places)?);
    }
    Ok(draft)
}

/// Rejects, or notes, that the symbol adds to what a library declares by the same name.
pub(super) async fn with_augmented(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    let of = symbol.resolved();
    let work = move |view: &View, _: &_| of.iter().find_map(|one| resolve::augmented_outside(view, one));
    if let Some(place) = project.with_view(work).await? {
        let name = &symbol.target.name;
        let why = format!(
            "'{name}' in {place} adds, or may add, to what a library declares by this name, which stays; its members can be renamed, or declare a type of your own"
        );
        draft.notes.push(ask.doubt_of_uses(why, Vec::new())?);
    }
    Ok(draft)
}

/// Rejects, or notes, that pytest passes a fixture to parameters of its name, which keep that name; or that pytest or a
/// decorator passes the parameter by its name.
pub(super) async fn with_parameters(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    let of = symbol.target.resolved();
    let work = move |view: &View, cancel: &_| {
        let filler = resolve::parameter_filler(view, &of, cancel)?;
        Ok::<_, QuestionError>((resolve::is_pytest_fixture(view, &of, cancel), filler))
    };
    let (is_fixture, filler) = project.with_view(work).await??;
    let name = &symbol.target.name;
    if is_fixture {
        let why = format!(
            "'{name}' is a pytest fixture: pytest passes it to parameters of this name, which are not renamed"
        );
        draft.notes.push(ask.doubt_of_uses(why, Vec::new())?);
    }
    if let Some(filler) = filler {
        let why = format!("{filler} passes '{name}' by this name, which would have to change there too");
        draft.notes.push(ask.doubt_of_uses(why, Vec::new())?);
    }
    Ok(draft)
}

/// Rejects, or notes, that the symbol's class replaces a module from outside: libraries call it by that
/// module's names.
pub(super) async fn with_mirrored(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    let of = symbol.resolved();
    let work = move |view: &View, cancel: &_| {
        let place = resolve::mirrored_call(view, &of, cancel)?;
        Ok::<_, QuestionError>(listed(view, place.as_slice(), cancel)?)
    };
    let places = project.with_view(work).await??;
    if !places.is_empty() {
        let why = format!(
            "its class stands in for a module outside the project that has '{}' too; libraries that receive the class call it by this name",
            symbol.target.name
        );
        draft.notes.push(ask.doubt_of_uses(why, places)?);
    }
    Ok(draft)
}

/// Rejects, or notes, that a module of Rust would not be found in its file any more; a server renames the file.
pub(super) async fn with_module_file(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    if let Source::Server(_) = draft.source {
        return Ok(draft);
    }
    let of = symbol.target.resolved();
    if project.with_view(move |view, _| resolve::is_named_like_its_file(view, &of)).await? {
        let (name, new_name) = (&symbol.target.name, &ask.new_name);
        let why = format!(
            "the file of module '{name}' would have to be renamed too ({new_name}.rs or {new_name}/mod.rs), which symd does only with a language server"
        );
        draft.notes.push(ask.doubt_of_uses(why, Vec::new())?);
    }
    Ok(draft)
}

/// Rejects, or notes, that interfaces of Go may ask for the method, that a field has its type's name, or that other packages
/// would not see the new name; a server knows.
pub(super) async fn with_go_obstacles(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    if let Source::Server(_) = draft.source {
        return Ok(draft);
    }
    let (of, new_name) = (symbol.resolved(), ask.new_name.clone());
    let users: Vec<(RelPath, TextRange)> = draft
        .edit
        .files
        .iter()
        .filter_map(|(path, file)| Some((path.clone(), file.edits.first()?.range)))
        .collect();
    let work = move |view: &View, cancel: &_| {
        let hidden = of.first().map(|target| resolve::hidden_users(view, target, &new_name, &users));
        let hidden = listed(view, &hidden.unwrap_or_default(), cancel)?;
        let found = resolve::go_rename_obstacles(view, &of, cancel)?;
        let outside = listed(view, found.outside_use.as_slice(), cancel)?;
        let inside = listed(view, &found.of_interfaces, cancel)?;
        Ok::<_, QuestionError>((found.embeds_type, inside, outside, hidden))
    };
    let (embeds_type, inside, outside, hidden) = project.with_view(work).await??;
    let name = &symbol.target.name;
    if !hidden.is_empty() {
        let why = format!(
            "other packages use '{name}' and would not see '{}', which is not exported",
            ask.new_name
        );
        draft.notes.push(ask.doubt_of_uses(why, hidden)?);
    }
    if embeds_type {
        let why = format!("the field '{name}' embeds a type and has its name: rename the type");
        draft.notes.push(ask.doubt_of_uses(why, Vec::new())?);
    }
    if !inside.is_empty() {
        let why = format!(
            "interfaces ask for '{name}': which types have to keep the name, or are renamed with it, only a server can tell"
        );
        draft.notes.push(ask.doubt_of_uses(why, inside)?);
    }
    if !outside.is_empty() {
        let why = format!(
            "a type outside the project has '{name}' too; if it is an interface that this type has to satisfy, it would not any more"
        );
        draft.notes.push(ask.doubt_of_uses(why, outside)?);
    }
    Ok(draft)
}

/// Rejects, or notes, that something outside the project looks the symbol up by its name.
pub(super) async fn with_readers(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    let (of, new) = (symbol.resolved(), ask.new_name.clone());
    let work = move |view: &View, cancel: &_| {
        let reader = |one| resolve::find_external_reader(view, one, Some(&new), cancel).transpose();
        Ok::<_, QuestionError>(of.iter().find_map(reader).transpose()?)
    };
    let reader = project.with_view(work).await??;
    if let Some(reader) = reader {
        let (name, new_name) = (&symbol.target.name, &ask.new_name);
        let why = format!("{reader} looks up '{name}' by its name, and would not find '{new_name}'");
        draft.notes.push(ask.doubt_of_uses(why, Vec::new())?);
    }
    Ok(draft)
}

/// Rejects or notes the rename of a name of C that macros may build with `##`.
pub(super) async fn with_pasted_names(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    let of = symbol.target.resolved();
    let work = move |view: &View, cancel: &_| {
        let places = resolve::pasted_names(view, &of, cancel)?;
        listed(view, &places, cancel)
    };
    let places = project.with_view(work).await?.map_err(QuestionError::from)?;
    if places.is_empty() {
        return Ok(draft);
    }
    let text = format!("macros build names with ## that may be `{}`", symbol.target.name);
    if ask.doubts != DoubtPolicy::Note {
        return Err(RenameError::Doubtful { why: text, places });
    }
    draft.notes.push(RenameNote::doubt(text, places));
    Ok(draft)
}
