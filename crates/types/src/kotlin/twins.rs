//! Declarations of one qualified name that are no parts of one symbol: in several builds, modules or source sets of a project, of which a file
//! means the nearest. Between those that are as near, nothing decides.

use super::declarations::DeclarationKind;
use super::qualifiers::Qualifier;
use super::resolve::{Certainty, NameResolution};
use super::scopes::Level;
use super::ty::Type;
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// How many classes around a declaration are looked at.
const MAX_NESTING: usize = 10;

impl Universe<'_> {
    /// Returns those of several declarations that a file may name, as far as the build's modules tell: all, if it seems that
    /// it may name none of them. Of those that are alike only the nearest.
    pub(super) fn seen(&self, file: &ProjectFile, found: Vec<DeclarationId>) -> Vec<DeclarationId> {
        if found.len() < 2 {
            return found;
        }
        let is_seen = |id: &&DeclarationId| {
            let is_internal = || self.get(**id).is_some_and(|(_, one)| one.modifiers.is_internal);
            self.may_see(file, **id) && !(self.are_apart(file.key, id.file) && is_internal())
        };
        let seen: Vec<DeclarationId> = found.iter().filter(is_seen).copied().collect();
        self.nearest(file, if seen.is_empty() { found } else { seen })
    }

    /// Removes declarations that are alike others which are nearer to a file.
    fn nearest(&self, file: &ProjectFile, mut found: Vec<DeclarationId>) -> Vec<DeclarationId> {
        let distances: Vec<(DeclarationId, u8)> =
            found.iter().map(|id| (*id, self.distance(file, *id))).collect();
        if distances.iter().all(|(_, distance)| *distance == distances[0].1) {
            return found;
        }
        let is_nearer = |one: DeclarationId, distance: u8, (other, its): (DeclarationId, u8)| {
            its < distance
                && self.is_visible(file, other)
                && self.is_same_package(one, other)
                && self.are_alike(one, other)
        };
        let mut at = distances.iter();
        found.retain(|one| {
            let distance = at.next().map_or(0, |(_, distance)| *distance);
            !distances.iter().any(|other| is_nearer(*one, distance, *other))
        });
        found
    }

    /// Returns the declarations that a file may as well mean as one that was found: those of its path in classes of the name of the
    /// outermost one around it.
    pub(super) fn twins(&self, file: &ProjectFile, id: DeclarationId) -> Vec<DeclarationId> {
        let around: Vec<DeclarationId> =
            std::iter::successors(Some(id), |inner| self.class_of(*inner)).take(MAX_NESTING).collect();
        let Some(outermost) = around.last().copied().filter(|id| id.file != file.key) else {
            return Vec::new();
        };
        let Some((declared_in, declaration)) = self.get(outermost) else { return Vec::new() };
        if !declaration.kind.is_classifier() || self.of_library(outermost) {
            return Vec::new();
        }
        let all = self.in_package(declared_in.package(), declared_in.name_of(outermost.number()));
        let is_classifier = |id: &DeclarationId| self.kind(*id).is_some_and(DeclarationKind::is_classifier);
        let all: Vec<DeclarationId> = all.into_iter().filter(is_classifier).collect();
        if all.len() < 2 {
            return Vec::new();
        }
        let seen = self.seen(file, all);
        let counterparts = self.counterparts(outermost);
        let is_other = |id: &DeclarationId| *id != outermost && !counterparts.contains(id);
        let mut found: Vec<DeclarationId> = seen.into_iter().filter(is_other).collect();
        for inner in around.iter().rev().skip(1) {
            let name = self.name(*inner);
            found = found.into_iter().flat_map(|class| self.declared_itself(class, &name)).collect();
        }
        found
    }

    /// Whether two classes have one qualified name and are no parts of one symbol: code that names one may as well mean the other.
    pub(super) fn are_twin_classes(&self, one: DeclarationId, two: DeclarationId) -> bool {
        let path = |id: DeclarationId| -> Vec<String> {
            std::iter::successors(Some(id), |inner| self.class_of(*inner))
                .take(MAX_NESTING)
                .map(|id| self.name(id))
                .collect()
        };
        one.file != two.file
            && self.name(one) == self.name(two)
            && self.is_same_package(one, two)
            && path(one) == path(two)
            && !self.counterparts(one).contains(&two)
    }

    fn is_same_package(&self, one: DeclarationId, two: DeclarationId) -> bool {
        let package = |id: DeclarationId| self.file(id.file).map(|file| file.package.clone());
        package(one) == package(two)
    }

    /// Adds to what an identifier means what it may mean as well.
    pub(super) fn with_twins(
        &self,
        file: &ProjectFile,
        node: NodeId,
        mut found: NameResolution,
    ) -> NameResolution {
        let mut others: Vec<DeclarationId> =
            found.declarations.iter().flat_map(|id| self.twins(file, *id)).collect();
        if found.declarations.is_empty() {
            match self.members_called(file.name_text(node)) {
                Some(members) => others = self.members_of_twins(file, &members),
                // Not all of them are known.
                None => found.may_be_other |= self.is_of_twin(file, node),
            }
        }
        others.sort_unstable();
        others.dedup();
        others.retain(|id| !found.declarations.contains(id));
        if !others.is_empty() {
            found.declarations.extend(others);
            found.certainty = Certainty::Possible;
        }
        found
    }

    /// Returns those of the members of a name, which means nothing that is known, whose classes others are twins of: an object may be of
    /// either.
    fn members_of_twins(&self, file: &ProjectFile, members: &[DeclarationId]) -> Vec<DeclarationId> {
        let members = members.iter().copied().filter(|id| self.may_see(file, *id));
        members.filter(|id| self.has_twin(*id)).collect()
    }

    /// Whether a name stands behind an object or a class that another one is a twin of, or where one is in scope.
    fn is_of_twin(&self, file: &ProjectFile, node: NodeId) -> bool {
        let Some(above) = file.parent(node) else { return false };
        match file.kind(above) {
            K::NavigationSuffix => match self.before_suffix(file, above) {
                Some(Qualifier::Value(ty)) => self.may_be_twins(&ty),
                Some(Qualifier::Class(class)) => self.is_below_twin(class),
                _ => false,
            },
            K::InfixExpression => file
                .children(above)
                .next()
                .is_some_and(|object| self.may_be_twins(&self.expression_type(file, object))),
            _ => self.levels(file, node).iter().any(|level| match level {
                Level::Receiver { ty, .. } => self.may_be_twins(ty),
                Level::Statics { class } => self.is_below_twin(*class),
                _ => false,
            }),
        }
    }

    fn may_be_twins(&self, ty: &Type) -> bool {
        match ty {
            Type::Class(class) => self.is_below_twin(class.class),
            Type::Both(both) => self.may_be_twins(&both.0) || self.may_be_twins(&both.1),
            Type::Parameter(parameter) => self
                .bounds(*parameter)
                .iter()
                .any(|bound| matches!(bound, Type::Class(class) if self.is_below_twin(class.class))),
            _ => false,
        }
    }

    fn is_below_twin(&self, class: DeclarationId) -> bool {
        let above = self.ancestors(class);
        std::iter::once(class)
            .chain(above.classes.iter().map(|(above, _)| *above))
            .any(|one| self.has_twin(one))
    }

    /// Whether the outermost class around a declaration, or the declaration, has a twin.
    fn has_twin(&self, id: DeclarationId) -> bool {
        let outermost =
            std::iter::successors(Some(id), |inner| self.class_of(*inner)).take(MAX_NESTING).last();
        outermost.filter(|class| !self.of_library(*class)).is_some_and(|class| {
            let package = self.file(class.file).map(|file| file.package.clone());
            let all = self.in_package(package.as_deref().unwrap_or_default(), &self.name(class));
            all.into_iter().any(|other| other != class && self.are_twin_classes(class, other))
        })
    }
}
