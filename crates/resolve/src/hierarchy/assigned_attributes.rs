//! Attributes of Python that a method assigns: where a base class has the attribute, `self.x = 1` assigns the inherited one,
//! although the index lists it as the subclass's own, too.

use crate::context::text_before;
use crate::family::Family;
use crate::hierarchy::classes::{class_of, inherited, own_members};
use crate::meaning::Meaning;
use crate::resolver::Resolver;
use crate::scope::class_around;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// The most classes above each other whose assignments are followed.
const MAX_STEPS: usize = 16;

/// Whether `range` of a file (bytes) is an attribute, its object before it or not, by which the class around it assigns `member`, which it
/// inherits: servers take each assignment for a declaration. False outside Python.
pub fn assigns_inherited(
    sources: &dyn Sources,
    member: &IndexedDeclaration,
    (path, range): (&RelPath, TextRange),
    cancel: &Cancel,
) -> Result<bool, Cancelled> {
    let Some(Family::Python) = Family::of(&member.file) else { return Ok(false) };
    let resolver = Resolver::new(sources, Family::Python, cancel);
    let Some(here) = resolver.file(path.as_str()).and_then(|file| resolver.read_file(file)) else {
        return Ok(false);
    };
    let is_it = |attribute: &str| attribute.rsplit('.').next() == Some(member.name());
    let class = class_around(&here, range.start).filter(|_| is_it(here.text.slice(range)));
    match class.map(|class| own_members(&resolver, &class, member.name())).as_deref() {
        Some([one]) => {
            let assigned = assigned_members(&resolver, one)?;
            Ok(assigned.iter().any(|one| one.is_same_declaration(&resolver.refreshed(member))))
        }
        _ => Ok(false),
    }
}

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
