//! What an occurrence may mean that the scopes do not resolve.

/// What an occurrence may mean in a family of languages where the scopes do not tell.
#[derive(Debug)]
pub(crate) struct UseRules {
    /// What a bare name may mean that the scopes do not resolve.
    pub(crate) unresolved: UnresolvedName,
    /// Whether what is no member can be one of an unknown receiver: at the end of a path of modules.
    pub(crate) receivers_may_be_modules: bool,
    /// Whether a function may be declared for a receiver outside its class: `fun Box.name()`.
    pub(crate) has_extensions: bool,
    /// Whether there are macros, called `name!`.
    pub(crate) has_macros: bool,
    /// Whether a struct that embeds a type gets a field of the type's name.
    pub(crate) embeds_by_name: bool,
    /// Whether names follow labels (`this@Name`), and types may share a function's name; compilers list
    /// neither as uses.
    pub(crate) has_labels: bool,
    /// Whether several declarations of one name in one scope are one symbol: in the other branch of an `if`, a
    /// property's setter.
    pub(crate) redeclares: bool,
    /// Whether a function may be declared twice, in a header and in the file of the same stem.
    pub(crate) has_prototypes: bool,
    /// Whether constructors may have a parameter for each field that a class declares in its body, as those
    /// of dataclasses.
    pub(crate) fields_are_parameters: bool,
    /// Whether a parameter of a constructor may be a property, also where `copy`, `this`, `super`, an enum's
    /// entry or an alias of the class names the constructor.
    pub(crate) parameters_are_properties: bool,
    /// Whether test runners find functions by the prefix `test`, which nothing else calls, and pass fixtures to
    /// their parameters.
    pub(crate) has_test_functions: bool,
    /// Functions that run strings as code.
    pub(crate) code_calls: &'static [&'static str],
    /// Functions that give the variables around a call by their names.
    pub(crate) variable_maps: &'static [&'static str],
}

/// What a bare name may mean that the scopes do not resolve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnresolvedName {
    Anything,
    /// Nothing but what is no member: members have receivers.
    NoMember,
    /// Nothing but a member, one that is inherited: all else is resolved.
    OnlyMember,
    /// Whatever can stand in that place, in Rust.
    FitsPlace,
    /// Anything; certainly the only declaration of the name, if the file includes it.
    Included,
}

impl UseRules {
    pub(crate) const PLAIN: UseRules = UseRules {
        unresolved: UnresolvedName::Anything,
        receivers_may_be_modules: true,
        has_extensions: false,
        has_macros: false,
        embeds_by_name: false,
        has_labels: false,
        redeclares: false,
        has_prototypes: false,
        fields_are_parameters: false,
        parameters_are_properties: false,
        has_test_functions: false,
        code_calls: &[],
        variable_maps: &[],
    };
}
