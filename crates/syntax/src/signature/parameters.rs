//! Parameters in three lengths: as written, without the default, and the type alone.

use std::ops::Range;

use super::head_syntax::{BeforeName, HeadSyntax};
use super::tokens::{Kind, Tokens};

/// One parameter of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    /// The parameter as written, on one line.
    pub(super) full: String,
    /// The parameter with `…` in place of its default.
    pub(super) brief: String,
    /// The type, or the name of a parameter without a type.
    pub(super) bare: String,
}

/// Words before a name that are not a type.
const QUALIFIERS: [&str; 12] = [
    "const", "volatile", "register", "final", "restrict", "struct", "union", "enum", "class", "typename",
    "readonly", "scoped",
];

/// Words of the language that are types: if the last word is one of these, it is not a name.
const TYPE_WORDS: [&str; 16] = [
    "int", "char", "short", "long", "float", "double", "void", "bool", "unsigned", "signed", "auto", "_Bool",
    "size_t", "wchar_t", "byte", "boolean",
];

/// Returns the parameters between two brackets.
pub(super) fn parameters(tokens: &Tokens<'_>, range: Range<usize>, syntax: &HeadSyntax) -> Vec<Parameter> {
    let parts = tokens.parts(range);
    if syntax.has_shared_types_and_tags {
        return of_go(tokens, &parts);
    }
    parts.into_iter().map(|part| parameter(tokens, part, syntax)).collect()
}

fn parameter(tokens: &Tokens<'_>, part: Range<usize>, syntax: &HeadSyntax) -> Parameter {
    let full = tokens.render(part.clone());
    let equals = tokens.find(part.clone(), |token| token.text == "=");
    let own = part.start..equals.unwrap_or(part.end);
    let without_default = tokens.render(own.clone());
    let brief = match equals {
        // With the spacing of the source: `x=1`, `x: int = 1`.
        Some(at) => format!("{without_default}{}…", tokens.render_with_gap(at..at + 1)),
        None => full.clone(),
    };
    let is_type_first = syntax.before_name == BeforeName::Type;
    let of_type =
        if is_type_first { before_name(tokens, own) } else { type_after_colon(tokens, own, syntax) };
    Parameter { full, brief, bare: of_type.unwrap_or(without_default) }
}

/// Returns the type of `name: Type`.
fn type_after_colon(tokens: &Tokens<'_>, own: Range<usize>, syntax: &HeadSyntax) -> Option<String> {
    let colon = tokens.find(own.clone(), |token| token.text == ":")?;
    let names = own.start..colon;
    let has = |word: &str| names.clone().any(|at| tokens.text(at) == word);
    // In `this: Type` and `self: &Self` the name identifies the receiver, so it is kept.
    if tokens.text(colon - 1) == "this" || (syntax.has_typed_self && tokens.text(colon - 1) == "self") {
        return None;
    }
    let of_type = tokens.render(colon + 1..own.end);
    let lead = match syntax.rest_marks.iter().find(|mark| **mark == tokens.text(own.start)) {
        Some(mark) => mark,
        None if syntax.has_optional_mark && tokens.text(colon - 1) == "?" => "?",
        None if syntax.has_vararg && has("vararg") => "vararg ",
        None => "",
    };
    Some(format!("{lead}{of_type}"))
}

/// Returns the type of `Type name`, `const char *name[3]`.
fn before_name(tokens: &Tokens<'_>, own: Range<usize>) -> Option<String> {
    let own = skip_annotations(tokens, own);
    // A function type contains the name inside it.
    if tokens.find(own.clone(), |token| token.text == "(").is_some() {
        return None;
    }
    let mut end = own.end;
    while end > own.start + 1 && tokens.text(end - 1) == "]" {
        end = tokens.get(end - 1)?.partner?;
    }
    let name = end.checked_sub(1).filter(|&at| at > own.start)?;
    let last = tokens.get(name)?;
    let before = tokens.get(name - 1)?;
    let is_tag = matches!(before.text, "struct" | "union" | "enum" | "class" | "typename");
    let is_name = last.kind == Kind::Word
        && !TYPE_WORDS.contains(&last.text)
        && !matches!(last.text, "const" | "volatile")
        && !matches!(before.text, "::" | ".")
        && !is_tag;
    let has_type = (own.start..name).any(|at| {
        let text = tokens.text(at);
        !QUALIFIERS.contains(&text) && !matches!(text, "*" | "&" | "&&")
    });
    let is_named = is_name && has_type;
    let arrays = tokens.render(end..own.end);
    is_named.then(|| format!("{}{arrays}", tokens.render(own.start..name).trim_start_matches("final ")))
}

/// Skips leading `@Annotation(…)` and `[Attribute]`.
fn skip_annotations(tokens: &Tokens<'_>, own: Range<usize>) -> Range<usize> {
    let mut at = own.start;
    while at < own.end {
        if let Some(close) = tokens.close(at, "[") {
            at = close + 1;
        } else if tokens.text(at) == "@" {
            at = skip_annotation(tokens, at);
        } else {
            break;
        }
    }
    at.min(own.end)..own.end
}

/// Returns the token after `@a.b.Annotation(…)`, whose `@` is token `at`.
pub(super) fn skip_annotation(tokens: &Tokens<'_>, at: usize) -> usize {
    let mut behind = at + 2;
    while matches!(tokens.text(behind), "." | ":") {
        behind += 2;
    }
    tokens.close(behind, "(").map_or(behind, |close| close + 1)
}

/// Reads `a, b int, c ...string`: a name without a type has the type of the next one that has a type.
fn of_go(tokens: &Tokens<'_>, parts: &[Range<usize>]) -> Vec<Parameter> {
    let is_named = |part: &Range<usize>| {
        part.len() > 1
            && tokens.is_word(part.start)
            && !matches!(tokens.text(part.start), "chan" | "func" | "map" | "struct" | "interface")
            && !matches!(tokens.text(part.start + 1), "." | "[")
            || (part.len() > 1 && tokens.text(part.start + 1) == "[" && has_space(tokens, part.start + 1))
    };
    let any_named = parts.iter().any(is_named);
    let mut inherited = String::new();
    let mut parameters: Vec<Parameter> = Vec::with_capacity(parts.len());
    for part in parts.iter().rev() {
        let full = tokens.render(part.clone());
        if any_named && is_named(part) {
            inherited = tokens.render(part.start + 1..part.end);
        } else if !any_named || inherited.is_empty() {
            inherited.clone_from(&full);
        }
        parameters.push(Parameter { brief: full.clone(), bare: inherited.clone(), full });
    }
    parameters.reverse();
    parameters
}

fn has_space(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.gap != super::tokens::Gap::None)
}

#[cfg(test)]
mod tests {
    use super::super::head_syntax::{C, CPP, CSHARP, GO, JAVA, KOTLIN, PYTHON, RUST, SCRIPT};
    use super::*;

    fn bare(text: &str, syntax: &HeadSyntax) -> String {
        let tokens = Tokens::read(text, syntax);
        let all = parameters(&tokens, 0..tokens.len(), syntax);
        all.into_iter().map(|parameter| parameter.bare).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn types_are_what_is_left() {
        let cases = [
            (
                &PYTHON,
                "self, a, b=1, c: int = 2, *args: T, **rest: Dict[str, U]",
                "self | a | b | int | *T | **Dict[str, U]",
            ),
            (&PYTHON, "a, /, *, b: t.Optional[int] = None", "a | / | * | t.Optional[int]"),
            (
                &KOTLIN,
                "private val x: Map<K, V> = mapOf(), vararg xs: Int, noinline f: (A) -> B",
                "Map<K, V> | vararg Int | (A) -> B",
            ),
            (
                &SCRIPT,
                "a?: string, ...rest: T[], { x, y }: Props = {}, this: Foo, b",
                "?string | ...T[] | Props | this: Foo | b",
            ),
            (&RUST, "&mut self, mut x: &'a T, (a, b): (A, B)", "&mut self | &'a T | (A, B)"),
            (&JAVA, "final Map<K, V> xs, @Nullable String s, int... rest", "Map<K, V> | String | int..."),
            (&CSHARP, "this Foo<T> x, ref int y, [In] string s = \"\"", "this Foo<T> | ref int | string"),
            (
                &C,
                "const char *name, int arr[3], unsigned int, struct foo, void (*cb)(int), void, ...",
                "const char * | int[3] | unsigned int | struct foo | void (*cb)(int) | void | ...",
            ),
            (
                &CPP,
                "const std::string& s, std::vector<int> v = {}, T&&... args, Foo, const Foo&",
                "const std::string& | std::vector<int> | T&&... | Foo | const Foo&",
            ),
            (
                &GO,
                "ctx context.Context, a, b int, f func(int) error, xs ...string",
                "context.Context | int | int | func(int) error | ...string",
            ),
            (&GO, "int, []string, map[string]int, *pkg.T", "int | []string | map[string]int | *pkg.T"),
            (&GO, "xs []int, m map[string]int, c chan int", "[]int | map[string]int | chan int"),
        ];
        for (syntax, text, expected) in cases {
            assert_eq!(bare(text, syntax), expected, "{text}");
        }
    }

    #[test]
    fn a_default_becomes_an_ellipsis() {
        let tokens = Tokens::read("a=1, b: int = f(2, 3)", &PYTHON);
        let all = parameters(&tokens, 0..tokens.len(), &PYTHON);
        let briefs: Vec<&str> = all.iter().map(|parameter| &*parameter.brief).collect();
        assert_eq!(briefs, ["a=…", "b: int =…"]);
    }
}
