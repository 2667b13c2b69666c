//! C and C++.

use super::{
    BaseList, BaseRules, ConstructorCalls, ConstructorRules, CountRules, EntryPoint, FamilyProfile,
    FieldValues, HeadRules, HiddenBinding, ImportRules, LanguageProfile, LocalSearch, MemberRules,
    ModuleLookup, Overriding, ScopeRules, SpellingRules, UnresolvedName, UseRules,
};
use crate::family::Family;

pub(super) static FAMILY: FamilyProfile = FamilyProfile {
    is_dynamic: false,
    spelling: SpellingRules {
        access: &["->", "::", "."],
        has_access_without_object: true,
        has_trailing_returns: true,
        ..SpellingRules::PLAIN
    },
    imports: ImportRules { lookup: ModuleLookup::Include, ..ImportRules::PLAIN },
    scopes: ScopeRules { has_implicit_this: true, ..ScopeRules::PLAIN },
    bases: BaseRules {
        hidden_binding: HiddenBinding::TemplateParameter,
        alias_word: "using",
        has_typedefs: true,
        has_unlisted_aliases: true,
        ..BaseRules::PLAIN
    },
    members: MemberRules {
        overriding: Overriding::Keyword,
        has_overloads: true,
        are_defined_outside: true,
        enumerators_are_outer: true,
        marks_override_behind: true,
        constructors: ConstructorRules {
            have_class_name: true,
            called: ConstructorCalls::Values,
            ..ConstructorRules::PLAIN
        },
        ..MemberRules::PLAIN
    },
    uses: UseRules { unresolved: UnresolvedName::Included, has_prototypes: true, ..UseRules::PLAIN },
    counts: CountRules { harmless_calls: &["alignof", "offsetof", "sizeof"], ..CountRules::PLAIN },
};

pub(super) static C: LanguageProfile = LanguageProfile {
    entry_points: &[EntryPoint::start("main")],
    field_values: FieldValues::Initializers,
    ..LanguageProfile::plain("c", Family::C, LocalSearch::Declarators)
};

pub(super) static CPP: LanguageProfile = LanguageProfile {
    heads: HeadRules { list: BaseList::Colon, ..HeadRules::PLAIN },
    entry_points: &[EntryPoint::start("main")],
    field_values: FieldValues::Initializers,
    ..LanguageProfile::plain("cpp", Family::C, LocalSearch::Declarators)
};
