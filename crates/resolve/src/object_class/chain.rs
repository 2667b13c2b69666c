//! Chains of names and calls as they are written: `Cart().add(1).lines`, `new Stack().push(1)`, `shop.cart`. Invariant: an
//! expression with any other part is not read at all.

use crate::brackets::{close_bracket, open_bracket};
use crate::context::{first_word, last_word, text_before};
use crate::family::Family;
use crate::hierarchy::heads::without_comments;
use crate::profiles::LanguageProfile;

/// The longest chain that is read, in bytes.
const MAX_CHAIN: usize = 4000;

/// A name of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChainPart<'t> {
    pub(super) name: &'t str,
    pub(super) is_called: bool,
}

/// A chain, and the byte just past it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain<'t> {
    /// Whether it begins with `new`.
    pub(super) is_new: bool,
    pub(super) parts: Vec<ChainPart<'t>>,
    pub(super) end: usize,
}

/// Reads the chain that begins at byte `at`; `None` where none does.
pub(super) fn read_chain<'t>(text: &'t str, at: usize, language: &LanguageProfile) -> Option<Chain<'t>> {
    let whole = text.get(at..)?;
    let whole = &whole[..whole.floor_char_boundary(MAX_CHAIN)];
    // What stands in strings and comments closes no bracket.
    let blank = without_comments(whole, language);
    let blank = blank.as_str();
    let family = language.family;
    let new = whole.strip_prefix("new ").filter(|_| family == Family::Ecma);
    let mut end = new.map_or(0, |rest| whole.len() - rest.trim_start().len());
    let mut parts = Vec::new();
    loop {
        let name = first_word(whole.get(end..)?);
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        end += name.len();
        let is_called = blank.get(end..)?.starts_with('(');
        if is_called {
            let close = close_bracket(blank, end);
            // What is not closed goes on to the end of the text.
            let last = close.checked_sub(1).filter(|_| blank[..close].ends_with(')'))?;
            if open_bracket(blank, last) != Some(end) {
                return None;
            }
            end = close;
        }
        parts.push(ChainPart { name, is_called });
        let Some(next) = member_behind(blank, end, family) else { break };
        end = next;
    }
    Some(Chain { is_new: new.is_some(), parts, end: at + end })
}

/// Returns the byte at which the member's name begins that is taken of what ends at byte `end`.
fn member_behind(text: &str, end: usize, family: Family) -> Option<usize> {
    let behind = text.get(end..)?;
    // A line of Python ends its statement; in brackets, where it does not, the chain ends here.
    let start = if family == Family::Python { behind } else { behind.trim_start() };
    let operators = family.profile().spelling.access;
    let rest = operators.iter().find_map(|operator| start.strip_prefix(operator))?;
    let rest = if family == Family::Python { rest } else { rest.trim_start() };
    (!first_word(rest).is_empty()).then(|| text.len() - rest.len())
}

/// Reads the chain that ends where an operator of access precedes the member at byte `at`: `a.b()` in `a.b().name`. Returns the byte at
/// which it begins, too.
pub(super) fn chain_before<'t>(
    text: &'t str,
    at: usize,
    language: &LanguageProfile,
) -> Option<(usize, Chain<'t>)> {
    let family = language.family;
    let left = text_before(text, at, family);
    let operators = family.profile().spelling.access;
    let object = operators.iter().find_map(|operator| left.strip_suffix(operator))?;
    let object = text_before(text, object.len(), family);
    chain_ending(text, object.len(), language)
}

/// Reads the chain that ends at byte `end`. Returns the byte at which it begins, too.
pub(super) fn chain_ending<'t>(
    text: &'t str,
    end: usize,
    language: &LanguageProfile,
) -> Option<(usize, Chain<'t>)> {
    let family = language.family;
    let operators = family.profile().spelling.access;
    let mut rest = text.get(..end)?;
    // What stands in strings opens no bracket, if the line at which this begins is in none: the chain is read again from its beginning.
    let from = text.floor_char_boundary(end.saturating_sub(MAX_CHAIN));
    let from = text[from..end].find('\n').filter(|_| from > 0).map_or(from, |at| from + at + 1);
    let blank = without_comments(&text[from..end], language);
    let start = loop {
        if rest.len() + MAX_CHAIN < end {
            return None;
        }
        if let Some(inside) = rest.strip_suffix(')') {
            rest = &text[..from + open_bracket(&blank, inside.len().checked_sub(from)?)?];
        }
        let word = last_word(rest);
        if word.is_empty() {
            return None;
        }
        let start = rest.len() - word.len();
        let left = text_before(text, start, family);
        match operators.iter().find_map(|operator| left.strip_suffix(operator)) {
            // A spread or a range is no access.
            Some(object) if !object.ends_with('.') => rest = text_before(text, object.len(), family),
            _ if last_word(left) == "new" && family == Family::Ecma => break left.len() - "new".len(),
            _ if matches!(last_word(left), "await" | "yield" | "typeof" | "lambda") => return None,
            _ => break start,
        }
    };
    let chain = read_chain(text.get(..end)?, start, language)?;
    (chain.end == end).then_some((start, chain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles::PYTHON;

    fn javascript() -> &'static LanguageProfile {
        LanguageProfile::of_grammar("javascript").expect("known")
    }

    fn written(chain: &Chain) -> String {
        let part = |part: &ChainPart| format!("{}{}", part.name, if part.is_called { "()" } else { "" });
        let parts: Vec<String> = chain.parts.iter().map(part).collect();
        format!("{}{}", if chain.is_new { "new " } else { "" }, parts.join("."))
    }

    #[test]
    fn chains_that_begin_somewhere() {
        for (text, expected) in [
            ("Cart().add(\")\", (1)).lines\n", Some("Cart().add().lines")),
            ("shop.cart", Some("shop.cart")),
            ("Cart(\n  1,\n).x + 1", Some("Cart().x")),
            ("Cart(", None),
            ("1", None),
            ("[a]", None),
            ("", None),
        ] {
            let found = read_chain(text, 0, &PYTHON);
            assert_eq!(found.as_ref().map(written).as_deref(), expected, "{text}");
        }
        let script = "new Stack(')')\n  .push(1)?.top;";
        assert_eq!(written(&read_chain(script, 0, javascript()).expect("one")), "new Stack().push().top");
    }

    #[test]
    fn chains_before_a_member() {
        for (text, expected) in [
            ("x = a.b(1).c.name", Some("a.b().c")),
            ("f(a(')').name)", Some("a()")),
            ("f(a('(').b().name)", Some("a().b")),
            ("x = (a).name", None),
            ("x = a[0].name", None),
            ("é().name", Some("é()")),
        ] {
            let at = text.find("name").expect("in it");
            let found = chain_before(text, at, &PYTHON).map(|(_, chain)| written(&chain));
            let expected =
                expected.map(|one| one.replace("b", if text.contains(".b()") { "b()" } else { "b" }));
            assert_eq!(found, expected, "{text}");
        }
        let script = "const x = new A(1)\n  .b();\nawait c.name; new A(1).b().name";
        let at = script.rfind("name").expect("in it");
        assert_eq!(
            chain_before(script, at, javascript()).map(|(_, chain)| written(&chain)).as_deref(),
            Some("new A().b()")
        );
    }
}
