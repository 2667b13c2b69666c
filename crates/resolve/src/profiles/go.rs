//! Go.

use super::{
    BaseRules, EntryPoint, FamilyProfile, ImportRules, LanguageProfile, LiteralKey, LocalSearch, MemberRules,
    ModuleLookup, NamePrecedence, NonUse, PackageScope, PathBinding, ScopeRules, SpellingRules,
    StructuralTypes, UnfoundModule, UseRules,
};
use crate::family::Family;

pub(super) static FAMILY: FamilyProfile = FamilyProfile {
    is_dynamic: false,
    spelling: SpellingRules {
        receiver_names: &[],
        literal_key: LiteralKey::FieldOrValue,
        ..SpellingRules::PLAIN
    },
    imports: ImportRules {
        lookup: ModuleLookup::GoPath,
        unfound: UnfoundModule::OutsideProject,
        path_binds: PathBinding::PackageName,
        package: PackageScope::Directory,
        ..ImportRules::PLAIN
    },
    scopes: ScopeRules { precedence: NamePrecedence::Imports, non_use: NonUse::Key, ..ScopeRules::PLAIN },
    bases: BaseRules::PLAIN,
    members: MemberRules { structural: StructuralTypes::MethodSets, ..MemberRules::PLAIN },
    uses: UseRules { embeds_by_name: true, ..UseRules::PLAIN },
};

pub(super) static GO: LanguageProfile = LanguageProfile {
    entry_points: &[
        EntryPoint::start("main"),
        EntryPoint::read_by("init", "Go"),
        test("Test"),
        test("Benchmark"),
        test("Fuzz"),
        test("Example"),
    ],
    ..LanguageProfile::plain("go", Family::Go, LocalSearch::TreeScopes)
};

const fn test(prefix: &'static str) -> EntryPoint {
    EntryPoint::test(prefix, "_test.go", "go test")
}
