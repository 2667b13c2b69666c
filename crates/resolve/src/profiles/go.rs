//! Go.

use super::{
    BaseRules, CountRules, EntryPoint, FamilyProfile, FieldValues, ImportRules, LanguageProfile, LiteralKey,
    LocalSearch, MemberRules, ModuleLookup, NamePrecedence, NonUse, PackageScope, PathBinding, ScopeRules,
    SpellingRules, StructuralTypes, UnfoundModule, UseRules,
};
use crate::family::Family;

pub(super) static FAMILY: FamilyProfile = FamilyProfile {
    is_dynamic: false,
    spelling: SpellingRules {
        raw_quote: Some(b'`'),
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
    counts: CountRules {
        harmless_calls: &["cap", "errors.New", "len", "make", "new", "regexp.MustCompile"],
        ..CountRules::PLAIN
    },
};

/// The methods that interfaces of the standard library ask for most: a type is given to `fmt`, `io`, `sort`, `net/http` or
/// `encoding/json` without a word of the interface.
const OF_INTERFACES: [&str; 40] = [
    "Error",
    "String",
    "GoString",
    "Format",
    "Unwrap",
    "Is",
    "As",
    "Read",
    "Write",
    "Close",
    "Seek",
    "ReadAt",
    "WriteAt",
    "ReadFrom",
    "WriteTo",
    "ReadByte",
    "ReadRune",
    "UnreadByte",
    "UnreadRune",
    "WriteByte",
    "WriteString",
    "Len",
    "Less",
    "Swap",
    "Push",
    "Pop",
    "ServeHTTP",
    "RoundTrip",
    "WriteHeader",
    "Flush",
    "Hijack",
    "MarshalJSON",
    "UnmarshalJSON",
    "MarshalText",
    "UnmarshalText",
    "MarshalBinary",
    "UnmarshalBinary",
    "Scan",
    "Lock",
    "Unlock",
];

const ENTRY_POINTS: [EntryPoint; 46] = {
    let mut all = [const { EntryPoint::start("main") }; 46];
    all[1] = EntryPoint::read_by("init", "Go");
    all[2] = test("Test");
    all[3] = test("Benchmark");
    all[4] = test("Fuzz");
    all[5] = test("Example");
    let mut at = 0;
    while at < OF_INTERFACES.len() {
        all[6 + at] = EntryPoint::of_interface(OF_INTERFACES[at], "an interface of Go's standard library");
        at += 1;
    }
    all
};

pub(super) static GO: LanguageProfile = LanguageProfile {
    entry_points: &ENTRY_POINTS,
    field_values: FieldValues::Braces,
    ..LanguageProfile::plain("go", Family::Go, LocalSearch::TreeScopes)
};

const fn test(prefix: &'static str) -> EntryPoint {
    EntryPoint::test(prefix, "_test.go", "go test")
}
