//! Families of languages that refer to each other's names, and their differences that matter in this layer.

use symd_index::FileEntry;

/// A family of languages that can name each other's declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Family {
    Python,
    /// Kotlin and Java.
    Jvm,
    /// JavaScript, TypeScript and TSX.
    Ecma,
    Rust,
    Go,
    CSharp,
    /// C and C++.
    C,
}

/// Whether identifiers of the two files can name each other's declarations.
pub fn files_share_names(a: &FileEntry, b: &FileEntry) -> bool {
    Family::of(a).is_some_and(|family| Family::of(b) == Some(family))
}

/// Whether identifiers of files of these two grammars can name each other's declarations.
pub fn grammars_share_names(grammar: &str, other: &str) -> bool {
    Family::of_grammar(grammar).is_some_and(|family| Family::of_grammar(other) == Some(family))
}

impl Family {
    /// Returns the family of a file; `None` when it was not parsed, or its language is in no family.
    pub(super) fn of(file: &FileEntry) -> Option<Family> {
        Family::of_grammar(file.grammar()?.name())
    }

    fn of_grammar(name: &str) -> Option<Family> {
        Some(match name {
            "python" => Family::Python,
            "kotlin" | "java" => Family::Jvm,
            "javascript" | "typescript" | "tsx" => Family::Ecma,
            "rust" => Family::Rust,
            "go" => Family::Go,
            "csharp" => Family::CSharp,
            "c" | "cpp" => Family::C,
            _ => return None,
        })
    }

    /// Whether a class's members are in scope in its methods without a receiver.
    pub(super) fn has_implicit_this(self) -> bool {
        matches!(self, Family::Jvm | Family::CSharp | Family::C)
    }

    /// Returns the words for the receiver of a method, or for its class.
    pub(super) fn receiver_names(self) -> &'static [&'static str] {
        match self {
            Family::Python => &["self", "cls"],
            Family::Rust => &["self", "Self"],
            Family::Go => &[],
            _ => &["this"],
        }
    }
}
