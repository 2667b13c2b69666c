//! What looks up declarations by their names.

/// What looks up declarations by their names, besides the project's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameReader {
    None,
    /// Operators, which call functions with the modifier `operator`.
    Operators,
    /// Python itself, and pytest.
    Python,
    /// The linker, which finds exported functions of Rust.
    Linker,
}
