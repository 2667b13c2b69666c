//! Which words a text may hold, in a few bits for each: a Bloom filter over the hashes of its identifiers. Invariant: a word that the
//! text holds is never denied.

/// Bits for each distinct word. With `PROBES`, about one in 300 words that a text lacks passes.
const BITS_PER_WORD: usize = 12;
const PROBES: u32 = 6;

/// The words of one text, by [`symd_syntax::name_hash`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WordFilter(Box<[u64]>);

impl WordFilter {
    /// Returns the filter of a text with these words.
    pub(super) fn new(hashes: &[u32]) -> WordFilter {
        let mut bits = vec![0_u64; (hashes.len() * BITS_PER_WORD).div_ceil(64)];
        for &hash in hashes {
            for bit in probes(hash, bits.len()) {
                bits[bit / 64] |= 1 << (bit % 64);
            }
        }
        WordFilter(bits.into())
    }

    /// Whether the text may hold the word.
    pub(super) fn may_hold(&self, hash: u32) -> bool {
        !self.0.is_empty() && probes(hash, self.0.len()).all(|bit| self.0[bit / 64] & (1 << (bit % 64)) != 0)
    }

    /// Returns how many bytes of memory it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }
}

/// Returns the bits of a word in a filter of this many times 64 bits.
fn probes(hash: u32, words: usize) -> impl Iterator<Item = usize> {
    let bits = words as u64 * 64;
    // Two independent hashes of the one that is known make all others.
    let mixed = u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let (first, step) = (mixed >> 32, (mixed & 0xFFFF_FFFF) | 1);
    (0..u64::from(PROBES)).map(move |number| {
        let spread = (first + number * step) & 0xFFFF_FFFF;
        // Below the number of bits.
        usize::try_from((spread * bits) >> 32).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_syntax::name_hash;

    #[test]
    fn every_held_word_passes_and_few_others_do() {
        for count in [0_u32, 1, 5, 90, 3_000] {
            let hash = |number: u32| name_hash(format!("word_{number}").as_bytes());
            let held: Vec<u32> = (0..count).map(hash).collect();
            let filter = WordFilter::new(&held);
            assert!(held.iter().all(|&hash| filter.may_hold(hash)), "{count}");
            let others = (10_000..110_000).filter(|&number| filter.may_hold(hash(number))).count();
            assert!(others < 1_000, "{count} words: {others} of 100,000 others");
        }
    }
}
