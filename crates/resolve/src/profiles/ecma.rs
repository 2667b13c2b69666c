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
    uses: UseRules { code_calls: &["Function", "eval"], ..UseRules::PLAIN },
    counts: CountRules {
        harmless_calls: &["Map", "Set", "Symbol", "WeakMap", "WeakSet", "Object.freeze"],
        ..CountRules::PLAIN
    },
};

/// Without types that could add to global ones.
pub(super) static JAVASCRIPT: LanguageProfile =
    LanguageProfile { global_types: &[], ..language("javascript") };
pub(super) static TYPESCRIPT: LanguageProfile = language("typescript");
pub(super) static TSX: LanguageProfile = language("tsx");

const fn language(grammar: &'static str) -> LanguageProfile {
    LanguageProfile {
        heads: HeadRules { list: BaseList::Keywords, ..HeadRules::PLAIN },
        annotations: AnnotationRules::at(&[]),
        global_types: &GLOBAL_TYPES,
        ..LanguageProfile::plain(grammar, Family::Ecma, LocalSearch::TreeScopes)
    }
}

/// Of the language itself, of browsers, of Node, and of libraries that others add to.
const GLOBAL_TYPES: [&str; 104] = [
    "AbortSignal",
    "Array",
    "ArrayBuffer",
    "ArrayConstructor",
    "AsyncIterable",
    "AsyncIterator",
    "BigInt",
    "Blob",
    "Body",
    "Boolean",
    "CSSStyleDeclaration",
    "Chai",
    "Console",
    "Cypress",
    "DOMStringMap",
    "Date",
    "DateConstructor",
    "Document",
    "DocumentEventMap",
    "DocumentFragment",
    "Element",
    "ElementEventMap",
    "ElementTagNameMap",
    "Error",
    "ErrorConstructor",
    "Event",
    "EventTarget",
    "Express",
    "File",
    "FileList",
    "FormData",
    "Function",
    "Generator",
    "GlobalEventHandlers",
    "HTMLAnchorElement",
    "HTMLButtonElement",
    "HTMLCanvasElement",
    "HTMLDivElement",
    "HTMLElement",
    "HTMLElementEventMap",
    "HTMLElementTagNameMap",
    "HTMLFormElement",
    "HTMLImageElement",
    "HTMLInputElement",
    "HTMLVideoElement",
    "Headers",
    "History",
    "ImportMeta",
    "ImportMetaEnv",
    "Intl",
    "Iterable",
    "Iterator",
    "JQuery",
    "JQueryStatic",
    "JSON",
    "JSX",
    "Location",
    "Map",
    "MapConstructor",
    "Math",
    "MediaDevices",
    "MessageEvent",
    "Navigator",
    "Node",
    "NodeJS",
    "NodeModule",
    "NodeRequire",
    "Number",
    "NumberConstructor",
    "Object",
    "ObjectConstructor",
    "Performance",
    "Promise",
    "PromiseConstructor",
    "React",
    "ReadonlyArray",
    "ReadonlyMap",
    "ReadonlySet",
    "RegExp",
    "RegExpMatchArray",
    "Request",
    "Response",
    "SVGElement",
    "Screen",
    "Set",
    "SetConstructor",
    "ShadowRoot",
    "Storage",
    "String",
    "StringConstructor",
    "Symbol",
    "SymbolConstructor",
    "URL",
    "URLSearchParams",
    "Uint8Array",
    "WeakMap",
    "WeakSet",
    "WebSocket",
    "Window",
    "WindowEventMap",
    "Worker",
    "WorkerGlobalScope",
    "jasmine",
    "jest",
];
