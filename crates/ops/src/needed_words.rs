//! The words that a file must contain for the answer to a question to be in it. Checks the file's bytes,
//! without an outline. Invariant: a file reported to lack the words holds no requested symbol; a file that
//! cannot be read may hold anything.

use memchr::memmem;

use symd_base::RelPath;
use symd_base::text::{Encoding, decode};
use symd_engine::View;
use symd_syntax::NamePattern;
use symd_syntax::name_path::Matching;
use symd_vfs::{MAX_FILE_BYTES, VfsError};

/// Bytes read from the start of a file that is too large to be read whole; a NUL byte among them shows that
/// it is not source.
const HEAD_BYTES: usize = 8 << 10;

/// Words that a file must contain, all of them, if it holds what is searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NeededWords {
    whole: Vec<String>,
    /// Strings that may be part of a longer word.
    parts: Vec<String>,
}

impl NeededWords {
    /// Returns the words that a file with a match for `pattern` must contain: those of the symbol's own name
    /// and of the names around it.
    pub fn of_pattern(pattern: &NamePattern) -> NeededWords {
        let last = words(pattern.last_name());
        let around = pattern.whole().rsplit_once('/').map_or("", |(around, _)| around);
        let mut needed = NeededWords { whole: words(around), parts: Vec::new() };
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
        NeededWords { whole: words(name), parts: Vec::new() }
    }

    /// Whether `bytes` contains all of the words.
    pub fn match_bytes(&self, bytes: &[u8]) -> bool {
        let is_wide = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
        let wide = if is_wide { decode(bytes.to_vec()).ok() } else { None };
        let text = match &wide {
            Some((text, Encoding::Utf16Le | Encoding::Utf16Be)) => text.as_bytes(),
            _ => bytes,
        };
        self.whole.iter().all(|word| holds_word(text, word.as_bytes()))
            && self.parts.iter().all(|part| memmem::find(text, part.as_bytes()).is_some())
    }

    /// Whether the file at `path` may contain all of the words.
    pub(crate) fn may_match_file(&self, view: &View, path: &RelPath) -> bool {
        match view.files.read_no_follow(path, MAX_FILE_BYTES) {
            Ok(read) => self.match_bytes(&read.bytes),
            Err(VfsError::TooLarge { .. }) => {
                let head = view.files.read_at(path, 0, HEAD_BYTES);
                head.map_or(true, |head| memchr::memchr(0, &head.bytes).is_none())
            }
            Err(VfsError::NotFound { .. } | VfsError::NotAFile { .. }) => false,
            Err(_) => true,
        }
    }
}

/// Splits a name into the parts that occur verbatim in a text: `impl Display for Size` has four.
fn words(name: &str) -> Vec<String> {
    let all = name.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    all.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn holds_word(text: &[u8], word: &[u8]) -> bool {
    // A byte beyond ASCII may be part of a letter.
    let is_part =
        |byte: Option<&u8>| byte.is_some_and(|&b| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80);
    memmem::find_iter(text, word).any(|at| {
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        !is_part(before) && !is_part(text.get(at + word.len()))
    })
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
    fn wide_text_is_read() {
        let wide: Vec<u8> = "\u{FEFF}def run".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(
            NeededWords::of_name("run").match_bytes(&wide) && !NeededWords::of_name("ru").match_bytes(&wide)
        );
    }
}
