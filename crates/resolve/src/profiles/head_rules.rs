//! How the head of a class names its bases.

/// How the head of a class names its bases in a language.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeadRules {
    pub(crate) list: BaseList,
    /// What separates two bases.
    pub(crate) separator: char,
    /// The word behind the bases, if the head goes on.
    pub(crate) end_word: &'static str,
    /// The bracket that opens a base's type arguments.
    pub(crate) type_bracket: char,
    /// Whether `Base(…)` names the class `Base`.
    pub(crate) bases_call_constructors: bool,
    /// Whether an interface may be delegated to an object: `class A : B by object`.
    pub(crate) has_delegates: bool,
    /// Whether `new Base(…) { … }` declares a class.
    pub(crate) has_anonymous_classes: bool,
    /// Whether a single quote may begin a lifetime, and bases may be lifetimes, or begin with `?`.
    pub(crate) has_lifetimes: bool,
}

/// Where the bases stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BaseList {
    /// Heads name no supertypes.
    None,
    /// In parentheses, as arguments are, or in the decorator `@implementer(…)` of zope.
    Arguments,
    /// Behind `extends` and `implements`.
    Keywords,
    /// Behind a colon.
    Colon,
}

impl HeadRules {
    pub(crate) const PLAIN: HeadRules = HeadRules {
        list: BaseList::None,
        separator: ',',
        end_word: "where",
        type_bracket: '<',
        bases_call_constructors: false,
        has_delegates: false,
        has_anonymous_classes: false,
        has_lifetimes: false,
    };
}
