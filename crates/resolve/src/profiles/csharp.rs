//! C#.

use super::{
    AnnotationForm, AnnotationRules, BaseList, BaseRules, ConstructorCalls, ConstructorRules, CountRules,
    EntryPoint, FamilyProfile, HeadRules, ImportRules, LanguageProfile, LocalSearch, MemberRules,
    NamePrecedence, Overriding, PackageScope, ScopeRules, SpellingRules, UseRules,
};
use crate::family::Family;

pub(super) static FAMILY: FamilyProfile = FamilyProfile {
    is_dynamic: false,
    spelling: SpellingRules {
        access: &["?.", "!.", "::", "."],
        argument_mark: Some(':'),
        escape: Some("@"),
        ..SpellingRules::PLAIN
    },
    imports: ImportRules { package: PackageScope::DeclaredAndOuter, ..ImportRules::PLAIN },
    scopes: ScopeRules { has_implicit_this: true, precedence: NamePrecedence::Imports, ..ScopeRules::PLAIN },
    bases: BaseRules { has_unlisted_aliases: true, ..BaseRules::PLAIN },
    members: MemberRules {
        overriding: Overriding::Keyword,
        has_overloads: true,
        inherits_overloads: true,
        has_root_class: true,
        constructors: ConstructorRules {
            have_class_name: true,
            called: ConstructorCalls::ClassNamed,
            own_word: Some("this"),
            base_word: Some("base"),
            ..ConstructorRules::PLAIN
        },
        ..MemberRules::PLAIN
    },
    uses: UseRules::PLAIN,
    counts: CountRules {
        harmless_calls: &["Dictionary", "HashSet", "List", "nameof", "object"],
        ..CountRules::PLAIN
    },
};

pub(super) static CSHARP: LanguageProfile = LanguageProfile {
    heads: HeadRules { list: BaseList::Colon, bases_call_constructors: true, ..HeadRules::PLAIN },
    entry_points: &[EntryPoint::member("Main")],
    annotations: AnnotationRules {
        form: AnnotationForm::Brackets,
        harmless: &[
            "CanBeNull",
            "Conditional",
            "EditorBrowsable",
            "Flags",
            "MaybeNull",
            "MethodImpl",
            "NotNull",
            "NotNullWhen",
            "Obsolete",
            "Pure",
            "SuppressMessage",
        ],
    },
    ..LanguageProfile::plain("csharp", Family::CSharp, LocalSearch::TypesFirst)
};
