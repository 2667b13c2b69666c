//! Which words a text may hold, in a few bits for each: a Bloom filter over the hashes of its identifiers. Invariant: a word that the
//! text holds is never denied.

/// Bits for each distinct word. With `PROBES`, about one in 300 words that a text lacks passes.
const BITS_PER_WORD: usize = 12;
const PROBES: u32 = 6;
/// The smallest filter of a text that has words, in bytes.
const LEAST_BYTES: usize = 8;

/// Appends the filter of a text with these words, by [`symd_syntax::name_hash`].
pub(super) fn append(filters: &mut Vec<u8>, hashes: &[u32]) {
    let start = filters.len();
    // In a smaller filter nearly all bits would be set, and most words would pass.
    let least = if hashes.is_empty() { 0 } else { LEAST_BYTES };
    filters.resize(start + (hashes.len() * BITS_PER_WORD).div_ceil(8).max(least), 0);
    let filter = &mut filters[start..];
    for &hash in hashes {
        for bit in probes(hash, filter.len()) {
            filter[bit / 8] |= 1 << (bit % 8);
        }
    }
}

/// Whether the text of a filter may hold the word.
pub(super) fn may_hold(filter: &[u8], hash: u32) -> bool {
    !filter.is_empty() && probes(hash, filter.len()).all(|bit| filter[bit / 8] & (1 << (bit % 8)) != 0)
}

/// Returns the bits of a word in a filter of this many bytes.
fn probes(hash: u32, bytes: usize) -> impl Iterator<Item = usize> {
    let bits = bytes as u64 * 8;
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
        let hash = |number: u32| name_hash(format!("word_{number}").as_bytes());
        for count in [0_u32, 1, 5, 90, 3_000] {
            let held: Vec<u32> = (0..count).map(hash).collect();
            // Behind that of another text.
            let mut filters = vec![0xFF; 7];
            append(&mut filters, &held);
            let filter = &filters[7..];
            assert!(held.iter().all(|&hash| may_hold(filter, hash)), "{count}");
            let others = (10_000..110_000).filter(|&number| may_hold(filter, hash(number))).count();
            assert!(others < 1_000, "{count} words: {others} of 100,000 others");
        }
    }
}
