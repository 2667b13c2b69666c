//! What functions and the accessors of properties take on the JVM, which tells methods of one name in a class apart.

use super::ty::Type;
use super::universe::{DeclarationId, Universe};

/// A method that the compiler makes of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JvmMethod {
    Function,
    Getter,
    Setter,
}

/// Types of which no two are the same on the JVM, each the name of a class in package `kotlin`.
const BASIC: [&str; 9] = ["Boolean", "Byte", "Char", "Double", "Float", "Int", "Long", "Short", "String"];

impl Universe<'_> {
    /// Whether two methods may take the same on the JVM: as many parameters, the extended object included, and none of a type that differs for
    /// certain.
    pub fn may_take_the_same(
        &self,
        one: (DeclarationId, JvmMethod),
        other: (DeclarationId, JvmMethod),
    ) -> bool {
        let (one, other) = (self.jvm_parameters(one), self.jvm_parameters(other));
        let is_apart = |(one, other): (&Type, &Type)| matches!((self.basic(one), self.basic(other)), (Some(one), Some(other)) if one != other);
        one.len() == other.len() && !one.iter().zip(&other).any(is_apart)
    }

    fn jvm_parameters(&self, (id, method): (DeclarationId, JvmMethod)) -> Vec<Type> {
        let mut found: Vec<Type> = self.extension_receiver(id).into_iter().collect();
        match method {
            JvmMethod::Function => {
                let taken = self.own_parameters(id).into_iter();
                found.extend(taken.map(|one| if one.is_vararg { Type::Unknown } else { one.ty }));
            }
            JvmMethod::Getter => {}
            JvmMethod::Setter => found.push(self.declared_type(id)),
        }
        found
    }

    fn basic(&self, ty: &Type) -> Option<&'static str> {
        let Type::Class(of) = ty else { return None };
        BASIC.into_iter().find(|name| self.library_class("kotlin", name) == Some(of.class))
    }
}
