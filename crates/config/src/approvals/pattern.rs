//! The regular expression of a rule, in the syntax of the `regex` crate, searched in a call's JSON. JSON is
//! full of braces, so a `{` that does not begin a repetition is an ordinary character. Matching takes time
//! linear in the text, whatever the expression.

use std::fmt;

use regex::{Regex, RegexBuilder};

/// Maximum size of a compiled expression in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// A compiled expression with its original text.
#[derive(Clone, Debug)]
pub struct RulePattern {
    text: String,
    regex: Regex,
}

/// Why a text is not an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a regular expression: {why}")]
pub struct RulePatternError {
    text: String,
    why: String,
}

impl RulePattern {
    /// Compiles `text`.
    pub fn new(text: &str) -> Result<RulePattern, RulePatternError> {
        let wrong = |why: String| RulePatternError { text: text.to_owned(), why };
        if text.is_empty() {
            return Err(wrong("it is empty, and would match every call; write .* for that".to_owned()));
        }
        let built = RegexBuilder::new(&with_plain_braces(text)).size_limit(MAX_COMPILED_BYTES).build();
        let regex = built.map_err(|error| wrong(reason(&error)))?;
        Ok(RulePattern { text: text.to_owned(), regex })
    }

    /// Whether the expression matches anywhere in `json`.
    pub fn is_found_in(&self, json: &str) -> bool {
        self.regex.is_match(json)
    }

    /// Returns the original text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PartialEq for RulePattern {
    fn eq(&self, other: &RulePattern) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for RulePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns the expression that matches `json` and no other text.
pub fn exact(json: &str) -> String {
    format!("^{}$", regex::escape(json))
}

/// Returns the last line of the crate's message: the lines before it display the expression, whose braces
/// were changed.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim().trim_start_matches("error: ").to_owned()
}

/// Returns `text` with a backslash before every `{` that does not begin a repetition.
fn with_plain_braces(text: &str) -> String {
    let mut plain = String::with_capacity(text.len() + 8);
    let mut rest = text;
    let mut in_class = 0_u32;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\\' => escape_length(rest),
            '{' if in_class == 0 => match repetition_length(rest) {
                Some(length) => length,
                None => {
                    plain.push('\\');
                    1
                }
            },
            '[' => {
                in_class += 1;
                class_start_length(rest)
            }
            ']' => {
                in_class = in_class.saturating_sub(1);
                1
            }
            c => c.len_utf8(),
        };
        let (taken, behind) = rest.split_at(length);
        plain.push_str(taken);
        rest = behind;
    }
    plain
}

/// Returns the length in bytes of the escape at the start of `text`: `\d`, `\p{Greek}`, `\x{7f}`,
/// `\b{start}`.
fn escape_length(text: &str) -> usize {
    let Some(escaped) = text.chars().nth(1) else { return 1 };
    let length = 1 + escaped.len_utf8();
    let braced = matches!(escaped, 'p' | 'P' | 'x' | 'u' | 'U' | 'b') && text[length..].starts_with('{');
    // `\b{` is a word boundary before a brace, unless the braces contain one of the crate's words.
    let word = |inside: &str| escaped != 'b' || inside.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    match text[length..].find('}') {
        Some(end) if braced && end > 1 && word(&text[length + 1..length + end]) => length + end + 1,
        _ => length,
    }
}

/// Returns the length in bytes of `[`, `[^`, `[]` or `[^]` at the start of `text`: there a `]` is an ordinary
/// character.
fn class_start_length(text: &str) -> usize {
    let negated = 1 + usize::from(text[1..].starts_with('^'));
    negated + usize::from(text[negated..].starts_with(']'))
}

/// Returns the length in bytes of `{2}`, `{2,}` or `{2,3}` at the start of `text`, without a lazy `?`.
fn repetition_length(text: &str) -> Option<usize> {
    let inside = text[1..].split_once('}')?.0;
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    (!least.is_empty() && number(least) && number(most)).then_some(inside.len() + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, json: &str) -> bool {
        RulePattern::new(pattern).expect(pattern).is_found_in(json)
    }

    #[test]
    fn the_contracts_example() {
        let pattern = r#"^{"path":".*\.txt"}$"#;
        assert!(found(pattern, r#"{"path":"test.txt"}"#));
        assert!(!found(pattern, r#"{"path":"test_txt"}"#));
        assert!(!found(pattern, r#"{"content":"x","path":"test.txt"}"#));
        assert!(!found(pattern, r#"{"path":"test.txt","z":1}"#));
    }

    #[test]
    fn a_brace_is_plain_where_it_repeats_nothing() {
        for (pattern, plain) in [
            (r"{}", r"\{}"),
            (r"^{$", r"^\{$"),
            (r"\{x{2}", r"\{x{2}"),
            (r"x{2,}{3,4}{,5}{a}{1,b}", r"x{2,}{3,4}\{,5}\{a}\{1,b}"),
            (r"[{]{[^]{]{", r"[{]\{[^]{]\{"),
            (r"[]{]{", r"[]{]\{"),
            (r"\p{Greek}{\x{41}{\pL{", r"\p{Greek}\{\x{41}\{\pL\{"),
            (r#"\b{"a\b{start}\\{"#, r#"\b\{"a\b{start}\\\{"#),
            (r"é{ü", r"é\{ü"),
            (r"x{", r"x\{"),
            ("\\", "\\"),
        ] {
            assert_eq!(with_plain_braces(pattern), plain, "{pattern}");
        }
        assert!(found(r#"{"a":{"b":\[{}]}}"#, r#"{"a":{"b":[{}]}}"#));
        assert!(found(r#"^{"n":\d{3}}$"#, r#"{"n":123}"#));
        assert!(!found(r#"^{"n":\d{3}}$"#, r#"{"n":1234}"#));
    }

    #[test]
    fn it_is_searched_not_matched() {
        assert!(found("git", r#"{"command":"git status"}"#));
        assert!(!found("^git", r#"{"command":"git status"}"#));
    }

    #[test]
    fn an_exact_expression_is_found_in_that_text_only() {
        for json in [r#"{"a":"x.*{2}[y]\\n\"$^","b":{"c":[1,2]}}"#, "{}", r#"{"a":"日本 😀 # -"}"#] {
            let pattern = exact(json);
            assert!(found(&pattern, json), "{pattern}");
            for other in
                [format!("{json} "), format!(" {json}"), json.replace('x', "z") + "\n", format!("{json}\n")]
            {
                assert!(!found(&pattern, &other), "{pattern} in {other:?}");
            }
        }
        assert!(!found(&exact("{\"a\":\"x.y\"}"), "{\"a\":\"xzy\"}"));
    }

    #[test]
    fn what_is_no_expression_says_why() {
        for (pattern, why) in [
            ("(", "unclosed group"),
            ("[a", "unclosed character class"),
            ("*", "repetition operator missing expression"),
            ("", "it is empty"),
            ("(?=x)", "look-around"),
            (r"(x{1000}){1000}", "size limit"),
        ] {
            let error = RulePattern::new(pattern).expect_err(pattern).to_string();
            assert!(error.contains(why) && error.contains("regular expression"), "{error}");
        }
    }
}
