//! Members that an object has from several supertypes, none of which overrides another's: the language takes them for one, with the
//! narrowest result. `MutableList` has `iterator` of `List` and of `MutableCollection`.

use super::classes::Member;
use super::subtyping::Fit;
use super::ty::Type;
use super::universe::Universe;

impl Universe<'_> {
    /// Returns the type that all of these candidates give; of a member that is inherited several times, the narrowest one.
    pub(super) fn common_type<'m>(
        &self,
        candidates: impl Iterator<Item = &'m Member>,
        of: impl Fn(&Member) -> Type,
    ) -> Type {
        let candidates: Vec<&Member> = candidates.collect();
        let types: Vec<Type> = candidates.iter().map(|one| of(one)).collect();
        let same = Type::if_same(types.iter().cloned());
        if types.len() < 2 || !same.is_unknown() || !self.is_inherited_twice(&candidates) {
            return same;
        }
        let is_narrowest = |ty: &&Type| types.iter().all(|other| self.fits(ty, other, &[]) == Fit::Yes);
        types.iter().find(is_narrowest).cloned().unwrap_or(Type::Unknown)
    }

    fn is_inherited_twice(&self, members: &[&Member]) -> bool {
        let Some((first, others)) = members.split_first() else { return false };
        let owner = self.class_of(first.declaration);
        let count = self.parameters(first.declaration).len();
        owner.is_some()
            && others.iter().all(|other| {
                let other_owner = self.class_of(other.declaration);
                other_owner.is_some()
                    && other_owner != owner
                    && self.parameters(other.declaration).len() == count
                    && self.take_the_same(first, other, count)
            })
    }
}
