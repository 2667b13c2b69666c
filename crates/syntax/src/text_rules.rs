//! What distinguishes the texts of the languages besides their grammars, as data: one entry for each grammar,
//! which `grammars!` names. Code that needs to know asks [`Grammar::rules`](super::grammar::Grammar::rules).

use super::name_rules::NameRules;
use super::redeclaration::RedeclarationRules;
use super::signature::head_syntax::{self, HeadSyntax};

/// What distinguishes the texts of a language.
#[derive(Debug)]
pub struct TextRules {
    /// Whether blocks are told by their indentation; otherwise braces enclose them.
    pub has_indented_blocks: bool,
    /// What begins a comment that ends with its line.
    pub line_comment: &'static str,
    /// Whether lines that begin with `#` are directives, whose column has no meaning.
    pub has_directives: bool,
    /// Whether macros may stand in the heads of declarations: `class API Name {`.
    pub(super) has_head_macros: bool,
    /// Whether a name may stand for a field and a variable at once: `{ name }`.
    pub has_field_shorthand: bool,
    /// Which kinds of declarations may replace each other in an edit.
    pub interchangeable_kinds: InterchangeableKinds,
    pub redeclaration: &'static RedeclarationRules,
    pub names: NameRules,
    /// What begins a comment that documents the declaration below it; none where documentation stands inside
    /// the declaration.
    pub(super) documentation: &'static [&'static str],
    /// Which strings hold names that the grammar does not parse as identifiers.
    pub(super) named_in_strings: NamesInStrings,
    pub(super) calls: CallRules,
    pub(super) heads: &'static HeadSyntax,
}

/// Which kinds of declarations may replace each other: a variable may hold a function, and language servers report
/// some kinds as others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterchangeableKinds {
    None,
    /// A variable may hold a function, and `type A = …` is reported as a variable.
    Values,
    /// `type F func()` is reported as a function.
    FunctionTypes,
}

/// Which strings hold names that the grammar does not parse as identifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamesInStrings {
    None,
    /// `"$name"`
    Dollars,
    /// Those of formatting macros: `println!("{name}")`.
    FormatStrings,
    /// Whole names and annotations in quotes.
    Quoted,
    /// The bodies of C's macros.
    MacroBodies,
    /// Members in quotes: `value["name"]`, `Type["name"]`, `{ "name": 1 }`.
    Members,
}

/// What may follow the name in a call, besides an argument list.
#[derive(Debug)]
pub(super) struct CallRules {
    pub(super) type_arguments: TypeArguments,
    /// Whether `name?.(…)` is a call.
    pub(super) has_optional_calls: bool,
    /// Whether a block is an argument: `name { … }`.
    pub(super) takes_blocks: bool,
    /// Whether braces construct an object: `Name{…}`.
    pub(super) takes_braces: bool,
    /// Whether `name!(…)`, with any bracket, is a call.
    pub(super) has_macros: bool,
}

/// How type arguments are written in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeArguments {
    /// They are not, or as a subscript is.
    None,
    /// `name<A>(…)`
    Angles,
    /// `name[A](…)`
    Squares,
    /// `name::<A>(…)`
    Turbofish,
}

impl TextRules {
    const fn plain(heads: &'static HeadSyntax, names: NameRules) -> TextRules {
        TextRules {
            has_indented_blocks: false,
            line_comment: "//",
            has_directives: false,
            has_head_macros: false,
            has_field_shorthand: false,
            interchangeable_kinds: InterchangeableKinds::None,
            redeclaration: &RedeclarationRules::NONE,
            names,
            documentation: &["/**"],
            named_in_strings: NamesInStrings::None,
            calls: CallRules::PLAIN,
            heads,
        }
    }
}

impl CallRules {
    const PLAIN: CallRules = CallRules {
        type_arguments: TypeArguments::None,
        has_optional_calls: false,
        takes_blocks: false,
        takes_braces: false,
        has_macros: false,
    };
    const WITH_ANGLES: CallRules = CallRules { type_arguments: TypeArguments::Angles, ..CallRules::PLAIN };
}

/// What begins documentation in C and C++.
const DOXYGEN: &[&str] = &["/**", "/*!", "///", "//!"];

pub(super) static C: TextRules = TextRules {
    documentation: DOXYGEN,
    named_in_strings: NamesInStrings::MacroBodies,
    has_directives: true,
    has_head_macros: true,
    ..TextRules::plain(&head_syntax::C, NameRules::C)
};

pub(super) static CPP: TextRules = TextRules {
    documentation: DOXYGEN,
    named_in_strings: NamesInStrings::MacroBodies,
    has_directives: true,
    has_head_macros: true,
    calls: CallRules { takes_braces: true, ..CallRules::WITH_ANGLES },
    ..TextRules::plain(&head_syntax::CPP, NameRules::CPP)
};

pub(super) static CSHARP: TextRules = TextRules {
    documentation: &["/**", "///"],
    has_directives: true,
    calls: CallRules::WITH_ANGLES,
    ..TextRules::plain(&head_syntax::CSHARP, NameRules::CSHARP)
};

pub(super) static GO: TextRules = TextRules {
    // Every comment directly above a declaration is documentation.
    documentation: &["//", "/*"],
    interchangeable_kinds: InterchangeableKinds::FunctionTypes,
    redeclaration: &RedeclarationRules::GO,
    calls: CallRules { type_arguments: TypeArguments::Squares, ..CallRules::PLAIN },
    ..TextRules::plain(&head_syntax::GO, NameRules::GO)
};

pub(super) static JAVA: TextRules = TextRules {
    documentation: &["/**", "///"],
    calls: CallRules::WITH_ANGLES,
    ..TextRules::plain(&head_syntax::JAVA, NameRules::JAVA)
};

pub(super) static JAVASCRIPT: TextRules = TextRules {
    has_field_shorthand: true,
    interchangeable_kinds: InterchangeableKinds::Values,
    redeclaration: &RedeclarationRules::SCRIPT,
    calls: CallRules { has_optional_calls: true, ..CallRules::PLAIN },
    named_in_strings: NamesInStrings::Members,
    ..TextRules::plain(&head_syntax::SCRIPT, NameRules::SCRIPT)
};

pub(super) static KOTLIN: TextRules = TextRules {
    named_in_strings: NamesInStrings::Dollars,
    calls: CallRules { takes_blocks: true, ..CallRules::WITH_ANGLES },
    ..TextRules::plain(&head_syntax::KOTLIN, NameRules::KOTLIN)
};

pub(super) static PYTHON: TextRules = TextRules {
    has_indented_blocks: true,
    line_comment: "#",
    documentation: &[],
    named_in_strings: NamesInStrings::Quoted,
    redeclaration: &RedeclarationRules::PYTHON,
    ..TextRules::plain(&head_syntax::PYTHON, NameRules::PYTHON)
};

pub(super) static RUST: TextRules = TextRules {
    has_field_shorthand: true,
    documentation: &["/**", "///"],
    named_in_strings: NamesInStrings::FormatStrings,
    calls: CallRules { type_arguments: TypeArguments::Turbofish, has_macros: true, ..CallRules::PLAIN },
    ..TextRules::plain(&head_syntax::RUST, NameRules::RUST)
};

/// Of TypeScript, and of TSX.
pub(super) static TYPESCRIPT: TextRules = TextRules {
    has_field_shorthand: true,
    interchangeable_kinds: InterchangeableKinds::Values,
    redeclaration: &RedeclarationRules::SCRIPT,
    calls: CallRules { has_optional_calls: true, ..CallRules::WITH_ANGLES },
    named_in_strings: NamesInStrings::Members,
    ..TextRules::plain(&head_syntax::SCRIPT, NameRules::SCRIPT)
};
