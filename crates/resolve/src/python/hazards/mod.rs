//! Effects of a new name in Python beyond its use as a name: names that a star import omits, names that a
//! class makes private, keywords that reach a parameter other than through a call that names it. By syntax
//! alone; a possible hazard is reported too.

mod members;
mod module_names;
mod parameters;
mod private_names;

use self::members::member;
use self::module_names::top_level;
use self::parameters::parameter;
use self::private_names::mangled_with_class;
use crate::conflicts::SourcePlace;
use crate::family::Family;
use crate::hierarchy::classes::is_class;
use crate::name_places::{places_of, with_name};
use crate::python::computed_members::computed_globals;
use crate::python::computed_names::{NameOwner, computed_elsewhere};
use crate::python::dynamic_receivers::answered_by_hooks;
use crate::python::function_heads::is_parameter;
use crate::python::keywords::keywords_of_doubles;
use crate::python::listed_names::picked;
use crate::python::named_output::{is_printed, reached_by_name};
use crate::python::read_names::reads_of_name;
use crate::rename_hazard::{HazardPlaces, RenameHazard};
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::Cancel;
use symd_base::cancel::Cancelled;

/// Finds the hazards of renaming the symbol that `targets` declare. Empty for other languages.
pub(crate) fn python_hazards(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    new_name: &str,
    cancel: &Cancel,
) -> Result<Vec<RenameHazard>, Cancelled> {
    let first = targets.first().and_then(|first| Some((first, Family::dynamic_of(&first.file)?)));
    let Some((first, family)) = first else { return Ok(Vec::new()) };
    let resolver = Resolver::new(sources, family, cancel);
    let Some(here) = resolver.read_file(&first.file) else { return Ok(Vec::new()) };
    let Some(row) = here.row_of(first).map(|at| &here.outline.rows[at]) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    if is_class(row) {
        found.extend(mangled_with_class(&resolver, &here, first)?);
    }
    let old = first.name();
    let text = format!("an f-string prints '{old}' as it is spelled (`{{…=}}`), and will print '{new_name}'");
    found.extend(doubt(HazardPlaces::Renamed, text, printed(&resolver, old)?));
    let text = format!("the name '{old}' is read here by `__name__`, and may be used");
    let reads = reads_of_name(&resolver, first)?;
    found.extend(doubt(HazardPlaces::All, text, reads.places));
    if !reads.is_whole {
        found.push(RenameHazard::doubt_without_place(format!(
            "more functions are given '{old}' than were looked at, and may read its name by `__name__`"
        )));
    }
    let Some(parent) = row.parent() else {
        found.extend(top_level(&resolver, &here, first, new_name)?);
        found.extend(looked_up(&resolver, first, NameOwner::Module)?);
        let text =
            format!("names of the module are looked up by computed names, and '{old}' may be one of them");
        found.extend(doubt(HazardPlaces::All, text, computed_globals(&resolver, first)?));
        return Ok(found);
    };
    if is_class(&here.outline.rows[parent]) && !row.is_local() {
        found.extend(member(&resolver, targets, new_name)?);
        found.extend(looked_up(&resolver, first, NameOwner::Class)?);
    } else if row.is_local() {
        let text = format!(
            "the function's variables are reached by their names here, and '{old}' may be one of them"
        );
        let reached = reached_by_name(&resolver, &here, parent, old)?;
        found.extend(doubt(HazardPlaces::All, text, reached));
        let start = row.name_start as usize;
        let is_rest = here.text.as_str()[..start].ends_with('*');
        if is_parameter(&here, parent, row.name_start) && !is_rest {
            found.extend(parameter(&resolver, &here, first, parent, new_name)?);
        }
    }
    Ok(found)
}

/// Finds the places of the name that f-strings print.
fn printed(resolver: &Resolver, name: &str) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut places = Vec::new();
    for here in with_name(resolver, name)? {
        let text = here.text.as_str();
        let printed = places_of(&here, name).into_iter().filter(|range| is_printed(text, *range));
        places.extend(printed.map(|range| (here.file.path.clone(), range)));
    }
    Ok(places)
}

/// Finds where the program may look the symbol up by a name that is no occurrence of it.
fn looked_up(
    resolver: &Resolver,
    target: &IndexedDeclaration,
    owner: NameOwner,
) -> Result<Vec<RenameHazard>, Cancelled> {
    let old = target.name();
    let doubles = keywords_of_doubles(resolver, old, owner == NameOwner::Class)?;
    let text = format!(
        "objects that may be used in its place, or replace it, are given '{old}' by keyword, which stays"
    );
    let mut found: Vec<RenameHazard> = doubt(HazardPlaces::Left, text, doubles).into_iter().collect();
    found.extend(computed(old, computed_elsewhere(resolver, target, owner)?));
    let text = format!("names are listed and picked by a part of them that '{old}' has");
    found.extend(doubt(HazardPlaces::All, text, picked(resolver, target, owner)?));
    let text = format!(
        "`__getattr__` or `__getattribute__` of a class answers for '{old}' and may return it; these keep the name"
    );
    found.extend(doubt(HazardPlaces::Left, text, answered_by_hooks(resolver, old)?));
    Ok(found)
}

/// Returns the doubt about names of which the program computes a part or all.
fn computed(old: &str, places: Vec<SourcePlace>) -> Option<RenameHazard> {
    let text = format!("names that begin like '{old}' are computed and looked up, and it may be one of them");
    doubt(HazardPlaces::All, text, places)
}

fn doubt(at: HazardPlaces, text: String, places: Vec<SourcePlace>) -> Option<RenameHazard> {
    RenameHazard::doubt(text, places).map(|one| one.shown_at(at))
}

/// Returns a hazard that breaks the program; `None` without a place.
fn breaks(at: HazardPlaces, text: String, places: Vec<SourcePlace>) -> Option<RenameHazard> {
    RenameHazard::breaks_at(text, places).map(|one| one.shown_at(at))
}
