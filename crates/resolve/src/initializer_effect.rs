//! Whether the value of a variable is computed by code that may have an effect: a call, `await`, `++`. By the text behind the
//! variable's name. Bodies of functions in the value count as no effect: they do not run with it.

use super::family::Family;
use super::profiles::{CountRules, LanguageProfile};
use super::sources::{IndexedDeclaration, Sources};
use symd_syntax::SymbolKind;

/// Words before a parenthesis that call nothing.
const NO_CALLS: [&str; 17] = [
    "if", "in", "is", "as", "or", "and", "not", "for", "when", "while", "else", "return", "lambda",
    "function", "func", "fun", "async",
];

/// Returns the first part of the target's value that may have an effect, as written: `side()`, `await`, `++`.
pub(super) fn initializer_effect(sources: &dyn Sources, target: &IndexedDeclaration) -> Option<String> {
    use SymbolKind::{Constant, Field, Property, Variable};
    let (_, row) = target.row()?;
    let language = LanguageProfile::of(&target.file)?;
    let rules = &language.family.profile().counts;
    if !matches!(row.kind(), Constant | Field | Property | Variable) || rules.values_are_constant {
        return None;
    }
    let current = target.unchanged_text(sources)?;
    let behind = row.name_start as usize + usize::from(row.name_len);
    let declared = current.text.as_str().get(behind..row.end as usize)?;
    let comment = language.family.profile().spelling.line_comment;
    let blank = without_strings(declared, comment, matches!(language.family, Family::Ecma));
    effect_in(value_of(&blank)?, rules)
}

/// Returns the value of what is declared, which `text` continues behind the name; `None` if it has none, or if code computes it
/// each time it is read.
fn value_of(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            // What a getter computes is computed later.
            b'(' if depth == 0 && text[..at].trim_end().ends_with("get") => return None,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'=' if depth == 0 => {
                let is_arrow = bytes.get(at + 1) == Some(&b'>');
                // `a: (x) => void = f` has a value behind the arrow, `A => f()` of C# has none.
                if is_arrow && text[..at].trim().is_empty() {
                    return None;
                }
                if !is_arrow {
                    return text.get(at + 1..);
                }
            }
            b' ' if depth == 0 && text[at..].starts_with(" by ") => return text.get(at + 4..),
            _ => {}
        }
    }
    None
}

/// Returns what may have an effect in `value`, which holds no strings and comments.
fn effect_in(value: &str, rules: &CountRules) -> Option<String> {
    let bytes = value.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if value[at..].starts_with("++") || value[at..].starts_with("--") {
            return Some(value[at..at + 2].to_owned());
        }
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80;
        if is_word(byte) {
            let end = bytes[at..].iter().position(|&byte| !is_word(byte)).map_or(value.len(), |n| at + n);
            match &value[at..end] {
                word @ ("await" | "yield") => return Some(word.to_owned()),
                // What follows runs when it is called.
                "lambda" => return None,
                _ => at = end,
            }
            continue;
        }
        if value[at..].starts_with("=>") {
            let body = at + 2 + value[at + 2..].len() - value[at + 2..].trim_start().len();
            at = if value[body..].starts_with('{') {
                close(value, body)
            } else {
                // Up to the comma or bracket behind it.
                body + end_of_item(&value[body..])
            };
            continue;
        }
        if byte == b'(' {
            let callee = callee(&value[..at]);
            let behind = close(value, at);
            let rest = value[behind..].trim_start();
            let last = callee.rsplit(['.', ':', '?']).next().unwrap_or(callee);
            let is_function =
                matches!(last, "func" | "function") || callee.is_empty() && rest.starts_with('{');
            if is_function {
                let body = behind + value[behind..].find('{').unwrap_or(0);
                at = close(value, body);
                if !value[at..].trim_start().starts_with('(') {
                    continue;
                }
                return Some("a function called at once".to_owned());
            }
            let is_harmless = callee.is_empty()
                || NO_CALLS.contains(&last)
                || rules.harmless_calls.iter().any(|one| is_call_of(callee, one));
            if !is_harmless {
                return Some(format!("{callee}()"));
            }
            if last == "lazy" {
                return None;
            }
        }
        // A block of Kotlin without a name before it is a lambda; of `lazy`, too.
        if byte == b'{' && value[..at].trim_end().ends_with("lazy") {
            at = close(value, at);
            continue;
        }
        at += value[at..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// Whether `callee` is the function `name` of the table, or the type: a lower-case name may be a method of any value, so that only the
/// whole is meant.
fn is_call_of(callee: &str, name: &str) -> bool {
    let is_qualified = || callee.strip_suffix(name).is_some_and(|before| before.ends_with('.'));
    callee == name || (name.contains('.') || name.starts_with(char::is_uppercase)) && is_qualified()
}

/// Returns the called name that `before` ends with, without type arguments: `a.b` before the parenthesis of `a.b<C>()`.
fn callee(before: &str) -> &str {
    let mut before = before.trim_end_matches(' ');
    // `key: (value)`
    if before.ends_with(':') && !before.ends_with("::") {
        return "";
    }
    if before.ends_with('>') {
        let mut depth = 0_i32;
        let open = before.char_indices().rev().find(|&(_, c)| {
            depth += i32::from(c == '>') - i32::from(c == '<');
            depth == 0
        });
        match open {
            Some((open, _)) if !before[..open].ends_with([' ', '=']) => before = &before[..open],
            _ => return "",
        }
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '?' | ':' | '!');
    let start = before.trim_end_matches(is_part).len();
    let name = before[start..].trim_end_matches(':').trim_start_matches(['!', '.', '?', ':']);
    if name.is_empty() && before.ends_with([')', ']']) { "…" } else { name }
}

/// Returns the length of the item that `text` begins with, up to its comma, closing bracket or line's end outside of brackets.
fn end_of_item(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return at,
            b')' | b']' | b'}' => depth -= 1,
            b',' | b';' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

fn close(text: &str, open: usize) -> usize {
    super::brackets::close_bracket(text, open)
}

/// Returns `text` with spaces for what stands in strings and comments. `has_templates`: `` `…` `` is a string too, whose `${…}`
/// stays.
fn without_strings(text: &str, line_comment: &str, has_templates: bool) -> String {
    let mut blank = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            _ if rest.starts_with(line_comment) => rest.find('\n').unwrap_or(rest.len()),
            _ if line_comment == "//" && rest.starts_with("/*") => {
                rest.find("*/").map_or(rest.len(), |at| at + 2)
            }
            '"' | '\'' => quoted(rest, c),
            '`' if !has_templates => quoted(rest, c),
            _ => {
                blank.push(c);
                rest = &rest[c.len_utf8()..];
                continue;
            }
        };
        blank.extend(std::iter::repeat_n(' ', length));
        rest = &rest[length..];
    }
    blank
}

fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}
