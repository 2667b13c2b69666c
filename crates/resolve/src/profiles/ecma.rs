//! JavaScript, TypeScript and TSX.

use super::{
    BaseRules, FamilyProfile, HiddenBinding, ImportRules, ImportedOffer, LanguageProfile, LiteralKey,
    LocalSearch, MemberRules, ModuleLookup, NamePrecedence, NonUse, Overriding, ScopeRules, SpellingRules,
    StructuralTypes, UseRules,
};
use crate::family::Family;

pub(super) static FAMILY: FamilyProfile = FamilyProfile {
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
        structural: StructuralTypes::Interfaces,
        ..MemberRules::PLAIN
    },
    uses: UseRules::PLAIN,
};

pub(super) static LANGUAGES: [LanguageProfile; 3] = [
    LanguageProfile {
        grammar: "javascript",
        family: Family::Ecma,
        locals: LocalSearch::Ecma,
        calls_values: false,
        requires_override: false,
    },
    LanguageProfile {
        grammar: "typescript",
        family: Family::Ecma,
        locals: LocalSearch::Ecma,
        calls_values: false,
        requires_override: false,
    },
    LanguageProfile {
        grammar: "tsx",
        family: Family::Ecma,
        locals: LocalSearch::Ecma,
        calls_values: false,
        requires_override: false,
    },
];
