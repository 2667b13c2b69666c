//! Private names of Python, `__x`: the class's name becomes a part of them.

use std::collections::BTreeSet;

use super::breaks;
use crate::conflicts::SourcePlace;
use crate::name_places::{places_of, with_name};
use crate::rename_hazard::{HazardPlaces, RenameHazard};
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

/// Whether a class makes the name private.
pub(super) fn is_private(name: &str) -> bool {
    name.starts_with("__") && !name.ends_with("__")
}

/// Returns the hazard of a new name that its class makes private, with its uses outside of the class.
pub(super) fn made_private(new_name: &str, outside: Vec<SourcePlace>) -> Option<RenameHazard> {
    let text =
        format!("Python makes '{new_name}' private to the class, but it may be used outside the class");
    breaks(HazardPlaces::All, text, outside)
}

/// Finds the uses of a class's private members by their mangled names, which hold the class's.
pub(super) fn mangled_with_class(
    resolver: &Resolver,
    here: &CurrentFile,
    class: &IndexedDeclaration,
) -> Result<Option<RenameHazard>, Cancelled> {
    let Some(at) = here.row_of(class) else { return Ok(None) };
    let members = here.outline.children(at).map(|row| here.outline.name(&here.outline.rows[row]));
    let private: BTreeSet<&str> = members.filter(|name| is_private(name)).collect();
    let mut places = Vec::new();
    for member in private {
        places.extend(mangled_uses(resolver, class.name(), member)?);
    }
    let text = format!(
        "private members of '{}' are used by the mangled names that Python makes of its name",
        class.name()
    );
    Ok(breaks(HazardPlaces::All, text, places))
}

/// Finds the uses of a class's private member by its mangled name.
pub(super) fn mangled_uses(
    resolver: &Resolver,
    class: &str,
    member: &str,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let mangled = format!("_{}{member}", class.trim_start_matches('_'));
    let mut places = Vec::new();
    for other in with_name(resolver, &mangled)? {
        places.extend(places_of(&other, &mangled).into_iter().map(|range| (other.file.path.clone(), range)));
    }
    Ok(places)
}
