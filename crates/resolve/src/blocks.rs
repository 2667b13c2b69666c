//! Where a local is certainly visible in a language with braces: behind its statement, in the enclosing
//! block; for a name that a header binds, in the body behind the header. Invariant: where the text is not
//! understood, only the name itself counts as the local's.

use super::binders::{ByteSpan, MAX_NESTED};
use super::brackets::{close_bracket, open_bracket};
use super::context::{first_word, last_word};

/// Words that begin a header whose names are visible in the body behind it.
const HEADERS: [&str; 12] =
    ["if", "for", "while", "switch", "match", "select", "catch", "with", "foreach", "using", "lock", "else"];

/// Returns where the local that the name at `start..end` binds is certainly visible within the span
/// `function`; the name itself comes first.
pub(super) fn visible(text: &str, (start, end): ByteSpan, function: ByteSpan) -> Vec<ByteSpan> {
    let name = (start, end);
    let part = match arrow(text, end) {
        Some(body) => Some(of_arrow(text, body, function.1)),
        None => around(text, name).and_then(|(open, name)| match text.as_bytes().get(open)? {
            b'(' => of_list(text, open, function),
            b'{' => of_statement(text, name, close_bracket(text, open)),
            _ => None,
        }),
    };
    let part = part.map(|(from, to)| (from.max(end), to.min(function.1)));
    std::iter::once(name).chain(part.filter(|(from, to)| from < to)).collect()
}

/// Returns the byte at which the body begins behind an arrow that follows byte `at`.
fn arrow(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?.trim_start();
    let arrow = rest.strip_prefix("=>").or_else(|| rest.strip_prefix("->"))?;
    Some(text.len() - arrow.trim_start().len())
}

/// Returns the span of an arrow function's body that begins at byte `body`.
fn of_arrow(text: &str, body: usize, limit: usize) -> ByteSpan {
    match text[body..].starts_with('{') {
        true => (body, close_bracket(text, body)),
        false => (body, first_outside(text, body, limit, b";,")),
    }
}

/// Finds the innermost bracket around a name that is no destructuring pattern (`const { a: [name] } = b`),
/// and the span of the outermost pattern around the name, or of the name itself.
fn around(text: &str, name: ByteSpan) -> Option<(usize, ByteSpan)> {
    let (mut start, mut end) = name;
    for _ in 0..MAX_NESTED {
        let open = open_bracket(text, start)?;
        let left = text[..open].trim_end();
        let is_declared = matches!(last_word(left), "const" | "let" | "var");
        let is_pattern = match text.as_bytes()[open] {
            b'[' => true,
            b'{' => is_declared || left.ends_with(['(', ',', ':', '[']),
            _ => false,
        };
        if !is_pattern {
            return Some((open, (start, end)));
        }
        (start, end) = (open, close_bracket(text, open));
    }
    None
}

/// Returns where a name that the parenthesis at `open` binds is visible: in the body of the function, or of
/// the statement whose header it is.
fn of_list(text: &str, open: usize, (from, limit): ByteSpan) -> Option<ByteSpan> {
    let close = close_bracket(text, open);
    // A type may stand between the parenthesis and the body.
    let next = first_outside(text, close, limit, b";,");
    let until = text.get(close..next)?.find('{').map_or(next, |brace| close + brace);
    if let Some(at) = text[close..until].find("=>").or_else(|| text[close..until].find("->")) {
        let body = until
            .min(close + at + 2 + text[close + at + 2..].len() - text[close + at + 2..].trim_start().len());
        return Some(of_arrow(text, body, limit));
    }
    let is_functions = text.get(from..open).is_some_and(|head| !head.contains('{'));
    let brace = close + text.get(close..limit)?.find('{')?;
    if is_functions {
        return Some((brace, limit));
    }
    let between = &text[close..brace];
    (!between.contains(['\n', ';', '}', ')'])).then(|| (brace, close_bracket(text, brace)))
}

/// Returns where a name that a statement binds is visible, in a block that ends at `block_end`.
fn of_statement(text: &str, (start, end): ByteSpan, block_end: usize) -> Option<ByteSpan> {
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let head = text[line..start].trim_start_matches(|c: char| c.is_whitespace() || c == '}');
    if HEADERS.contains(&first_word(head)) && !head.contains('{') {
        // Headers of Go and Rust have no parentheses.
        let rest = text.get(end..block_end)?;
        let brace = end + rest[..rest.find('\n').unwrap_or(rest.len())].find('{')?;
        return Some((brace, close_bracket(text, brace)));
    }
    if matches!(first_word(head), "case" | "default") {
        return None;
    }
    Some((first_outside(text, end, block_end, b";\n"), block_end))
}

/// Returns the offset of the first of `bytes` from byte `from` on that is outside all brackets, or of the
/// bracket that closes around byte `from`; at most `limit`.
fn first_outside(text: &str, from: usize, limit: usize, bytes: &[u8]) -> usize {
    let mut depth = 0_usize;
    for (offset, byte) in text.as_bytes()[from..limit.max(from)].iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return from + offset,
            b')' | b']' | b'}' => depth -= 1,
            byte if depth == 0 && bytes.contains(byte) => return from + offset,
            _ => {}
        }
    }
    limit
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns where in the function `text` its first `name` is visible.
    fn seen(text: &str) -> &str {
        let at = text.find("name").expect("a name");
        let parts = visible(text, (at, at + 4), (0, text.len()));
        parts.get(1).map_or("", |part| &text[part.0..part.1])
    }

    #[test]
    fn a_local_is_seen_behind_its_statement_and_what_a_header_binds_in_its_body() {
        assert_eq!(seen("func f(name int) int { a }"), "{ a }");
        assert_eq!(seen("func f() { name := name{\n1}\nb }"), "\nb }");
        assert_eq!(seen("f() { if (a) { const name = 2; b } c }"), "; b }");
        assert_eq!(seen("func f() {\nif name := x; name > a {\nb }\nc }"), "{\nb }");
        assert_eq!(seen("f() { try { a } catch (name) { b } c }"), "{ b }");
        assert_eq!(seen("f() { g((name: T): U => { b }); c }"), "{ b }");
        assert_eq!(seen("f() { g(name => b, c); c }"), "b");
        assert_eq!(seen("f() { g((name) => b, c); c }"), "b");
        assert_eq!(seen("f() { const g = (name: A): B => {\nb }\nc }"), "{\nb }");
        assert_eq!(seen("f() { const { a: [name] } = c; b }"), "; b }");
        assert_eq!(seen("f({ name }: A) { b }"), "{ b }");
        assert_eq!(seen("f() { for (const [a, name] of b) { c } d }"), "{ c }");
        assert_eq!(seen("f() { switch (a) {\ncase name: b } c }"), "");
    }
}
