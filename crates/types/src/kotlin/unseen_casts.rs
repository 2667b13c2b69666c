//! Names that mean nothing of the type that is known: something has shown the object to be of another one. Not all that
//! the compiler learns is followed (contracts, assigned values, variables that hold a condition).

use super::declarations::DeclarationKind;
use super::lookup::Search;
use super::ty::Type;
use super::universe::{DeclarationId, Universe};

impl Universe<'_> {
    /// Whether the name may mean a member of a class of which one of these objects may be.
    pub(super) fn may_be_narrowed(&self, search: &Search, objects: &[Type]) -> bool {
        let Some(members) = self.members_called(search.name).filter(|_| !objects.is_empty()) else {
            return false;
        };
        members.iter().any(|member| {
            let is_outside = |ty: &Type| matches!(ty, Type::External(_));
            self.class_of(*member).is_some_and(|class| {
                objects.iter().any(|ty| self.may_be_of(ty, class))
                    || objects.iter().any(is_outside)
                        && self.is_tested_around(search.file, search.node, class)
            }) && self.may_be_called(search.file, *member, search.wanted)
        })
    }

    /// Whether an object of a type may be one of a class that the type does not tell.
    fn may_be_of(&self, ty: &Type, class: DeclarationId) -> bool {
        let is_interface = |id| self.kind(id) == Some(DeclarationKind::Interface);
        match ty {
            Type::Class(known) => {
                let known = self.representative(known.class);
                known != self.representative(class)
                    && (self.is_below(class, known) || is_interface(known) && is_interface(class))
            }
            Type::Parameter(parameter) => {
                self.bounds(*parameter).iter().any(|bound| self.may_be_of(bound, class))
            }
            Type::External(_) => self.outside_actual(class).is_some(),
            Type::Both(both) => self.may_be_of(&both.0, class) || self.may_be_of(&both.1, class),
            _ => false,
        }
    }
}
