//! What is a class, and what its bases mean.

/// What is a class in a family of languages, and what its bases mean.
#[derive(Debug)]
pub(crate) struct BaseRules {
    /// Whether an enum's entry with a body is a class that inherits from the enum.
    pub(crate) entries_are_classes: bool,
    /// Whether a class may be the value of a variable: `const A = class extends B { … }`.
    pub(crate) has_class_values: bool,
    /// Whether classes are objects, so that a base may be an attribute (`self.base`), and an assignment is an
    /// alias.
    pub(crate) are_objects: bool,
    /// Whether it is known which members the classes of the standard library have, so that a base from
    /// outside gets its full name.
    pub(crate) knows_library: bool,
    /// Bindings of a base's name that the outline does not list.
    pub(crate) hidden_binding: HiddenBinding,
    /// The word before the name of an alias.
    pub(crate) alias_word: &'static str,
    /// Whether `typedef` declares aliases.
    pub(crate) has_typedefs: bool,
    /// Whether a line of text may declare an alias that neither imports nor rows list: macros, `using`.
    pub(crate) has_unlisted_aliases: bool,
}

/// Bindings of a base's name that the outline does not list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HiddenBinding {
    None,
    /// `const { Base: Name } = all`
    Destructuring,
    /// A parameter of the C++ template that the class is.
    TemplateParameter,
}

impl BaseRules {
    pub(crate) const PLAIN: BaseRules = BaseRules {
        entries_are_classes: false,
        has_class_values: false,
        are_objects: false,
        knows_library: false,
        hidden_binding: HiddenBinding::None,
        alias_word: "typealias",
        has_typedefs: false,
        has_unlisted_aliases: false,
    };
}
