//! Declarators that a word alone does not tell: `Type* name`, `Type& name`, `Type a, name`.

use super::super::binders::{ByteSpan, ends_with_type_arguments};
use super::super::brackets::{close_bracket, open_bracket};
use super::super::context::{first_word, last_word, text_after, text_before};
use super::super::family::Family;
use super::owner_path::without_arguments;
use super::statements::{near, statement_before};

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
    let is_directive = before.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with('#'));
    let is_statement = before.is_empty()
        || is_directive
        || before.ends_with([';', '{', '}', ':'])
        || before.ends_with('>') && !before.ends_with("->");
    is_statement && !right.starts_with(')')
}

/// Whether the name is declared in a way that only a function's body has: `Type name(1)`, `Type name{1}`, `auto [a, name] =`,
/// a lambda's `[name = 1]`.
pub(in super::super) fn is_local_declarator(
    text: &str,
    (start, end): ByteSpan,
    is_type: fn(&str) -> bool,
) -> bool {
    let (left, right) = (text_before(text, start, Family::C), text_after(text, end));
    if right.starts_with(['(', '{']) {
        return is_type(last_word(left)) && !MODIFIERS.contains(&last_word(left))
            || ends_with_type_arguments(left);
    }
    let Some(open) = open_bracket(text, start).filter(|&open| text[open..].starts_with('[')) else {
        return false;
    };
    let head = text_before(text, open, Family::C).trim_end_matches('&').trim_end();
    let is_bound = right.starts_with([',', ']']) && last_word(head) == "auto";
    let is_captured = right.starts_with('=') && !right.starts_with("==") && {
        let is_subscript = is_type(last_word(head)) || head.ends_with([')', ']']);
        !is_subscript && left.trim_end_matches('&').trim_end().ends_with(['[', ','])
    };
    is_bound || is_captured
}

/// Whether the name may be declared in parentheses: `int (*name)(int)`, `int (&name)[3]`, `int (name) = 1`.
pub(in super::super) fn may_be_declarator(
    text: &str,
    (start, end): ByteSpan,
    is_type: fn(&str) -> bool,
) -> bool {
    let bare = without_signs(text_before(text, start, Family::C));
    let behind = text_after(text, end).strip_prefix([')', '[']).map(str::trim_start);
    let outer = bare.strip_suffix('(').map(str::trim_end);
    outer.is_some_and(|outer| is_type(last_word(outer)) || ends_with_type_arguments(outer))
        && behind.is_some_and(|behind| behind.starts_with(['(', '[', '=', ']', ')', ',', ';']))
}

/// Returns whether the name is a parameter of a template: `template <class T, int N>`.
pub(in super::super) fn is_template_parameter(
    text: &str,
    (start, end): ByteSpan,
    is_type: fn(&str) -> bool,
) -> bool {
    let (left, right) = (text_before(text, start, Family::C), text_after(text, end));
    let left = left.strip_suffix("...").map_or(left, str::trim_end);
    let word = last_word(left);
    let is_named = matches!(word, "class" | "typename") || is_type(word);
    if !is_named || !right.starts_with(['>', ',', '=']) {
        return false;
    }
    let near = near(text, start);
    let Some(at) = near.rfind("template") else { return false };
    let list = near[at + "template".len()..].trim_start();
    list.starts_with('<') && !list.contains([';', '{', '}', '('])
}

/// Whether the name is a parameter of a function type inside another list, which no body sees: `int (*call)(int name))`.
pub(in super::super) fn is_inner_parameter(text: &str, start: usize) -> bool {
    let open = open_bracket(text, start).filter(|&open| text[open..].starts_with('('));
    open.is_some_and(|open| text_after(text, close_bracket(text, open)).starts_with([')', ',', '>']))
}

/// Whether the statement declares what is defined elsewhere: `extern int name;`.
pub(in super::super) fn is_extern(text: &str, start: usize) -> bool {
    statement_before(text, start)
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .any(|word| word == "extern")
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
        rest = without_arguments(rest);
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
    let statement = statement_before(text, start);
    if statement.len() == near(text, start).len() {
        return false;
    }
    let statement = statement.trim_start();
    // `for (int i = 0, name = 1; …)`
    let statement = match statement.strip_prefix("for").map(str::trim_start) {
        Some(head) if head.starts_with('(') => head[1..].trim_start(),
        _ => statement,
    };
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
        check("{ for (int i = 0, name = 2; ; ) {} }", true);
    }

    #[test]
    fn declarators_of_bodies_and_templates() {
        let is_type =
            |word: &str| !word.is_empty() && !matches!(word, "return" | "class" | "typename" | "else");
        let at = |text: &str| {
            let start = text.rfind("name").expect("a name");
            (start, start + 4)
        };
        for text in [
            "int name(3);",
            "X name{3};",
            "std::vector<int> name(3);",
            "auto [a, name] = p;",
            "auto& [name, b] : m",
            "return [name = 3]",
        ] {
            assert!(is_local_declarator(text, at(text), is_type), "{text}");
        }
        for text in ["return name(3);", "f(name);", "a[name] = 3;", "else name(1);", "x = name{1};"] {
            assert!(!is_local_declarator(text, at(text), is_type), "{text}");
        }
        for text in ["template <class name>", "template <int a, typename... name>", "template<int name = 1>"]
        {
            assert!(is_template_parameter(text, at(text), is_type), "{text}");
        }
        assert!(!is_template_parameter("template <class T> f(a<int name>", (24, 28), is_type));
        let text = "int (*name)(int)";
        assert!(
            may_be_declarator(text, at(text), is_type) && !may_be_declarator("(*name)(3)", (2, 6), is_type)
        );
        let text = "{ extern int name; }";
        assert!(is_extern(text, at(text).0) && !is_extern("extern int a; int name;", 18));
        let text = "int f(int (*cb)(int name))";
        assert!(is_inner_parameter(text, at(text).0) && !is_inner_parameter("int f(int name) {", 10));
    }
}
