//! Which of a class's constructors a call means.

use super::callables::Arguments;
use super::calls::call_of_callee;
use super::declarations::DeclarationKind;
use super::resolve::NameResolution;
use super::universe::{DeclarationId, FileKey, ProjectFile, Universe};
use symd_base::TextRange;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

impl Universe<'_> {
    /// Returns the secondary constructor in the body of a class whose keyword begins at this byte of a file.
    pub fn secondary_constructor_at(&self, key: FileKey, start: u32) -> Option<DeclarationId> {
        let file = self.file(key)?;
        let is_it = |number: &usize| {
            let range = file.range_of(*number);
            file.kind_at(*number) == DeclarationKind::SecondaryConstructor
                && range.start <= start
                && start < range.end
        };
        // The innermost: the last that begins before it.
        (0..file.declarations.len()).rfind(is_it).map(|number| DeclarationId::new(key, number))
    }

    /// Returns the constructors that a call may mean; at the range stand the name of the class, or `this` or `super`. `None` where
    /// nothing is called, or perhaps something else than a constructor.
    pub fn constructors_called(&self, key: FileKey, range: TextRange) -> Option<NameResolution> {
        let file = self.file(key)?;
        self.steps.set(0);
        self.constructed_by(&file, arguments_behind(&file, range)?)
    }

    /// Returns the entries of an enum by the ranges of their names, each with the constructors that it may call.
    pub fn constructed_entries(&self, constructor: DeclarationId) -> Vec<(TextRange, NameResolution)> {
        let Some((file, declaration)) = self.get(constructor) else { return Vec::new() };
        let entries = file
            .all_in_scope(declaration.scope)
            .filter(|number| file.kind_at(*number) == DeclarationKind::EnumEntry);
        let called = |number: usize| {
            self.steps.set(0);
            let found = self.constructed_by(&file, file.declarations[number].node)?;
            Some((file.name_range(number)?, found))
        };
        entries.filter_map(called).collect()
    }

    fn constructed_by(&self, file: &ProjectFile, suffix: NodeId) -> Option<NameResolution> {
        let arguments = Arguments::of(file, suffix);
        let found = NameResolution::of(Some(self.call_of_suffix(file, suffix, &arguments)?));
        let is_constructor = |id: &DeclarationId| {
            matches!(
                self.kind(*id),
                Some(DeclarationKind::PrimaryConstructor | DeclarationKind::SecondaryConstructor)
            )
        };
        (!found.declarations.is_empty() && found.declarations.iter().all(is_constructor)).then_some(found)
    }
}

/// Returns the node that holds the arguments of the call of what stands at a range.
fn arguments_behind(file: &ProjectFile, range: TextRange) -> Option<NodeId> {
    let Some(name) = file.identifier_at(range) else {
        // `this` and `super` are no identifiers.
        let is_it = |node: &NodeId| {
            file.kind(*node) == K::ConstructorDelegationCall && file.range(*node).start == range.start
        };
        return file.tree().nodes().find(is_it);
    };
    let parent = file.parent(name)?;
    match file.kind(parent) {
        K::UserType => file.parent(parent).filter(|above| file.kind(*above) == K::ConstructorInvocation),
        K::NavigationSuffix => file.child(call_of_callee(file, file.parent(parent)?)?, K::CallSuffix),
        _ => file.child(call_of_callee(file, name)?, K::CallSuffix),
    }
}
