//! Inheritance between classes, as far as the project's own class heads show it. Invariant: terminates on
//! every input; classes that are not known to be related count as unrelated, unless there are too many to tell.

use std::cell::RefCell;
use std::collections::HashMap;

use super::bases::bases;
use super::project::Project;
use super::sources::Target;
use symd_base::RelPath;
use symd_base::cancel::Cancelled;

/// The most classes that a search through bases visits.
const MAX_CLASSES: usize = 64;

/// The classes that inherit from one class, determined on request and cached.
pub(super) struct Kin<'t> {
    class: &'t Target,
    descends: RefCell<HashMap<(RelPath, u32), bool>>,
}

impl<'t> Kin<'t> {
    pub(super) fn new(class: &'t Target) -> Kin<'t> {
        Kin { class, descends: RefCell::default() }
    }

    /// Whether `other` is the class, or inherits from it.
    pub(super) fn descends(&self, project: &Project, other: &Target) -> Result<bool, Cancelled> {
        let name_start = other.row().map_or(u32::MAX, |(_, row)| row.name_start);
        let key = (other.file.path.clone(), name_start);
        if let Some(&known) = self.descends.borrow().get(&key) {
            return Ok(known);
        }
        let descends = inherits(project, other, self.class)?;
        self.descends.borrow_mut().insert(key, descends);
        Ok(descends)
    }

    /// Whether one of both inherits from the other, or both are the same class.
    pub(super) fn is_kin(&self, project: &Project, other: &Target) -> Result<bool, Cancelled> {
        Ok(self.descends(project, other)? || inherits(project, self.class, other)?)
    }
}

/// Whether `class` is `base`, or inherits from it; true as well if it has more base classes than are searched.
fn inherits(project: &Project, class: &Target, base: &Target) -> Result<bool, Cancelled> {
    let mut seen = vec![class.clone()];
    let mut at = 0;
    while at < seen.len() {
        project.cancel.check()?;
        if seen[at].is(base) || seen.len() >= MAX_CLASSES {
            return Ok(true);
        }
        for base in bases(project, &seen[at])?.iter() {
            let is_new = |one: &&Target| !seen.iter().any(|known| known.is(one));
            let new: Vec<Target> = base.classes.iter().filter(is_new).cloned().collect();
            seen.extend(new);
        }
        at += 1;
    }
    Ok(false)
}
