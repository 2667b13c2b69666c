//! The vocabulary of `grammars/*/symbols.scm`: the captures and `#set!` properties of a pattern, which define
//! what a match means. It extends tree-sitter's tags vocabulary (`@definition.class` with `@name`); the table
//! below is the whole of it. Invariant: a word that is not in the table fails when the query is loaded, never
//! when it runs.
//!
//! | capture | meaning |
//! |---|---|
//! | `@name` | the node that names the symbol |
//! | `@definition.<kind>` | a symbol of its own; the node is its whole range. `<kind>` is a word of [`SymbolKind`], or `parameter`: a variable, local to its function |
//! | `@binding.<kind>` | an assignment: one symbol per scope and name, at the first assignment |
//! | `@binding.attribute` | an assignment to an attribute of `@receiver`: belongs to the class whose method's first parameter (or whose name) the receiver is |
//! | `@occupied` | the name is already bound (an import), so later assignments to it are not symbols |
//! | `@extent` | widens the range of the symbol with the same `@name` node: decorators, whole statements |
//! | `@around` | a declaration of several names: each of these symbols gets its range |
//! | `@becomes.<kind>` | a token before the name that determines the kind (`interface`, `const`) |
//! | `@receiver.none` | a token in an `@around`: the function declared there has no receiver, so attribute bindings inside it are not followed |
//! | `@unnamed` | the token that takes the place of a missing `@name`; the name is the property `name` |
//! | `@leading` | an attribute that is a sibling node before its declaration: widens the range of the declaration that follows it |
//! | `@trailing` | belongs to the declaration before it, whose range it widens: accessors beside their property |
//! | `@outer.file`, `@outer.function` | inside this function, assignments to `@name` belong to the file, or to an enclosing function |
//! | `@anonymous.<kind>` | a type or a function without a name, for which `@unnamed` and the property `name` supply one: a row only where hidden types, or functions, are requested |
//! | `@scope.function` | a function without a name: symbols declared inside belong to the enclosing symbol, as if that were a function |
//! | `@scope.closed` | symbols declared inside are not listed |
//! | `@scope.transparent` | symbols declared inside are not listed, but bindings with `hoist` belong to the enclosing scope |
//! | `@part.<word>` | text for a composed name |
//! | `@body` | alone in its pattern: the node kinds that are bodies, where a declaration's head ends; not run as a query |
//! | `@identifier` | alone in its pattern: the node kinds that are identifiers; not run as a query |
//! | `@template` | alone in its pattern: the node kinds of strings that contain names which are not nodes, or of nodes that contain such strings (see `templates`); not run as a query |
//! | `@_…` | for predicates only |
//!
//! | property | meaning |
//! |---|---|
//! | `member <kind>` | the kind if the parent is class-like and no namespace |
//! | `constructor <name>` | a member of this name is a constructor |
//! | `constructor @class` | a member named like its class is a constructor |
//! | `capitals <kind>` | the kind if the name is written in capitals |
//! | `unlisted <names>` | names that are not listed |
//! | `name <template>` | the name is composed: `{part}` stands for the text of `@part.<part>`, `{name}` for that of `@name` |
//! | `quotes <characters>` | if the name is enclosed in a pair of one of these characters, they are not part of it |
//! | `weak` | the binding becomes a symbol only if no other binding of that name does |
//! | `leaf` | symbols declared inside its range belong to the enclosing scope |
//! | `owner class` | belongs to the class-like symbol that encloses its function |
//! | `local none` | not listed directly inside a function |
//! | `hoist` | see `@scope.transparent` |
//!
//! If several patterns name the same node, the first in the file wins; their ranges are united.

use tree_sitter::Query;

use super::imports::roles::ImportRole;
use super::kind::SymbolKind;

/// An error in a grammar's query.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// A query that tree-sitter rejected.
    #[error("grammars/{grammar}: {source}")]
    Syntax {
        grammar: &'static str,
        /// Position and reason.
        source: tree_sitter::QueryError,
    },
    /// A capture, property or combination that this module does not know.
    #[error("grammars/{grammar}: pattern {pattern}: {why}")]
    Vocabulary {
        grammar: &'static str,
        /// The pattern's number, 0-based.
        pattern: usize,
        why: String,
    },
}

/// The meaning of a pattern's matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatternMeaning {
    /// A symbol of its own.
    Define,
    Anonymous,
    /// A parameter: a symbol of its own, a variable that belongs to its function.
    Parameter,
    Bind,
    BindAttribute,
    /// A name that is already bound, as by an import.
    Occupy,
    /// A wider range for the symbol with the same name node.
    Extent,
    Around,
    /// The kind of the enclosing symbol.
    Becomes,
    /// A mark that the enclosing function has no receiver.
    NoReceiver,
    /// Part of the declaration that follows.
    Leading,
    /// Part of the declaration that precedes.
    Trailing,
    /// A statement by which assignments to the name belong to the file.
    OuterFile,
    /// A statement by which assignments to the name belong to an enclosing function.
    OuterFunction,
    ScopeFunction,
    /// A scope in which nothing is listed.
    ScopeClosed,
    /// A scope in which nothing is listed except hoisted bindings.
    ScopeTransparent,
}

/// How a constructor is recognized by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Constructor {
    /// It has this name.
    Named(Box<str>),
    /// It has the name of its class.
    LikeClass,
}

/// A piece of a composed name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(Box<str>),
    /// The text of the node with this capture index.
    Capture(u32),
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Role {
    pub(super) act: PatternMeaning,
    pub(super) kind: SymbolKind,
    /// Capture index of the node whose range is the symbol's range.
    pub(super) range: u32,
    pub(super) name: Option<u32>,
    pub(super) receiver: Option<u32>,
    pub(super) unnamed: Option<u32>,
    pub(super) member: Option<SymbolKind>,
    pub(super) capitals: Option<SymbolKind>,
    pub(super) constructor: Option<Constructor>,
    pub(super) unlisted: Box<[Box<str>]>,
    pub(super) composed: Option<Box<[Piece]>>,
    pub(super) quotes: Box<[u8]>,
    pub(super) leaf: bool,
    pub(super) weak: bool,
    pub(super) owned_by_class: bool,
    pub(super) hoist: bool,
    pub(super) no_local: bool,
}

/// A grammar's patterns and the node kinds that its query lists.
#[derive(Debug)]
pub(super) struct Roles {
    /// By pattern index; `None` for patterns that only list node kinds, which are disabled in the query.
    pub(super) by_pattern: Box<[Option<Role>]>,
    /// By pattern index minus the length of `by_pattern`: the patterns of imports come last.
    pub(super) imports: Box<[ImportRole]>,
    pub(super) kinds: NodeKinds,
}

/// Node kinds, spelled as in the query, by their purpose.
#[derive(Debug, Default)]
pub(super) struct NodeKinds {
    pub(super) identifiers: Vec<String>,
    /// Strings that `templates` reads.
    pub(super) templates: Vec<String>,
    /// Bodies, where a declaration's head ends.
    pub(super) bodies: Vec<String>,
}

impl Roles {
    /// Reads the roles of all patterns of `query`, whose text is `source`, and disables those that are not to
    /// be run. The patterns from byte `imports_at` on are import patterns.
    pub(super) fn read(
        grammar: &'static str,
        query: &mut Query,
        source: &str,
        imports_at: usize,
    ) -> Result<Roles, QueryError> {
        let mut by_pattern = Vec::new();
        let mut imports = Vec::new();
        let mut kinds = NodeKinds::default();
        for pattern in 0..query.pattern_count() {
            let text = &source[query.start_byte_for_pattern(pattern)..query.end_byte_for_pattern(pattern)];
            let fail = |why: String| QueryError::Vocabulary { grammar, pattern, why };
            if query.start_byte_for_pattern(pattern) >= imports_at {
                imports.push(ImportRole::read(query, pattern).map_err(fail)?);
            } else if let Some(kinds) = kinds.listed_by(query, pattern) {
                kinds.extend(node_kinds(text));
                query.disable_pattern(pattern);
                by_pattern.push(None);
            } else {
                by_pattern.push(Some(read_role(query, pattern).map_err(fail)?));
            }
        }
        Ok(Roles { by_pattern: by_pattern.into(), imports: imports.into(), kinds })
    }

    /// Whether a pattern is run, and does not only list node kinds.
    pub(super) fn is_run(&self, pattern: usize) -> bool {
        !matches!(self.by_pattern.get(pattern), Some(None))
    }
}

impl NodeKinds {
    /// Returns the list to which the node kinds of the pattern belong, or `None` if the pattern is to be run.
    fn listed_by(&mut self, query: &Query, pattern: usize) -> Option<&mut Vec<String>> {
        let has = |wanted| captures_of(query, pattern).any(|(_, name)| name == wanted);
        match () {
            () if has("identifier") => Some(&mut self.identifiers),
            () if has("template") => Some(&mut self.templates),
            () if has("body") => Some(&mut self.bodies),
            () => None,
        }
    }
}

/// Returns index and name of each capture that occurs in a pattern.
fn captures_of(query: &Query, pattern: usize) -> impl Iterator<Item = (u32, &str)> {
    let quantifiers = query.capture_quantifiers(pattern);
    query.capture_names().iter().enumerate().filter_map(move |(index, name)| {
        let used = quantifiers.get(index).is_some_and(|q| *q != tree_sitter::CaptureQuantifier::Zero);
        used.then(|| (u32::try_from(index).unwrap_or(u32::MAX), *name))
    })
}

/// Returns the words after opening parentheses: the node kinds of a pattern that only lists them.
fn node_kinds(pattern: &str) -> impl Iterator<Item = String> {
    pattern.split('(').skip(1).map(|rest| {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        rest[..end].to_owned()
    })
}

fn read_role(query: &Query, pattern: usize) -> Result<Role, String> {
    let mut act = None;
    let mut name = None;
    let mut receiver = None;
    let mut unnamed = None;
    for (index, capture) in captures_of(query, pattern) {
        match capture.split_once('.') {
            None if capture == "name" => name = Some(index),
            None if capture == "receiver" => receiver = Some(index),
            None if capture == "unnamed" => unnamed = Some(index),
            None if capture.starts_with('_') => {}
            Some(("part", _)) => {}
            _ => {
                let (meaning, kind) = act_of(capture).ok_or_else(|| format!("unknown capture @{capture}"))?;
                if act.replace((meaning, kind, index)).is_some() {
                    return Err(format!("@{capture} is a second capture that defines the match"));
                }
            }
        }
    }
    let (act, kind, range) = act.ok_or("no capture defines the match")?;
    let mut role = Role {
        act,
        kind,
        range,
        name,
        receiver,
        unnamed,
        member: None,
        capitals: None,
        constructor: None,
        unlisted: Box::default(),
        composed: None,
        quotes: Box::default(),
        leaf: false,
        weak: false,
        owned_by_class: false,
        hoist: false,
        no_local: false,
    };
    for property in query.property_settings(pattern) {
        set(&mut role, query, &property.key, property.value.as_deref().unwrap_or(""))?;
    }
    use PatternMeaning::*;
    let is_nameless = matches!(
        act,
        Anonymous
            | ScopeFunction
            | ScopeClosed
            | ScopeTransparent
            | Around
            | Becomes
            | NoReceiver
            | Leading
            | Trailing
    );
    if role.name.is_none() && !is_nameless {
        return Err("no @name".to_owned());
    }
    if role.unnamed.is_some() && role.composed.is_none() {
        return Err("@unnamed without the property name".to_owned());
    }
    if role.unnamed.is_none() && act == Anonymous {
        return Err("@anonymous without @unnamed".to_owned());
    }
    if role.receiver.is_none() && act == PatternMeaning::BindAttribute {
        return Err("@binding.attribute without @receiver".to_owned());
    }
    Ok(role)
}

fn act_of(capture: &str) -> Option<(PatternMeaning, SymbolKind)> {
    let plain = |act| Some((act, SymbolKind::Variable));
    match capture {
        "definition.parameter" => plain(PatternMeaning::Parameter),
        "binding.attribute" => plain(PatternMeaning::BindAttribute),
        "occupied" => plain(PatternMeaning::Occupy),
        "extent" => plain(PatternMeaning::Extent),
        "around" => plain(PatternMeaning::Around),
        "receiver.none" => plain(PatternMeaning::NoReceiver),
        "leading" => plain(PatternMeaning::Leading),
        "trailing" => plain(PatternMeaning::Trailing),
        "outer.file" => plain(PatternMeaning::OuterFile),
        "outer.function" => plain(PatternMeaning::OuterFunction),
        "scope.function" => plain(PatternMeaning::ScopeFunction),
        "scope.closed" => plain(PatternMeaning::ScopeClosed),
        "scope.transparent" => plain(PatternMeaning::ScopeTransparent),
        _ => match capture.split_once('.')? {
            ("definition", word) => Some((PatternMeaning::Define, SymbolKind::from_word(word)?)),
            ("anonymous", word) => Some((PatternMeaning::Anonymous, SymbolKind::from_word(word)?)),
            ("becomes", word) => Some((PatternMeaning::Becomes, SymbolKind::from_word(word)?)),
            ("binding", word) => Some((PatternMeaning::Bind, SymbolKind::from_word(word)?)),
            _ => None,
        },
    }
}

fn set(role: &mut Role, query: &Query, key: &str, value: &str) -> Result<(), String> {
    let kind = || SymbolKind::from_word(value).ok_or_else(|| format!("{key}: {value:?} is not a kind"));
    match key {
        "member" => role.member = Some(kind()?),
        "capitals" => role.capitals = Some(kind()?),
        "constructor" if value == "@class" => role.constructor = Some(Constructor::LikeClass),
        "constructor" => role.constructor = Some(Constructor::Named(value.into())),
        "unlisted" => role.unlisted = value.split_whitespace().map(Into::into).collect(),
        "name" => role.composed = Some(pieces(query, value)?),
        "quotes" => role.quotes = value.as_bytes().into(),
        "weak" => role.weak = true,
        "leaf" => role.leaf = true,
        "owner" if value == "class" => role.owned_by_class = true,
        "local" if value == "none" => role.no_local = true,
        "hoist" => role.hoist = true,
        _ => return Err(format!("unknown property {key} {value:?}")),
    }
    Ok(())
}

/// Splits a template such as `impl {trait} for {type}` into pieces.
fn pieces(query: &Query, template: &str) -> Result<Box<[Piece]>, String> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (part, behind) = after.split_once('}').ok_or_else(|| format!("unclosed {{ in {template:?}"))?;
        let capture = if part == "name" { part.to_owned() } else { format!("part.{part}") };
        let index = query.capture_index_for_name(&capture).ok_or_else(|| format!("no @{capture}"))?;
        if !before.is_empty() {
            pieces.push(Piece::Text(before.into()));
        }
        pieces.push(Piece::Capture(index));
        rest = behind;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.into()));
    }
    Ok(pieces.into())
}
