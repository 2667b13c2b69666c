//! Attributes of Python that a method assigns: where a base class has the attribute, `self.x = 1` assigns the inherited one,
//! although the index lists it as the subclass's own, too.

use crate::context::text_before;
use crate::family::Family;
use crate::hierarchy::classes::{class_of, inherited};
use crate::meaning::Meaning;
use crate::resolver::Resolver;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

/// The most classes above each other whose assignments are followed.
const MAX_STEPS: usize = 16;

/// Returns the members of base classes that an attribute's declaration assigns, the nearest first; empty unless a method declares it by an
/// assignment.
pub(crate) fn assigned_members(
    resolver: &Resolver,
    attribute: &IndexedDeclaration,
) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    let mut all = Vec::new();
    let mut next = Some(attribute.clone());
    while let Some(one) = next.take().filter(|_| all.len() < MAX_STEPS) {
        if !is_assigned_by_method(resolver, &one) {
            break;
        }
        let Some(class) = class_of(&one) else { break };
        if let Meaning::Declared(found) = inherited(resolver, &class, one.name())? {
            next = found.first().cloned();
            all.extend(found);
        }
    }
    Ok(all)
}

/// Whether the declaration is `self.x = …` in a method.
fn is_assigned_by_method(resolver: &Resolver, one: &IndexedDeclaration) -> bool {
    let Some(here) = resolver.read_file(&one.file).filter(|_| resolver.family == Family::Python) else {
        return false;
    };
    here.row_of(one).is_some_and(|at| {
        let before =
            text_before(here.text.as_str(), here.outline.rows[at].name_start as usize, resolver.family);
        before.ends_with('.')
    })
}
