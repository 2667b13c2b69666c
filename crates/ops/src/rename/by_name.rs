//! Uses of the symbol that are not occurrences of its name: computed names, parameters that pytest fills.

use super::answer::{RenameError, RenameNote};
use super::linked::LinkedSymbol;
use super::places::listed;
use super::{DoubtPolicy, Draft, Rename, counted};
use crate::Project;
use crate::question::{QuestionError, Source};
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};
use symd_engine::View;
use symd_resolve::{self as resolve, PythonHazard};

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

/// Rejects, or notes, other effects of the new name in Python.
pub(super) async fn with_hazards(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    let (of, new_name) = (symbol.resolved(), ask.new_name.clone());
    let edit = draft.edit.clone();
    let work = move |view: &View, cancel: &_| {
        let mut found = resolve::python_hazards(view, &of, &new_name, cancel)?;
        for one in &mut found {
            use PythonHazard::{AnsweredByHooks, KeywordsElsewhere, KeywordsOfDoubles, Printed, ReadByClass};
            if let Printed(places) = one {
                places.retain(|place| edit.changes(&place.0, place.1));
            }
            if let ReadByClass(places)
            | KeywordsElsewhere(places)
            | KeywordsOfDoubles(places)
            | AnsweredByHooks(places) = one
            {
                places.retain(|place| !edit.changes(&place.0, place.1));
            }
        }
        let found = found.into_iter();
        let told = found.map(|one| {
            let (text, places, refuses) =
                describe_hazard(one, of.first().map_or("", resolve::IndexedDeclaration::name), &new_name);
            Ok((text, listed(view, &places, cancel)?, refuses))
        });
        told.collect::<Result<Vec<_>, QuestionError>>()
    };
    for (text, places, refuses) in project.with_view(work).await?? {
        // All uses are renamed.
        if places.is_empty() && !matches!(refuses, HazardEffect::Yes) {
            continue;
        }
        if !matches!(refuses, HazardEffect::No) && ask.doubts != DoubtPolicy::Note {
            return Err(RenameError::Doubtful { why: text, places });
        }
        draft.notes.push(RenameNote::doubt(text, places));
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

/// Whether a hazard rejects the rename or is only noted.
enum HazardEffect {
    Yes,
    /// Rejects it, unless no place is left.
    IfAny,
    No,
}

fn describe_hazard(
    hazard: PythonHazard,
    old: &str,
    new: &str,
) -> (String, Vec<(RelPath, TextRange)>, HazardEffect) {
    match hazard {
        PythonHazard::OmittedByStar(places) => (
            format!(
                "`import *` omits '{new}' because of its underscore, but {} it through such an import",
                counted(places.len(), "place uses", "places use")
            ),
            places,
            HazardEffect::Yes,
        ),
        PythonHazard::MadePrivate(places) => (
            format!("Python makes '{new}' private to the class, but it may be used outside the class"),
            places,
            HazardEffect::Yes,
        ),
        PythonHazard::MangledNameUsed(places) => (
            format!("it is used outside its class by the mangled name that Python gives '{old}'"),
            places,
            HazardEffect::Yes,
        ),
        PythonHazard::MangledWithClass(places) => (
            format!("private members of '{old}' are used by the mangled names that Python makes of its name"),
            places,
            HazardEffect::Yes,
        ),
        PythonHazard::OverridesOutside(base) => (
            format!("{base}, a base outside the project, declares '{new}' too: it would be overridden"),
            Vec::new(),
            HazardEffect::Yes,
        ),
        PythonHazard::KeywordIsPassed(places) => (
            format!("calls already pass '{new}' by keyword, which would then bind to this parameter"),
            places,
            HazardEffect::Yes,
        ),
        PythonHazard::KeywordsUnnamed(places) => (
            format!("calls may pass '{old}' by keyword without naming it in the call"),
            places,
            HazardEffect::No,
        ),
        PythonHazard::KeywordsElsewhere(places) => (
            format!("'{old}' is passed by keyword to what may be this function, and keeps its name there"),
            places,
            HazardEffect::No,
        ),
        PythonHazard::KeywordsOfDoubles(places) => (
            format!(
                "objects that may be used in its place, or replace it, are given '{old}' by keyword, which stays"
            ),
            places,
            HazardEffect::No,
        ),
        PythonHazard::ComputedElsewhere(places) => (
            format!("names that begin like '{old}' are computed and looked up, and it may be one of them"),
            places,
            HazardEffect::No,
        ),
        PythonHazard::AnsweredByHooks(places) => (
            format!(
                "`__getattr__` or `__getattribute__` of a class answers for '{old}' and may return it; these keep the name"
            ),
            places,
            HazardEffect::No,
        ),
        PythonHazard::Printed(places) => (
            format!("an f-string prints '{old}' as it is spelled (`{{…=}}`), and will print '{new}'"),
            places,
            HazardEffect::No,
        ),
        PythonHazard::ReachedByName(places) => (
            format!(
                "the function's variables are reached by their names here, and '{old}' may be one of them"
            ),
            places,
            HazardEffect::No,
        ),
        PythonHazard::FieldsRead(places) => (
            format!("the names of its class's fields may be given to the program here, '{old}' among them"),
            places,
            HazardEffect::No,
        ),
        PythonHazard::ParametersRead(places) => (
            format!(
                "the names of the function's parameters may be read here: check whether '{old}' has a meaning to it"
            ),
            places,
            HazardEffect::No,
        ),
        PythonHazard::ReadByClass(places) => (
            format!(
                "{} in class bodies that bind '{old}' later, which the server takes for the class's own name",
                counted(places.len(), "use", "uses")
            ),
            places,
            HazardEffect::IfAny,
        ),
        PythonHazard::ParameterOfOthers(places) => (
            format!(
                "methods linked by overriding keep '{old}' as a parameter; calls that pass it by keyword may reach them"
            ),
            places,
            HazardEffect::No,
        ),
    }
}
