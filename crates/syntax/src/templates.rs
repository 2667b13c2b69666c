//! Names in strings that a grammar does not parse as identifiers: Kotlin's `"$name"`, names captured by
//! Rust's formatting macros (`println!("{name}")`), names that Python writes in quotes (`quoted`), and members that
//! TypeScript and JavaScript do (`member_strings`). Names
//! in braces that a grammar parses (`"${a.b}"`, Python's, C#'s and JavaScript's) are ordinary identifiers and
//! not handled here. Invariant: one pass over the string, whatever it contains.

use std::ops::Range;

use tree_sitter::Node;

use super::grammar::Grammar;
use super::member_strings;
use super::quoted;
use super::text_rules::NamesInStrings;

/// Calls `note` with the range in `text` of every such name in the string `node`, or in the strings that
/// `node` contains.
pub(super) fn names(grammar: Grammar, node: Node<'_>, text: &str, note: &mut impl FnMut(Range<usize>)) {
    match grammar.rules().named_in_strings {
        NamesInStrings::Dollars => kotlin(node, text, note),
        NamesInStrings::FormatStrings => rust(node, text, note),
        NamesInStrings::Quoted => quoted::names(node, text, note),
        NamesInStrings::MacroBodies => macro_body(node, text, note),
        NamesInStrings::Members => member_strings::names(node, text, note),
        NamesInStrings::None => {}
    }
}

/// Reports whether the name that begins at byte `start` is one of Kotlin's `"$name"`. No Kotlin identifier
/// contains a `$`.
pub fn is_short_template(grammar: Grammar, text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or("");
    let has_templates = grammar.rules().named_in_strings == NamesInStrings::Dollars;
    has_templates && before.strip_suffix('`').unwrap_or(before).ends_with('$')
}

fn is_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Returns the length in bytes of the identifier with which `text` begins.
fn word_length(text: &str) -> usize {
    if !text.starts_with(is_start) {
        return 0;
    }
    text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())
}

/// Notes the names in the body of a macro of C, which is one token for the grammar; not those in its literals and
/// comments.
fn macro_body(node: Node<'_>, text: &str, note: &mut impl FnMut(Range<usize>)) {
    let (mut at, end) = (node.start_byte(), node.end_byte());
    while let Some(rest) = text.get(at..end).filter(|rest| !rest.is_empty()) {
        let word = word_length(rest);
        let skipped = match rest.as_bytes()[0] {
            _ if word > 0 => {
                note(at..at + word);
                word
            }
            quote @ (b'"' | b'\'') => literal_length(rest, quote),
            b'/' if rest.starts_with("//") => rest.len(),
            b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |close| close + 2),
            // `1u`, `0xff`: no name begins in a number.
            b'0'..=b'9' => rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len()),
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        at += skipped;
    }
}

/// Returns the length in bytes of the literal with whose quote `text` begins.
fn literal_length(text: &str, quote: u8) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            byte if byte == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Notes the names in a Kotlin string. The grammar treats `\$` as an escape in raw strings too, where it is
/// not one, and finds only names that begin with an ASCII letter. So this reads the string itself, except for
/// the expressions in braces that the grammar found.
fn kotlin(node: Node<'_>, text: &str, note: &mut impl FnMut(Range<usize>)) {
    let literal = &text[node.byte_range()];
    if memchr::memchr(b'$', literal.as_bytes()).is_none() {
        return;
    }
    // `$$"…"` requires two `$` before a name.
    let prefix = literal.bytes().take_while(|&byte| byte == b'$').count();
    let quotes = if literal[prefix..].starts_with("\"\"\"") { 3 } else { 1 };
    let style = Style { dollars: prefix.max(1), is_raw: quotes == 3 };
    let mut from = node.start_byte() + prefix + quotes;
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "interpolation_expression_start" => style.scan(text, from..child.start_byte(), note),
            "interpolation_expression_end" => from = child.end_byte(),
            _ => {}
        }
    }
    style.scan(text, from..node.end_byte(), note);
}

/// The form of a Kotlin string literal.
#[derive(Clone, Copy)]
struct Style {
    /// Number of `$` required before a name.
    dollars: usize,
    /// Whether the string has three quotes, and so no escapes.
    is_raw: bool,
}

impl Style {
    /// Notes the names in a part of the string.
    fn scan(self, text: &str, part: Range<usize>, note: &mut impl FnMut(Range<usize>)) {
        let end = part.end;
        let mut at = part.start;
        while let Some(found) = text.get(at..end).and_then(|rest| rest.find(['$', '\\'])) {
            at += found;
            if text.as_bytes()[at] == b'\\' {
                let escaped = text[at + 1..end].chars().next().map_or(0, char::len_utf8);
                at += 1 + if self.is_raw { 0 } else { escaped };
                continue;
            }
            let rest = text[at..end].trim_start_matches('$');
            let dollars = end - at - rest.len();
            at += dollars;
            if dollars >= self.dollars {
                at += self.name(text, at..end, note);
            }
        }
    }

    /// Notes the name at the start of the range, after its `$`, and returns its length in bytes.
    fn name(self, text: &str, range: Range<usize>, note: &mut impl FnMut(Range<usize>)) -> usize {
        let (at, rest) = (range.start, &text[range]);
        if let Some(quoted) = rest.strip_prefix('`') {
            let length = quoted.find(['`', '\n']).unwrap_or(0);
            if length > 0 && quoted[length..].starts_with('`') {
                note(at + 1..at + 1 + length);
                return length + 2;
            }
            return 0;
        }
        if rest.starts_with('{') {
            // Occurs only after a backslash in a raw string: an expression that the grammar did not parse.
            let length = rest.find('}').unwrap_or(0);
            words(&rest[..length], at, note);
            return length;
        }
        let length = word_length(rest);
        if length > 0 && &rest[..length] != "this" {
            note(at..at + length);
        }
        length
    }
}

/// Notes every word of `text`, which begins at byte `at`.
fn words(text: &str, at: usize, note: &mut impl FnMut(Range<usize>)) {
    let mut from = 0;
    while let Some(found) = text[from..].find(|c: char| c.is_alphanumeric() || c == '_') {
        from += found;
        let length = word_length(&text[from..]);
        if length > 0 {
            note(at + from..at + from + length);
        }
        // Neither a number nor the characters after its digits are a name.
        let rest = &text[from..];
        from += rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    }
}

/// Macros whose format string captures names, grouped by the 0-based position of that argument.
const FORMATTING: &[(usize, &[&str])] = &[
    (
        0,
        &[
            "anyhow",
            "bail",
            "eprint",
            "eprintln",
            "format",
            "format_args",
            "panic",
            "print",
            "println",
            "todo",
            "unimplemented",
            "unreachable",
            "debug",
            "error",
            "info",
            "trace",
            "warn",
        ],
    ),
    // The logging macros are listed here too because their format string can follow `target: …`.
    (1, &["assert", "debug_assert", "ensure", "write", "writeln", "debug", "error", "info", "trace", "warn"]),
    (2, &["assert_eq", "assert_ne", "debug_assert_eq", "debug_assert_ne"]),
];

/// Notes the names in the format string of a macro: `{name}`, `{name:?}`, `{:width$}`.
fn rust(node: Node<'_>, text: &str, note: &mut impl FnMut(Range<usize>)) {
    let literal = &text[node.byte_range()];
    if memchr::memchr(b'{', literal.as_bytes()).is_none() || !is_format_string(node, text) {
        return;
    }
    let is_raw = node.kind() == "raw_string_literal";
    let mut at = node.start_byte() + literal.find('"').map_or(literal.len(), |quote| quote + 1);
    let end = node.end_byte();
    while let Some(found) = text.get(at..end).and_then(|rest| rest.find(['{', '\\'])) {
        at += found;
        let rest = &text[at..end];
        if rest.starts_with("{{") {
            at += 2;
        } else if let Some(inner) = rest.strip_prefix('{') {
            let length = inner.find('}').unwrap_or(inner.len());
            placeholder(&inner[..length], at + 1, note);
            at += 1 + length;
        } else if !is_raw && rest.starts_with("\\u{") {
            at += rest.find('}').unwrap_or(rest.len());
        } else {
            let escaped = rest[1..].chars().next().map_or(0, char::len_utf8);
            at += 1 + if is_raw { 0 } else { escaped };
        }
    }
}

/// Notes the names of a placeholder, given the text between its braces, which begins at byte `at`.
fn placeholder(inner: &str, at: usize, note: &mut impl FnMut(Range<usize>)) {
    let (name, format) = inner.split_once(':').unwrap_or((inner, ""));
    let length = word_length(name);
    if length > 0 && name[length..].trim_end().is_empty() {
        note(at..at + length);
    }
    let format_at = at + inner.len() - format.len();
    for (dollar, _) in format.match_indices('$') {
        let word = format[..dollar].rfind(|c: char| !(c.is_alphanumeric() || c == '_'));
        let start = word.map_or(0, |other| other + format[other..].chars().next().map_or(0, char::len_utf8));
        if word_length(&format[start..dollar]) == dollar - start && start < dollar {
            note(format_at + start..format_at + dollar);
        }
    }
}

/// Reports whether the literal is the format string of a known formatting macro.
fn is_format_string(literal: Node<'_>, text: &str) -> bool {
    let Some(arguments) = literal.parent().filter(|parent| parent.kind() == "token_tree") else {
        return false;
    };
    let before = text[..arguments.start_byte()].trim_end();
    let Some(before) = before.strip_suffix('!').map(str::trim_end) else { return false };
    let called = &before[before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len()..];
    let places: Vec<usize> =
        FORMATTING.iter().filter(|(_, macros)| macros.contains(&called)).map(|&(place, _)| place).collect();
    let Some(&last) = places.iter().max() else { return false };
    let mut commas = 0;
    let mut cursor = arguments.walk();
    for token in arguments.children(&mut cursor) {
        if token.id() == literal.id() {
            return places.contains(&commas);
        }
        commas += usize::from(token.kind() == ",");
        if commas > last {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::Cancel;

    /// Asserts that the texts of the distinct occurrences in `text`, in order, are `expected`.
    #[track_caller]
    fn check(grammar: &str, text: &str, expected: &[&str]) {
        let grammar = Grammar::named(grammar).expect("is there");
        let outline = crate::outline(grammar, text, &Cancel::new()).expect("an outline");
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ' ';
        let mut found: Vec<(u32, String)> = Vec::new();
        for &hash in &outline.occurrences.hashes {
            for at in outline.occurrences.offsets_of_hash(hash) {
                let start = at as usize;
                let quoted = text[..start].ends_with('`');
                let rest = &text[start..];
                let ends = |c: char| if quoted { c == '`' } else { !is_word(c) || c == ' ' };
                found.push((at, rest[..rest.find(ends).unwrap_or(rest.len())].to_owned()));
            }
        }
        found.sort();
        assert!(found.windows(2).all(|two| two[0].0 != two[1].0), "{text}: one place twice: {found:?}");
        let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, expected, "{text}");
    }

    #[test]
    fn a_wide_character_before_a_macro_is_no_part_of_its_name() {
        check("rust", "fn f() { \u{2028}println!(\"{name}\"); }", &["f", "println", "name"]);
    }

    #[test]
    fn names_in_kotlin_strings() {
        for (text, expected) in [
            (r#"val v = "$name""#, &["v", "name"] as &[_]),
            (r#"val v = "${name} ${a.b}""#, &["v", "name", "a", "b"]),
            (r#"val v = "$a$b""#, &["v", "a", "b"]),
            (r#"val v = "$a.b""#, &["v", "a"]),
            (r#"val v = "$this $a1_b-c""#, &["v", "a1_b"]),
            (r#"val v = "\$a \\$b $ $1 $" "#, &["v", "b"]),
            (r#"val v = "$äpfel $`odd name`.x $größe""#, &["v", "äpfel", "odd name", "größe"]),
            ("val v = \"\"\"$a \\$b ${c}\n$d\"\"\"", &["v", "a", "b", "c", "d"]),
            ("val v = \"\"\"\\${a + b1} c\"\"\"", &["v", "a", "b1"]),
            (r#"val v = $$"$a $$b $$$c""#, &["v", "b", "c"]),
            (r#"val v = "${x { "$y" }}$z""#, &["v", "x", "y", "z"]),
            (r#"val v = "no name""#, &["v"]),
        ] {
            check("kotlin", text, expected);
        }
    }

    #[test]
    fn labels_of_kotlin_name_functions() {
        check(
            "kotlin",
            "fun f() { g { return@g }; l@ for (i in x) break@l }",
            &["f", "g", "g", "i", "x", "l"],
        );
    }

    #[test]
    fn names_that_rust_formats() {
        let text = r##"fn f() { println!("{a} {b:?} {{c}} {0} {} {:w$.p$} \u{41} \{d", 1); }"##;
        check("rust", text, &["f", "println", "a", "b", "w", "p"]);
        check("rust", r##"fn f() { write!(o, r#"{a}"#); m!("{b}"); }"##, &["f", "write", "o", "a", "m"]);
        let nested = r#"fn f() { assert_eq!("{a}", b, "{c}"); print!("{}", format!("{d}")); "{e}"; }"#;
        check("rust", nested, &["f", "assert_eq", "b", "c", "print", "format", "d"]);
    }

    #[test]
    fn names_that_python_writes_in_quotes() {
        for (text, expected) in [
            (
                "__all__ = ['name', \"b\", 'c d', f'{d}'] + x + ('e',)",
                &["__all__", "name", "b", "d", "x", "e"] as &[_],
            ),
            ("__all__ += 'a', 'b'", &["__all__", "a", "b"]),
            ("__all__: list[str] = [\n 'a',\n]", &["__all__", "list", "str", "a"]),
            ("__all__.extend(['a'])", &["__all__", "extend", "a"]),
            ("__all__.append('a')", &["__all__", "append", "a"]),
            ("all = ['a']", &["all"]),
            ("x.__all__ = ['a']", &["x", "__all__"]),
            (
                "def f(x: 'a', y: b['c'] = 'd') -> 'e.g | None': ...",
                &["f", "x", "a", "y", "b", "c", "e", "g", "None"],
            ),
            ("x: t.Union['a', \"list['b', c]\"] = 'd'", &["x", "t", "Union", "a", "list", "c"]),
            ("x: Literal['a'] | 'b'", &["x", "Literal", "b"]),
            ("x: t.Literal['a']", &["x", "t", "Literal"]),
            ("x: Annotated['a', 'b', C('d')]", &["x", "Annotated", "a", "C"]),
            ("x: t.Annotated['a', 'b']", &["x", "t", "Annotated", "a"]),
            ("X = Union['a', Optional['b'], y['c']]", &["X", "Union", "a", "Optional", "b", "y", "c"]),
            ("X = d['a']", &["X", "d"]),
            ("t.cast('a', 'b')", &["t", "cast", "a"]),
            ("TypeVar('T', 'a', bound='b')", &["TypeVar", "bound", "b"]),
            ("def f(x: b'a', y: 'a\\n', z: r'c'): 'd'", &["f", "x", "y", "z", "c"]),
        ] {
            check("python", text, expected);
        }
    }

    #[test]
    fn names_in_the_templates_of_other_languages() {
        check("javascript", r"x = `${a} ${b.c} \${d} ${`${e}`}`", &["x", "a", "b", "c", "e"]);
        check("typescript", "type X = `a${B}`; x = `${c}`", &["X", "B", "x", "c"]);
        check(
            "python",
            r#"x = f"{a} {b!r:>{w}} {c=} {{d}} {e.g:%Y}" rf'{h}' "{i}""#,
            &["x", "a", "b", "w", "c", "e", "g", "h"],
        );
        check(
            "csharp",
            r#"class A { string s = $"{b} {c:N2} {d,5} {{e}} {f.g(h)}"; string t = $@"{i}"; }"#,
            &["A", "s", "b", "c", "d", "f", "g", "h", "t", "i"],
        );
        check(
            "csharp",
            "class A { string s = $\"\"\"{b}\"\"\"; string t = $$\"\"\"{c} {{d}}\"\"\"; }",
            &["A", "s", "b", "t", "d"],
        );
        check("java", r#"class A { String s = "$b ${c}"; }"#, &["A", "String", "s"]);
    }
}
