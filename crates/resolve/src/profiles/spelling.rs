//! How names, and what surrounds them, are written.

/// How the languages of a family write names, and what surrounds them.
#[derive(Debug)]
pub(crate) struct SpellingRules {
    /// Operators between an object and its member. One that ends with another precedes it.
    pub(crate) access: &'static [&'static str],
    /// What begins a comment that runs to its line's end.
    pub(crate) line_comment: &'static str,
    /// Whether `/* … */` is a comment.
    pub(crate) has_block_comments: bool,
    /// What begins and ends a string that knows no escapes and may have many lines.
    pub(crate) raw_quote: Option<u8>,
    /// Whether an operator of member access may stand without an object: `::name` in Kotlin and C++.
    pub(crate) has_access_without_object: bool,
    /// Whether `->` may stand before the type that a function returns, besides before a member.
    pub(crate) has_trailing_returns: bool,
    /// Whether `super(Class, self)` stands for `super()`.
    pub(crate) super_takes_arguments: bool,
    /// What separates an argument's name from its value; `None` where arguments have no names.
    pub(crate) argument_mark: Option<char>,
    /// Words for the receiver of a method, or for its class.
    pub(crate) receiver_names: &'static [&'static str],
    /// What precedes a name that would otherwise be a keyword; `None` where nothing but backticks does.
    pub(crate) escape: Option<&'static str>,
    /// What `name` is in `{ name: value }`.
    pub(crate) literal_key: LiteralKey,
}

/// What `name` is in `{ name: value }`, a literal or a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LiteralKey {
    /// No key: the language has no such literals.
    None,
    /// A member of some object.
    Member,
    /// A field of a struct, or a value that is the key of a map.
    FieldOrValue,
    /// A field, which `{ name }` names too, whatever else the name means there. The syntax tree says where.
    Field,
}

impl SpellingRules {
    /// The spelling of a language that writes `object.member` and `// comment`.
    pub(crate) const PLAIN: SpellingRules = SpellingRules {
        access: &["."],
        line_comment: "//",
        has_block_comments: true,
        raw_quote: None,
        has_access_without_object: false,
        has_trailing_returns: false,
        super_takes_arguments: false,
        argument_mark: None,
        receiver_names: &["this"],
        escape: None,
        literal_key: LiteralKey::None,
    };
}
