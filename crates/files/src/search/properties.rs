//! Properties of the pattern compiler and the helper's answers that must hold for any input. See
//! `symd::properties`.

use super::Case;
use super::grouped;
use super::pattern::{Pattern, PatternError};
use super::process::read_answer;
use super::python;

/// The maximum number of bytes that one byte of a pattern may be translated to.
const PER_BYTE: usize = 32;

/// A text whose meaning is the same in every mode.
const TEXT: &[u8] = "ab c\ndéf 12\n".as_bytes();

/// A pattern is translated to a bounded size, or rejected; a translated pattern compiles, or is rejected with
/// a reason.
pub fn regex(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(translated) = python::translate(&text) else { return assert_refused(&text) };
    assert!(translated.expression.len() <= PER_BYTE * (text.len() + 1), "{translated:?}");
    for pattern in [Pattern::new(&text), Pattern::within_lines(&text, Case::Insensitive)] {
        match pattern {
            // A pattern that may take long runs in a process that can be killed, not here.
            Ok(pattern) if !pattern.may_take_long(TEXT.len()) => {
                if let Ok(Some(found)) = pattern.find_at(TEXT, 0) {
                    assert!(TEXT.get(found.clone()).is_some(), "{found:?}");
                    assert!(pattern.resume(TEXT, &found) > found.start);
                }
            }
            Ok(_) | Err(PatternError::Empty | PatternError::Invalid { .. }) => {}
        }
    }
}

fn assert_refused(text: &str) {
    assert!(Pattern::new(text).is_err() && Pattern::within_lines(text, Case::Sensitive).is_err(), "{text:?}");
}

/// A text with all its characters escaped, as by Python's `re.escape`, matches itself.
pub fn escaped_text(bytes: &[u8]) {
    let text: String = String::from_utf8_lossy(bytes).chars().filter(|c| *c != '\r').take(60).collect();
    if text.is_empty() {
        return;
    }
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
    let escaped: String =
        text.chars().flat_map(|c| (!is_word(c)).then_some('\\').into_iter().chain([c])).collect();
    let pattern = Pattern::new(&escaped).unwrap();
    let around = format!("x{text}x");
    let found = pattern.find_at(around.as_bytes(), 0).unwrap().unwrap();
    assert!(found.len() == text.len() && found.start <= 1, "{escaped:?}: {found:?}");
}

/// A helper's answer is parsed or rejected; each match lies in the text.
pub fn answer(bytes: &[u8]) {
    let Some((length, answer)) = bytes.split_first() else { return };
    let length = usize::from(*length);
    let Some((_, matches)) = read_answer(answer, length) else { return };
    assert!(matches.iter().all(|found| found.start <= found.end && found.end <= length), "{matches:?}");
    assert!(matches.len() <= answer.len() / 16);
}

/// Seeds for answers.
pub fn answers() -> Vec<Vec<u8>> {
    let number = |number: u64| number.to_le_bytes();
    vec![
        [&[9, 0][..], &number(1), &number(3), &number(3), &number(9)].concat(),
        vec![9, 1],
        [&[9, 2][..], &number(7), &number(2)].concat(),
    ]
}

/// A text with characters of one, two and four bytes.
const GROUPED_TEXT: &str = "aé😀b\n";

/// A helper's answer with groups is parsed or rejected; each match and group is a range of the text, and
/// matches do not overlap.
pub fn grouped_answer(bytes: &[u8]) {
    let Some((groups, matches)) = bytes.split_first() else { return };
    let groups = usize::from(groups % 4);
    let Some(found) = grouped::read(matches, groups, GROUPED_TEXT) else { return };
    assert_eq!(found.len() * 16 * (groups + 1), matches.len());
    assert!(found.windows(2).all(|two| two[0].range.end <= two[1].range.start), "{found:?}");
    for one in &found {
        assert_eq!(one.groups.len(), groups);
        let parts = std::iter::once(&one.range).chain(one.groups.iter().flatten());
        assert!(parts.cloned().all(|part| GROUPED_TEXT.get(part).is_some()), "{one:?}");
    }
}

/// Seeds for answers with groups: one group, without a range in the second match.
pub fn grouped_answers() -> Vec<Vec<u8>> {
    let numbers =
        |numbers: &[u64]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
    vec![
        [vec![1], numbers(&[0, 3, 1, 3, 3, 7, u64::MAX, u64::MAX])].concat(),
        [vec![0], numbers(&[0, 0, 1, 1, 1, 3])].concat(),
        [vec![1], numbers(&[0, 3, 2, 3])].concat(),
    ]
}

/// Seeds for patterns.
pub fn seeds() -> Vec<Vec<u8>> {
    [
        r"(?P<a>x|y)+(?P=a)\b",
        r"(?i:[\w\-\]])*?(?<!a)b{2,3}+",
        r"(?x) a # comment",
        r"\N{DASH}\x41\u0041\101\Z",
        r"^(?:a|(?>b)|(?#c)d)$",
        r"[^\s\d]{,3}",
    ]
    .map(|it| it.into())
    .into()
}

/// Words from which patterns are generated.
pub const WORDS: &[&str] = &[
    "(",
    ")",
    "(?:",
    "(?P<n>",
    "(?P=n)",
    "(?<=",
    "(?<!",
    "(?=",
    "(?!",
    "(?>",
    "(?i)",
    "(?x)",
    "(?a:",
    "(?-i:",
    "(?#",
    "(?(1)",
    "[",
    "]",
    "[^",
    "-",
    "&&",
    "\\w",
    "\\b",
    "\\B",
    "\\A",
    "\\Z",
    "\\1",
    "\\10",
    "\\0",
    "\\x4",
    "\\u00e9",
    "\\N{",
    "\\",
    "*",
    "+",
    "?",
    "{",
    "}",
    "{2}",
    "{,3}",
    "{2,1}",
    "{99999999999}",
    "|",
    "^",
    "$",
    ".",
    "a",
    "é",
    "\n",
    "\r",
    " ",
    "#",
];
