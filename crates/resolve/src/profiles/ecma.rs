//! JavaScript, TypeScript and TSX.

use super::{
    AnnotationRules, BaseList, BaseRules, ConstructorRules, CountRules, FamilyProfile, HeadRules,
    HiddenBinding, ImportRules, ImportedOffer, LanguageProfile, LiteralKey, LocalSearch, MemberRules,
    ModuleLookup, NamePrecedence, NonUse, Overriding, ScopeRules, SpellingRules, StructuralTypes, UseRules,
};
use crate::family::Family;

pub(super) static FAMILY: FamilyProfile = FamilyProfile {
    is_dynamic: false,
    spelling: SpellingRules {
        access: &["?.", "!.", "."],
        literal_key: LiteralKey::Member,
        ..SpellingRules::PLAIN
    },
    imports: ImportRules {
        lookup: ModuleLookup::EcmaPath,
        needs_build_files: true,
        offers: ImportedOffer::Exports,
        declarations_import: true,
        ..ImportRules::PLAIN
    },
    scopes: ScopeRules { precedence: NamePrecedence::Imports, non_use: NonUse::Key, ..ScopeRules::PLAIN },
    bases: BaseRules {
        has_class_values: true,
        hidden_binding: HiddenBinding::Destructuring,
        ..BaseRules::PLAIN
    },
    members: MemberRules {
        overriding: Overriding::EcmaNames,
        has_root_class: true,
        constructors: ConstructorRules {
            are_inherited: true,
            base_word: Some("super"),
            ..ConstructorRules::PLAIN
        },
        structural: StructuralTypes::Interfaces,
        ..MemberRules::PLAIN
    },
    uses: UseRules::PLAIN,
    counts: CountRules {
        harmless_calls: &["Map", "Set", "Symbol", "WeakMap", "WeakSet", "Object.freeze"],
        ..CountRules::PLAIN
    },
};

pub(super) static JAVASCRIPT: LanguageProfile = language("javascript");
pub(super) static TYPESCRIPT: LanguageProfile = language("typescript");
pub(super) static TSX: LanguageProfile = language("tsx");

const fn language(grammar: &'static str) -> LanguageProfile {
    LanguageProfile {
        heads: HeadRules { list: BaseList::Keywords, ..HeadRules::PLAIN },
        annotations: AnnotationRules::at(&[]),
        ..LanguageProfile::plain(grammar, Family::Ecma, LocalSearch::TreeScopes)
    }
}
