//! The array that a `vararg` parameter is within its function.

use super::ty::Type;
use super::universe::Universe;

/// Types of `kotlin` whose values have an array of their own: `IntArray`.
const IN_OWN_ARRAYS: [&str; 12] = [
    "Boolean", "Byte", "Char", "Double", "Float", "Int", "Long", "Short", "UByte", "UInt", "ULong", "UShort",
];

impl Universe<'_> {
    /// Returns the type of the array that holds what is given to a `vararg` parameter.
    pub(super) fn vararg_type(&self, element: Type, is_nullable: bool) -> Type {
        let own = match &element {
            Type::Class(class) if !is_nullable => Some(self.name(class.class))
                .filter(|name| IN_OWN_ARRAYS.contains(&name.as_str()))
                .filter(|name| self.library_class("kotlin", name) == Some(class.class)),
            _ => None,
        };
        match own {
            Some(name) => self.library_type("kotlin", &format!("{name}Array"), Vec::new()),
            None => self.library_type("kotlin", "Array", vec![element]),
        }
    }
}
