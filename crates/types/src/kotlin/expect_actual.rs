//! Declarations that are one symbol: `expect` and each `actual`.

use std::sync::Arc;

use super::classes::Member;
use super::declarations::DeclarationKind;
use super::type_references::type_node;
use super::universe::{DeclarationId, ProjectFile, Universe};

/// How many classes around a declaration are looked at.
const MAX_NESTING: usize = 10;

impl Universe<'_> {
    /// Whether a declaration is one of those of a symbol that is declared in parts: itself, or its class.
    pub(super) fn is_split(&self, id: DeclarationId) -> bool {
        let is_marked = |id: DeclarationId| {
            self.get(id).is_some_and(|(_, one)| one.modifiers.is_expect || one.modifiers.is_actual)
        };
        std::iter::successors(Some(id), |inner| self.class_of(*inner)).take(MAX_NESTING).any(is_marked)
    }

    /// Returns those of several members that a file may name: common code sees what `expect` declares, not what `actual` adds, and in
    /// place of an override in the latter what is overridden. All, if it seems that it may name none of them.
    pub(super) fn seen_halves(&self, file: &ProjectFile, members: Vec<Member>) -> Vec<Member> {
        let is_seen = |id: DeclarationId| !self.is_split(id) || self.may_see(file, id);
        if members.iter().all(|member| is_seen(member.declaration)) {
            return members;
        }
        let mut seen: Vec<Member> = Vec::new();
        let has_seen_half = |id: DeclarationId| {
            let halves = self.counterparts(id);
            members.iter().any(|one| halves.contains(&one.declaration) && is_seen(one.declaration))
        };
        for member in &members {
            let overridden = match is_seen(member.declaration) {
                true => Some(member.declaration),
                false if has_seen_half(member.declaration) => None,
                false => self.overridden(member.declaration).find(|id| is_seen(*id)),
            };
            let is_new = |id: &DeclarationId| seen.iter().all(|known| known.declaration != *id);
            if let Some(declaration) = overridden.filter(is_new) {
                seen.push(Member { declaration, substitution: member.substitution.clone() });
            }
        }
        if seen.is_empty() { members } else { seen }
    }

    /// Iterates over the members of the classes above a member's class that it overrides, by its name and parameters; nearest first.
    fn overridden(&self, member: DeclarationId) -> impl Iterator<Item = DeclarationId> {
        let classes = self.class_of(member).map(|class| self.classes_above(class));
        let name = self.name(member);
        let declared = classes.into_iter().flatten().flat_map(move |class| self.declared_in(class, &name));
        declared.filter(move |id| self.hides(member, *id))
    }

    /// Returns the one declaration that stands for a class in types.
    pub(super) fn representative(&self, class: DeclarationId) -> DeclarationId {
        let is_class = |id: &DeclarationId| self.kind(*id).is_some_and(DeclarationKind::is_class);
        self.counterparts(class).iter().copied().filter(is_class).chain([class]).min().unwrap_or(class)
    }

    /// Returns the other declarations of a symbol: of `expect` each `actual`, of an `actual` the `expect` and the
    /// other ones. Of most symbols there are none.
    pub fn counterparts(&self, id: DeclarationId) -> Arc<[DeclarationId]> {
        self.remembered(&self.findings.counterparts, id, || self.find_counterparts(id).into())
    }

    fn find_counterparts(&self, id: DeclarationId) -> Vec<DeclarationId> {
        let Some((file, declaration)) = self.get(id).filter(|_| self.is_split(id)) else { return Vec::new() };
        let name = file.name_of(id.number()).to_owned();
        let others = match self.class_of(id) {
            Some(class) => {
                let classes = self.counterparts(class);
                classes.iter().flat_map(|class| self.declared_itself(*class, &name)).collect()
            }
            None if declaration.scope == file.tree().root().unwrap_or(declaration.scope) => {
                self.in_package(&file.package, &name)
            }
            None => Vec::new(),
        };
        let is_counterpart =
            |other: &DeclarationId| *other != id && self.is_split(*other) && self.is_same_shape(id, *other);
        others.into_iter().filter(is_counterpart).collect()
    }

    /// Returns the type as it is written that an `actual typealias` of a class stands for, where that is a class
    /// outside the project: it declares the members of the `expect` class, too.
    pub fn outside_actual(&self, class: DeclarationId) -> Option<String> {
        self.counterparts(class).iter().find_map(|other| {
            let (file, declaration) = self.get(*other)?;
            let is_alias = declaration.kind == DeclarationKind::TypeAlias;
            let is_own = |class: DeclarationId| !self.of_library(class);
            if !is_alias || self.class_behind(*other).is_some_and(is_own) {
                return None;
            }
            type_node(&file, declaration.node).map(|ty| file.text_of(ty).to_owned())
        })
    }

    /// Whether no two of these declarations of one name are alike, but those that are one symbol.
    pub(super) fn are_told_apart(&self, all: &[DeclarationId]) -> bool {
        let is_alike = |one: DeclarationId, two: DeclarationId| {
            self.is_same_shape(one, two) && !self.counterparts(one).contains(&two)
        };
        all.iter().enumerate().all(|(at, one)| all[..at].iter().all(|two| !is_alike(*one, *two)))
    }

    /// Whether code that names one of two declarations of a qualified name would as well name the other one: they are no parts of one symbol.
    /// Of functions and properties only those that take nothing: written types of others may be alike and differ.
    pub(super) fn are_alike(&self, one: DeclarationId, two: DeclarationId) -> bool {
        let is_classifier = |id: DeclarationId| self.kind(id).is_some_and(DeclarationKind::is_classifier);
        let takes_nothing = |id: DeclarationId| {
            self.extension_receiver(id).is_none()
                && self.type_parameters(id).is_empty()
                && self.parameters(id).is_empty()
        };
        let is_callable = takes_nothing(one) && takes_nothing(two) && self.is_same_shape(one, two);
        (is_classifier(one) && is_classifier(two) || is_callable) && !self.counterparts(one).contains(&two)
    }

    fn is_same_shape(&self, one: DeclarationId, two: DeclarationId) -> bool {
        use DeclarationKind as D;
        let (Some(first), Some(second)) = (self.kind(one), self.kind(two)) else { return false };
        match (first, second) {
            (D::Function, D::Function) => self.overrides_by_shape(one, two),
            (D::Property | D::ConstructorProperty, D::Property | D::ConstructorProperty) => {
                self.extension_receiver(one).is_some() == self.extension_receiver(two).is_some()
            }
            (D::TypeAlias, kind) | (kind, D::TypeAlias) => kind.is_classifier(),
            (first, second) => first == second && first.is_class(),
        }
    }
}
