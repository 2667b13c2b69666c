//! Effects of a new name of a member of a Python class: privacy, fields and keys that the program reads by their names.

use super::private_names::{is_private, made_private, mangled_uses};
use super::{breaks, computed, doubt};
use crate::context::{Receiver, receiver};
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::name_places::{places_of, with_name};
use crate::python::called_by_library::given_to_library;
use crate::python::computed_members::computed_members;
use crate::python::computed_names::{computed_keys, own_computed_keys};
use crate::python::field_readers::field_readers;
use crate::python::listed_names::given_away;
use crate::python::replaced_variables::set_to_strangers;
use crate::rename_hazard::{HazardPlaces, RenameHazard};
use crate::resolver::Resolver;
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// Finds the hazards of a member of a class.
pub(super) fn member(
    resolver: &Resolver,
    targets: &[IndexedDeclaration],
    new_name: &str,
) -> Result<Vec<RenameHazard>, Cancelled> {
    let old = targets.first().map_or("", IndexedDeclaration::name);
    let mut found = Vec::new();
    let mut classes = Vec::new();
    for target in targets {
        let Some(here) = resolver.read_file(&target.file) else { continue };
        let Some(class) = here.row_of(target).and_then(|row| here.outline.rows[row].parent()) else {
            continue;
        };
        classes.push((here.file.path.clone(), here.outline.rows[class].range(), here.target(class)));
    }
    if is_private(new_name) {
        let mut places = Vec::new();
        for other in with_name(resolver, old)? {
            let is_inside = |range: TextRange| {
                classes.iter().any(|(path, class, _)| *path == other.file.path && class.contains(range))
            };
            let outside = places_of(&other, old).into_iter().filter(|range| {
                let text = other.text.as_str();
                !is_inside(*range) && receiver(text, range.start as usize, resolver.family) != Receiver::None
            });
            places.extend(outside.map(|range| (other.file.path.clone(), range)));
        }
        found.extend(made_private(new_name, places));
    }
    if is_private(old) {
        let mut places = Vec::new();
        for (_, _, class) in &classes {
            places.extend(mangled_uses(resolver, class.name(), old)?);
        }
        let text = format!("it is used outside its class by the mangled name that Python gives '{old}'");
        found.extend(breaks(HazardPlaces::All, text, places));
        return Ok(found);
    }
    let owners: Vec<IndexedDeclaration> = classes.iter().map(|(_, _, class)| class.clone()).collect();
    let graph = ClassGraph::of_kin(resolver, &owners, Kin::Around)?;
    let mut keys = Vec::new();
    // Methods are no members of an enumeration.
    let is_value = targets.first().and_then(IndexedDeclaration::row).is_some_and(|(_, row)| {
        !matches!(row.kind(), SymbolKind::Method | SymbolKind::Function | SymbolKind::Property)
    });
    for class in owners.iter().filter(|_| is_value) {
        let above = graph.all_ancestors(std::slice::from_ref(class));
        let mut outside =
            above.iter().flat_map(|at| graph.node(*at).bases.iter().flat_map(|base| &base.outside));
        if outside.any(|base| base.ends_with("Enum") || base.ends_with("Flag")) {
            keys.extend(computed_keys(resolver, class)?);
            keys.extend(above.iter().flat_map(|at| own_computed_keys(resolver, &graph.node(*at).class)));
        }
    }
    found.extend(computed(old, keys));
    let text = format!(
        "a variable of a module, on which '{old}' is used, may hold objects of this class and of another one that has '{old}' too, since it is \
         set here; the other one's keeps its name"
    );
    found.extend(doubt(HazardPlaces::All, text, set_to_strangers(resolver, (&graph, &owners), old)?));
    let text = format!(
        "Python's library calls '{old}' here of what it is given, which may be an object of this class"
    );
    let heirs = graph.all_descendants(&owners);
    let around = graph.classes(&heirs | &graph.all_ancestors(&owners));
    let heirs = graph.classes(heirs);
    let given = given_to_library(resolver, (&heirs, &around), old)?;
    found.extend(doubt(HazardPlaces::All, text, given));
    if let Some(first) = targets.first() {
        let text = format!(
            "members are reached by computed names here, of objects that may have '{old}', and it may be one of them"
        );
        let reached = computed_members(resolver, first, (&heirs, &around))?;
        found.extend(doubt(HazardPlaces::All, text, reached));
        let text =
            format!("the names of its class's fields may be given to the program here, '{old}' among them");
        found.extend(doubt(HazardPlaces::All, text, field_readers(resolver, first)?));
        let text = format!(
            "the attributes of an object are given away or taken with their names, and '{old}' may be one of them"
        );
        found.extend(doubt(HazardPlaces::All, text, given_away(resolver, first)?));
    }
    Ok(found)
}
