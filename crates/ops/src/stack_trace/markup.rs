//! Lines as the programs wrote them that stand in HTML, XML or JSON: reports of tests, chats, logs of services.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// The tags of test reports and of pages around traces. Others may be names: `<init>`, `<lambda>`, `<T>`.
static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)<(?P<end>/?)(?P<name>testsuites?|testcase|(?:flaky|rerun)?(?:failure|error)|skipped|system-out|system-err|stackTrace",
        r"|html|body|pre|code|tt|samp|span|div|p|br|hr|a|b|i|em|strong|font|blockquote|table|tbody|tr|td|th|ul|ol|li|h[1-6])",
        r#"(?:\s+[\w:-]+(?:=(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*\s*/?>|<!\[CDATA\[|\]\]>"#
    ))
    .ok()
});

static ENTITY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"&(?:#(?P<number>\d{1,7})|#[xX](?P<hex>[0-9a-fA-F]{1,6})|(?P<name>[a-z]{2,4}));").ok()
});

/// Tags after which a page has a line break.
const BREAKS: [&str; 5] = ["br", "p", "div", "li", "tr"];

/// How a text writes what programs print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Markup {
    Plain,
    /// Without tags, but with entities: as chats give texts to programs.
    Escaped,
    Tags,
}

impl Markup {
    pub(super) fn of(text: &str) -> Markup {
        let has_entities = text.contains('&') && ENTITY.as_ref().is_some_and(|entity| entity.is_match(text));
        // Generic types look like the tags of one letter: `List<a>`.
        let is_tag = |found: Captures<'_>| {
            found.name("name").is_none_or(|name| name.len() > 1 || !found["end"].is_empty())
        };
        match TAG.as_ref().is_some_and(|tag| tag.captures_iter(text).any(is_tag)) {
            true => Markup::Tags,
            // In a text that has a `<` itself, an entity is one of the program's.
            false if has_entities && !text.contains('<') => Markup::Escaped,
            false => Markup::Plain,
        }
    }

    /// Returns the lines of a line: breaks of a page, and those that JSON escapes, are line breaks.
    pub(super) fn written(self, line: &str) -> Cow<'_, str> {
        let line = match self {
            Markup::Plain => Cow::Borrowed(line),
            Markup::Escaped => without_entities(line),
            Markup::Tags => {
                let line = TAG.as_ref().map_or(Cow::Borrowed(line), |tag| tag.replace_all(line, of_tag));
                Cow::Owned(without_entities(&line).into_owned())
            }
        };
        match of_teamcity(&line).or_else(|| without_escapes(&line)) {
            Some(written) => Cow::Owned(written),
            None => line,
        }
    }
}

/// Returns the values of a service message of TeamCity (`##teamcity[testFailed details='a.Gone|n|tat …']`), each in lines of its own; `None` for
/// other lines.
fn of_teamcity(line: &str) -> Option<String> {
    let mut rest =
        line.split_once("##teamcity[").map(|(_, rest)| rest).filter(|rest| rest.contains("|n"))?.chars();
    let mut text = String::with_capacity(line.len());
    while let Some(c) = rest.next() {
        match c {
            '\'' => text.push('\n'),
            '|' => match rest.next() {
                Some('n') => text.push('\n'),
                Some('r') | None => {}
                Some('t') => text.push('\t'),
                Some('0') => {
                    // `|0x00e9`
                    let digits: String = rest.by_ref().skip(1).take(4).collect();
                    let c = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                Some(c) => text.push(c),
            },
            c => text.push(c),
        }
    }
    Some(text)
}

fn of_tag(found: &Captures<'_>) -> &'static str {
    let name = found.name("name").map_or("", |name| name.as_str());
    let ends = found.name("end").is_some_and(|end| !end.as_str().is_empty());
    let is_break = BREAKS.iter().any(|tag| tag.eq_ignore_ascii_case(name));
    if is_break && (ends || name.eq_ignore_ascii_case("br")) { "\n" } else { "" }
}

/// Replaces entities, each once: `&amp;lt;` is `&lt;`.
fn without_entities(line: &str) -> Cow<'_, str> {
    let Some(entity) = ENTITY.as_ref().filter(|_| line.contains('&')) else { return Cow::Borrowed(line) };
    entity.replace_all(line, |found: &Captures<'_>| {
        let number = |name: &str, radix: u32| u32::from_str_radix(found.name(name)?.as_str(), radix).ok();
        let numbered = number("number", 10).or_else(|| number("hex", 16)).and_then(char::from_u32);
        let named = match found.name("name").map_or("", |name| name.as_str()) {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            "amp" => Some('&'),
            "nbsp" => Some(' '),
            _ => None,
        };
        numbered.or(named).map_or_else(|| found[0].to_owned(), String::from)
    })
}

/// Maximum number of times that a text is escaped: JSON within JSON.
const MAX_ESCAPED: usize = 3;

/// Returns the lines of a line in which JSON escapes the line breaks of a trace; `None` for other lines.
fn without_escapes(line: &str) -> Option<String> {
    let is_escaped = |line: &str| {
        line.contains('\\') && [r"n\tat ", r"n\\tat ", r"\n    at "].iter().any(|frame| line.contains(frame))
    };
    let mut written: Option<String> = None;
    for _ in 0..MAX_ESCAPED {
        let last = written.as_deref().unwrap_or(line);
        if !is_escaped(last) {
            break;
        }
        written = Some(unescaped(last));
    }
    written
}

/// Resolves the escapes of JSON; the quotes of its strings become line breaks, so that each string is a line of its own.
fn unescaped(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => text.push('\n'),
            '\\' => match rest.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') | None => {}
                Some('u') => {
                    let digits: String = rest.by_ref().take(4).collect();
                    let c = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                Some(c) => text.push(c),
            },
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        Markup::of(text).written(text).into_owned()
    }

    #[test]
    fn entities_and_tags() {
        for (text, expected) in [
            ("at a.B.&lt;init&gt;(B.kt:1) &amp; it&#39;s &#x3C;b&#x3E;", "at a.B.<init>(B.kt:1) & it's <b>"),
            ("&amp;lt;init&amp;gt;", "&lt;init&gt;"),
            ("a.Gone: \"&lt;\" at a.B.<init>(B.kt:1)", "a.Gone: \"&lt;\" at a.B.<init>(B.kt:1)"),
            ("<pre class=\"trace\">at a.B.&lt;init&gt;(B.kt:1)</pre>", "at a.B.<init>(B.kt:1)"),
            ("<div>a.Gone<br/>at a.B.<init>(B.kt:1)</div>", "a.Gone\nat a.B.<init>(B.kt:1)\n"),
            ("<failure message='x'><![CDATA[at a.B.<clinit>(B.kt:1)]]></failure>", "at a.B.<clinit>(B.kt:1)"),
            ("&nothing; & &#99999999;", "&nothing; & &#99999999;"),
        ] {
            assert_eq!(written(text), expected, "{text}");
        }
    }

    #[test]
    fn service_messages_of_teamcity() {
        let message = "##teamcity[testFailed name='a.BTest.sells' message='it|'s gone' details='a.Gone: it|'s |[1|] |0x00e9|n    at a.B.c(B.kt:1)|r|n' \
            flowId='1']";
        let expected = "testFailed name=\na.BTest.sells\n message=\nit's gone\n details=\na.Gone: it's [1] é\n    at a.B.c(B.kt:1)\n\n flowId=\n1\n]";
        assert_eq!(written(message), expected);
        assert_eq!(written("##teamcity[testStarted name='|n"), "testStarted name=\n\n");
        assert_eq!(written("##teamcity[testStarted name='a']"), "##teamcity[testStarted name='a']");
    }

    #[test]
    fn traces_in_json() {
        let trace = "\"a.Gone: \\\"x\\\"\\n\\tat a.B.\\u003cinit\\u003e(B.kt:1)\\n\\tat a.B.c(B.kt:2)\"";
        let expected = "a.Gone: \"x\"\n\tat a.B.<init>(B.kt:1)\n\tat a.B.c(B.kt:2)";
        assert_eq!(written(trace).trim(), expected);
        let twice = format!("{{\"log\":\"{}\"}}", trace.replace('\\', r"\\").replace('"', "\\\""));
        assert!(
            written(&twice).contains("\n\tat a.B.<init>(B.kt:1)\n\tat a.B.c(B.kt:2)\n"),
            "{}",
            written(&twice)
        );
        assert_eq!(written(r"C:\new\table at noon"), r"C:\new\table at noon");
    }
}
