//! Where names of Rust can stand: methods behind `.` or `::`, fields besides in literals and patterns, modules before `::`.
//! Most macros take expressions, in which names mean what they mean outside; others may build names from tokens:
//! `call!(object, method)`. Reads text, and the tree for fields. Invariant: bounded; what is not certain may be.

use super::context::{Receiver, receiver, text_after, text_before};
use super::family::Family;
use super::resolver::{CurrentFile, Resolver};
use super::rust_locals;
use symd_base::TextRange;
use symd_syntax::{Row, SymbolKind};

/// Whether the bare name at `range` may mean a declaration of `kind`.
pub(super) fn may_be_bare(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
    kind: SymbolKind,
) -> bool {
    let text = here.text.as_str();
    let right = text_after(text, range.end as usize);
    let is_path = right.starts_with("::");
    let may_be = match kind {
        SymbolKind::Method => false,
        // `S { name: value }`, and where it stands for both: `S { name }`.
        SymbolKind::Field => rust_locals::is_field_name(resolver, here, range.start)
            .unwrap_or_else(|| right.starts_with([',', '}']) || right.starts_with(':') && !is_path),
        SymbolKind::Module => is_path,
        _ => true,
    };
    may_be || may_be_combined(text, range.start as usize)
}

/// Whether the use at `range` can be in the namespace of the row, by what follows: `name!` is a macro's,
/// `name::` a module's or a type's.
pub(super) fn is_in_namespace(here: &CurrentFile, range: TextRange, target: &Row, is_macro: bool) -> bool {
    use SymbolKind::{Constant, Function, Method, Module, Variable};
    let text = here.text.as_str();
    let right = text_after(text, range.end as usize);
    let is_invoked = right.starts_with('!') && !right.starts_with("!=");
    let is_path = right.starts_with("::") && !right["::".len()..].trim_start().starts_with('<');
    let fits = match target.kind() {
        Function if is_macro => is_invoked,
        Function | Method | Constant | Variable => !is_invoked && !is_path,
        Module => is_path,
        _ => !is_invoked,
    };
    fits || may_be_combined(text, range.start as usize)
}

/// Whether the text before a declaration's name makes it a macro.
pub(super) fn declares_macro(here: &CurrentFile, row: &Row) -> bool {
    text_before(here.text.as_str(), row.name_start as usize, Family::Rust).ends_with("macro_rules!")
}

/// Whether locals cannot hide the name that ends at byte `end`: that of a module, a type or a macro.
pub(super) fn is_beside_locals(text: &str, end: usize) -> bool {
    let right = text_after(text, end);
    right.starts_with("::") || right.starts_with('!') && !right.starts_with("!=")
}

/// Whether the name at byte `at` is at the end of a path into the standard library: `std::fs::write`.
pub(super) fn is_of_standard_library(resolver: &Resolver, here: &CurrentFile, at: u32) -> bool {
    let standard = resolver.profile.imports.standard;
    !standard.is_empty()
        && match receiver(here.text.as_str(), at as usize, resolver.family) {
            Receiver::Chain(names, start) => {
                let first = names.first().copied().unwrap_or_default();
                standard.contains(&first) && here.text.as_str()[start + first.len()..].starts_with("::")
            }
            _ => false,
        }
}

/// How far back to search for the macro's name, in bytes.
const LOOK_BACK: usize = 8 * 1024;

/// Macros whose arguments are expressions or patterns, in which a name means what it means outside.
const OF_EXPRESSIONS: [&str; 38] = [
    "anyhow",
    "assert",
    "assert_eq",
    "assert_ne",
    "bail",
    "dbg",
    "debug",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "ensure",
    "eprint",
    "eprintln",
    "error",
    "expect",
    "format",
    "format_args",
    "info",
    "join",
    "json",
    "matches",
    "panic",
    "pin",
    "print",
    "println",
    "select",
    "span",
    "todo",
    "trace",
    "trace_span",
    "try_join",
    "unimplemented",
    "unreachable",
    "vec",
    "warn",
    "write",
    "writeln",
    "yield",
];

/// Words before a negation, `if!(a)`.
const KEYWORDS: [&str; 6] = ["else", "if", "in", "match", "return", "while"];

/// Whether the name at byte `at` may be combined with other tokens by a macro.
fn may_be_combined(text: &str, at: usize) -> bool {
    let from = (at.saturating_sub(LOOK_BACK)..=at).find(|&byte| text.is_char_boundary(byte)).unwrap_or(at);
    let before = &text[from..at];
    let mut closed = 0usize;
    for (index, byte) in before.bytes().enumerate().rev() {
        match byte {
            b')' | b']' | b'}' => closed += 1,
            b'(' | b'[' | b'{' if closed > 0 => closed -= 1,
            b'(' | b'[' | b'{' => {
                if let Some(name) = macro_name(&before[..index])
                    && !OF_EXPRESSIONS.contains(&name)
                {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Returns the name of the macro whose arguments begin after `text`: `name!`, `name! `, `macro_rules! name`.
fn macro_name(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = |text: &str| {
        text.len() - text.chars().rev().take_while(|&c| is_word(c)).map(char::len_utf8).sum::<usize>()
    };
    if let Some(called) = text.strip_suffix('!') {
        // `if !(a)` is a negation.
        let name = &called[word(called)..];
        return (!name.is_empty() && !KEYWORDS.contains(&name)).then_some(name);
    }
    let rest = text[..word(text)].trim_end();
    rest.ends_with("macro_rules!").then_some("macro_rules")
}

#[cfg(test)]
mod tests {
    use super::may_be_combined;

    #[test]
    fn tokens_of_macros_that_build_names_may_be_combined() {
        let check = |text: &str, expected: bool| {
            let at = text.find("$0").expect("a place");
            assert_eq!(may_be_combined(&text.replace("$0", ""), at), expected, "{text}");
        };
        check("fn f() { let $0name = 1; }", false);
        check("fn f() { call!(object, $0name) }", true);
        check("fn f() { call! { a => [$0name] } }", true);
        check("fn f() { my::call!(object); $0name }", false);
        check("fn f() { assert_eq!(one(2), $0name) }", false);
        check("call!(assert_eq!(one, $0name))", true);
        check("macro_rules! call { ($a:ident) => { $0name } }", true);
        check("fn f() { if !($0name) {} }", false);
        check("fn f() { tokio::select! { $0name = next() => {} } }", false);
    }
}
