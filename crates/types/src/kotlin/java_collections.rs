//! Classes of Java's library that Kotlin code makes collections and texts of: what they are to Kotlin. Invariant: such a value has the
//! type of the class too, of whose own members nothing is known.

use super::ty::Type;
use super::universe::Universe;

/// Classes, each with the package and the name of the Kotlin type that its objects have, with the same type arguments.
const VIEWS: [(&str, &str, &str); 20] = [
    ("java.util.ArrayList", "kotlin.collections", "MutableList"),
    ("java.util.LinkedList", "kotlin.collections", "MutableList"),
    ("java.util.concurrent.CopyOnWriteArrayList", "kotlin.collections", "MutableList"),
    ("java.util.HashMap", "kotlin.collections", "MutableMap"),
    ("java.util.LinkedHashMap", "kotlin.collections", "MutableMap"),
    ("java.util.SortedMap", "kotlin.collections", "MutableMap"),
    ("java.util.NavigableMap", "kotlin.collections", "MutableMap"),
    ("java.util.SortedSet", "kotlin.collections", "MutableSet"),
    ("java.util.NavigableSet", "kotlin.collections", "MutableSet"),
    ("java.util.ArrayDeque", "kotlin.collections", "MutableCollection"),
    ("java.util.PriorityQueue", "kotlin.collections", "MutableCollection"),
    ("java.util.TreeMap", "kotlin.collections", "MutableMap"),
    ("java.util.WeakHashMap", "kotlin.collections", "MutableMap"),
    ("java.util.concurrent.ConcurrentHashMap", "kotlin.collections", "MutableMap"),
    ("java.util.HashSet", "kotlin.collections", "MutableSet"),
    ("java.util.LinkedHashSet", "kotlin.collections", "MutableSet"),
    ("java.util.TreeSet", "kotlin.collections", "MutableSet"),
    ("java.util.concurrent.CopyOnWriteArraySet", "kotlin.collections", "MutableSet"),
    ("java.lang.StringBuilder", "kotlin", "CharSequence"),
    ("java.lang.StringBuffer", "kotlin", "CharSequence"),
];

impl Universe<'_> {
    /// Returns the type of objects of a class from outside: its own and, where it is one of Java's collections, that of Kotlin's.
    pub(super) fn outside_type(&self, class: &str, arguments: Vec<Type>) -> Type {
        let own = Type::outside(class, arguments.clone(), self.may_declare(class));
        match VIEWS.iter().find(|(name, ..)| *name == class) {
            Some((_, package, name)) => Type::both(own, self.library_type(package, name, arguments)),
            None => own,
        }
    }
}

impl Type {
    /// Returns the class from outside alone where a type tells what else its objects are.
    pub(super) fn without_view(self) -> Type {
        match &self {
            Type::Both(both) if matches!(both.0, Type::External(_)) => both.0.clone(),
            _ => self,
        }
    }
}
