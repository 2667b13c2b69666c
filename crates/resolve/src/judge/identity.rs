//! Whether what a name means is the target.

use super::TargetContext;
use crate::cpp;
use crate::family::Family;
use crate::go::value_types::receiver_of;
use crate::hierarchy::assigned_attributes::assigned_members;
use crate::meaning::Meaning;
use crate::occurrence::Judgement;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

impl TargetContext<'_> {
    /// Returns the judgement that a meaning implies; `None` if it implies none.
    pub(super) fn judge_meaning(&self, meaning: &Meaning) -> Option<Judgement> {
        match meaning {
            Meaning::Declared(found) if found.iter().any(|one| self.is_target(one)) => {
                let is_one_symbol = found.iter().all(|one| self.is_same_symbol(one));
                Some(if is_one_symbol { Judgement::Likely } else { Judgement::Unchecked })
            }
            // The class's name in a call: `new A()`.
            Meaning::Declared(found)
                if self.is_called_by_class_name && found.iter().any(|one| self.is_owner(one)) =>
            {
                Some(if self.has_other_constructors { Judgement::Unchecked } else { Judgement::Likely })
            }
            Meaning::LocalOrDeclared(found) if found.iter().any(|one| self.is_target(one)) => {
                Some(Judgement::Unchecked)
            }
            Meaning::Probable(found) if found.iter().any(|one| self.is_target(one)) => {
                let is_one_symbol = found.iter().all(|one| self.is_same_symbol(one));
                Some(if is_one_symbol { Judgement::Likely } else { Judgement::Unchecked })
            }
            Meaning::Possible(found) if found.iter().any(|one| self.is_target(one)) => {
                Some(Judgement::Unchecked)
            }
            Meaning::Probable(_) | Meaning::Possible(_) | Meaning::Unknown => None,
            Meaning::Declared(found) | Meaning::LocalOrDeclared(found)
                if found
                    .iter()
                    .any(|one| self.perhaps.iter().any(|other| one.is_same_declaration(other))) =>
            {
                Some(Judgement::Unchecked)
            }
            _ => Some(Judgement::Unlikely),
        }
    }

    /// Whether `other` is the target, or another definition of it in a language that has such: in the other
    /// branch of an `if`, or a property's setter.
    pub(super) fn is_same_symbol(&self, other: &IndexedDeclaration) -> bool {
        self.is_target(other)
            || Family::of(&other.file).is_some_and(|family| family.profile().uses.redeclares)
                && other.file.path == self.target.file.path
                && other.row().is_some_and(|(_, row)| row.parent == self.row.parent)
    }

    /// Whether `other` is the class or function around one of the target declarations.
    pub(super) fn is_owner(&self, other: &IndexedDeclaration) -> bool {
        self.owners.iter().any(|one| one.is_same_declaration(other))
    }

    /// Whether `other` is one of the target declarations.
    pub(super) fn is_target(&self, other: &IndexedDeclaration) -> bool {
        self.all.iter().any(|one| one.is_same_declaration(other))
    }

    /// Whether `others` is one attribute of Python that assigns the target, which its class inherits.
    pub(super) fn is_assigned_by(
        &self,
        resolver: &Resolver,
        others: &[IndexedDeclaration],
    ) -> Result<bool, Cancelled> {
        let [other] = others else { return Ok(false) };
        Ok(self.is_member && assigned_members(resolver, other)?.iter().any(|one| self.is_target(one)))
    }

    pub(super) fn declaration(&self, resolver: &Resolver, here: &CurrentFile, row: usize) -> Judgement {
        let other = here.target(row);
        if self.is_target(&other) {
            return Judgement::Likely;
        }
        if self.perhaps.iter().any(|one| one.is_same_declaration(&other)) {
            return Judgement::Unchecked;
        }
        let is_sibling = self.all.iter().any(|one| {
            let parent = one.row().map(|(_, row)| row.parent);
            let is_beside = here.file.path == one.file.path && Some(here.outline.rows[row].parent) == parent;
            // What is around a member that is defined outside of its class does not tell the class.
            is_beside
                && (resolver.family != Family::Go
                    || here.row_of(one).is_some_and(|at| receiver_of(here, at) == receiver_of(here, row)))
                && (!resolver.profile.uses.has_prototypes
                    || here.row_of(one).is_some_and(|at| cpp::have_same_owner((here, at), (here, row))))
        });
        if is_sibling { Judgement::Unchecked } else { Judgement::Unlikely }
    }
}
