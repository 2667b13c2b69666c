//! The texts that a question has read last. A question of several steps reads the same few files in each of them; a text whose
//! bytes are the same is not hashed, decoded and divided into lines again. Invariant: what is returned is made of the bytes
//! given.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use symd_base::text::{Binary, Encoding};
use symd_base::{ContentHash, RelPath, Text};

/// How many texts are kept: the file that is asked about, and those where its names are declared.
const KEPT: usize = 4;

/// The most bytes of a text that is kept.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// The texts, the last one that was read at the end.
#[derive(Debug, Default)]
pub(super) struct ReadTexts(Mutex<VecDeque<(RelPath, Text, ContentHash)>>);

impl ReadTexts {
    /// Returns the text of a file's bytes, and their hash.
    pub(super) fn decode(&self, path: &RelPath, bytes: Vec<u8>) -> (Result<Text, Binary>, ContentHash) {
        if let Some((text, hash)) = self.known(path, &bytes) {
            return (Ok(text), hash);
        }
        let (hash, length) = (ContentHash::of(&bytes), bytes.len());
        let text = Text::decode(bytes);
        if let Ok(text) = &text
            && text.encoding() == Encoding::Utf8
            && length <= MAX_KEPT_BYTES
        {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.retain(|(known, ..)| known != path);
            if kept.len() == KEPT {
                kept.pop_front();
            }
            kept.push_back((path.clone(), text.clone(), hash));
        }
        (text, hash)
    }

    fn known(&self, path: &RelPath, bytes: &[u8]) -> Option<(Text, ContentHash)> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, text, hash) = kept.iter().find(|(known, ..)| known == path)?;
        (text.as_str().as_bytes() == bytes).then(|| (text.clone(), *hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_that_of_the_bytes_given_whatever_was_read_before() {
        let texts = ReadTexts::default();
        let read = |path: &str, bytes: &[u8]| {
            let (text, hash) = texts.decode(&RelPath::new(path).unwrap(), bytes.to_vec());
            assert_eq!(hash, ContentHash::of(bytes));
            text.map(|text| (text.as_str().to_owned(), text.encoding()))
        };
        for (bytes, text, encoding) in [
            (&b"a = 1\n"[..], "a = 1\n", Encoding::Utf8),
            (b"a = 1\n", "a = 1\n", Encoding::Utf8),
            (b"a = 2\n", "a = 2\n", Encoding::Utf8),
            (b"\xEF\xBB\xBFa = 2\n", "a = 2\n", Encoding::Utf8Bom),
            (b"a = 2\n", "a = 2\n", Encoding::Utf8),
        ] {
            assert_eq!(read("a.py", bytes), Ok((text.to_owned(), encoding)));
            assert_eq!(read("b.py", b""), Ok((String::new(), Encoding::Utf8)));
        }
        assert_eq!(read("a.py", b"a\0"), Err(Binary));
        (0..2 * KEPT).for_each(|number| drop(read(&format!("{number}.py"), b"x")));
        assert_eq!(texts.0.lock().unwrap().len(), KEPT);
    }
}
