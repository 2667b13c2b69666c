//! The words that a file must contain for the answer to a question to be in it. Checks the file's bytes,
//! without an outline. Invariant: a file reported to lack the words holds no requested symbol, nor an
//! occurrence of the name.

use std::borrow::Cow;

use memchr::memmem;

use symd_base::text::{Encoding, decode};
use symd_syntax::name_path::Matching;
use symd_syntax::{NamePattern, spelled_as};

/// Words that a file must contain, all of them, if it holds what is searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NeededWords {
    whole: Vec<String>,
    /// Strings that may be part of a longer word.
    parts: Vec<String>,
    /// What the text's `package` header must name.
    package: Option<NeededPackage>,
    /// A name that must be called with more than one plain argument.
    called: Option<String>,
}

/// A package of Kotlin or Java that a text must declare as its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NeededPackage {
    /// The first names of the package.
    names: Vec<String>,
    /// Whether it has no others.
    is_whole: bool,
}

/// A file's bytes as words are searched for in them: UTF-16 is decoded.
#[derive(Clone, Debug)]
pub struct SearchedText<'b>(Cow<'b, [u8]>);

impl SearchedText<'_> {
    pub fn new(bytes: &[u8]) -> SearchedText<'_> {
        let is_wide = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
        let wide = if is_wide { decode(bytes.to_vec()).ok() } else { None };
        SearchedText(match wide {
            Some((text, Encoding::Utf16Le | Encoding::Utf16Be)) => Cow::Owned(text.into_bytes()),
            _ => Cow::Borrowed(bytes),
        })
    }
}

impl NeededWords {
    /// Returns the words that a file with a match for `pattern` must contain: those of the symbol's own name
    /// and of the names around it.
    pub fn of_pattern(pattern: &NamePattern) -> NeededWords {
        let last = words(pattern.last_name());
        let around = pattern.whole().rsplit_once('/').map_or("", |(around, _)| around);
        let mut needed = NeededWords { whole: words(around), ..NeededWords::default() };
        match pattern.matching() {
            Matching::Exact => needed.whole.extend(last),
            Matching::Substring => needed.parts.extend(last),
        }
        // A name path's index (`[1]`) does not occur in the text.
        needed.whole.retain(|word| !word.bytes().all(|byte| byte.is_ascii_digit()));
        needed
    }

    /// Returns the words for the symbols that a name path, as written by a client, may name; none if it is
    /// invalid.
    pub fn of_name_path(name_path: &str, matching: Matching) -> NeededWords {
        NamePattern::parse(name_path, matching)
            .map(|pattern| NeededWords::of_pattern(&pattern))
            .unwrap_or_default()
    }

    /// Returns the words for a place that contains `name`.
    pub fn of_name(name: &str) -> NeededWords {
        NeededWords { whole: words(name), ..NeededWords::default() }
    }

    /// Returns the words for a text of Kotlin or Java whose package has these first names, joined by dots; and no
    /// others if `is_whole`.
    pub fn of_package(package: &str, is_whole: bool) -> NeededWords {
        if package.is_empty() {
            return NeededWords::default();
        }
        let names = package.split('.').map(str::to_owned).collect();
        NeededWords { package: Some(NeededPackage { names, is_whole }), ..NeededWords::default() }
    }

    /// Returns the words for a text that holds `part`, which may be no word.
    pub fn of_part(part: &str) -> NeededWords {
        NeededWords { parts: vec![part.to_owned()], ..NeededWords::default() }
    }

    /// Returns these words and those of `name`.
    #[must_use]
    pub fn and_of(mut self, name: &str) -> NeededWords {
        self.whole.extend(words(name));
        self
    }

    /// Returns the words for a text that calls `name` with several arguments, or with one that is more than a name: the
    /// parenthesis stands right behind it.
    pub fn of_call(name: &str) -> NeededWords {
        NeededWords { called: Some(name.to_owned()), ..NeededWords::default() }
    }

    /// Whether the file `bytes` contains all of the words.
    pub fn match_bytes(&self, bytes: &[u8]) -> bool {
        self.match_text(&SearchedText::new(bytes))
    }

    /// Whether a text contains all of the words.
    pub fn match_text(&self, text: &SearchedText<'_>) -> bool {
        let text = text.0.as_ref();
        let holds_whole = |word: &String| {
            holds_word(text, word) || spelled_as(word).is_some_and(|keyword| holds_word(text, keyword))
        };
        // A part of a composed name: the text holds the keyword that the name is composed for.
        let holds_part = |part: &String| {
            let keywords =
                symd_syntax::COMPOSED_NAMES.iter().filter(|(name, _)| name.contains(part.as_str()));
            std::iter::once(part.as_str())
                .chain(keywords.map(|(_, keyword)| *keyword))
                .any(|part| memmem::find(text, part.as_bytes()).is_some())
        };
        self.whole.iter().all(holds_whole)
            && self.parts.iter().all(holds_part)
            && self.package.as_ref().is_none_or(|package| package.may_be_declared(text))
            && self.called.as_ref().is_none_or(|name| may_be_called(text, name))
    }

    /// Whether every file matches: the name has no word that a text must contain.
    pub fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.parts.is_empty() && self.package.is_none() && self.called.is_none()
    }
}

impl NeededPackage {
    /// Whether the word `package` stands before these names, or before what is not read here, such as a comment.
    fn may_be_declared(&self, text: &[u8]) -> bool {
        const KEYWORD: &[u8] = b"package";
        memmem::find_iter(text, KEYWORD).any(|at| {
            let behind = &text[at + KEYWORD.len()..];
            !ends_in_word(&text[..at]) && !starts_in_word(behind) && self.may_stand_at(behind)
        })
    }

    fn may_stand_at(&self, mut text: &[u8]) -> bool {
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        let mut names = self.names.iter();
        loop {
            text = text.trim_ascii_start();
            if matches!(text.first(), Some(b'/' | b'`' | b'$')) {
                return true;
            }
            let length = text.iter().take_while(|byte| is_name(byte)).count();
            let Some(expected) = names.next() else { return true };
            match std::str::from_utf8(&text[..length]) {
                Ok(name) if name == expected => {}
                Ok(_) => return false,
                Err(_) => return true,
            }
            text = text[length..].trim_ascii_start();
            match text.first() {
                Some(b'/' | b'`' | b'$') => return true,
                Some(b'.') => text = &text[1..],
                _ => return names.next().is_none(),
            }
            if self.is_whole && names.len() == 0 {
                return false;
            }
        }
    }
}

/// Splits a name into the parts that occur verbatim in a text: `impl Display for Size` has four.
fn words(name: &str) -> Vec<String> {
    let all = name.split(|c: char| !is_part(c));
    all.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn holds_word(text: &[u8], word: &str) -> bool {
    memmem::find_iter(text, word.as_bytes())
        .any(|at| !ends_in_word(&text[..at]) && !starts_in_word(&text[at + word.len()..]))
}

/// Whether the text calls `name`, and what stands between the parentheses is more than a chain of names.
fn may_be_called(text: &[u8], name: &str) -> bool {
    let mut places = memmem::find_iter(text, name.as_bytes());
    places.any(|at| {
        let behind = &text[at + name.len()..];
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b' ' | b'\n');
        behind.first() == Some(&b'(')
            && !ends_in_word(&text[..at])
            && behind[1..].iter().find(|byte| !is_plain(byte)) != Some(&b')')
    })
}

/// Whether the text ends with a character of a word. Byte-order marks and quotation marks belong to no word.
fn ends_in_word(text: &[u8]) -> bool {
    let Some(&last) = text.last() else { return false };
    if last.is_ascii() {
        return is_part(char::from(last));
    }
    let tail = &text[text.len().saturating_sub(4)..];
    let start = tail.iter().rposition(|byte| byte & 0xC0 != 0x80).unwrap_or(0);
    std::str::from_utf8(&tail[start..]).is_ok_and(|text| text.chars().next_back().is_some_and(is_part))
}

/// Whether the text starts with a character of a word.
fn starts_in_word(text: &[u8]) -> bool {
    let Some(&first) = text.first() else { return false };
    if first.is_ascii() {
        return is_part(char::from(first));
    }
    let head = &text[..text.len().min(4)];
    let end = 1 + head[1..].iter().take_while(|byte| **byte & 0xC0 == 0x80).count();
    std::str::from_utf8(&head[..end]).is_ok_and(|text| text.chars().next().is_some_and(is_part))
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_must_be_there() {
        let exact = |pattern| NeededWords::of_name_path(pattern, Matching::Exact);
        let text = b"class Flask:\n    def run(self): pass\n# d\xC3\xA9run wide";
        for (pattern, expected) in [
            ("run", true),
            ("Flask/run", true),
            ("/Flask/run[1]", true),
            ("Flas/run", false),
            ("ru", false),
            ("Blueprint/run", false),
            ("ide", false),
        ] {
            assert_eq!(exact(pattern).match_bytes(text), expected, "{pattern}");
        }
        let part = |pattern| NeededWords::of_name_path(pattern, Matching::Substring);
        assert!(
            part("Flask/ru").match_bytes(text)
                && part("ide").match_bytes(text)
                && !part("Flas/ru").match_bytes(text)
        );
        assert!(exact("impl Show for Size").match_bytes(b"impl<T> Show<T> for Size {}"));
    }

    #[test]
    fn marks_and_quotes_beside_a_word_are_no_part_of_it() {
        let run = NeededWords::of_name("run");
        for text in
            ["\u{FEFF}run = 1", "\u{201C}run\u{201D}", "function\u{A0}run\u{A0}()", "a\u{301}b run\u{3001}"]
        {
            assert!(run.match_bytes(text.as_bytes()), "{text}");
        }
        assert!(run.match_bytes(b"\xE9run\xFF"), "invalid UTF-8 is no letter");
        for text in ["\u{E9}run", "run\u{E9}", "run\u{4E00}", "_run"] {
            assert!(!run.match_bytes(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn composed_names_need_their_keyword() {
        let companion = NeededWords::of_name_path("Clock/Companion/now", Matching::Exact);
        assert!(companion.match_bytes(b"class Clock { companion object { fun now() = 1 } }"));
        assert!(companion.match_bytes(b"class Clock { companion object Companion { fun now() = 1 } }"));
        assert!(!companion.match_bytes(b"class Clock { object Other { fun now() = 1 } }"));
        for part in ["Compa", "anion", "nio"] {
            let part = NeededWords::of_name_path(part, Matching::Substring);
            assert!(part.match_bytes(b"companion object"), "{part:?}");
        }
        assert!(NeededWords::of_name("new Runnable").match_bytes(b"run(new Runnable() {})"));
    }

    #[test]
    fn a_package_is_needed_by_its_first_names() {
        let declares = |text: &str, package, is_whole| {
            NeededWords::of_package(package, is_whole).match_bytes(text.as_bytes())
        };
        for (text, within, whole) in [
            ("package a.b\n", true, true),
            ("@file:X package a . b;", true, true),
            ("package a.\n b.c", true, false),
            ("package /* a */ a.x", true, true),
            ("package a.`b`", true, true),
            ("package a.bc", false, false),
            ("package a", false, false),
            ("import a.b\npackage x", false, false),
            ("packages a.b", false, false),
            ("// the package a.b\npackage c", true, true),
            ("", false, false),
        ] {
            assert_eq!(declares(text, "a.b", false), within, "{text}");
            assert_eq!(declares(text, "a.b", true), whole, "{text}");
        }
    }

    #[test]
    fn a_call_of_more_than_a_name_is_needed() {
        let called = NeededWords::of_call("type");
        for (text, expected) in [
            ("x = type('A', (B,), {})", true),
            ("x = a.type(\n  name, bases, {})", true),
            ("type(*a)", true),
            ("type(", true),
            ("type(x) is type(self.a)", false),
            ("subtype(a, b)", false),
            ("type (a, b)", false),
            ("type: int", false),
            ("type(x)\ntype(a, b, c)", true),
        ] {
            assert_eq!(called.match_bytes(text.as_bytes()), expected, "{text}");
        }
        assert!(!called.is_empty());
    }

    #[test]
    fn wide_text_is_read() {
        let wide: Vec<u8> = "\u{FEFF}def run".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(
            NeededWords::of_name("run").match_bytes(&wide) && !NeededWords::of_name("ru").match_bytes(&wide)
        );
    }
}
