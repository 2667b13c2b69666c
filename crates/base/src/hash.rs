//! Content hashes. A file's symbols are keyed by the hash of its bytes on disk, so the hash must be one that
//! cannot be forged: BLAKE3, truncated to 128 bits.

use std::fmt;

/// The first 16 bytes of the BLAKE3 hash of a file's bytes on disk (before any decoding).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct ContentHash(pub [u8; 16]);

impl ContentHash {
    /// Hashes `bytes`.
    pub fn of(bytes: &[u8]) -> ContentHash {
        let mut cut = [0; 16];
        cut.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
        ContentHash(cut)
    }

    /// Parses the 32 hexadecimal digits that `Display` writes.
    pub fn parse(text: &str) -> Option<ContentHash> {
        let mut hash = [0; 16];
        if text.len() != 2 * hash.len() || !text.is_ascii() {
            return None;
        }
        for (at, byte) in hash.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
        }
        Some(ContentHash(hash))
    }

    /// Returns the first 12 hexadecimal digits, which clients see as a file's revision.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}
