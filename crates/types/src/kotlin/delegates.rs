//! What delegates of properties do with the property's name.

use super::callables::property_node;
use super::lookup::NameUse;
use super::ty::Type;
use super::universe::{DeclarationId, Universe};
use symd_base::TextRange;
use symd_syntax::kotlin::KotlinNode as K;

/// How code reads the name of the property that it gets.
const READS_NAME: &str = ".name";

/// The functions of a delegate that get the property.
const ACCESSORS: [&str; 3] = ["provideDelegate", "getValue", "setValue"];

impl Universe<'_> {
    /// Returns where the delegate of a property stands, if it is known to be a map, which looks the value up by the property's name, or is
    /// given or declares code that may read the name.
    pub fn delegate_that_reads_name(&self, property: DeclarationId) -> Option<TextRange> {
        let (file, declaration) = self.get(property)?;
        let node = property_node(&file, declaration.node);
        let delegate = file.child(node, K::PropertyDelegate)?;
        let value = file.children(delegate).last()?;
        let range = file.range(delegate);
        let mut receiver = self.expression_type(&file, value);
        if reads_name(file.slice(range)) || self.is_map(&receiver) {
            return Some(range);
        }
        for name in ACCESSORS {
            let found = self.find_member(&file, delegate, &receiver, name, NameUse::Reference);
            let functions = found.candidates.iter().filter(|one| !self.of_library(one.declaration));
            if functions.map(|one| one.declaration).any(|one| self.reads_name(one)) {
                return Some(range);
            }
            if name == "provideDelegate" && !found.candidates.is_empty() {
                receiver = self.lookup_type(&found);
            }
        }
        None
    }

    /// Returns where the delegate of a property stands, if its type is not known: whatever declares it is given the property.
    pub fn delegate_of_unknown_type(&self, property: DeclarationId) -> Option<TextRange> {
        let (file, declaration) = self.get(property)?;
        let delegate = file.child(property_node(&file, declaration.node), K::PropertyDelegate)?;
        let value = file.children(delegate).last()?;
        let is_unknown = matches!(
            self.expression_type(&file, value).without_view(),
            Type::Unknown | Type::LikelyExternal(_) | Type::External(_)
        );
        is_unknown.then(|| file.range(delegate))
    }

    fn reads_name(&self, function: DeclarationId) -> bool {
        self.get(function).is_some_and(|(file, declared)| reads_name(file.slice(file.range(declared.node))))
    }

    fn is_map(&self, ty: &Type) -> bool {
        let Some(map) = self.library_class("kotlin.collections", "Map") else { return false };
        match ty {
            Type::Class(one) => {
                one.class == map || self.ancestors(one.class).classes.iter().any(|(above, _)| *above == map)
            }
            _ => false,
        }
    }
}

fn reads_name(code: &str) -> bool {
    let is_end =
        |at: usize| !code[at + READS_NAME.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    code.match_indices(READS_NAME).any(|(at, _)| is_end(at))
}
