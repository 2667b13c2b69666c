//! An embedder that needs no model: the terms of a text, their neighbours and their letters, hashed into a vector.

use std::collections::HashMap;

use super::embedder::{EmbedError, Embedder, normalize};
use super::terms::for_each_meaning;

const DIMENSION: usize = 384;

/// Raise with every change of what a text's vector is: vectors of other names are computed again.
const MODEL: &str = "lexical-2";

/// Weights of the features. Letters find misspelt and unknown forms of a word, pairs find phrases.
const TERM: f32 = 1.0;
const PAIR: f32 = 0.4;
const LETTERS: f32 = 0.15;

/// What its ranks count beside those by words; chosen on half of the paraphrases in benches/solutions.
const RANK_WEIGHT: f64 = 0.05;

#[derive(Clone, Copy, Debug, Default)]
pub struct LexicalEmbedder;

impl Embedder for LexicalEmbedder {
    fn model(&self) -> &str {
        MODEL
    }

    /// It knows no more than the words do, and of their rarity nothing.
    fn rank_weight(&self) -> f64 {
        RANK_WEIGHT
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut features: HashMap<u64, f32> = HashMap::new();
        let mut before = String::new();
        for_each_meaning(text, |term| {
            let mut add = |kind: u8, parts: [&str; 2], weight: f32| {
                *features.entry(hash(kind, parts)).or_default() += weight;
            };
            add(0, [term, ""], TERM);
            if !before.is_empty() {
                add(1, [&before, term], PAIR);
            }
            let chars: Vec<char> = term.chars().collect();
            for letters in chars.windows(4) {
                add(2, [&letters.iter().collect::<String>(), ""], LETTERS);
            }
            before.clear();
            before.push_str(term);
        });
        let mut vector = vec![0.0; DIMENSION];
        for (hash, weight) in features {
            // A word that is repeated often is not as often more important.
            let weight = weight.min(1.0) + weight.max(1.0).ln();
            let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
            let at = usize::try_from(hash % DIMENSION as u64).unwrap_or(0);
            vector[at] += sign * weight;
        }
        normalize(&mut vector);
        Ok(vector)
    }
}

/// FNV-1a with a final mix, so that the upper bits depend on all letters. Stored vectors depend on it.
fn hash(kind: u8, parts: [&str; 2]) -> u64 {
    let bytes =
        std::iter::once(kind).chain(parts[0].bytes()).chain(std::iter::once(0)).chain(parts[1].bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedder::cosine;

    #[test]
    fn a_paraphrase_is_nearer_than_another_error() {
        let of = |text: &str| LexicalEmbedder.embed(text).expect("a vector");
        let asked = of("NullPointerException when the device is rotated and the adapter is null");
        let same = of("App crashes after rotation: list adapter absent");
        let other = of("Gradle build fails because of duplicate classes");
        assert!(cosine(&asked, &same) > cosine(&asked, &other) + 0.1);
        assert!((cosine(&asked, &asked) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_text_without_words_has_the_zero_vector() {
        let vector = LexicalEmbedder.embed("… 12 ()").expect("a vector");
        assert!(vector.len() == DIMENSION && vector.iter().all(|x| *x == 0.0));
    }
}
