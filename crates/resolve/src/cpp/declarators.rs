//! Declarators that a word alone does not tell: `Type* name`, `Type& name`, `Type a, name`.

use super::super::binders::{ByteSpan, close_bracket, ends_with_type_arguments, open_bracket};
use super::super::context::{first_word, last_word, text_after, text_before};
use super::super::family::Family;

/// How far back a statement's first word is searched, in bytes.
const MAX_BACK: usize = 600;

/// Words that may precede a type in a declaration.
const MODIFIERS: [&str; 17] = [
    "const",
    "static",
    "struct",
    "class",
    "union",
    "enum",
    "unsigned",
    "signed",
    "long",
    "short",
    "volatile",
    "extern",
    "register",
    "inline",
    "typename",
    "constexpr",
    "mutable",
];

/// Whether the name at `name` is declared behind the sign of a pointer or a reference, or as a further one of its
/// statement. `is_type` tells whether a word may be a type.
pub(in super::super) fn is_declarator(text: &str, (start, end): ByteSpan, is_type: fn(&str) -> bool) -> bool {
    let (left, right) = (text_before(text, start, Family::C), text_after(text, end));
    let is_end = right.starts_with(['=', ';', ',', ')', ':', '['])
        && !right.starts_with("==")
        && !right.starts_with("::");
    if !is_end {
        return false;
    }
    let bare = without_signs(left);
    if bare.ends_with(',') {
        return is_further(text, start, is_type);
    }
    if bare.len() == left.len() {
        return false;
    }
    let Some(before) = before_type(bare, is_type) else { return false };
    if before.ends_with(['(', ',']) {
        return right.starts_with('=')
            || is_parameter(text, start)
            || right.starts_with(':') && before.ends_with('(');
    }
    let is_statement = before.is_empty()
        || before.ends_with([';', '{', '}', ':'])
        || before.ends_with('>') && !before.ends_with("->");
    is_statement && !right.starts_with(')')
}

/// Removes `*`, `&` and the words between them from the end.
fn without_signs(left: &str) -> &str {
    let mut left = left;
    loop {
        let bare = left.trim_end_matches(['*', '&']).trim_end();
        let word = last_word(bare);
        let is_between = matches!(word, "const" | "volatile" | "restrict" | "__restrict");
        let outer = bare[..bare.len() - word.len()].trim_end();
        if is_between && outer.ends_with(['*', '&']) {
            left = outer;
            continue;
        }
        return bare;
    }
}

/// Returns the text before the type with which `text` ends, and before the words that modify it; `None` if it does not end
/// with a type.
fn before_type(text: &str, is_type: fn(&str) -> bool) -> Option<&str> {
    let mut rest = text;
    if ends_with_type_arguments(rest) {
        rest = rest[..open_angle(rest)?].trim_end();
    }
    let word = last_word(rest);
    if !is_type(word) && !MODIFIERS.contains(&word) {
        return None;
    }
    rest = rest[..rest.len() - word.len()].trim_end();
    while let Some(outer) = rest.strip_suffix("::") {
        let outer = outer.trim_end();
        rest = outer[..outer.len() - last_word(outer).len()].trim_end();
    }
    while MODIFIERS.contains(&last_word(rest)) {
        rest = rest[..rest.len() - last_word(rest).len()].trim_end();
    }
    Some(rest)
}

fn open_angle(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().rev().find_map(|(at, c)| {
        match c {
            '>' => depth += 1,
            '<' if depth == 1 => return Some(at),
            '<' => depth = depth.saturating_sub(1),
            _ => {}
        }
        None
    })
}

/// Whether the parenthesis around byte `start` holds the parameters of a function that has a body.
fn is_parameter(text: &str, start: usize) -> bool {
    let Some(open) = open_bracket(text, start).filter(|&open| text[open..].starts_with('(')) else {
        return false;
    };
    let head = last_word(text_before(text, open, Family::C));
    if matches!(head, "if" | "while" | "for" | "switch" | "return" | "sizeof") {
        return false;
    }
    let behind = text_after(text, close_bracket(text, open));
    behind.starts_with(['{', ':'])
        || behind.starts_with("->")
        || matches!(first_word(behind), "const" | "noexcept" | "override" | "final" | "mutable")
}

/// Whether the statement in which the name at byte `start` follows a comma declares names: `Type a = 1, name`.
fn is_further(text: &str, start: usize, is_type: fn(&str) -> bool) -> bool {
    let from =
        (start.saturating_sub(MAX_BACK)..=start).find(|&at| text.is_char_boundary(at)).unwrap_or(start);
    let near = &text[from..start];
    let Some(begin) = near.rfind([';', '{', '}']) else { return false };
    let statement = near[begin + 1..].trim_start();
    // A comma in a call or a list separates arguments.
    let depth = |open: char, close: char| statement.matches(open).count() > statement.matches(close).count();
    if depth('(', ')') || depth('[', ']') || statement.contains("//") || statement.contains('#') {
        return false;
    }
    let mut rest = statement;
    while MODIFIERS.contains(&first_word(rest)) {
        rest = rest[first_word(rest).len()..].trim_start();
    }
    let word = first_word(rest);
    if !is_type(word) {
        // `unsigned a, b`
        return false;
    }
    let behind = rest[word.len()..].trim_start_matches([' ', '\t', '\n', '\r', '*', '&']);
    let name = first_word(behind);
    let next = behind[name.len()..].trim_start();
    !name.is_empty()
        && rest.len() > word.len()
        && next.starts_with([',', '=', '['])
        && !next.starts_with("==")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarators_behind_signs_and_commas() {
        let check = |text: &str, expected: bool| {
            let start = text.rfind("name").expect("a name");
            let is_type = |word: &str| !word.is_empty() && word != "return";
            assert_eq!(is_declarator(text, (start, start + 4), is_type), expected, "{text}");
        };
        check("{ Shop* name = f(); }", true);
        check("{ const n::Shop<int> &name = f(); }", true);
        check("{ char *const *name; }", true);
        check("void f(int a, const Slice& name) { }", true);
        check("void f(Shop *name) const { }", true);
        check("{ int a, name; }", true);
        check("{ int a = 1, *b, name = 2; }", true);
        check("for (const auto& name : all) {}", true);
        check("{ x = a->b & name; }", false);
        check("{ x = a * name; }", false);
        check("{ return a * name; }", false);
        check("{ f(a * name); }", false);
        check("{ f(a, name); }", false);
        check("{ g(); f(a && name); }", false);
        check("{ a = b, name = c; }", false);
        check("if (a && name) { }", false);
        check("{ *name = 1; }", false);
    }
}
