//! Reads the text around an identifier without a syntax tree: its receiver, and whether it names an argument.
//! Invariant: every scan is bounded, so that the time of a question grows only with the number of
//! occurrences.

use super::brackets::open_parenthesis;
use super::cpp;
use super::family::Family;

/// How far back to search for the start of a receiver, in bytes.
const MAX_BACK: usize = 4000;

/// The receiver of an identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Receiver<'t> {
    /// No receiver: the identifier stands alone.
    None,
    /// Names joined by dots, outermost first, with the byte offset of the first: `a.b` in `a.b.name`.
    Chain(Vec<&'t str>, usize),
    /// `super()`, `super`.
    Super,
    /// Any other expression.
    Expression,
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the text before byte `at`, without white space and comments at its end, and without an opening
/// backtick.
pub(super) fn text_before(text: &str, at: usize, family: Family) -> &str {
    let mut before = text.get(..at).unwrap_or("");
    before = before.strip_suffix('`').unwrap_or(before);
    loop {
        let trimmed = before.trim_end();
        if !before[trimmed.len()..].contains('\n') {
            return without_block_comment(trimmed, family);
        }
        // On an earlier line, text behind a comment mark is no code.
        let line = trimmed.rfind('\n').map_or(0, |at| at + 1);
        match comment_in(&trimmed[line..], family) {
            // The line holds only the comment: continue above it.
            Some(comment) if trimmed[line..line + comment].trim().is_empty() => before = &trimmed[..line],
            Some(comment) => return trimmed[..line + comment].trim_end(),
            None => return without_block_comment(trimmed, family),
        }
    }
}

fn without_block_comment(text: &str, family: Family) -> &str {
    let has_comments = family.profile().spelling.has_block_comments;
    let open = text.strip_suffix("*/").filter(|_| has_comments).and_then(|rest| rest.rfind("/*"));
    open.map_or(text, |open| text[..open].trim_end())
}

/// Finds the byte in the line at which a comment begins that runs to the line's end.
fn comment_in(line: &str, family: Family) -> Option<usize> {
    // Behind an odd number of quotes, the mark is inside a string.
    let is_open = |at: usize| {
        line[..at].matches('"').count().is_multiple_of(2)
            && line[..at].matches('\'').count().is_multiple_of(2)
    };
    line.match_indices(family.profile().spelling.line_comment).map(|(at, _)| at).find(|&at| is_open(at))
}

/// Returns the text from byte `at` on, without leading white space and without a closing backtick.
pub(super) fn text_after(text: &str, at: usize) -> &str {
    let behind = text.get(at..).unwrap_or("");
    behind.strip_prefix('`').unwrap_or(behind).trim_start()
}

/// Returns the word that `text` ends with; empty when it ends with something else.
pub(super) fn last_word(text: &str) -> &str {
    let start =
        text.char_indices().rev().take_while(|&(_, c)| is_word(c)).last().map_or(text.len(), |(at, _)| at);
    &text[start..]
}

/// Returns the names, joined by dots, that `text` ends with: `a.b` of `x(a.b`, `.b` of `a().b`.
pub(super) fn last_chain(text: &str) -> &str {
    &text[before_last_chain(text).len()..]
}

/// Returns `text` without the words joined by dots that it ends with.
pub(super) fn before_last_chain(text: &str) -> &str {
    text.trim_end_matches(|c: char| is_word(c) || c == '.')
}

/// Returns the word that `text` begins with; empty when it begins with something else.
pub(super) fn first_word(text: &str) -> &str {
    &text[..text.find(|c| !is_word(c)).unwrap_or(text.len())]
}

/// Strips the member access operator at the end of `text`; `None` if there is none.
fn without_access(text: &str, family: Family) -> Option<&str> {
    let operators = family.profile().spelling.access;
    let rest = operators.iter().find_map(|operator| text.strip_suffix(operator))?;
    if family.profile().spelling.has_trailing_returns && text.ends_with("->") && cpp::ends_function_head(rest)
    {
        return None;
    }
    // `..` is a range, `...` a spread.
    if rest.ends_with('.') { None } else { Some(rest) }
}

/// Returns the receiver of the identifier at byte `at`.
pub(super) fn receiver(text: &str, at: usize, family: Family) -> Receiver<'_> {
    let Some(rest) = without_access(text_before(text, at, family), family) else { return Receiver::None };
    receiver_ending(text, rest.len(), at, family)
}

/// Returns the receiver of the name between quotes at byte `at`, `value["name"]`; an expression where none is seen.
pub(super) fn receiver_of_subscript(text: &str, at: usize, family: Family) -> Receiver<'_> {
    let quoted = text_before(text, at.saturating_sub(1), family);
    let Some(before) = quoted.strip_suffix('[') else { return Receiver::Expression };
    let before = text_before(text, before.len(), family);
    let before = before.strip_suffix("?.").unwrap_or(before);
    receiver_ending(text, before.len(), at, family)
}

/// Returns the receiver that ends before byte `end`, of a name at byte `at`.
fn receiver_ending(text: &str, end: usize, at: usize, family: Family) -> Receiver<'_> {
    let mut rest = text_before(text, end, family);
    let mut chain = Vec::new();
    loop {
        if rest.len() + MAX_BACK < at {
            return Receiver::Expression;
        }
        let word = last_word(rest);
        if word.is_empty() {
            let is_super = chain.is_empty() && is_super_call(rest, family);
            // `::name` in Kotlin and C++ has no receiver.
            let is_bare = chain.is_empty()
                && family.profile().spelling.has_access_without_object
                && !rest.ends_with([')', ']', '}', '"', '\'', '>', '?', '!']);
            return match (is_super, is_bare) {
                (true, _) => Receiver::Super,
                (_, true) => Receiver::None,
                _ => Receiver::Expression,
            };
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return Receiver::Expression;
        }
        chain.push(word);
        let start = rest.len() - word.len();
        let left = text_before(text, start, family);
        match without_access(left, family) {
            Some(left) => rest = text_before(text, left.len(), family),
            None => {
                chain.reverse();
                return if chain == ["super"] { Receiver::Super } else { Receiver::Chain(chain, start) };
            }
        }
    }
}

/// Whether `text` ends with `super()`, or with Python's older `super(Class, self)`.
fn is_super_call(text: &str, family: Family) -> bool {
    let call = text.strip_suffix(')').and_then(|text| text.rsplit_once('('));
    call.is_some_and(|(callee, arguments)| {
        let of_self = || match arguments.split_once(',') {
            Some((class, object)) => {
                let class = class.trim();
                first_word(class) == class && matches!(object.trim(), "self" | "cls")
            }
            None => false,
        };
        let has_it = arguments.is_empty() || (family.profile().spelling.super_takes_arguments && of_self());
        has_it && last_word(callee) == "super"
    })
}

/// Returns the byte at which the callee's name ends, if the identifier at `start..end` names an argument of a
/// call (`f(name=1)`).
pub(super) fn argument_of(text: &str, start: usize, end: usize, family: Family) -> Option<usize> {
    let behind = text_after(text, end);
    let mark = family.profile().spelling.argument_mark?;
    // `==` and `::` name nothing.
    if behind.strip_prefix(mark).is_none_or(|rest| rest.starts_with(mark)) {
        return None;
    }
    let left = text_before(text, start, family);
    if !left.ends_with(['(', ',']) {
        return None;
    }
    let open = open_parenthesis(text, left.len())?;
    let callee = text_before(text, open, family);
    (!last_word(callee).is_empty() || callee.ends_with([')', ']', '>'])).then_some(callee.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(family: Family, text: &str, expected: Receiver) {
        let at = text.find("name").expect("a name");
        assert_eq!(receiver(text, at, family), expected, "{text}");
    }

    #[test]
    fn receivers() {
        let chain = |names: &[&'static str], at| Receiver::Chain(names.to_vec(), at);
        check(Family::Python, "x = name", Receiver::None);
        check(Family::Python, "x = a.b.name", chain(&["a", "b"], 4));
        check(Family::Python, "x = a\n  .name", chain(&["a"], 4));
        check(Family::Python, "f(1).name", Receiver::Expression);
        check(Family::Python, "a.b()  # Say.\n  # More.\nname", Receiver::None);
        check(Family::Python, "(a  # Say.\n .name)", chain(&["a"], 1));
        check(Family::Jvm, "// Say.\nname", Receiver::None);
        check(Family::Jvm, "/** Say. */ name", Receiver::None);
        check(Family::Python, "super().name", Receiver::Super);
        check(Family::Python, "super(Box, self).name", Receiver::Super);
        check(Family::Python, "super(Box, other).name", Receiver::Expression);
        check(Family::Python, "f(1).b.name", Receiver::Expression);
        check(Family::Python, "'é'.name", Receiver::Expression);
        check(Family::Jvm, "a?.name", chain(&["a"], 0));
        check(Family::Jvm, "x(::name)", Receiver::None);
        check(Family::Jvm, "super.name", Receiver::Super);
        check(Family::Ecma, "[...name]", Receiver::None);
        check(Family::C, "p->name", chain(&["p"], 0));
        check(Family::Rust, "0..name", Receiver::None);
    }

    #[test]
    fn named_arguments() {
        let argument = |text: &'static str| {
            let at = text.find("name").expect("a name");
            argument_of(text, at, at + 4, Family::Python).map(|end| last_word(&text[..end]))
        };
        assert_eq!(argument("f(name=1)"), Some("f"));
        assert_eq!(argument("f(g(1, 2), [3], name = 1)"), Some("f"));
        assert_eq!(argument("f(name == 1)"), None);
        assert_eq!(argument("a, name = 1, 2"), None);
        assert_eq!(argument("name=1"), None);
    }
}
