//! Overloads: functions of one name in one container, all of which a client means when it gives only the
//! name. Invariant: functions of two types, two modules or two receivers are never treated as overloads of
//! one another.

use super::entity_rules::{ContainerForm, EntityRules, OverloadForm};
use super::qualified::{receiver, words_above};
use crate::symbol::signature_of;
use symd_engine::View;
use symd_index::Hit;
use symd_syntax::SymbolKind;

/// Maximum number of overloads that one request answers together, since each is a question of its own.
const MAX_OVERLOADS: usize = 256;

/// Whether `hits` are overloads of one name in one container: functions, or a property's accessors.
pub(crate) fn are_overloads(view: &View, hits: &[Hit]) -> bool {
    let mut first = None;
    hits.len() <= MAX_OVERLOADS
        && hits.iter().all(|hit| {
            let Some(outline) = hit.file.outline() else { return false };
            let row = &outline.rows[hit.row];
            let sort = (row.kind().is_callable(), outline.name(row).to_owned(), container(view, hit));
            let has_overloads = EntityRules::of(&hit.file).overloads != OverloadForm::None;
            let is_possible =
                has_overloads && (row.kind().is_callable() || row.kind() == SymbolKind::Property);
            is_possible && *first.get_or_insert_with(|| sort.clone()) == sort
        })
}

/// Returns the container of a symbol: equal for all overloads of a name, and for no other symbol of that
/// name.
pub(super) fn container(view: &View, hit: &Hit) -> Vec<String> {
    let Some(outline) = hit.file.outline() else { return Vec::new() };
    let above = words_above(outline, hit.row);
    let path = hit.file.path.as_str();
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let parent = outline.rows[hit.row].parent();
    match EntityRules::of(&hit.file).container {
        ContainerForm::Package => {
            let package = outline.imports.unpack().package().unwrap_or("").to_owned();
            [vec![package], above].concat()
        }
        ContainerForm::Names => above,
        ContainerForm::Linkage => {
            let is_static = || signature_of(view, &hit.file, hit.row).is_some_and(|one| one.is_static);
            let file = if parent.is_none() && is_static() { vec![path.to_owned()] } else { Vec::new() };
            [file, above, receiver(view, &hit.file, hit.row)].concat()
        }
        ContainerForm::Directory => {
            [vec![directory.to_owned()], above, receiver(view, &hit.file, hit.row)].concat()
        }
        // Each declaration of a class is a container of its own: two of one name are not the same class.
        ContainerForm::Declaration => {
            vec![path.to_owned(), parent.map_or_else(String::new, |row| outline.name_path(row))]
        }
    }
}
