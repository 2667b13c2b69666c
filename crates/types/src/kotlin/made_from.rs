//! Calls that make an object from another one: `copy` of a data class, constructors of inner classes.

use super::applicability::pair_arguments;
use super::classes::Member;
use super::declarations::DeclarationKind;
use super::lookup::{Lookup, NameUse, Search};
use super::ty::Type;
use super::universe::{DeclarationId, Universe};

impl Universe<'_> {
    /// Finds what a call makes from an object of this type.
    pub(super) fn made_from(&self, search: &mut Search, ty: &Type) -> Option<Lookup> {
        let Type::Class(class) = ty else { return None };
        self.copied_by(search, class.class).or_else(|| {
            let classes = std::iter::once(class.class).chain(self.classes_above(class.class));
            let inner = classes
                .flat_map(|class| self.declared_in(class, search.name))
                .filter(|id| self.get(*id).is_some_and(|(_, one)| one.modifiers.is_inner))
                .map(Member::new)
                .collect();
            self.choose_in_scope(search, inner)
        })
    }

    /// Returns the primary constructor of a data class: `copy` has its parameters, all with defaults.
    fn copied_by(&self, search: &Search, class: DeclarationId) -> Option<Lookup> {
        let NameUse::Call(arguments) = search.wanted else { return None };
        if search.name != "copy" || !self.get(class)?.1.modifiers.is_data {
            return None;
        }
        let mut constructors = self.constructors(class).into_iter();
        let primary = constructors.find(|id| self.kind(*id) == Some(DeclarationKind::PrimaryConstructor))?;
        let mut parameters = self.parameters(primary);
        parameters.iter_mut().for_each(|one| one.has_default = true);
        pair_arguments(&parameters, arguments)?;
        Some(Lookup::one(primary))
    }
}
