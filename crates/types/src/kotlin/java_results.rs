//! What members of the project's Java classes give: `store.first().name`. The project reads the written type, and the names that it may stand
//! for; which of them there is decides here. Members are known of classes that inherit nothing, where no other member has the name.

use super::accessors::accessors_of;
use super::declarations::DeclarationKind;
use super::lookup::{Lookup, NameUse};
use super::ty::Type;
use super::universe::{DeclarationId, Universe};

/// A type as a Java file writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaType {
    /// The qualified names that it may have, in the order in which Java looks them up; a primitive type's own. Empty for what is unknown.
    pub names: Vec<String>,
    /// Whether the last name is imported: it is that of a class outside of the project if the project declares none of these.
    pub is_imported: bool,
    pub arguments: Vec<JavaType>,
}

/// A member of a Java class that has a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JavaMember {
    /// An instance's.
    Field,
    /// An instance's, without parameters.
    Method,
    /// A class's, without parameters.
    StaticMethod,
}

/// What Java's types are to Kotlin: the package and the name.
const TO_KOTLIN: [(&str, &str, &str); 27] = [
    ("boolean", "kotlin", "Boolean"),
    ("byte", "kotlin", "Byte"),
    ("char", "kotlin", "Char"),
    ("double", "kotlin", "Double"),
    ("float", "kotlin", "Float"),
    ("int", "kotlin", "Int"),
    ("long", "kotlin", "Long"),
    ("short", "kotlin", "Short"),
    ("void", "kotlin", "Unit"),
    ("java.lang.Boolean", "kotlin", "Boolean"),
    ("java.lang.Byte", "kotlin", "Byte"),
    ("java.lang.CharSequence", "kotlin", "CharSequence"),
    ("java.lang.Character", "kotlin", "Char"),
    ("java.lang.Double", "kotlin", "Double"),
    ("java.lang.Float", "kotlin", "Float"),
    ("java.lang.Integer", "kotlin", "Int"),
    ("java.lang.Iterable", "kotlin.collections", "MutableIterable"),
    ("java.lang.Long", "kotlin", "Long"),
    ("java.lang.Object", "kotlin", "Any"),
    ("java.lang.Short", "kotlin", "Short"),
    ("java.lang.String", "kotlin", "String"),
    ("java.util.Collection", "kotlin.collections", "MutableCollection"),
    ("java.util.Iterator", "kotlin.collections", "MutableIterator"),
    ("java.util.List", "kotlin.collections", "MutableList"),
    ("java.util.Map", "kotlin.collections", "MutableMap"),
    ("java.util.Set", "kotlin.collections", "MutableSet"),
    ("[]", "kotlin", "Array"),
];

impl Universe<'_> {
    /// Returns what a method of a Java class of the project gives, or a field or getter where nothing is called.
    pub(super) fn given_by_java(&self, class: &str, name: &str, is_called: bool) -> Type {
        let found = match is_called {
            true => self
                .java_member(class, name, JavaMember::Method)
                .or_else(|| self.java_member(class, name, JavaMember::StaticMethod)),
            false => self
                .java_member(class, name, JavaMember::Field)
                .or_else(|| self.java_member(class, &accessors_of(name).0, JavaMember::Method)),
        };
        found.map_or(Type::Unknown, |ty| self.of_java(&ty))
    }

    /// Finds a member that a Java class of the project certainly has: it is meant before extensions.
    pub(super) fn java_member_of(&self, receiver: &Type, name: &str, wanted: NameUse) -> Option<Lookup> {
        let Type::Java(class) = receiver else { return None };
        let has = |name: &str, member: JavaMember| self.java_member(class, name, member).is_some();
        let is_declared = match wanted {
            NameUse::Call(arguments) => arguments.are_none() && has(name, JavaMember::Method),
            NameUse::Value => has(name, JavaMember::Field) || has(&accessors_of(name).0, JavaMember::Method),
            NameUse::Reference => false,
        };
        is_declared.then(|| Lookup { java_class: Some(class.clone()), ..Lookup::nothing(false) })
    }

    fn of_java(&self, ty: &JavaType) -> Type {
        let arguments = || ty.arguments.iter().map(|one| self.of_java(one)).collect::<Vec<Type>>();
        let known = |name: &str| TO_KOTLIN.iter().find(|(java, ..)| *java == name);
        for name in &ty.names {
            let is_class = |id: &DeclarationId| self.kind(*id).is_some_and(DeclarationKind::is_class);
            if let Some(class) = self.qualified(name).into_iter().find(is_class) {
                return Type::class(self.representative(class), arguments());
            }
            if self.declares_in_java(name) {
                return Type::Java(name.as_str().into());
            }
            if let Some((_, package, name)) = known(name) {
                return self.library_type(package, name, arguments());
            }
        }
        match ty.names.last().filter(|name| ty.is_imported && !self.may_declare(name)) {
            Some(name) => self.outside_type(name, arguments()),
            None => Type::Unknown,
        }
    }
}
