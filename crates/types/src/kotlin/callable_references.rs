//! References to overloaded functions: which one is meant, the function type tells that is expected where the reference stands.

use super::classes::Member;
use super::declarations::DeclarationKind;
use super::lookup::Lookup;
use super::resolve::Certainty;
use super::subtyping::Fit;
use super::ty::{FunctionType, Type};
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;

impl Universe<'_> {
    /// Keeps those of several functions that the reference may mean. `takes_object` tells that an object of the class before `::` is the first
    /// value that the function takes.
    pub(super) fn choose_reference(
        &self,
        file: &ProjectFile,
        reference: NodeId,
        mut found: Lookup,
        takes_object: bool,
    ) -> Lookup {
        let is_function = |id: DeclarationId| self.kind(id) == Some(DeclarationKind::Function);
        if found.candidates.len() < 2 || !found.candidates.iter().all(|one| is_function(one.declaration)) {
            return found;
        }
        // A function of the companion takes no object of the class.
        let is_of_object = |one: &Member| {
            let class = self.class_of(one.declaration);
            class.and_then(|class| self.kind(class)).is_some_and(DeclarationKind::is_object)
        };
        if takes_object && found.candidates.iter().any(is_of_object) {
            return found;
        }
        let Type::Function(expected) = self.expected_type(file, reference) else { return found };
        let fits: Vec<Fit> = found
            .candidates
            .iter()
            .map(|one| self.fits_reference(one.declaration, &expected, takes_object))
            .collect();
        if fits.iter().all(|fit| *fit == Fit::No) {
            return found;
        }
        let mut fit = fits.iter();
        found.candidates.retain(|_| fit.next() != Some(&Fit::No));
        if found.candidates.len() == 1 && fits.contains(&Fit::Yes) && !found.may_be_other {
            found.certainty = Certainty::Certain;
        }
        found
    }

    /// Whether a function takes what a function of the expected type is given, without defaults.
    fn fits_reference(&self, function: DeclarationId, expected: &FunctionType, takes_object: bool) -> Fit {
        let own = self.type_parameters(function);
        let parameters = self.parameters(function);
        let given = expected.receiver.iter().chain(&expected.parameters).skip(usize::from(takes_object));
        let given: Vec<&Type> = given.collect();
        if given.len() != parameters.len() {
            return Fit::No;
        }
        let pairs = given.into_iter().zip(&parameters);
        pairs.map(|(given, taken)| self.fits(given, &taken.ty, &own)).min().unwrap_or(Fit::Yes)
    }
}
