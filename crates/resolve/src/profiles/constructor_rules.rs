//! How constructors are called, and inherited.

/// How a family of languages calls and inherits constructors.
#[derive(Debug)]
pub(crate) struct ConstructorRules {
    /// Whether a class has one at most, and inherits it where it declares none.
    pub(crate) are_inherited: bool,
    /// Whether constructors have their class's name: no lookup of that name finds them, and both are renamed together.
    pub(crate) have_class_name: bool,
    /// Whether a constructor with its class's name is meant only where that name is called or referred to: `new A()`,
    /// `A::new`.
    pub(crate) are_called: bool,
    /// The names by which a class's members call the class that they belong to: `cls()`.
    pub(crate) own_class_names: &'static [&'static str],
    /// The word by which a constructor calls another of its class: `this(1)`.
    pub(crate) own_word: Option<&'static str>,
    /// The word by which a constructor calls that of a base: `super(1)`.
    pub(crate) base_word: Option<&'static str>,
}

impl ConstructorRules {
    pub(crate) const PLAIN: ConstructorRules = ConstructorRules {
        are_inherited: false,
        have_class_name: false,
        are_called: false,
        own_class_names: &[],
        own_word: None,
        base_word: None,
    };
}
