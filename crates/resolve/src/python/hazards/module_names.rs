//! Effects of a new name at the top level of a Python module: what a star import omits, what class bodies read before they bind it.

use super::breaks;
use crate::conflicts::SourcePlace;
use crate::context::{Receiver, receiver};
use crate::meaning::Meaning;
use crate::name_places::{places_of, with_name};
use crate::rename_hazard::{HazardPlaces, RenameHazard};
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::Imported;

/// Finds the hazards of a name at the top level of a module.
pub(super) fn top_level(
    resolver: &Resolver,
    here: &CurrentFile,
    target: &IndexedDeclaration,
    new_name: &str,
) -> Result<Vec<RenameHazard>, Cancelled> {
    let old = target.name();
    let text = format!(
        "class bodies use '{old}' and bind it later, so that the server takes the use for the class's own name"
    );
    let mut found: Vec<RenameHazard> =
        breaks(HazardPlaces::Left, text, class_reads(resolver, target)?).into_iter().collect();
    let is_exported = here.outline.occurrences.contains("__all__");
    if !new_name.starts_with('_') || old.starts_with('_') || is_exported {
        return Ok(found);
    }
    let mut places = Vec::new();
    for other in with_name(resolver, old)? {
        let has_star = other.imports().iter().any(|import| import.imported == Imported::Everything);
        if !has_star || other.file.path == here.file.path {
            continue;
        }
        for range in places_of(&other, old) {
            let is_imported = other.imports().iter().any(|import| import.bound() == Some(old));
            if !is_imported && is_bare_use(resolver, &other, range, target)? {
                places.push((other.file.path.clone(), range));
            }
        }
    }
    let text = format!(
        "`import *` omits '{new_name}' because of its underscore, but '{old}' is used through such an import"
    );
    found.extend(breaks(HazardPlaces::All, text, places));
    Ok(found)
}

/// Whether the bare name at `range` means the target.
fn is_bare_use(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
    target: &IndexedDeclaration,
) -> Result<bool, Cancelled> {
    if receiver(here.text.as_str(), range.start as usize, resolver.family) != Receiver::None {
        return Ok(false);
    }
    let meaning = scope::resolve_name(resolver, here, range.start, target.name())?;
    Ok(matches!(meaning, Meaning::Declared(found) if found.iter().any(|one| one.is_same_declaration(target))))
}

/// Finds where class bodies read the target before they bind its name.
fn class_reads(resolver: &Resolver, target: &IndexedDeclaration) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut places = Vec::new();
    for here in with_name(resolver, target.name())? {
        for range in places_of(&here, target.name()) {
            if scope::reads_past_class(&here, range.start, target.name())
                && is_bare_use(resolver, &here, range, target)?
            {
                places.push((here.file.path.clone(), range));
            }
        }
    }
    Ok(places)
}
