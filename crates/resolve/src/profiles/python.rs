//! Python.

use super::{
    AnnotationRules, BaseList, BaseReader, BaseRules, ConstructorRules, CountRules, FamilyProfile,
    FieldParameters, FieldValues, HeadRules, ImportRules, ImportedOffer, LanguageProfile, LocalSearch,
    MemberRules, ModuleLookup, NamePrecedence, NameReader, NonUse, Overriding, PathBinding, ScopeRules,
    SpellingRules, StructuralTypes, UnfoundModule, UnresolvedName, UseRules,
};
use crate::family::Family;

pub(super) static FAMILY: FamilyProfile = FamilyProfile {
    is_dynamic: true,
    spelling: SpellingRules {
        line_comment: "#",
        has_block_comments: false,
        super_takes_arguments: true,
        argument_mark: Some('='),
        receiver_names: &["self", "cls"],
        ..SpellingRules::PLAIN
    },
    imports: ImportRules {
        lookup: ModuleLookup::PythonPath,
        unfound: UnfoundModule::OutsideUnlessRelative,
        path_binds: PathBinding::First,
        offers: ImportedOffer::Identifiers,
        star_omits_underscored: true,
        is_bound_by_unknown_import: true,
        submodules_need_import: true,
        names_follow_import: true,
        classes_need_no_import: false,
        ..ImportRules::PLAIN
    },
    scopes: ScopeRules {
        heads_are_outside: true,
        class_bodies_bind: true,
        precedence: NamePrecedence::Either,
        has_builtins: true,
        non_use: NonUse::ArgumentName,
        ..ScopeRules::PLAIN
    },
    bases: BaseRules { are_objects: true, knows_library: true, ..BaseRules::PLAIN },
    members: MemberRules {
        overriding: Overriding::PythonNames,
        mangles_private: true,
        underscored_are_private: true,
        super_depends_on_subclass: true,
        constructors: ConstructorRules {
            are_inherited: true,
            own_class_names: &["cls", "__class__"],
            ..ConstructorRules::PLAIN
        },
        structural: StructuralTypes::Protocols,
        ..MemberRules::PLAIN
    },
    uses: UseRules {
        code_calls: &["eval", "exec"],
        variable_maps: &["globals", "locals", "vars"],
        unresolved: UnresolvedName::NoMember,
        redeclares: true,
        fields_are_parameters: true,
        has_test_functions: true,
        ..UseRules::PLAIN
    },
    counts: CountRules {
        harmless_calls: &[
            "NewType",
            "ParamSpec",
            "TypeVar",
            "auto",
            "bool",
            "bytes",
            "defaultdict",
            "deque",
            "dict",
            "field",
            "float",
            "frozenset",
            "logging.getLogger",
            "dataclasses.field",
            "collections.defaultdict",
            "collections.deque",
            "enum.auto",
            "int",
            "list",
            "namedtuple",
            "object",
            "re.compile",
            "set",
            "str",
            "tuple",
        ],
        ..CountRules::PLAIN
    },
};

pub(crate) static PYTHON: LanguageProfile = LanguageProfile {
    heads: HeadRules { list: BaseList::Arguments, type_bracket: '[', ..HeadRules::PLAIN },
    name_reader: NameReader::Python,
    base_readers: &BASE_READERS,
    field_values: FieldValues::Arguments(&FieldParameters {
        decorators: &["dataclass", "define", "frozen", "mutable", "attrs"],
        bases: &["NamedTuple"],
        named_only: &["kw_only=True", "init=False"],
        not_taken: &["ClassVar", "init=False", "kw_only=True", "KW_ONLY"],
    }),
    annotations: AnnotationRules::at(&[
        "abstractmethod",
        "asynccontextmanager",
        "cache",
        "cached_property",
        "classmethod",
        "contextmanager",
        "dataclass",
        "deleter",
        "deprecated",
        "final",
        "fixture",
        "getter",
        "lru_cache",
        "no_type_check",
        "overload",
        "override",
        "property",
        "runtime_checkable",
        "setter",
        "singledispatch",
        "staticmethod",
        "total_ordering",
        "unique",
        "wraps",
    ]),
    ..LanguageProfile::plain("python", Family::Python, LocalSearch::PythonExpressions)
};

const BASE_READERS: [BaseReader; 5] = [
    BaseReader::by_name("ast.NodeVisitor", &["visit_"]),
    BaseReader::by_name("cmd.Cmd", &["do_", "help_", "complete_"]),
    BaseReader::of_names("html.parser.HTMLParser", &HTML_HANDLERS),
    BaseReader::by_name("http.server.BaseHTTPRequestHandler", &["do_"]),
    BaseReader { base: "unittest.TestCase", prefixes: &["test"], names: &[], takes_any: true },
];

const HTML_HANDLERS: [&str; 10] = [
    "handle_charref",
    "handle_comment",
    "handle_data",
    "handle_decl",
    "handle_endtag",
    "handle_entityref",
    "handle_pi",
    "handle_startendtag",
    "handle_starttag",
    "unknown_decl",
];
