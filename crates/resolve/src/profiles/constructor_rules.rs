//! How constructors are called, and inherited.

/// How a family of languages calls and inherits constructors.
#[derive(Debug)]
pub(crate) struct ConstructorRules {
    /// Whether a class has one at most, and inherits it where it declares none.
    pub(crate) are_inherited: bool,
    /// Whether constructors have their class's name: no lookup of that name finds them, and both are renamed together.
    pub(crate) have_class_name: bool,
    pub(crate) called: ConstructorCalls,
    /// The names by which a class's members call the class that they belong to: `cls()`.
    pub(crate) own_class_names: &'static [&'static str],
    /// The word by which a constructor calls another of its class: `this(1)`.
    pub(crate) own_word: Option<&'static str>,
    /// The word by which a constructor calls that of a base: `super(1)`.
    pub(crate) base_word: Option<&'static str>,
}

/// Where a constructor is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConstructorCalls {
    /// Where its own name stands.
    Named,
    /// Only where its class's name is called or referred to: `new A()`, `A::new`.
    ClassNamed,
    /// Also where the class's name declares a value: `A a;`.
    Values,
}

impl ConstructorRules {
    pub(crate) const PLAIN: ConstructorRules = ConstructorRules {
        are_inherited: false,
        have_class_name: false,
        called: ConstructorCalls::Named,
        own_class_names: &[],
        own_word: None,
        base_word: None,
    };
}
