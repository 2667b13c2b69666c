//! How locals are found that the outline does not list.

/// How locals are found that the outline does not list: in the syntax tree, or by the text around their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocalSearch {
    /// Patterns in the syntax tree of Rust.
    RustPatterns,
    /// Python's lambdas and comprehensions; the outline lists all else.
    PythonExpressions,
    /// Kotlin's declarations, parameters and lambdas.
    KotlinCode,
    /// `Type name`, lambdas, patterns behind `instanceof`.
    Java,
    /// What Go, JavaScript and TypeScript bind in blocks and functions, in the syntax tree.
    TreeScopes,
    /// `Type name`, lambdas.
    TypesFirst,
    /// C's declarators, parameters of templates, lambdas' captures.
    Declarators,
}
