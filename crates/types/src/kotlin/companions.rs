//! Names of classes that stand for the companions of these.

use super::calls::call_of_callee;
use super::universe::{DeclarationId, FileKey, Universe};
use symd_base::TextRange;
use symd_syntax::kotlin::KotlinNode as K;

impl Universe<'_> {
    /// Whether the identifier at a range is the name of `class` where a value stands, so that it means the class's companion: `use(Foo)`. What
    /// stands before a dot, or is called, is told by the member that it leads to.
    pub fn stands_for_companion(&self, key: FileKey, range: TextRange, class: DeclarationId) -> bool {
        let Some(file) = self.file(key) else { return false };
        let Some(node) = file.identifier_at(range) else { return false };
        let Some(parent) = file.parent(node) else { return false };
        let is_value = file.kind(node) == K::SimpleIdentifier
            && !matches!(
                file.kind(parent),
                K::NavigationExpression
                    | K::NavigationSuffix
                    | K::CallableReference
                    | K::Identifier
                    | K::UserType
            )
            && call_of_callee(&file, node).is_none();
        is_value && self.resolve(key, range).is_some_and(|found| found.declarations.contains(&class))
    }
}
