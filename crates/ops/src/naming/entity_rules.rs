//! What makes declarations one entity, or overloads of one name, in each language, as data.

use symd_index::FileEntry;

/// What makes declarations of one name in a language one entity.
#[derive(Debug)]
pub(super) struct EntityRules {
    grammar: &'static str,
    pub(super) spread: DeclarationSpread,
    pub(super) container: ContainerForm,
    pub(super) overloads: OverloadForm,
    /// Whether a declaration may name the type that it belongs to: `fun String.trim()`, `void A::run()`.
    pub(super) has_receivers: bool,
    /// Whether a type's methods are declared beside it, with the type as their receiver: `func (m *Memory) Get()`.
    pub(super) has_methods_outside: bool,
}

/// Where an entity's declarations are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeclarationSpread {
    /// One declaration.
    One,
    /// Overloads and accessors in one file; in Python, its stub too.
    OneFile,
    /// `expect` and `actual` in several files.
    Platforms,
    /// Prototypes and a definition in several files.
    Prototypes,
}

/// What contains the overloads of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContainerForm {
    /// One declaration of a class, or one file.
    Declaration,
    /// The package and the names above.
    Package,
    /// The names above, in whatever files.
    Names,
    /// The names above and the receiver; the file for what is `static`.
    Linkage,
    /// The directory, the names above and the receiver.
    Directory,
}

/// How the overloads of one entity are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OverloadForm {
    /// There are none: a name has one meaning.
    None,
    /// A later declaration replaces an earlier one: a question means all of them, an edit one.
    Replaced,
    /// By their parameters.
    Parameters,
    /// By decorators (`@overload`, `@name.setter`).
    Decorators,
}

static LANGUAGES: [EntityRules; 11] = [
    EntityRules {
        spread: DeclarationSpread::Prototypes,
        container: ContainerForm::Linkage,
        overloads: OverloadForm::None,
        ..EntityRules::plain("c")
    },
    EntityRules {
        spread: DeclarationSpread::Prototypes,
        container: ContainerForm::Linkage,
        has_receivers: true,
        ..EntityRules::plain("cpp")
    },
    // Parts of a class may be in several files.
    EntityRules { container: ContainerForm::Names, has_receivers: true, ..EntityRules::plain("csharp") },
    EntityRules {
        container: ContainerForm::Directory,
        has_receivers: true,
        has_methods_outside: true,
        ..EntityRules::plain("go")
    },
    EntityRules::plain("java"),
    EntityRules {
        spread: DeclarationSpread::OneFile,
        overloads: OverloadForm::Replaced,
        ..EntityRules::plain("javascript")
    },
    EntityRules {
        spread: DeclarationSpread::Platforms,
        container: ContainerForm::Package,
        has_receivers: true,
        ..EntityRules::plain("kotlin")
    },
    EntityRules {
        spread: DeclarationSpread::OneFile,
        overloads: OverloadForm::Decorators,
        ..EntityRules::plain("python")
    },
    EntityRules::plain("rust"),
    EntityRules { spread: DeclarationSpread::OneFile, ..EntityRules::plain("tsx") },
    EntityRules { spread: DeclarationSpread::OneFile, ..EntityRules::plain("typescript") },
];

/// The rules of languages without a grammar.
static UNKNOWN: EntityRules = EntityRules::plain("");

impl EntityRules {
    const fn plain(grammar: &'static str) -> EntityRules {
        EntityRules {
            grammar,
            spread: DeclarationSpread::One,
            container: ContainerForm::Declaration,
            overloads: OverloadForm::Parameters,
            has_receivers: false,
            has_methods_outside: false,
        }
    }

    pub(super) fn of(file: &FileEntry) -> &'static EntityRules {
        let known =
            |grammar: symd_syntax::Grammar| LANGUAGES.iter().find(|one| one.grammar == grammar.name());
        file.grammar().and_then(known).unwrap_or(&UNKNOWN)
    }
}

/// Whether decorators before a declaration name what it overloads or completes: `@name.setter`.
pub(crate) fn has_decorated_overloads(file: &FileEntry) -> bool {
    EntityRules::of(file).overloads == OverloadForm::Decorators
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_syntax::Grammar;

    #[test]
    fn every_grammar_has_rules() {
        let rules: Vec<&str> = LANGUAGES.iter().map(|one| one.grammar).collect();
        let grammars: Vec<&str> = Grammar::all().map(Grammar::name).collect();
        assert_eq!(rules, grammars);
    }
}
