//! Names that stand for two things at once: `{ name }` is a field and the variable assigned to it. Only a
//! server knows what such a name becomes.

use symd_base::{Text, TextRange};
use symd_resolve::{is_default, is_pattern};
use symd_syntax::Grammar;

/// Whether a language has such names.
pub(super) fn has_shorthand(grammar: Option<Grammar>) -> bool {
    grammar.is_some_and(|grammar| grammar.rules().has_field_shorthand)
}

/// Whether a name may stand for a field and a variable at once: `{ name, … }`. In lists of imports and
/// exports, which look the same, it stands for one thing.
pub(super) fn is_shorthand(text: &Text, range: TextRange) -> bool {
    let text = text.as_str();
    match list_around(text, range) {
        Some(open) => begins_item(text, range) && !is_imports(text, open) && !is_exports(text, open),
        None => false,
    }
}

/// Whether a name is alone in a list of exports: `export { name }`, `export { name } from "./lib"`. A server
/// may keep it for other files (`new as name`); symd renames it there too.
pub(super) fn is_export(text: &str, range: TextRange) -> bool {
    list_around(text, range).is_some_and(|open| is_exports(text, open))
}

/// Whether a name begins an item of a list; otherwise it ends a value or a path, `{ run: name, … }`, `{ Kind::Name }`. What stands
/// behind a comment may begin one.
fn begins_item(text: &str, range: TextRange) -> bool {
    let before = text[..range.start as usize].trim_end();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_marked = matches!(without_last_word(before).1, "ref" | "mut" | "box");
    before.ends_with(['{', ',']) || is_marked || line.contains("//") || before.ends_with("*/")
}

/// Returns the offset of the opening brace of `{ …, name, … }`.
fn list_around(text: &str, range: TextRange) -> Option<usize> {
    let after = text[range.end as usize..].trim_start();
    let has_default = is_default(after);
    if !after.starts_with([',', '}']) && !has_default {
        return None;
    }
    let mut depth = 0_u32;
    for (at, character) in text[..range.start as usize].char_indices().rev() {
        match character {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            '{' => return (!has_default || is_pattern(text, at)).then_some(at),
            '(' | '[' | ';' => return None,
            _ => {}
        }
    }
    None
}

/// Whether the brace at `open` belongs to `export {` or `export type {`.
fn is_exports(text: &str, open: usize) -> bool {
    let (before, word) = without_last_word(&text[..open]);
    word == "export" || word == "type" && without_last_word(before).1 == "export"
}

/// Whether the brace at `open` belongs to `import {`, `import type {`, `import name, {`, or Rust's
/// `use a::{`.
fn is_imports(text: &str, open: usize) -> bool {
    let head = text[..open].trim_end();
    let head = match head.strip_suffix(',') {
        Some(head) => without_last_word(head).0,
        None => head,
    };
    let (before, word) = without_last_word(head);
    head.ends_with("::") || word == "import" || word == "type" && without_last_word(before).1 == "import"
}

/// Splits the last word off a text; drops white space after it.
fn without_last_word(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.split_at(text.trim_end_matches(is_word).len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_told_from_what_is_imported_and_exported() {
        for (text, expected) in [
            ("f({ run })", (true, false)),
            ("const { a, run } = x", (true, false)),
            ("let p = Point { run, y };", (true, false)),
            ("const important = { run }", (true, false)),
            ("f({ run: 1 })", (false, false)),
            ("let p = Point { x: run, y };", (false, false)),
            ("if a { Kind::run } else { b }", (false, false)),
            ("let Point { ref run, y } = p;", (true, false)),
            ("let p = Point {\n    x, // note\n    run,\n};", (true, false)),
            ("import { run } from './a'", (false, false)),
            ("import type { a, run } from './a'", (false, false)),
            ("import a, { run } from './a'", (false, false)),
            ("import a, {\n  b as c,\n  run,\n} from './a'", (false, false)),
            ("use a::{b, run};", (false, false)),
            ("export { run }", (false, true)),
            ("export type { run } from './a'", (false, true)),
            ("export { run as go }", (false, false)),
            ("export const a = { run }", (true, false)),
            ("const { run = 1 } = a", (true, false)),
            ("function f({ a, run = 1 }) {}", (true, false)),
            ("if (a) { run = 1 }", (false, false)),
            ("f(() => { run = 1 })", (false, false)),
        ] {
            let at = u32::try_from(text.find("run").expect("in it")).expect("short");
            let range = TextRange::new(at, at + 3);
            let whole = Text::decode(text.as_bytes().to_vec()).expect("text");
            assert_eq!((is_shorthand(&whole, range), is_export(text, range)), expected, "{text}");
        }
    }
}
