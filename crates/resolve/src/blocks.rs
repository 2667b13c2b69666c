//! Where a local of a language with braces is surely visible: behind its statement, in the block around that; what a header
//! binds, in the body behind it. Invariant: where the text is not understood, only the name itself is said to be the local's.

use super::binders::{ByteSpan, MAX_NESTED, close_bracket, open_bracket};
use super::context::{first_word, last_word};

/// Words that begin a header, whose names hold for the body behind it.
const HEADERS: [&str; 12] =
    ["if", "for", "while", "switch", "match", "select", "catch", "with", "foreach", "using", "lock", "else"];

/// Where the local is surely visible that the name at `start..end` binds, in the function `from..limit`; its own name is among
/// that.
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

/// Where the body behind an arrow begins that follows byte `at`.
fn arrow(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?.trim_start();
    let arrow = rest.strip_prefix("=>").or_else(|| rest.strip_prefix("->"))?;
    Some(text.len() - arrow.trim_start().len())
}

/// The body of an arrow function that begins at byte `body`.
fn of_arrow(text: &str, body: usize, limit: usize) -> ByteSpan {
    match text[body..].starts_with('{') {
        true => (body, close_bracket(text, body)),
        false => (body, first_outside(text, body, limit, b";,")),
    }
}

/// The bracket around a name, patterns (`const { a: [name] } = b`) skipped; then with what stands for the name, the outermost pattern.
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

/// What the parenthesis at `open` binds: for the body of the function, or of what it is the header of.
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

/// What a statement binds in a block that ends at `block_end`.
fn of_statement(text: &str, (start, end): ByteSpan, block_end: usize) -> Option<ByteSpan> {
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let head = text[line..start].trim_start_matches(|c: char| c.is_whitespace() || c == '}');
    if HEADERS.contains(&first_word(head)) && !head.contains('{') {
        // Go's and Rust's, without parentheses.
        let rest = text.get(end..block_end)?;
        let brace = end + rest[..rest.find('\n').unwrap_or(rest.len())].find('{')?;
        return Some((brace, close_bracket(text, brace)));
    }
    if matches!(first_word(head), "case" | "default") {
        return None;
    }
    Some((first_outside(text, end, block_end, b";\n"), block_end))
}

/// The first of these bytes from byte `from` on that is in no bracket, or the bracket that closes around it; at most `limit`.
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

    /// What is visible of the first `name` in the function that the text is.
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
