//! Compares a whole answer to the expected text, with `{MS}` for a number of milliseconds, `{PID}` for a
//! process id, `{ID}` for the number of an edit, `{TIME}` for an RFC 3339 UTC time in seconds and `{ANY}` for
//! any text within a line.

use regex::Regex;
use similar::{ChangeTag, TextDiff};

const PLACEHOLDERS: [(&str, &str); 5] = [
    ("{MS}", "[0-9]+"),
    ("{PID}", "[0-9]+"),
    ("{ID}", "[0-9]+"),
    ("{TIME}", "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"),
    ("{ANY}", "[^\\n]*"),
];

/// The maximum length in bytes of texts to diff: of longer ones only the first difference is shown.
const LONGEST_DIFF: usize = 1 << 20;

/// Returns `None` if `got` is as expected; otherwise a diff.
pub fn difference(expected: &str, got: &str) -> Option<String> {
    if expected == got || (has_placeholder(expected) && fits(expected, got)) {
        return None;
    }
    if expected.len().max(got.len()) > LONGEST_DIFF {
        let same = expected.bytes().zip(got.bytes()).take_while(|(a, b)| a == b).count();
        let around = |text: &str| {
            String::from_utf8_lossy(&text.as_bytes()[same..(same + 300).min(text.len())]).into_owned()
        };
        let (expected, got) = (around(expected), around(got));
        return Some(format!("  from byte {same} on\n  - {expected:?}\n  + {got:?}\n"));
    }
    let aligned = aligned(expected, got);
    let diff = TextDiff::from_lines(expected, &aligned);
    let lines = diff.iter_all_changes().map(|change| {
        let sign = match change.tag() {
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
            ChangeTag::Equal => ' ',
        };
        // Escaped, so that line ends, trailing spaces and control characters show.
        let line = change.value().escape_debug().to_string().replace("\\\"", "\"").replace("\\'", "'");
        format!("  {sign} {}\n", line.replace("\\\\", "\\"))
    });
    Some(format!("  (- expected, + got)\n{}", lines.collect::<String>()))
}

fn fits(expected: &str, got: &str) -> bool {
    // The text before the first placeholder may be megabytes, too large for a pattern.
    let before = PLACEHOLDERS.iter().filter_map(|(name, _)| expected.find(name)).min().unwrap_or(0);
    let (before, varying) = expected.split_at(before);
    got.strip_prefix(before).is_some_and(|rest| pattern(varying).is_match(rest))
}

fn has_placeholder(text: &str) -> bool {
    PLACEHOLDERS.iter().any(|(name, _)| text.contains(name))
}

fn pattern(expected: &str) -> Regex {
    let mut pattern = regex::escape(expected);
    for (name, means) in PLACEHOLDERS {
        pattern = pattern.replace(&regex::escape(name), means);
    }
    regex::RegexBuilder::new(&format!("\\A(?:{pattern})\\z")).size_limit(1 << 26).build().unwrap()
}

/// Returns `got` with the expected lines in place of those that match, so that a diff shows only the others.
fn aligned(expected: &str, got: &str) -> String {
    let varying: Vec<(&str, Regex)> = expected
        .split_inclusive('\n')
        .filter(|line| has_placeholder(line))
        .map(|line| (line, pattern(line)))
        .collect();
    let line = |line| {
        varying.iter().find(|(_, pattern)| pattern.is_match(line)).map_or(line, |(expected, _)| expected)
    };
    got.split_inclusive('\n').map(line).collect()
}

#[test]
fn placeholders_stand_for_what_they_say_and_nothing_else_does() {
    assert_eq!(difference("a.b\n", "a.b\n"), None);
    assert!(difference("a.b\n", "axb\n").is_some());
    assert!(difference("a\n", "a").is_some());
    assert_eq!(difference("{TIME} {MS} ms [{ANY}]", "2026-11-21T10:00:00Z 17 ms []"), None);
    assert!(difference("{MS}\n", "17 \n").is_some());
    assert!(difference("<{ANY}>", "<a\nb>").is_some());
    let shown = difference("{PID} x\r\ny\n", "12 x\r\nz\\\n").unwrap();
    assert_eq!(shown, "  (- expected, + got)\n    {PID} x\\r\\n\n  - y\\n\n  + z\\\\n\n");
}
