//! What libraries that are not known may declare: a name is only possibly the project's then (decision 085).

use super::choice::Receivers;
use super::classes::Member;
use super::lookup::{Lookup, NameUse, Search};
use super::resolve::Certainty;
use super::subtyping::Fit;
use super::ty::Type;
use super::universe::{DeclarationId, ProjectFile, Universe};

impl Universe<'_> {
    /// Whether a file imports by this name what is declared outside the project and the known library. It comes before what else
    /// has the name outside of classes, if it can be meant.
    pub(super) fn names_outside(&self, file: &ProjectFile, name: &str) -> bool {
        let mut explicit = file.imports.iter().filter(|import| import.bound() == Some(name)).peekable();
        explicit.peek().is_some()
            && explicit
                .all(|import| self.qualified(&import.path).is_empty() && !self.declares_in_java(&import.path))
    }

    /// Whether one of the objects may have a member, where types that are not known decide whether the extension that was found is meant: as
    /// classes of the library have one of that name, or where its class is one from outside on a platform.
    pub(super) fn may_be_library_member(&self, search: &Search, found: &Lookup, receivers: &[Type]) -> bool {
        let Search { file, name, wanted, .. } = *search;
        let is_of_platform = |ty: &Type| {
            matches!(ty, Type::Class(class)
                if self.is_split(class.class) && self.outside_actual(class.class).is_some())
        };
        let may_be_of_library =
            || self.library().members(name).any(|member| self.may_be_called(file, member, wanted));
        found.is_open
            && (receivers.iter().any(is_of_platform)
                || receivers.iter().any(is_outside) && may_be_of_library())
    }

    /// Whether a name without a receiver that was found outside of classes may be a member of an object in scope whose class is from
    /// outside, where types that are not known decide whether what was found is meant.
    pub(super) fn may_be_members(&self, search: &Search, found: &Lookup) -> bool {
        let is_of_outside =
            |ty: &Type| matches!(ty, Type::External(_) | Type::LikelyExternal(_)) && !ty.is_foreign();
        let is_extension = |one: &Member| self.extension_receiver(one.declaration).is_some();
        let is_own = |one: &Member| !self.of_library(one.declaration);
        found.candidates.iter().any(is_own)
            && match found.candidates.iter().any(is_extension) {
                true => self.may_be_library_member(search, found, &search.receivers),
                false => {
                    found.is_open
                        && matches!(search.wanted, NameUse::Call(_))
                        && search.receivers.iter().any(is_of_outside)
                }
            }
    }

    /// Whether an extension of a class of the project could only take an object whose class a star brings: such a class is hardly
    /// one of the project's.
    pub(super) fn takes_only_likely_external(&self, member: &Member, receivers: Receivers) -> bool {
        let all = match &receivers {
            Receivers::Implicit(all) => *all,
            Receivers::Explicit(one) => std::slice::from_ref(*one),
            Receivers::Member(_) => return false,
        };
        if !all.iter().any(|ty| matches!(ty, Type::LikelyExternal(_))) {
            return false;
        }
        let Some(wanted) = self.extension_receiver(member.declaration) else { return false };
        let own = self.type_parameters(member.declaration);
        let is_own = |ty: &Type| matches!(ty, Type::Class(class) if !self.of_library(class.class));
        let wants_own = match &wanted {
            Type::Parameter(parameter) => self.bounds(*parameter).iter().any(is_own),
            ty => is_own(ty),
        };
        let mut others = all.iter().filter(|ty| !matches!(ty, Type::LikelyExternal(_)));
        wants_own && !others.any(|ty| self.fits(ty, &wanted, &own) != Fit::No)
    }

    /// Adds the extensions that an object of unknown type may take, of whatever scope: those of inner objects come before those of
    /// outer ones.
    pub(super) fn add_extensions_of_unknown(
        &self,
        search: &Search,
        found: &mut Lookup,
        tiers: Vec<Vec<DeclarationId>>,
    ) {
        let is_extension = |id: DeclarationId| self.extension_receiver(id).is_some();
        let takes = |ty: &Type| {
            found.candidates.iter().any(|one| {
                let own = self.type_parameters(one.declaration);
                let wanted = self.extension_receiver(one.declaration);
                wanted.is_some_and(|wanted| self.fits(ty, &wanted, &own) == Fit::Yes)
            })
        };
        let until = search.receivers.iter().position(takes).unwrap_or(search.receivers.len());
        let has_unknown = search.receivers[..until].contains(&Type::Unknown);
        if !has_unknown || !found.candidates.iter().any(|one| is_extension(one.declaration)) {
            return;
        }
        for tier in tiers {
            let is_new = |id: &DeclarationId| {
                is_extension(*id)
                    && !self.of_library(*id)
                    && !found
                        .candidates
                        .iter()
                        .any(|one| one.declaration == *id || self.counterparts(one.declaration).contains(id))
            };
            let new: Vec<Member> = tier.into_iter().filter(is_new).map(Member::new).collect();
            let receivers = Receivers::Explicit(&Type::Unknown);
            if let Some(more) = self.choose(search.file, new, search.wanted, receivers, &mut Vec::new()) {
                found.candidates.extend(more.candidates);
                found.certainty = found.certainty.min(Certainty::Likely);
            }
        }
    }
}

/// Whether the members of a type are not known because its class is not one of the project's, or is not known itself.
fn is_outside(ty: &Type) -> bool {
    ty.is_unknown() || matches!(ty, Type::External(_))
}
