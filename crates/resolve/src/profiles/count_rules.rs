//! Effects of declarations besides those of code that names them.

/// What a declaration does besides what code does that names it, in a family of languages.
#[derive(Debug)]
pub(crate) struct CountRules {
    /// What begins a call that has no effect beside its value, by the called name as written, without type arguments.
    pub(crate) harmless_calls: &'static [&'static str],
    /// Whether values at the top level and of static variables are computed before the program starts.
    pub(crate) values_are_constant: bool,
}

impl CountRules {
    pub(crate) const PLAIN: CountRules = CountRules { harmless_calls: &[], values_are_constant: false };
}
