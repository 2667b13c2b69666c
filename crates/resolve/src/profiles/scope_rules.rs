//! Where names are visible.

/// Where names are visible in a family of languages.
#[derive(Debug)]
pub(crate) struct ScopeRules {
    /// Whether a class's members are in scope in its methods without a receiver.
    pub(crate) has_implicit_this: bool,
    /// Whether the head of a function or class (decorators, defaults, annotations, bases) belongs to the scope
    /// around it.
    pub(crate) heads_are_outside: bool,
    /// Whether the body of a class binds names for itself alone, in the order of its statements; not for the
    /// functions and comprehensions in it.
    pub(crate) class_bodies_bind: bool,
    /// Which namespaces are looked up separately.
    pub(crate) namespaces: Namespaces,
    /// Which of a file's own declarations and its imports counts where both have the name.
    pub(crate) precedence: NamePrecedence,
    /// Whether a name that nothing binds is one of the language's own.
    pub(crate) has_builtins: bool,
    /// Which occurrences of a name cannot mean a declaration that has it.
    pub(crate) non_use: NonUse,
}

/// Which namespaces are looked up separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Namespaces {
    /// All names are in one.
    One,
    /// Functions, which are called, and values.
    CallsAndValues,
    /// Types and modules, values, macros. Locals are values.
    TypesAndValues,
}

/// Which of a file's own declarations and its imports counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamePrecedence {
    /// Either may be in effect: `try: from a import b` … `except ImportError: b = None`.
    Either,
    Imports,
    Own,
}

/// An occurrence that is no use, by its place alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NonUse {
    /// Every occurrence may be a use.
    None,
    /// `f(name=…)`
    ArgumentName,
    /// `{ name: … }`
    Key,
    /// One that is called, of a value; one that is not, of a function.
    OtherNamespace,
}

impl ScopeRules {
    pub(crate) const PLAIN: ScopeRules = ScopeRules {
        has_implicit_this: false,
        heads_are_outside: false,
        class_bodies_bind: false,
        namespaces: Namespaces::One,
        precedence: NamePrecedence::Own,
        has_builtins: false,
        non_use: NonUse::None,
    };
}
