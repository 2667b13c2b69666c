//! Kotlin and Java.

use super::{
    AccessorForm, AnnotationRules, BaseList, BaseRules, ConstructorCalls, ConstructorRules, CountRules,
    EntryPoint, FamilyProfile, HeadRules, ImportRules, LanguageProfile, LocalSearch, MemberRules,
    NamePrecedence, NameReader, Namespaces, NonUse, Overriding, PackageScope, PositionRules, ScopeRules,
    SpellingRules, UnresolvedName, UseRules,
};
use crate::family::Family;

pub(super) static FAMILY: FamilyProfile = FamilyProfile {
    is_dynamic: false,
    spelling: SpellingRules {
        access: &["?.", "!!.", "?::", "::", "."],
        has_access_without_object: true,
        argument_mark: Some('='),
        ..SpellingRules::PLAIN
    },
    imports: ImportRules {
        paths_name_classes: true,
        packages_qualify: true,
        package: PackageScope::Declared,
        ..ImportRules::PLAIN
    },
    scopes: ScopeRules {
        has_implicit_this: true,
        namespaces: Namespaces::CallsAndValues,
        precedence: NamePrecedence::Imports,
        non_use: NonUse::OtherNamespace,
        ..ScopeRules::PLAIN
    },
    bases: BaseRules { entries_are_classes: true, ..BaseRules::PLAIN },
    members: MemberRules {
        overriding: Overriding::Keyword,
        has_overloads: true,
        inherits_overloads: true,
        has_root_class: true,
        has_companions: true,
        constructors: ConstructorRules {
            have_class_name: true,
            called: ConstructorCalls::ClassNamed,
            own_word: Some("this"),
            base_word: Some("super"),
            ..ConstructorRules::PLAIN
        },
        types_follow_colon: true,
        ..MemberRules::PLAIN
    },
    uses: UseRules {
        unresolved: UnresolvedName::OnlyMember,
        receivers_may_be_modules: false,
        has_extensions: true,
        has_labels: true,
        parameters_are_properties: true,
        ..UseRules::PLAIN
    },
    counts: CountRules {
        harmless_calls: &[
            "ArrayList",
            "AtomicBoolean",
            "AtomicInteger",
            "AtomicLong",
            "ConcurrentHashMap",
            "HashMap",
            "HashSet",
            "LinkedHashMap",
            "List.of",
            "Map.of",
            "MutableStateFlow",
            "Object",
            "Regex",
            "Set.of",
            "TreeMap",
            "arrayOf",
            "emptyList",
            "emptyMap",
            "emptySet",
            "LoggerFactory.getLogger",
            "Logger.getLogger",
            "intArrayOf",
            "lazy",
            "listOf",
            "mapOf",
            "mutableListOf",
            "mutableMapOf",
            "mutableSetOf",
            "setOf",
        ],
        ..CountRules::PLAIN
    },
};

pub(super) static KOTLIN: LanguageProfile = LanguageProfile {
    heads: HeadRules {
        list: BaseList::Colon,
        bases_call_constructors: true,
        has_delegates: true,
        ..HeadRules::PLAIN
    },
    has_types: true,
    calls_values: true,
    requires_override: true,
    accessors: AccessorForm::Properties,
    name_reader: NameReader::Operators,
    entry_points: &[EntryPoint::start("main")],
    annotations: ANNOTATIONS,
    positions: PositionRules { types_follow: true, returns: ":", ..POSITIONS },
    ..LanguageProfile::plain("kotlin", Family::Jvm, LocalSearch::KotlinCode)
};

pub(super) static JAVA: LanguageProfile = LanguageProfile {
    heads: HeadRules {
        list: BaseList::Keywords,
        end_word: "permits",
        has_anonymous_classes: true,
        ..HeadRules::PLAIN
    },
    class_heads_are_outside: true,
    accessors: AccessorForm::Methods,
    names_files_by_class: true,
    entry_points: &[EntryPoint::member("main")],
    annotations: ANNOTATIONS,
    positions: PositionRules { member_is_called: true, ..POSITIONS },
    ..LanguageProfile::plain("java", Family::Jvm, LocalSearch::Java)
};

const ANNOTATIONS: AnnotationRules = AnnotationRules::at(&[
    "AnyThread",
    "CheckResult",
    "Composable",
    "Deprecated",
    "ExperimentalStdlibApi",
    "FunctionalInterface",
    "Immutable",
    "JvmField",
    "JvmInline",
    "JvmName",
    "JvmOverloads",
    "JvmStatic",
    "MainThread",
    "NonNull",
    "NotNull",
    "Nullable",
    "OptIn",
    "Override",
    "RequiresApi",
    "SafeVarargs",
    "Stable",
    "Suppress",
    "SuppressLint",
    "SuppressWarnings",
    "Synchronized",
    "Throws",
    "UiThread",
    "VisibleForTesting",
    "Volatile",
    "WorkerThread",
]);

/// Kotlin reads `ordinal` as a property, and Java calls it; each reads enumerations of the other.
const POSITIONS: PositionRules = PositionRules {
    member: "ordinal",
    lists: &[
        ".values()",
        ".entries",
        ".getEntries()",
        ".class.getEnumConstants()",
        "::class.java.enumConstants",
        ">()",
    ],
    indexing: &["[", ".get(", ".getOrNull(", ".getOrElse(", ".elementAt(", ".elementAtOrNull("],
    passing: &[".toList()", ".asList()", ".toTypedArray()", ".clone()"],
    blocks_behind: &[".run{", ".apply{", ".let{", ".also{"],
    blocks_of_argument: &["with("],
    ..PositionRules::NONE
};
