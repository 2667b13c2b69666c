//! The signature of a symbol on one line: receiver, parameters, type, supertypes, value. Built only from the
//! text of its head (the outline stores where the head ends), so no file is parsed for it. Invariant: parts
//! omitted for lack of room appear as `…`; defaults and names are omitted first, types last.

mod before;
#[cfg(test)]
mod fixtures;
mod head;
pub(super) mod head_syntax;
mod parameters;
mod plain;
mod tokens;

use std::ops::Range;

use self::before::Prefix;
pub use self::head::{HeadSpan, signature_in};
use self::head_syntax::{BeforeName, HeadSyntax, TypeParameterBracket};
use self::parameters::{Parameter, parameters};
use self::tokens::{Gap, Kind, Token, Tokens};
use super::{Grammar, SymbolKind};

/// Maximum length of a full signature in characters: enough for hand-written code.
pub const MAX_FULL: usize = 1_000;

/// Maximum length of a value in a list, in characters.
const VALUE_CHARS: usize = 48;

/// Maximum length of a value in a full signature, in characters.
const MAX_VALUE: usize = 200;

/// Maximum number of tokens of a value in braces that is shown.
const TOKENS_OF_BLOCK: usize = 12;

/// A value that gets fewer characters than this is omitted, since it would carry no information.
const MIN_VALUE: usize = 8;

/// The text of a declaration around its name.
#[derive(Clone, Copy, Debug)]
struct Head<'a> {
    /// The text from the symbol's start, or from some distance before the name, up to the name.
    before: &'a str,
    /// The text from the end of the name to the end of the head.
    behind: &'a str,
    end: HeadEnd,
}

/// The place where the text after a name ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeadEnd {
    /// The start of the body, or the end of the declaration.
    Body,
    /// The end of the symbol's statement, which may bind other names and contain values of many lines.
    Statement,
    /// An arbitrary place: the rest was not read.
    Cut,
}

/// Parameters, type and value of a symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// The owner of a member, if its name path does not contain the owner: the receiver of Kotlin's
    /// extensions and Go's methods, the class of a C++ member that is defined outside it. Without the
    /// receiver's variable name; empty if there is none.
    pub receiver: String,
    /// Whether the symbol is preceded by `static`, in languages that write types first.
    pub is_static: bool,
    /// The text before the parameters: type parameters, and ` = ` for a function that is assigned.
    lead: String,
    parameters: Option<Vec<Parameter>>,
    /// The return type or own type, and supertypes.
    of_type: String,
    /// `where …`, `throws …`.
    conditions: String,
    /// The value, including its separator.
    value: String,
}

impl Signature {
    /// Reports whether the text before a name matters in this language; if not, it need not be read.
    pub fn needs_text_before_name(grammar: Grammar) -> bool {
        grammar.rules().heads.before_name != BeforeName::Nothing
    }

    /// Reads the signature of a symbol of this kind. Without a grammar it is the rest of the name's line.
    fn read(grammar: Option<Grammar>, kind: SymbolKind, head: Head<'_>) -> Signature {
        let Some(syntax) = grammar.map(|grammar| grammar.rules().heads) else {
            return Signature { value: plain::rest_of_line(head.behind), ..Signature::default() };
        };
        let before = before::read(head.before, syntax, kind);
        let mut tokens = Tokens::read(head.behind, syntax);
        if let Some(at) = tokens.first_unopened() {
            tokens.truncate(at);
        }
        let is_declared = head.end == HeadEnd::Body || kind.is_callable() || tokens.text(0) == "(";
        let mut signature = if is_declared && !is_assigned(kind, head.end) {
            declared(&tokens, syntax, kind, before)
        } else {
            valued(tokens, syntax, kind, before)
        };
        if head.end == HeadEnd::Cut {
            let last =
                if signature.value.is_empty() { &mut signature.conditions } else { &mut signature.value };
            last.push_str(if last.ends_with('…') { "" } else { "…" });
        }
        signature
    }

    /// Returns the full signature, up to [`MAX_FULL`] characters.
    pub fn full(&self) -> String {
        let parameters: Option<Vec<&str>> =
            self.parameters.as_ref().map(|all| all.iter().map(|one| &*one.full).collect());
        let text = self.text(parameters.as_deref(), &self.conditions);
        cut(text + &cut(self.value.clone(), MAX_VALUE), MAX_FULL)
    }

    /// Returns the types of the parameters (or the name of a parameter without a type), without white space;
    /// `None` if there is no parameter list.
    pub fn parameter_types(&self) -> Option<Vec<String>> {
        let plain = |one: &Parameter| one.bare.split_whitespace().collect::<String>();
        Some(self.parameters.as_ref()?.iter().map(plain).collect())
    }

    /// Returns the signature in at most `limit` characters. Omits defaults first, then the names of
    /// parameters, then conditions, then the last parameters, and types last.
    pub fn truncated_to(&self, limit: usize) -> String {
        let Some(all) = &self.parameters else { return self.without_parameters(limit) };
        let lengths: [fn(&Parameter) -> &str; 3] = [|one| &one.full, |one| &one.brief, |one| &one.bare];
        for length in lengths {
            let shown: Vec<&str> = all.iter().map(length).collect();
            let text = self.text(Some(&shown), &self.conditions);
            if let Some(room) = limit.checked_sub(text.chars().count()) {
                return text + &self.value_within(room);
            }
        }
        let conditions = if self.conditions.is_empty() { "" } else { " …" };
        let bare: Vec<&str> = all.iter().map(|one| &*one.bare).collect();
        let fewer = (0..bare.len()).rev().map(|count| [&bare[..count], &["…"]].concat());
        for shown in std::iter::once(bare.clone()).chain(fewer) {
            let text = self.text(Some(&shown), conditions);
            if text.chars().count() <= limit {
                return text;
            }
        }
        cut(self.text(Some(&["…"]), conditions), limit)
    }

    fn without_parameters(&self, limit: usize) -> String {
        let text = cut(self.text(None, &self.conditions), limit);
        let room = limit.saturating_sub(text.chars().count());
        text + &self.value_within(room)
    }

    /// Returns the value in at most `room` characters; empty for a function whose type is known.
    fn value_within(&self, room: usize) -> String {
        if self.parameters.is_some() && !self.of_type.is_empty() {
            return String::new();
        }
        let room = room.min(VALUE_CHARS);
        match self.value.chars().count() {
            length if length <= room => self.value.clone(),
            _ if room < MIN_VALUE => String::new(),
            _ => cut(self.value.clone(), room),
        }
    }

    fn text(&self, parameters: Option<&[&str]>, conditions: &str) -> String {
        let list = parameters.map_or_else(String::new, |all| format!("({})", all.join(", ")));
        format!("{}{list}{}{conditions}", self.lead, self.of_type)
    }
}

/// Truncates `text` to at most `limit` characters, the last of which is `…` if anything was removed.
fn cut(mut text: String, limit: usize) -> String {
    if text.chars().count() > limit {
        let end = text.char_indices().nth(limit.saturating_sub(1)).map_or(0, |(at, _)| at);
        text.truncate(end);
        text.truncate(text.trim_end().len());
        text.push('…');
    }
    text
}

/// Reports whether a symbol of this kind, whose head ends with its statement, is the value that the statement
/// assigns.
fn is_assigned(kind: SymbolKind, end: HeadEnd) -> bool {
    use SymbolKind::{Constant, EnumMember, Event, Field, Property, TypeParameter, Variable};
    end != HeadEnd::Body
        && matches!(kind, Variable | Constant | Field | Property | EnumMember | Event | TypeParameter)
}

/// Reads a function or class: type parameters, parameters, and the rest up to the body.
fn declared(tokens: &Tokens<'_>, syntax: &HeadSyntax, kind: SymbolKind, before: Prefix) -> Signature {
    let mut signature = Signature {
        receiver: before.receiver,
        is_static: before.is_static,
        lead: before.type_parameters,
        ..Signature::default()
    };
    let mut at = 0;
    if let Some(close) = type_parameters(tokens, syntax) {
        signature.lead = tokens.render(0..close + 1);
        at = close + 1;
    }
    let is_class = !kind.is_callable() && tokens.text(at) != "(";
    if syntax.has_constructor_keyword && !kind.is_callable() {
        at = skip_constructor(tokens, at);
    }
    if (kind.is_callable() || syntax.has_class_parameters || !is_class_like(kind)) && tokens.text(at) == "(" {
        let (inside, behind) = match tokens.close(at, "(") {
            Some(close) => (at + 1..close, close + 1),
            None => (at + 1..tokens.len(), tokens.len()),
        };
        let mut all = parameters(tokens, inside, syntax);
        if behind == tokens.len() && tokens.text(behind - 1) != ")" {
            let rest = "…".to_owned();
            all.push(Parameter { full: rest.clone(), brief: rest.clone(), bare: rest });
        }
        signature.parameters = Some(all);
        at = behind;
    }
    if is_class && syntax.has_kind_behind_name && matches!(kind, SymbolKind::Struct | SymbolKind::Interface) {
        // ` struct` would only repeat the kind.
        return signature;
    }
    if syntax.has_macro_rules && tokens.text(at) == "{" {
        return signature;
    }
    // The statement of a secondary constructor includes its body `constructor(…) { … }`.
    let is_secondary = syntax.has_constructor_keyword && kind == SymbolKind::Constructor;
    let body = tokens.find(at..tokens.len(), |token| token.text == "{").filter(|_| is_secondary);
    let rest = Suffix::read(tokens, at..body.unwrap_or(tokens.len()), syntax);
    (signature.conditions, signature.value) = (rest.conditions, rest.value);
    signature.of_type = match rest.of_type.strip_prefix(" :") {
        // In source, a supertype list has a space before its colon; after parameters a type has none.
        Some(of_type) if matches!(kind, SymbolKind::Function | SymbolKind::Method) => format!(":{of_type}"),
        _ => rest.of_type,
    };
    let given = match &*before.of_type {
        "" => return signature,
        of_type if kind.is_callable() => format!(" -> {of_type}"),
        of_type => format!(" = {of_type}"),
    };
    match syntax.shows_result_last {
        true if !signature.of_type.contains("->") => signature.of_type.push_str(&given),
        true => {}
        false => signature.of_type.insert_str(0, &given),
    }
    signature
}

fn is_class_like(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Interface, Module, Namespace, Object, Package, Struct};
    matches!(kind, Class | Enum | Interface | Module | Namespace | Object | Package | Struct)
}

/// Returns the end of the type parameters with which the tokens begin.
fn type_parameters(tokens: &Tokens<'_>, syntax: &HeadSyntax) -> Option<usize> {
    match syntax.type_parameters {
        TypeParameterBracket::Square => tokens.close(0, "["),
        TypeParameterBracket::AdjacentSquare => {
            tokens.close(0, "[").filter(|_| tokens.get(0).is_some_and(|t| t.gap == Gap::None))
        }
        TypeParameterBracket::Angle => tokens.close(0, "<"),
    }
}

/// Returns the position after Kotlin's ` @Inject private constructor`, if that begins at `at`.
fn skip_constructor(tokens: &Tokens<'_>, at: usize) -> usize {
    let end = tokens.find(at..tokens.len(), |token| matches!(token.text, "constructor" | ":" | "="));
    end.filter(|&end| tokens.text(end) == "constructor").map_or(at, |end| end + 1)
}

/// The parts after the parameters.
struct Suffix {
    of_type: String,
    conditions: String,
    value: String,
}

impl Suffix {
    fn read(tokens: &Tokens<'_>, range: Range<usize>, syntax: &HeadSyntax) -> Suffix {
        let starts_value = |token: &Token<'_>| match token.text {
            "=" => true,
            "=>" => syntax.has_arrow_bodies,
            _ => false,
        };
        let value = tokens.find(range.clone(), starts_value).unwrap_or(range.end);
        let mut end = value;
        while end > range.start && matches!(tokens.text(end - 1), "{" | ":" | ";" | ",") {
            end -= 1;
        }
        let is_condition = |token: &Token<'_>| syntax.conditions.contains(&token.text);
        let condition = tokens.find(range.start..end, is_condition).unwrap_or(end);
        Suffix {
            of_type: tokens.render_with_gap(range.start..condition),
            conditions: tokens.render_with_gap(condition..end),
            value: shown_value(tokens, value..range.end, syntax),
        }
    }
}

/// Reads a variable, property or enum member, up to the end of its own part of the statement.
fn valued(mut tokens: Tokens<'_>, syntax: &HeadSyntax, kind: SymbolKind, before: Prefix) -> Signature {
    let mut start = 0;
    if syntax.has_shared_types_and_tags {
        while tokens.text(start) == "," && tokens.is_word(start + 1) {
            start += 2;
        }
    }
    let end = end_of_value(&tokens, start, syntax);
    tokens.truncate(end);
    let mut signature =
        Signature { receiver: before.receiver, is_static: before.is_static, ..Signature::default() };
    if syntax.has_assigned_functions
        && let Some(function) = assigned_function(&tokens, syntax)
    {
        return function;
    }
    let starts_value = |token: &Token<'_>| match token.text {
        "=" | ":=" | "+=" | "=>" => true,
        text => {
            syntax.value_openers.contains(&text)
                || syntax.has_shared_types_and_tags && token.kind == Kind::Literal
        }
    };
    let is_member = kind == SymbolKind::EnumMember;
    let at = match tokens.find(start..end, starts_value) {
        _ if is_member => start,
        found => found.unwrap_or(end),
    };
    let own = tokens.render_with_gap(start..at);
    signature.of_type = match &*before.of_type {
        "" => own,
        // `this[int i]`
        of_type if syntax.has_indexers => format!("{own}: {of_type}"),
        of_type => format!(": {of_type}{own}"),
    };
    let is_tag =
        syntax.has_shared_types_and_tags && tokens.get(at).is_some_and(|token| token.kind == Kind::Literal);
    if !is_tag {
        signature.value = shown_value(&tokens, at..end, syntax);
    }
    signature
}

/// Returns a value on one line, with a long block in braces replaced by `{…}`.
fn shown_value(tokens: &Tokens<'_>, range: Range<usize>, syntax: &HeadSyntax) -> String {
    let is_block = |token: &Token<'_>| token.text == "{" && syntax.has_blocks_in_braces;
    let block = tokens.find(range.clone(), is_block).filter(|&open| {
        let close = tokens.close(open, "{").unwrap_or(range.end);
        close - open > TOKENS_OF_BLOCK
    });
    if let Some(open) = block {
        return format!("{} {{…}}", tokens.render_with_gap(range.start..open));
    }
    let is_cut = range.clone().any(|at| tokens.next_after(at).is_none());
    let text = tokens.render_with_gap(range);
    format!("{}{}", text.trim_end_matches([';', ' ']), if is_cut { "…" } else { "" })
}

/// Returns the end of the part of a statement that begins with token `start`: at a comma, a semicolon, or the
/// end of a line that has no continuation.
fn end_of_value(tokens: &Tokens<'_>, start: usize, syntax: &HeadSyntax) -> usize {
    let goes_on = |text: &str| {
        matches!(text, "=" | ":" | "|" | "&" | "->" | "=>" | "." | "?." | "+" | "||" | "&&" | "??" | "by")
    };
    let mut has_value = false;
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        has_value |= token.text == "=";
        let is_over = match token.text {
            ";" => true,
            // In Python the comma is part of a tuple.
            "," => !has_value || syntax.has_blocks_in_braces,
            text => {
                token.gap == Gap::LineBreak && at > start && !goes_on(text) && !goes_on(tokens.text(at - 1))
            }
        };
        if is_over {
            return at;
        }
        match tokens.next_after(at) {
            Some(behind) => at = behind,
            None => break,
        }
    }
    tokens.len()
}

/// Reads `= async (a: A): Promise<B> => …`: the parameters of an assigned function become the signature.
fn assigned_function(tokens: &Tokens<'_>, syntax: &HeadSyntax) -> Option<Signature> {
    let equals = tokens.find(0..tokens.len(), |token| token.text == "=")?;
    let mut at = equals + 1;
    while matches!(tokens.text(at), "async" | "function" | "*") {
        at += 1;
    }
    at = tokens.close(at, "<").map_or(at, |close| close + 1);
    let close = tokens.close(at, "(")?;
    let is_arrow = !(equals + 1..at).any(|at| tokens.text(at) == "function");
    if is_arrow && !matches!(tokens.text(close + 1), "=>" | ":") {
        return None;
    }
    let mark = if is_arrow { "=>" } else { "{" };
    let end = tokens.find(close + 1..tokens.len(), |token| token.text == mark)?;
    let is_block = is_arrow && tokens.text(end + 1) == "{";
    Some(Signature {
        lead: tokens.render_with_gap(0..at) + if tokens.get(at)?.gap == Gap::None { "" } else { " " },
        parameters: Some(parameters(tokens, at + 1..close, syntax)),
        of_type: tokens.render_with_gap(close + 1..end) + if is_block { " =>" } else { "" },
        value: if is_block || !is_arrow { String::new() } else { tokens.render_with_gap(end..tokens.len()) },
        ..Signature::default()
    })
}
