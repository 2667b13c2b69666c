//! Content hashes. A file's symbols are keyed by the hash of its bytes on disk, so the hash must be one that
//! cannot be forged: BLAKE3, truncated to 128 bits.

use std::fmt;

use data_encoding::HEXLOWER;

/// The first 16 bytes of the BLAKE3 hash of a file's bytes on disk (before any decoding).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct ContentHash(pub [u8; 16]);

impl ContentHash {
    /// Hashes `bytes`.
    pub fn of(bytes: &[u8]) -> ContentHash {
        let mut hasher = ContentHasher::default();
        hasher.update(bytes);
        hasher.finish()
    }

    /// Parses the 32 hexadecimal digits that `Display` writes.
    pub fn parse(text: &str) -> Option<ContentHash> {
        HEXLOWER.decode(text.as_bytes()).ok()?.try_into().ok().map(ContentHash)
    }

    /// Returns the first 12 hexadecimal digits, which clients see as a file's revision.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

/// Hashes bytes that come piece by piece.
#[derive(Debug, Default)]
pub struct ContentHasher(blake3::Hasher);

impl ContentHasher {
    /// Adds the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the hash of all bytes so far.
    pub fn finish(&self) -> ContentHash {
        let mut cut = [0; 16];
        cut.copy_from_slice(&self.0.finalize().as_bytes()[..16]);
        ContentHash(cut)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        HEXLOWER.encode_display(&self.0).fmt(f)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_written_is_read() {
        let hash = ContentHash::of(b"x");
        let text = hash.to_string();
        assert_eq!((text.len(), ContentHash::parse(&text)), (32, Some(hash)));
        assert_eq!(format!("{hash:?} {}", hash.short()), format!("ContentHash({text}) {}", &text[..12]));
        assert_eq!(ContentHash([0x0a; 16]).to_string(), "0a".repeat(16));
        for wrong in ["", "+a", "-a", " a", "0A", "0g", "é"] {
            let wrong = wrong.repeat(16);
            assert_eq!(ContentHash::parse(&wrong), None, "{wrong}");
        }
        for wrong in [&text[1..], &text[2..], &format!("{text}0"), &format!("{text}00"), &format!("{text}\n")]
        {
            assert_eq!(ContentHash::parse(wrong), None, "{wrong}");
        }
    }
}
