//! Decides whether an identifier is called, from the surrounding text alone, because no tree is available
//! when references are classified. Independent of the callee: calling a class also counts. Invariant:
//! examines a bounded stretch of text.

use super::grammar::Grammar;
use super::templates::is_short_template;
use super::text_rules::TypeArguments;
use symd_base::TextRange;

/// Type arguments longer than this are not searched.
const MAX_TYPE_ARGUMENTS: usize = 1000;

/// Reports whether the identifier at `name` (not a declaration's own name) is called or constructed: it is
/// followed by an argument list, possibly after type arguments; in Kotlin also by a lambda, in Rust also by a
/// macro's input.
pub fn is_called(grammar: Grammar, text: &str, name: TextRange) -> bool {
    let Some(behind) = text.get(name.end as usize..) else { return false };
    // `"$f(1)"` is the value of `f` followed by text.
    if is_short_template(grammar, text, name.start as usize) {
        return false;
    }
    // A name in backticks is the text between them.
    let behind = blank(behind.strip_prefix('`').unwrap_or(behind));
    if behind.starts_with('(') {
        return true;
    }
    let rules = &grammar.rules().calls;
    // What follows the type arguments, if there are any.
    let past = match rules.type_arguments {
        TypeArguments::None => None,
        TypeArguments::Angles => type_arguments(behind, '<', '>').map(blank),
        TypeArguments::Squares => type_arguments(behind, '[', ']'),
        TypeArguments::Turbofish => behind.strip_prefix("::").and_then(|rest| type_arguments(rest, '<', '>')),
    };
    let is_macro = || behind.strip_prefix('!').is_some_and(|rest| blank(rest).starts_with(['(', '[', '{']));
    let begins_block = |text: &str| text.starts_with('{');
    let has_block = rules.takes_blocks && begins_block(past.unwrap_or(behind))
        || rules.takes_braces && begins_block(behind);
    past.is_some_and(|past| past.starts_with('('))
        || rules.has_optional_calls && behind.starts_with("?.(")
        || rules.has_macros && is_macro()
        || has_block && !is_header(before(text, name))
}

fn before(text: &str, name: TextRange) -> &str {
    let before = text.get(..name.start as usize).unwrap_or("");
    before.strip_suffix('`').unwrap_or(before).trim_end_matches([' ', '\t'])
}

/// Strips leading spaces and tabs, but not line breaks, which end a statement in most of the languages.
fn blank(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

/// Returns the text after the bracketed list of types with which `text` begins.
fn type_arguments(text: &str, open: char, close: char) -> Option<&str> {
    if !text.starts_with(open) {
        return None;
    }
    let mut depth = 0_usize;
    let mut last = ' ';
    for (at, c) in text.char_indices().take(MAX_TYPE_ARGUMENTS) {
        if c == open {
            depth += 1;
        } else if c == close && last != '-' && last != '=' {
            depth -= 1;
            if depth == 0 {
                return Some(&text[at + 1..]);
            }
        } else if c == last && "&|".contains(c)
            || !(c.is_alphanumeric() || c.is_whitespace() || "_,.?*&|:'\"()[]{}=-;@<>".contains(c))
        {
            // A comparison such as `a < b`.
            return None;
        }
        last = c;
    }
    None
}

/// Reports whether a name followed by a brace is a type in a header, not a call: `class A : B {`, `is B {`,
/// `fun f(): B {`.
fn is_header(before: &str) -> bool {
    if before.ends_with([':', ',', '.', '&']) {
        // A dot alone is ambiguous: `a.run { }` is a call, `: pkg.B {` is not.
        let chain = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '.').trim_end();
        return chain.ends_with(':') && !chain.ends_with("::") || before.ends_with(',');
    }
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    matches!(
        word,
        "class" | "interface" | "object" | "is" | "as" | "enum" | "struct" | "namespace" | "union" | "fun"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the indices of the occurrences of `f` in `text` that are calls.
    fn calls(grammar: &str, text: &str) -> Vec<usize> {
        let grammar = Grammar::named(grammar).expect("is there");
        let outline = crate::outline(grammar, text, &symd_base::Cancel::new()).expect("an outline");
        let places = outline.occurrences.offsets_of("f").enumerate();
        places
            .filter(|&(_, at)| is_called(grammar, text, TextRange::new(at, at + 1)))
            .map(|(n, _)| n)
            .collect()
    }

    #[test]
    fn calls_are_told_from_other_uses() {
        for (grammar, text, expected) in [
            ("python", "f(1); a.f (x); f\nb = f\n@f\n@f()\ndef g(): pass\n", vec![0, 1, 5]),
            (
                "kotlin",
                "val a = f(1); val b = f<Int>(2); val c = f { 3 }; val d = ::f; val e = x.f { }; val g = a < f\n",
                vec![0, 1, 2, 4],
            ),
            ("kotlin", "val a = \"$f(1) ${f(1)} $f { }\"\n", vec![1]),
            ("kotlin", "class A : f { }\nfun g(): f { return 1 }\nval x = `f`(1)\n", vec![2]),
            ("java", "class A { int x = f(1) + B.<T>f(2) + y.f; f z = new f<String>(); }", vec![0, 1, 4]),
            ("typescript", "f(1); f<A>(2); a.f?.(3); let b = f; if (f < c && d > (e)) {}", vec![0, 1, 2]),
            ("tsx", "const x = <a>{f(1)}{f}</a>;", vec![0]),
            ("javascript", "f(1); new f(); f?.(2); [1].map(f)", vec![0, 1, 2]),
            ("rust", "fn g() { f(1); f!(2); f::<A>(3); f; x.f(); f! [1]; }", vec![0, 1, 2, 4, 5]),
            ("go", "package a\nfunc g() { f(1); f[int](2); x.f(); y := f }", vec![0, 1, 2]),
            ("csharp", "class A { void G() { f(1); f<int>(2); x.f(); var y = f; } }", vec![0, 1, 2]),
            ("c", "int g() { return f(1) + (f); }", vec![0]),
            ("cpp", "int g() { return f<int>(1) + f(2) + x.f; }", vec![0, 1]),
        ] {
            assert_eq!(calls(grammar, text), expected, "{grammar}: {text}");
        }
    }

    #[test]
    fn a_text_that_ends_behind_the_name_is_no_call() {
        let python = Grammar::named("python").expect("is there");
        assert!(!is_called(python, "f", TextRange::new(0, 1)));
        assert!(!is_called(python, "f", TextRange::new(5, 6)));
        let kotlin = Grammar::named("kotlin").expect("is there");
        assert!(!is_called(kotlin, &format!("f{}", "<".repeat(5000)), TextRange::new(0, 1)));
    }
}
