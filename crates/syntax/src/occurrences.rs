//! Building and reading [`Occurrences`]. Names are identified by a 32-bit hash only, so a lookup can return
//! offsets of another name (about one lookup in a million per thousand distinct names). Every reader must
//! therefore compare the text at the offset, as it must do anyway because the file may have changed.
//! Invariant: the offsets of one hash ascend without duplicates.

use super::leb128;
use super::outline::Occurrences;

/// Returns the hash that identifies a name in [`Occurrences`]. Stable, because caches contain it. FNV-1a over
/// the name's bytes, mixed so that all bits depend on all bytes.
pub fn name_hash(name: &[u8]) -> u32 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for &byte in name {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    // The high half depends on every byte; the low half's low bits do not.
    let [_, _, _, _, a, b, c, d] = (hash ^ (hash << 29)).to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// One identifier to be packed into [`Occurrences`]: its hash in the high bits, its offset in the low ones,
/// so that sorting groups by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PackedOccurrence(u64);

impl PackedOccurrence {
    pub(super) fn new(name: &[u8], offset: u32) -> PackedOccurrence {
        PackedOccurrence(u64::from(name_hash(name)) << 32 | u64::from(offset))
    }

    fn parts(self) -> (u32, u32) {
        let [a, b, c, d, e, f, g, h] = self.0.to_le_bytes();
        (u32::from_le_bytes([e, f, g, h]), u32::from_le_bytes([a, b, c, d]))
    }
}

impl Occurrences {
    /// Sorts and packs the identifiers. `seen` keeps its capacity and is left in unspecified order.
    pub(super) fn build(seen: &mut [PackedOccurrence]) -> Occurrences {
        seen.sort_unstable();
        let mut hashes = Vec::new();
        let mut starts = Vec::new();
        let mut offsets = Vec::with_capacity(seen.len() * 2);
        let mut previous = 0;
        for one in seen.iter() {
            let (hash, offset) = one.parts();
            if hashes.last() != Some(&hash) {
                hashes.push(hash);
                starts.push(u32::try_from(offsets.len()).unwrap_or(u32::MAX));
                previous = 0;
            }
            leb128::push(&mut offsets, u64::from(offset - previous));
            previous = offset;
        }
        starts.push(u32::try_from(offsets.len()).unwrap_or(u32::MAX));
        Occurrences { hashes: hashes.into(), starts: starts.into(), offsets: offsets.into() }
    }

    /// Returns the byte offsets, ascending, of identifiers whose hash is that of `name`: all occurrences of
    /// `name`, and rarely some of another name. The caller must compare the text.
    pub fn offsets_of(&self, name: &str) -> impl Iterator<Item = u32> + '_ {
        self.offsets_of_hash(name_hash(name.as_bytes()))
    }

    /// Like [`Occurrences::offsets_of`], by [`name_hash`].
    pub fn offsets_of_hash(&self, hash: u32) -> impl Iterator<Item = u32> + '_ {
        let bytes = self.hashes.binary_search(&hash).ok().and_then(|at| self.list(at)).unwrap_or(&[]);
        Offsets { bytes, previous: 0 }
    }

    /// Returns the number of distinct names (two that share a hash count once).
    pub fn distinct(&self) -> usize {
        self.hashes.len()
    }

    /// Reports whether `name` (or, rarely, another name with the same hash) occurs.
    pub fn contains(&self, name: &str) -> bool {
        self.contains_hash(name_hash(name.as_bytes()))
    }

    /// Like [`Occurrences::contains`], by [`name_hash`].
    pub fn contains_hash(&self, hash: u32) -> bool {
        self.hashes.binary_search(&hash).is_ok()
    }

    /// Returns the size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        (self.hashes.len() + self.starts.len()) * 4 + self.offsets.len()
    }

    fn list(&self, at: usize) -> Option<&[u8]> {
        let start = *self.starts.get(at)? as usize;
        let end = *self.starts.get(at + 1)? as usize;
        self.offsets.get(start..end)
    }
}

/// Decoder of one list of offsets.
struct Offsets<'a> {
    bytes: &'a [u8],
    previous: u32,
}

impl Iterator for Offsets<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        // A list from a damaged cache must not panic: it ends where it cannot be read.
        let difference = leb128::take_u32(&mut self.bytes)?;
        self.previous = self.previous.wrapping_add(difference);
        Some(self.previous)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_back_what_went_in() {
        let names = ["a", "b", "a", "long_name", "a", "b"];
        let offsets = [0, 5, 127, 128, 70_000, 3_000_000_000];
        let mut seen: Vec<PackedOccurrence> =
            names.iter().zip(offsets).map(|(name, at)| PackedOccurrence::new(name.as_bytes(), at)).collect();
        seen.reverse();
        let built = Occurrences::build(&mut seen);
        assert_eq!(built.offsets_of("a").collect::<Vec<_>>(), [0, 127, 70_000]);
        assert_eq!(built.offsets_of("b").collect::<Vec<_>>(), [5, 3_000_000_000]);
        assert_eq!(built.offsets_of("absent").count(), 0);
        assert_eq!(built.distinct(), 3);
        assert_eq!(Occurrences::default().offsets_of("a").count(), 0);
    }

    #[test]
    fn survives_damage() {
        let damaged = Occurrences {
            hashes: [name_hash(b"a")].into(),
            starts: [0, 9].into(),
            offsets: [0xFF; 9].into(),
        };
        assert_eq!(damaged.offsets_of("a").count(), 0);
    }
}
