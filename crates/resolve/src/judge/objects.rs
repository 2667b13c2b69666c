//! Judges the open uses of a member of Python by the class of the object before them, where the text tells it.

use super::TargetContext;
use crate::family::Family;
use crate::hierarchy::bases::bases;
use crate::hierarchy::classes::{class_of, is_class};
use crate::hierarchy::inheritance::Inheritance;
use crate::hierarchy::structural::is_protocol;
use crate::meaning::Meaning;
use crate::object_class::meaning_by_object;
use crate::occurrence::{Judgement, Occurrence, Role};
use crate::resolver::Resolver;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

/// The most open uses that are looked at: each may take a search through the project.
const MAX_USES: usize = 400;

impl TargetContext<'_> {
    /// Judges those of `found` that are open and stand behind an object, or name an argument of its method.
    pub(crate) fn judge_by_objects(
        &self,
        resolver: &Resolver,
        found: &mut [Occurrence],
    ) -> Result<(), Cancelled> {
        if resolver.family != Family::Python || !(self.is_member || self.row.is_local()) {
            return Ok(());
        }
        let is_use = |one: &&mut Occurrence| {
            one.judgement == Judgement::Unchecked
                && matches!(one.role, Role::Use | Role::Call | Role::Argument)
        };
        let open: Vec<&mut Occurrence> = found.iter_mut().filter(is_use).collect();
        if open.len() > MAX_USES {
            return Ok(());
        }
        for one in open {
            resolver.cancel.check()?;
            let here = resolver.file(one.path.as_str()).and_then(|file| resolver.read_file(file));
            let Some(here) = here.filter(|here| here.text.slice(one.range) == self.name) else { continue };
            if let Meaning::Declared(members) = meaning_by_object(resolver, &here, one.range, self.name)? {
                one.judgement = self.of_object(resolver, &members)?;
            }
        }
        Ok(())
    }

    /// Judges a use of one of these members, of an object whose class has or inherits them; the object may be of a class below it.
    fn of_object(&self, resolver: &Resolver, members: &[IndexedDeclaration]) -> Result<Judgement, Cancelled> {
        if members.iter().any(|one| self.is_target(one)) {
            let is_one_symbol = members.iter().all(|one| self.is_same_symbol(one));
            return Ok(if is_one_symbol { Judgement::Likely } else { Judgement::Unchecked });
        }
        if self.is_assigned_by(resolver, members)? {
            return Ok(Judgement::Likely);
        }
        for class in members.iter().filter_map(class_around) {
            let above = Inheritance::new(&class);
            // What satisfies a protocol does not name it.
            if bases(resolver, &class)?.iter().any(is_protocol) {
                return Ok(Judgement::Unchecked);
            }
            for own in self.owners.iter().filter_map(with_class) {
                if above.is_subclass_or_same(resolver, &own)? {
                    return Ok(Judgement::Unchecked);
                }
            }
        }
        Ok(Judgement::Unlikely)
    }
}

/// Returns the class that declares a member, or the method whose parameter it is.
fn class_around(member: &IndexedDeclaration) -> Option<IndexedDeclaration> {
    let parent = member.row()?.1.parent()?;
    with_class(&IndexedDeclaration { file: member.file.clone(), row: parent })
}

/// Returns the class itself, or that of a method.
fn with_class(owner: &IndexedDeclaration) -> Option<IndexedDeclaration> {
    match is_class(owner.row()?.1) {
        true => Some(owner.clone()),
        false => class_of(owner),
    }
}
