//! Rust.

use super::{
    AnnotationForm, AnnotationRules, BaseList, BaseRules, CountRules, EntryPoint, FamilyProfile, HeadRules,
    ImportRules, LanguageProfile, LiteralKey, LocalSearch, MemberRules, ModuleLookup, NameReader, Namespaces,
    NonUse, Overriding, PathBinding, PositionRules, ScopeRules, SpellingRules, UnresolvedName, UseRules,
};
use crate::family::Family;

pub(super) static FAMILY: FamilyProfile = FamilyProfile {
    is_dynamic: false,
    spelling: SpellingRules {
        access: &["::", "."],
        receiver_names: &["self", "Self"],
        escape: Some("r#"),
        literal_key: LiteralKey::Field,
        ..SpellingRules::PLAIN
    },
    imports: ImportRules {
        lookup: ModuleLookup::RustPath,
        needs_build_files: true,
        standard: &["alloc", "core", "std"],
        path_binds: PathBinding::Last,
        ..ImportRules::PLAIN
    },
    scopes: ScopeRules { namespaces: Namespaces::TypesAndValues, non_use: NonUse::Key, ..ScopeRules::PLAIN },
    bases: BaseRules::PLAIN,
    members: MemberRules { overriding: Overriding::Traits, has_impls: true, ..MemberRules::PLAIN },
    uses: UseRules { unresolved: UnresolvedName::FitsPlace, has_macros: true, ..UseRules::PLAIN },
    counts: CountRules { values_are_constant: true, ..CountRules::PLAIN },
};

pub(super) static RUST: LanguageProfile = LanguageProfile {
    heads: HeadRules {
        list: BaseList::Colon,
        separator: '+',
        bases_call_constructors: true,
        has_lifetimes: true,
        ..HeadRules::PLAIN
    },
    publishes_by_attributes: true,
    name_reader: NameReader::Linker,
    entry_points: &[EntryPoint::start("main")],
    annotations: AnnotationRules { form: AnnotationForm::Hash, ..AnnotationRules::NONE },
    positions: PositionRules {
        casts: &INTEGERS,
        derives: &[
            "Deserialize_repr",
            "FromPrimitive",
            "FromRepr",
            "IntoPrimitive",
            "Serialize_repr",
            "ToPrimitive",
            "TryFromPrimitive",
        ],
        layouts: &["C"],
        types_follow: true,
        returns: "->",
        ..PositionRules::NONE
    },
    ..LanguageProfile::plain("rust", Family::Rust, LocalSearch::RustPatterns)
};

const INTEGERS: [&str; 12] =
    ["i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize"];
