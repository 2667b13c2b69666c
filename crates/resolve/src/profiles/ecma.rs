//! JavaScript, TypeScript and TSX.

use super::{
    BaseRules, FamilyProfile, HiddenBinding, ImportRules, ImportedOffer, LanguageProfile, LiteralKey,
    LocalSearch, MemberRules, ModuleLookup, NamePrecedence, NonUse, Overriding, ScopeRules, SpellingRules,
    StructuralTypes, UseRules,
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
        structural: StructuralTypes::Interfaces,
        ..MemberRules::PLAIN
    },
    uses: UseRules::PLAIN,
};

pub(super) static LANGUAGES: [LanguageProfile; 3] = [
    LanguageProfile::plain("javascript", Family::Ecma, LocalSearch::Ecma),
    LanguageProfile::plain("typescript", Family::Ecma, LocalSearch::Ecma),
    LanguageProfile::plain("tsx", Family::Ecma, LocalSearch::Ecma),
];
