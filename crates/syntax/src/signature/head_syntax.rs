//! How the languages write the heads of declarations, as data: the tokens, and what stands around a name.
//! Invariant: `PLAIN` says of a language only what most have in common.

/// How a language writes heads. Compared with the others, each entry lists what is particular to it.
#[derive(Debug)]
pub(crate) struct HeadSyntax {
    /// Whether `#` begins a comment; otherwise `//` and `/*` do.
    pub(super) has_hash_comments: bool,
    pub(super) has_preprocessor: bool,
    pub(super) has_triple_quotes: bool,
    /// Whether `r#"…"#` is a string, and a single quote may begin a lifetime.
    pub(super) has_raw_strings_and_lifetimes: bool,
    /// Whether a text in backticks is a name; otherwise it is a literal.
    pub(super) has_names_in_backticks: bool,
    /// Whether lists of types are enclosed in `<>`.
    pub(super) has_angles: bool,
    /// Which bracket opens the type parameters behind a name.
    pub(super) type_parameters: TypeParameterBracket,
    /// What stands before a name, besides keywords and attributes.
    pub(super) before_name: BeforeName,
    /// What joins the receiver before a name, and the name, in a language that writes types first.
    pub(super) qualifier: &'static str,
    /// Whether type parameters stand before the type, in a language that writes types first.
    pub(super) has_leading_type_parameters: bool,
    /// Whether `const` modifies a declaration; otherwise it is part of its type.
    pub(super) has_const_modifier: bool,
    /// Whether a class has parameters like a function.
    pub(super) has_class_parameters: bool,
    /// Whether constructors are called `constructor`: the primary one in the class's head, others with a body
    /// that belongs to their statement.
    pub(super) has_constructor_keyword: bool,
    /// Whether the kind of a type stands behind its name.
    pub(super) has_kind_behind_name: bool,
    /// Whether a brace behind a macro's name holds its rules.
    pub(super) has_macro_rules: bool,
    /// Whether the type of a result is shown behind what else follows the parameters: `int size() const`.
    pub(super) shows_result_last: bool,
    /// Whether `=>` begins a body.
    pub(super) has_arrow_bodies: bool,
    /// Words that begin the conditions behind a type.
    pub(super) conditions: &'static [&'static str],
    /// Marks and words that begin the value of a variable or property, besides `=` and the like.
    pub(super) value_openers: &'static [&'static str],
    /// Whether names without a type have that of the next: `a, b int`; and a literal behind it is a tag.
    pub(super) has_shared_types_and_tags: bool,
    /// Whether what stands behind a property's name are the parameters of an indexer.
    pub(super) has_indexers: bool,
    /// Whether a function is often the value of a variable, and shown like a function.
    pub(super) has_assigned_functions: bool,
    /// Whether braces enclose blocks, and commas end a value; otherwise a value may be a tuple without brackets.
    pub(super) has_blocks_in_braces: bool,
    /// Whether a parameter called `self` is the receiver, which has a type of its own.
    pub(super) has_typed_self: bool,
    /// Marks before a parameter that stands for several.
    pub(super) rest_marks: &'static [&'static str],
    /// Whether `?` behind a parameter's name makes it optional.
    pub(super) has_optional_mark: bool,
    /// Whether the word `vararg` before a parameter makes it stand for several.
    pub(super) has_vararg: bool,
}

/// Which bracket opens the type parameters behind a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeParameterBracket {
    Angle,
    Square,
    /// A square one directly behind the name: `type Grid [3]int` has no type parameters.
    AdjacentSquare,
}

/// What stands before a name, besides keywords and attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BeforeName {
    Nothing,
    /// `fun <T> List<T>.`
    TypeOfReceiver,
    /// `func (s *Server) `
    Receiver,
    /// The type, and the class of a member that is defined outside of it: `const T& Shop<T>::`.
    Type,
}

impl HeadSyntax {
    const PLAIN: HeadSyntax = HeadSyntax {
        has_hash_comments: false,
        has_preprocessor: false,
        has_triple_quotes: false,
        has_raw_strings_and_lifetimes: false,
        has_names_in_backticks: false,
        has_angles: true,
        type_parameters: TypeParameterBracket::Angle,
        before_name: BeforeName::Nothing,
        qualifier: ".",
        has_leading_type_parameters: false,
        has_const_modifier: false,
        has_class_parameters: false,
        has_constructor_keyword: false,
        has_kind_behind_name: false,
        has_macro_rules: false,
        shows_result_last: false,
        has_arrow_bodies: false,
        conditions: &[],
        value_openers: &[],
        has_shared_types_and_tags: false,
        has_indexers: false,
        has_assigned_functions: false,
        has_blocks_in_braces: true,
        has_typed_self: false,
        rest_marks: &[],
        has_optional_mark: false,
        has_vararg: false,
    };
}

pub(crate) static C: HeadSyntax = HeadSyntax {
    has_preprocessor: true,
    has_angles: false,
    before_name: BeforeName::Type,
    shows_result_last: true,
    ..HeadSyntax::PLAIN
};

pub(crate) static CPP: HeadSyntax = HeadSyntax {
    has_preprocessor: true,
    before_name: BeforeName::Type,
    qualifier: "::",
    shows_result_last: true,
    ..HeadSyntax::PLAIN
};

pub(crate) static CSHARP: HeadSyntax = HeadSyntax {
    has_preprocessor: true,
    has_triple_quotes: true,
    before_name: BeforeName::Type,
    has_const_modifier: true,
    has_class_parameters: true,
    has_arrow_bodies: true,
    conditions: &["where"],
    value_openers: &["{"],
    has_indexers: true,
    ..HeadSyntax::PLAIN
};

pub(crate) static GO: HeadSyntax = HeadSyntax {
    has_angles: false,
    type_parameters: TypeParameterBracket::AdjacentSquare,
    before_name: BeforeName::Receiver,
    has_kind_behind_name: true,
    has_shared_types_and_tags: true,
    ..HeadSyntax::PLAIN
};

pub(crate) static JAVA: HeadSyntax = HeadSyntax {
    has_triple_quotes: true,
    before_name: BeforeName::Type,
    has_leading_type_parameters: true,
    has_class_parameters: true,
    conditions: &["throws"],
    ..HeadSyntax::PLAIN
};

pub(crate) static KOTLIN: HeadSyntax = HeadSyntax {
    has_triple_quotes: true,
    has_names_in_backticks: true,
    before_name: BeforeName::TypeOfReceiver,
    has_class_parameters: true,
    has_constructor_keyword: true,
    conditions: &["where"],
    value_openers: &["by", "get", "set"],
    has_vararg: true,
    ..HeadSyntax::PLAIN
};

pub(crate) static PYTHON: HeadSyntax = HeadSyntax {
    has_hash_comments: true,
    has_triple_quotes: true,
    has_angles: false,
    type_parameters: TypeParameterBracket::Square,
    has_blocks_in_braces: false,
    rest_marks: &["**", "*"],
    ..HeadSyntax::PLAIN
};

pub(crate) static RUST: HeadSyntax = HeadSyntax {
    has_raw_strings_and_lifetimes: true,
    has_macro_rules: true,
    conditions: &["where"],
    has_typed_self: true,
    ..HeadSyntax::PLAIN
};

/// Of TypeScript and JavaScript.
pub(crate) static SCRIPT: HeadSyntax = HeadSyntax {
    has_assigned_functions: true,
    rest_marks: &["..."],
    has_optional_mark: true,
    ..HeadSyntax::PLAIN
};
