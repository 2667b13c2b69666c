//! Which declarations a scope has only one of by a name, as data.

use super::kind::SymbolKind;

/// What a language says of a second declaration of a name in one scope.
#[derive(Debug)]
pub struct RedeclarationRules {
    /// The kinds of which a scope has one by a name; none where overloads have the same name.
    pub kinds: &'static [SymbolKind],
    /// Names that may be declared again.
    pub free_names: &'static [&'static str],
    /// What stands before the name of a declaration that another one may join: `@overload`.
    pub free_words: &'static [&'static str],
    /// Words before the name without which a member is another one: `static`.
    pub telling_words: &'static [&'static str],
    /// Whether a declaration without a body may stand beside others.
    pub has_signatures: bool,
    /// Whether what stands before the name of a method tells its type.
    pub has_receivers: bool,
}

impl RedeclarationRules {
    /// For languages with overloads, or where it is not known.
    pub(super) const NONE: RedeclarationRules = RedeclarationRules {
        kinds: &[],
        free_names: &[],
        free_words: &[],
        telling_words: &[],
        has_signatures: false,
        has_receivers: false,
    };

    pub(super) const GO: RedeclarationRules = RedeclarationRules {
        kinds: &[
            SymbolKind::Function,
            SymbolKind::Method,
            SymbolKind::Struct,
            SymbolKind::Interface,
            SymbolKind::Class,
            SymbolKind::Variable,
            SymbolKind::Constant,
        ],
        free_names: &["init", "_"],
        has_receivers: true,
        ..RedeclarationRules::NONE
    };

    /// What a decorator registers may have any name.
    pub(super) const PYTHON: RedeclarationRules = RedeclarationRules {
        kinds: &[SymbolKind::Function, SymbolKind::Method, SymbolKind::Class],
        free_names: &["_"],
        free_words: &["overload", ".", "("],
        ..RedeclarationRules::NONE
    };

    pub(super) const SCRIPT: RedeclarationRules = RedeclarationRules {
        kinds: &[SymbolKind::Function, SymbolKind::Method, SymbolKind::Class],
        telling_words: &["static"],
        has_signatures: true,
        ..RedeclarationRules::NONE
    };
}
