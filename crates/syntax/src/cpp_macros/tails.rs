//! Macros at the end of a declaration: `int x GUARDED_BY(lock);`, `void f() EXCLUSIVE_LOCKS_REQUIRED(lock);`.

use std::ops::Range;

use super::lines::{CodeLine, is_in_capitals, last_word, opening};

/// Words behind a parameter list.
const QUALIFIERS: [&[u8]; 4] = [b"const", b"override", b"final", b"noexcept"];

/// Words that are neither a type before a name nor a name.
const KEYWORDS: [&[u8]; 28] = [
    b"struct",
    b"class",
    b"enum",
    b"union",
    b"return",
    b"new",
    b"else",
    b"typename",
    b"static",
    b"const",
    b"extern",
    b"inline",
    b"virtual",
    b"constexpr",
    b"case",
    b"goto",
    b"throw",
    b"delete",
    b"sizeof",
    b"using",
    b"namespace",
    b"typedef",
    b"operator",
    b"if",
    b"while",
    b"for",
    b"switch",
    b"catch",
];

/// Types that are no names: what follows them in capitals is a function.
const BUILTINS: [&[u8]; 12] = [
    b"int",
    b"char",
    b"long",
    b"short",
    b"unsigned",
    b"signed",
    b"float",
    b"double",
    b"void",
    b"bool",
    b"auto",
    b"size_t",
];

/// Returns the byte ranges of the macros at the end of line `at`, the last one first.
pub(super) fn tails(lines: &[CodeLine<'_>], at: usize) -> Vec<Range<usize>> {
    let line = &lines[at];
    let Some(mut code) = line.code.strip_suffix(b";").or_else(|| line.code.strip_suffix(b"{")) else {
        return Vec::new();
    };
    let before = at.checked_sub(1).map_or(&b""[..], |at| lines[at].code);
    let mut found = Vec::new();
    while let Some((name, end)) = macro_at_end(code) {
        let left = code[..name].trim_ascii_end();
        let has_arguments = code[..end].ends_with(b")");
        let is_tail = match left.is_empty() {
            true => ends_head(before) && before.ends_with(b")"),
            false => ends_head(left) || has_arguments && ends_field(left),
        };
        // Behind another macro of this kind stands what is before both.
        let is_behind = macro_at_end(left).is_some();
        if !is_tail && !is_behind {
            break;
        }
        found.push((line.start + name..line.start + end, is_tail));
        code = left;
    }
    // Unless one of them stands behind a head, none does.
    let last = found.iter().rposition(|(_, is_tail)| *is_tail);
    found.into_iter().take(last.map_or(0, |last| last + 1)).map(|(range, _)| range).collect()
}

/// Returns where the macro begins and ends with which the code ends.
fn macro_at_end(code: &[u8]) -> Option<(usize, usize)> {
    let code = code.trim_ascii_end();
    let name_end = match code.ends_with(b")") {
        true => opening(code)?,
        false => code.len(),
    };
    let name = last_word(code[..name_end].trim_ascii_end());
    is_in_capitals(&code[name.clone()]).then_some((name.start, code.len()))
}

/// Whether the code ends with a function's parameter list, and words behind it.
fn ends_head(code: &[u8]) -> bool {
    let mut code = code;
    while QUALIFIERS.contains(&&code[last_word(code)]) {
        code = code[..last_word(code).start].trim_ascii_end();
    }
    if !code.ends_with(b")") {
        return false;
    }
    let Some(open) = opening(code) else {
        // The list began on an earlier line.
        return !code.iter().any(|byte| b";{}=?".contains(byte));
    };
    let left = code[..open].trim_ascii_end();
    let name = last_word(left);
    let before = left[..name.start].trim_ascii_end();
    // A destructor or an operator counts as well as a name behind its type.
    let is_typed = before.last().is_some_and(|&byte| super::is_word(byte) || b"*&>~:".contains(&byte));
    !name.is_empty() && is_typed && !KEYWORDS.contains(&&left[name]) && !is_statement(before)
}

/// Whether the code ends with a type and the name of a field.
fn ends_field(code: &[u8]) -> bool {
    let name = last_word(code);
    let before = code[..name.start].trim_ascii_end();
    if name.is_empty() || name.start == before.len() && !before.ends_with(b"*") && !before.ends_with(b"&") {
        return false;
    }
    let of_type = &before[last_word(before)];
    let is_type = match of_type.is_empty() {
        true => before.last().is_some_and(|byte| b"*&>".contains(byte)),
        false => !KEYWORDS.contains(&of_type) && !is_in_capitals(of_type),
    };
    let name = &code[name];
    is_type && !KEYWORDS.contains(&name) && !BUILTINS.contains(&name) && !is_in_capitals(name)
}

/// Whether the word before the name is one that begins a statement.
fn is_statement(before: &[u8]) -> bool {
    matches!(&before[last_word(before)], b"return" | b"else" | b"new" | b"throw" | b"case" | b"goto" | b"do")
}
