//! Whether a class of the library declares a member, itself or through a class above it.

use std::sync::Arc;

use super::declarations::DeclarationKind;
use super::ty::Type;
use super::universe::{DeclarationId, Universe};

/// What is known of a member of a class of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LibraryMember {
    /// A class of the library declares it: `kotlin.collections.Collection`.
    Declared(String),
    /// No class of the library does. Each of these classes is above it and outside the library, so that it may:
    /// `java.io.IOException`.
    AtMostIn(Vec<Arc<str>>),
    /// A class above it is not known.
    Unknown,
}

impl Universe<'_> {
    /// Looks for a member called `name` in a class of the library, or the one that an alias of the library stands for;
    /// `parameters` is the number of a function's parameters, `None` asks for a property.
    pub fn library_member(
        &self,
        classifier: DeclarationId,
        name: &str,
        parameters: Option<usize>,
    ) -> LibraryMember {
        let class = match self.kind(classifier) {
            Some(DeclarationKind::TypeAlias) => match self.aliased(classifier, &[]).without_view() {
                Type::Class(class) => class.class,
                Type::External(class) => return LibraryMember::AtMostIn(vec![class.name.clone()]),
                _ => return LibraryMember::Unknown,
            },
            Some(kind) if kind.is_class() => classifier,
            _ => return LibraryMember::Unknown,
        };
        let above = self.ancestors(class);
        for class in std::iter::once(class).chain(self.classes_above(class)) {
            let is_it = |member: DeclarationId| match (self.kind(member), parameters) {
                (Some(DeclarationKind::Function), Some(count)) => self.own_parameters(member).len() == count,
                (Some(DeclarationKind::Property | DeclarationKind::ConstructorProperty), None) => true,
                _ => false,
            };
            if self.declared_in(class, name).into_iter().any(is_it) {
                return LibraryMember::Declared(self.qualified_name(class));
            }
        }
        match above.may_lack_own {
            true => LibraryMember::Unknown,
            false => LibraryMember::AtMostIn(above.outside.clone()),
        }
    }

    /// Returns the package and the name of a class that stands in no other one.
    fn qualified_name(&self, class: DeclarationId) -> String {
        let package = self.file(class.file).map_or(String::new(), |file| file.package().to_owned());
        format!("{package}.{}", self.name(class))
    }
}
