//! Members of classes, and what overrides them.

use super::ConstructorRules;

/// Members of classes in a family of languages, and what overrides them.
#[derive(Debug)]
pub(crate) struct MemberRules {
    /// What tells whether a member overrides another, also one from outside the project.
    pub(crate) overriding: Overriding,
    /// Whether one class may have several unrelated members of the same name.
    pub(crate) has_overloads: bool,
    /// Whether a class that declares a name has the inherited overloads of it too.
    pub(crate) inherits_overloads: bool,
    /// Whether every class inherits from one that the language declares.
    pub(crate) has_root_class: bool,
    /// Whether `__name` belongs to its class alone.
    pub(crate) mangles_private: bool,
    /// Whether a name that begins with an underscore is no part of an interface.
    pub(crate) underscored_are_private: bool,
    /// Whether a member may be defined outside its class: `int Class::member() { … }`.
    pub(crate) are_defined_outside: bool,
    /// Whether an enum's members are members of the class around it too.
    pub(crate) enumerators_are_outer: bool,
    /// Whether the members of a class's companion are those of the class.
    pub(crate) has_companions: bool,
    pub(crate) constructors: ConstructorRules,
    /// Whether members are declared in `impl` blocks.
    pub(crate) has_impls: bool,
    /// Whether an override is marked behind the parameters.
    pub(crate) marks_override_behind: bool,
    /// Whether `super()` in a class that inherits from several may mean a class that is no base of it: the next
    /// in an order that its subclasses determine.
    pub(crate) super_depends_on_subclass: bool,
    /// Whether a parameter's type stands behind a colon: `name: Type`.
    pub(crate) types_follow_colon: bool,
    /// Which types satisfy an interface without naming it.
    pub(crate) structural: StructuralTypes,
}

/// What tells whether a member overrides another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overriding {
    /// Nothing: no type inherits from another.
    None,
    /// Names alone, in all classes around; names between double underscores are Python's.
    PythonNames,
    /// Names alone, in the bases; some are those of all objects.
    EcmaNames,
    /// A keyword marks overrides. A member with the keyword that overrides nothing in the project overrides
    /// something outside.
    Keyword,
    /// Every member in an `impl` of a trait is the trait's.
    Traits,
}

/// Which types satisfy an interface without naming it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StructuralTypes {
    None,
    /// Classes that have all members of a `typing.Protocol`.
    Protocols,
    /// Classes that have all members of an interface.
    Interfaces,
    /// Types with all methods of an interface, which are declared outside of them.
    MethodSets,
}

impl MemberRules {
    pub(crate) const PLAIN: MemberRules = MemberRules {
        overriding: Overriding::None,
        has_overloads: false,
        inherits_overloads: false,
        has_root_class: false,
        mangles_private: false,
        underscored_are_private: false,
        are_defined_outside: false,
        enumerators_are_outer: false,
        has_companions: false,
        constructors: ConstructorRules::PLAIN,
        has_impls: false,
        marks_override_behind: false,
        super_depends_on_subclass: false,
        types_follow_colon: false,
        structural: StructuralTypes::None,
    };
}
