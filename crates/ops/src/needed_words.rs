//! The words that a file must hold for a question's answer to be in it. Told by its bytes, without an outline. Invariant:
//! a file that is told to hold none of it holds no symbol that was asked for; one that cannot be read may hold anything.

use memchr::memmem;

use symd_base::RelPath;
use symd_base::text::{Encoding, decode};
use symd_engine::View;
use symd_syntax::NamePattern;
use symd_syntax::name_path::Matching;
use symd_vfs::{MAX_FILE_BYTES, VfsError};

/// The beginning of a file that is too large to be read, in which a NUL byte shows that it is no source.
const HEAD_BYTES: usize = 8 << 10;

/// Words that one file holds together if it holds what is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NeededWords {
    whole: Vec<String>,
    /// What may be a part of a word.
    parts: Vec<String>,
}

impl NeededWords {
    /// Those of a symbol that a pattern matches: the words of its own name and of the names around it.
    pub fn of_pattern(pattern: &NamePattern) -> NeededWords {
        let last = words(pattern.last_name());
        let around = pattern.whole().rsplit_once('/').map_or("", |(around, _)| around);
        let mut needed = NeededWords { whole: words(around), parts: Vec::new() };
        match pattern.matching() {
            Matching::Exact => needed.whole.extend(last),
            Matching::Substring => needed.parts.extend(last),
        }
        // An index is no word of the text.
        needed.whole.retain(|word| !word.bytes().all(|byte| byte.is_ascii_digit()));
        needed
    }

    /// Those of the symbols that a name path as a client wrote it may name; nothing where it names none.
    pub fn of_name_path(name_path: &str, matching: Matching) -> NeededWords {
        NamePattern::parse(name_path, matching)
            .map(|pattern| NeededWords::of_pattern(&pattern))
            .unwrap_or_default()
    }

    /// Those of a place that names `name`.
    pub fn of_name(name: &str) -> NeededWords {
        NeededWords { whole: words(name), parts: Vec::new() }
    }

    /// Whether these bytes hold them all.
    pub fn are_in(&self, bytes: &[u8]) -> bool {
        let is_wide = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
        let wide = if is_wide { decode(bytes.to_vec()).ok() } else { None };
        let text = match &wide {
            Some((text, Encoding::Utf16Le | Encoding::Utf16Be)) => text.as_bytes(),
            _ => bytes,
        };
        self.whole.iter().all(|word| holds_word(text, word.as_bytes()))
            && self.parts.iter().all(|part| memmem::find(text, part.as_bytes()).is_some())
    }

    /// Whether the file at `path` may hold them all.
    pub(crate) fn may_be_in(&self, view: &View, path: &RelPath) -> bool {
        match view.root.read_unlinked(path, MAX_FILE_BYTES) {
            Ok(read) => self.are_in(&read.bytes),
            Err(VfsError::TooLarge { .. }) => {
                let head = view.root.read_at(path, 0, HEAD_BYTES);
                head.map_or(true, |head| memchr::memchr(0, &head.bytes).is_none())
            }
            Err(VfsError::NotFound { .. } | VfsError::NotAFile { .. }) => false,
            Err(_) => true,
        }
    }
}

/// The parts of a name that stand in a text as they are: `impl Display for Size` is put together of four.
fn words(name: &str) -> Vec<String> {
    let all = name.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    all.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn holds_word(text: &[u8], word: &[u8]) -> bool {
    // The bytes of a character beyond ASCII may be a letter's.
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
            assert_eq!(exact(pattern).are_in(text), expected, "{pattern}");
        }
        let part = |pattern| NeededWords::of_name_path(pattern, Matching::Substring);
        assert!(part("Flask/ru").are_in(text) && part("ide").are_in(text) && !part("Flas/ru").are_in(text));
        assert!(exact("impl Show for Size").are_in(b"impl<T> Show<T> for Size {}"));
    }

    #[test]
    fn wide_text_is_read() {
        let wide: Vec<u8> = "\u{FEFF}def run".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(NeededWords::of_name("run").are_in(&wide) && !NeededWords::of_name("ru").are_in(&wide));
    }
}
