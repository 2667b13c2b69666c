//! Inheritance between classes, as far as the project's own class heads show it. Invariant: terminates on
//! every input; classes that are not known to be related count as unrelated, unless there are too many to tell.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::hierarchy::bases::bases;
use crate::resolver::Resolver;
use crate::sources::IndexedDeclaration;
use symd_base::RelPath;
use symd_base::cancel::Cancelled;

/// The most classes that a search through bases visits.
const MAX_CLASSES: usize = 64;

/// The classes that inherit from one class, determined on request and cached.
pub(crate) struct Inheritance<'t> {
    class: &'t IndexedDeclaration,
    subclass_cache: RefCell<HashMap<(RelPath, u32), bool>>,
}

impl<'t> Inheritance<'t> {
    pub(crate) fn new(class: &'t IndexedDeclaration) -> Inheritance<'t> {
        Inheritance { class, subclass_cache: RefCell::default() }
    }

    /// Whether `other` is the class, or inherits from it.
    pub(crate) fn is_subclass_or_same(
        &self,
        resolver: &Resolver,
        other: &IndexedDeclaration,
    ) -> Result<bool, Cancelled> {
        let name_start = other.row().map_or(u32::MAX, |(_, row)| row.name_start);
        let key = (other.file.path.clone(), name_start);
        if let Some(&known) = self.subclass_cache.borrow().get(&key) {
            return Ok(known);
        }
        let descends = inherits(resolver, other, self.class)?;
        self.subclass_cache.borrow_mut().insert(key, descends);
        Ok(descends)
    }

    /// Whether one of both inherits from the other, or both are the same class.
    pub(crate) fn is_related(
        &self,
        resolver: &Resolver,
        other: &IndexedDeclaration,
    ) -> Result<bool, Cancelled> {
        Ok(self.is_subclass_or_same(resolver, other)? || inherits(resolver, self.class, other)?)
    }
}

/// Whether `class` is `base`, or inherits from it; true as well if it has more base classes than are searched.
fn inherits(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    base: &IndexedDeclaration,
) -> Result<bool, Cancelled> {
    let mut seen = vec![class.clone()];
    let mut at = 0;
    while at < seen.len() {
        resolver.cancel.check()?;
        if seen[at].is_same_declaration(base) || seen.len() >= MAX_CLASSES {
            return Ok(true);
        }
        for base in bases(resolver, &seen[at])?.iter() {
            let is_new = |one: &&IndexedDeclaration| !seen.iter().any(|known| known.is_same_declaration(one));
            let new: Vec<IndexedDeclaration> = base.classes.iter().filter(is_new).cloned().collect();
            seen.extend(new);
        }
        at += 1;
    }
    Ok(false)
}
