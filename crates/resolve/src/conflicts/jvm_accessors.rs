//! Kotlin's functions that would have the name of a property's accessor, and properties whose accessors would have the name of a function: the
//! compiler makes `getSize()` of `val size`, and rejects a second one in a class, its bases and its subclasses, or in a file.

use super::{Renaming, SourcePlace, Visibility, name_place};
use crate::family::has_types;
use crate::hierarchy::inheritance::Inheritance;
use crate::jvm::accessors::properties_of;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;
use symd_types::kotlin::{JvmMethod, accessors_of};

impl Renaming<'_, '_> {
    /// Finds what would have the same name on the JVM as the declaration, or as one of its accessors.
    pub(super) fn conflicts_of_accessors(&self) -> Result<Vec<SourcePlace>, Cancelled> {
        if !has_types(&self.target.file) || matches!(self.visible, Visibility::Function(_)) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        if self.is_function(self.target) {
            // `isOpen` is the getter of the property with that name, and `setOpen` its setter.
            let of_name =
                if self.new.starts_with("is") { vec![self.new.to_owned()] } else { properties_of(self.new) };
            for property in of_name {
                let (getter, setter) = accessors_of(&property);
                for (name, method) in [(getter, JvmMethod::Getter), (setter, JvmMethod::Setter)] {
                    if name == self.new {
                        found.extend(self.clashing(&property, |one| {
                            self.has_accessor(one, method)
                                && self.may_clash((self.target, JvmMethod::Function), (one, method))
                        })?);
                    }
                }
            }
        } else {
            let (getter, setter) = accessors_of(self.new);
            for (name, method) in [(getter, JvmMethod::Getter), (setter, JvmMethod::Setter)] {
                if self.has_accessor(self.target, method) {
                    found.extend(self.clashing(&name, |one| {
                        self.is_function(one)
                            && self.may_clash((one, JvmMethod::Function), (self.target, method))
                    })?);
                }
            }
        }
        Ok(found)
    }

    /// Returns the declarations of `name` in the same file, or in the same class and its kin, that `clashes` holds for.
    fn clashing(
        &self,
        name: &str,
        clashes: impl Fn(&IndexedDeclaration) -> bool,
    ) -> Result<Vec<SourcePlace>, Cancelled> {
        let class = match self.visible {
            Visibility::Member(row) => Some(IndexedDeclaration { file: self.target.file.clone(), row }),
            _ => None,
        };
        let kin = class.as_ref().map(Inheritance::new);
        let mut found = Vec::new();
        for one in self.resolver.declared(name)?.iter().filter(|one| has_types(&one.file)) {
            let Some((_, row)) = one.row() else { continue };
            let is_beside = one.file.path == self.target.file.path && row.parent == self.row.parent;
            let is_in_kin = match (&kin, row.parent()) {
                (Some(kin), Some(owner)) => {
                    kin.is_related(self.resolver, &IndexedDeclaration { file: one.file.clone(), row: owner })?
                }
                _ => false,
            };
            if (is_beside || is_in_kin) && !self.is_ours(one) && clashes(one) {
                found.push(name_place(one));
            }
        }
        Ok(found)
    }

    fn may_clash(
        &self,
        function: (&IndexedDeclaration, JvmMethod),
        accessor: (&IndexedDeclaration, JvmMethod),
    ) -> bool {
        self.resolver.kotlin().may_take_the_same(function, accessor)
    }

    fn is_function(&self, declaration: &IndexedDeclaration) -> bool {
        let kind = declaration.row().map(|(_, row)| row.kind());
        matches!(kind, Some(SymbolKind::Function | SymbolKind::Method))
    }

    /// Whether the compiler makes a getter of a property, or a setter, that others can call and no annotation names.
    fn has_accessor(&self, property: &IndexedDeclaration, method: JvmMethod) -> bool {
        let Some((_, row)) = property.row() else { return false };
        let is_property = matches!(row.kind(), SymbolKind::Property | SymbolKind::Variable);
        let Some(here) = self.resolver.read_file(&property.file).filter(|_| is_property) else {
            return false;
        };
        let declaration = here.text.slice(row.range());
        let before = declaration.get(..row.name_start.saturating_sub(row.start) as usize).unwrap_or("");
        let has =
            |word: &str| before.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|one| one == word);
        let is_plain = !["private", "const", "JvmField", "JvmName"].into_iter().any(has)
            && !declaration.contains("JvmName");
        is_plain && (method == JvmMethod::Getter || has("var"))
    }
}
