//! The vocabulary of `grammars/*/symbols.scm`: what the captures and `#set!` properties of a pattern say
//! about a match. It is tree-sitter's tags vocabulary (`@definition.class` with `@name`), extended; the
//! whole of it is the table below. Invariant: a word that is not in it fails the load, never the lookup.
//!
//! | capture | meaning |
//! |---|---|
//! | `@name` | the node that names the symbol |
//! | `@definition.<kind>` | a symbol of its own; the node is its whole range. `<kind>` is a word of [`SymbolKind`], or `parameter`: a variable, local to its function |
//! | `@binding.<kind>` | an assignment: one symbol per scope and name, at the first of them |
//! | `@binding.attribute` | an assignment to an attribute of `@receiver`: belongs to the class whose method's first parameter (or whose name) the receiver is |
//! | `@occupied` | the name is taken (an import), so later assignments to it are no symbols |
//! | `@extent` | widens the range of the symbol with the same `@name` node: decorators, whole statements |
//! | `@around` | a declaration of several names: its range is theirs |
//! | `@becomes.<kind>` | a token before the name that says the kind (`interface`, `const`) |
//! | `@receiver.none` | a token in an `@around`: its function has no receiver, so attribute bindings inside are not followed |
//! | `@unnamed` | where there is no `@name`: the token that stands for it; the name is the property `name` |
//! | `@leading` | an attribute that stands before its declaration, beside it: widens the range of what follows it |
//! | `@trailing` | belongs to the declaration before it, whose range it widens: accessors beside their property |
//! | `@outer.file`, `@outer.function` | inside this function, assignments to `@name` belong to the file, or to an enclosing function |
//! | `@anonymous.<kind>` | a type without a name, `@unnamed` and the property `name` stand for it: a row only where hidden types are asked for |
//! | `@scope.function` | a function without a name: what is declared inside belongs to the symbol around it, as if that were a function |
//! | `@scope.closed` | what is declared inside is not listed |
//! | `@scope.transparent` | likewise, but bindings with `hoist` belong to the scope around it |
//! | `@part.<word>` | text for a composed name |
//! | `@body` | alone in its pattern: the node kinds that are bodies, where a declaration's head ends; not run as a query |
//! | `@identifier` | alone in its pattern: the node kinds that are identifiers; not run as a query |
//! | `@template` | likewise: the node kinds of strings in which names stand that are no nodes, or of what holds such strings (see `templates`) |
//! | `@_…` | for predicates only |
//!
//! | property | meaning |
//! |---|---|
//! | `member <kind>` | the kind where the parent is class-like |
//! | `constructor <name>` | a member of this name is a constructor |
//! | `constructor @class` | a member named like its class is a constructor |
//! | `capitals <kind>` | the kind when the name is written in capitals |
//! | `unlisted <names>` | names that are not listed |
//! | `name <template>` | the name is composed: `{part}` stands for the text of `@part.<part>`, `{name}` for that of `@name` |
//! | `quotes <characters>` | when the name stands between two of one of these, they are not part of it |
//! | `weak` | the binding is the symbol only where no other is |
//! | `leaf` | what is declared inside its range belongs to the scope around it |
//! | `owner class` | belongs to the class-like symbol around its function |
//! | `local none` | not listed directly inside a function |
//! | `hoist` | see `@scope.transparent` |
//!
//! Of several patterns that name the same node the first in the file wins; ranges are united.

use tree_sitter::Query;

use super::imports::roles::ImportRole;
use super::kind::SymbolKind;

/// What is wrong with a grammar's query.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// tree-sitter refused it.
    #[error("grammars/{grammar}: {source}")]
    Syntax {
        /// The folder of the query.
        grammar: &'static str,
        /// Where and why.
        source: tree_sitter::QueryError,
    },
    /// A capture, property or combination that this module does not know.
    #[error("grammars/{grammar}: pattern {pattern}: {why}")]
    Vocabulary {
        /// The folder of the query.
        grammar: &'static str,
        /// The pattern's number, from 0.
        pattern: usize,
        /// What is not understood.
        why: String,
    },
}

/// What a match of one pattern means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// A symbol of its own.
    Define,
    /// A type without a name.
    Anonymous,
    /// A symbol of its own, a variable that belongs to its function.
    Parameter,
    /// An assignment to a name.
    Bind,
    /// An assignment to an attribute of a receiver.
    BindAttribute,
    /// The name is taken.
    Occupy,
    /// A wider range for a name.
    Extent,
    /// A declaration of several names.
    Around,
    /// Says the kind of the symbol around it.
    Becomes,
    /// The function declared around it has no receiver.
    NoReceiver,
    /// Part of the declaration behind it.
    Leading,
    /// Part of the declaration before it.
    Trailing,
    /// Assignments to the name belong to the file.
    OuterFile,
    /// Assignments to the name belong to an enclosing function.
    OuterFunction,
    /// A function without a name.
    ScopeFunction,
    /// Nothing inside is listed.
    ScopeClosed,
    /// Nothing inside is listed but what is hoisted.
    ScopeTransparent,
}

/// How a constructor is told by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Constructor {
    /// It is called so.
    Named(Box<str>),
    /// It is called as its class is.
    LikeClass,
}

/// A piece of a composed name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(Box<str>),
    /// The text of the node with this capture index.
    Capture(u32),
}

/// One pattern, compiled.
#[derive(Clone, Debug)]
pub(super) struct Role {
    pub(super) act: Act,
    pub(super) kind: SymbolKind,
    /// Capture index of the node that is the range.
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

/// A grammar's patterns, and which nodes are its identifiers.
#[derive(Debug)]
pub(super) struct Roles {
    /// By pattern index; `None` for patterns that only list node kinds, which are disabled in the query.
    pub(super) by_pattern: Box<[Option<Role>]>,
    /// By pattern index minus the length of `by_pattern`: the patterns of imports stand last.
    pub(super) imports: Box<[ImportRole]>,
    /// The node kinds that the query lists.
    pub(super) kinds: NodeKinds,
}

/// Node kinds as the query spells them, by what they are.
#[derive(Debug, Default)]
pub(super) struct NodeKinds {
    /// Identifiers.
    pub(super) identifiers: Vec<String>,
    /// Strings that `templates` reads.
    pub(super) templates: Vec<String>,
    /// Bodies, where a declaration's head ends.
    pub(super) bodies: Vec<String>,
}

impl Roles {
    /// Reads the roles of all patterns of `query`, whose text is `source`, and disables those that are
    /// not to be run. From byte `imports_at` on the patterns are those of imports.
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
}

impl NodeKinds {
    /// The list to which the node kinds of the pattern belong; `None` when it is a pattern to be run.
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

/// The captures that occur in a pattern: index and name.
fn captures_of(query: &Query, pattern: usize) -> impl Iterator<Item = (u32, &str)> {
    let quantifiers = query.capture_quantifiers(pattern);
    query.capture_names().iter().enumerate().filter_map(move |(index, name)| {
        let used = quantifiers.get(index).is_some_and(|q| *q != tree_sitter::CaptureQuantifier::Zero);
        used.then(|| (u32::try_from(index).unwrap_or(u32::MAX), *name))
    })
}

/// The words behind opening parentheses: the node kinds of a pattern that only lists them.
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
                    return Err(format!("@{capture} is the second capture that says what a match is"));
                }
            }
        }
    }
    let (act, kind, range) = act.ok_or("no capture says what a match is")?;
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
    use Act::*;
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
    if role.receiver.is_none() && act == Act::BindAttribute {
        return Err("@binding.attribute without @receiver".to_owned());
    }
    Ok(role)
}

fn act_of(capture: &str) -> Option<(Act, SymbolKind)> {
    let plain = |act| Some((act, SymbolKind::Variable));
    match capture {
        "definition.parameter" => plain(Act::Parameter),
        "binding.attribute" => plain(Act::BindAttribute),
        "occupied" => plain(Act::Occupy),
        "extent" => plain(Act::Extent),
        "around" => plain(Act::Around),
        "receiver.none" => plain(Act::NoReceiver),
        "leading" => plain(Act::Leading),
        "trailing" => plain(Act::Trailing),
        "outer.file" => plain(Act::OuterFile),
        "outer.function" => plain(Act::OuterFunction),
        "scope.function" => plain(Act::ScopeFunction),
        "scope.closed" => plain(Act::ScopeClosed),
        "scope.transparent" => plain(Act::ScopeTransparent),
        _ => match capture.split_once('.')? {
            ("definition", word) => Some((Act::Define, SymbolKind::from_word(word)?)),
            ("anonymous", word) => Some((Act::Anonymous, SymbolKind::from_word(word)?)),
            ("becomes", word) => Some((Act::Becomes, SymbolKind::from_word(word)?)),
            ("binding", word) => Some((Act::Bind, SymbolKind::from_word(word)?)),
            _ => None,
        },
    }
}

fn set(role: &mut Role, query: &Query, key: &str, value: &str) -> Result<(), String> {
    let kind = || SymbolKind::from_word(value).ok_or_else(|| format!("{key}: {value:?} is no kind"));
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

/// `impl {trait} for {type}` → its pieces.
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
