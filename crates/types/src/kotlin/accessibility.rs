//! Members that not all code can mean: those that are protected, only that of a class and of classes below it; internal ones,
//! only that of a module.

use super::declarations::Modifiers;
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;

impl Universe<'_> {
    /// Whether code at a node may mean a member as far as `protected` and `internal` tell; yes where that is not known.
    pub(super) fn is_accessible(&self, file: &ProjectFile, node: NodeId, member: DeclarationId) -> bool {
        let Some((_, declaration)) = self.get(member) else { return true };
        let modifiers = declaration.modifiers;
        if modifiers.is_internal && self.are_apart(file.key, member.file) {
            return false;
        }
        let may_inherit = modifiers.is_override && !modifiers.names_visibility();
        if !(modifiers.is_protected || may_inherit) {
            return true;
        }
        let Some(owner) = self.class_of(member) else { return true };
        self.is_in_kin(file, node, owner) || !self.is_protected(member, owner)
    }

    /// Whether a class around a node is `owner`, or may be below it.
    fn is_in_kin(&self, file: &ProjectFile, node: NodeId, owner: DeclarationId) -> bool {
        file.ancestors(node).filter_map(|above| file.declaration_of(above)).any(|number| {
            let class = DeclarationId::new(file.key, number);
            let is_class = self.kind(class).is_some_and(|kind| kind.is_class() || kind.is_object());
            is_class
                && (self.representative(class) == self.representative(owner)
                    || self.ancestors(class).may_lack_own
                    || self.is_below(class, owner))
        })
    }

    /// An override has the visibility of what it overrides, unless it names its own.
    fn is_protected(&self, member: DeclarationId, owner: DeclarationId) -> bool {
        let name = self.name(member);
        let above = self.ancestors(owner);
        let overridden = above.classes.iter().flat_map(|(class, _)| self.declared_in(*class, &name));
        let told = std::iter::once(member)
            .chain(overridden.filter(|above| self.hides(member, *above)))
            .filter_map(|id| Some(self.get(id)?.1.modifiers))
            .find(|modifiers| !modifiers.is_override || modifiers.names_visibility());
        told.is_some_and(|modifiers| modifiers.is_protected)
    }
}

impl Modifiers {
    fn names_visibility(self) -> bool {
        self.is_protected || self.is_public || self.is_internal || self.is_private
    }
}
