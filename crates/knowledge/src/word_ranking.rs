//! Ranks the rows of a matrix by the words that they share with a query: Okapi BM25, each word of a row counted once.

use roaring::RoaringBitmap;

use crate::best_rows::BestRows;
use crate::matrix::{Filter, Matrix};

/// How soon further words of a long text count less, and how much its length counts: the usual values of BM25.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// The least weight of a word, one that most rows have: more words still rank before fewer.
const LEAST_WEIGHT: f32 = 1e-6;

impl Matrix {
    /// Returns the `count` rows that pass the filter and share the most telling words, the best first. `terms` has of each word
    /// the ids of its rows.
    #[allow(clippy::cast_precision_loss, reason = "counts of rows and of words; scores are approximate")]
    pub(crate) fn best_by_words(&self, terms: &[RoaringBitmap], filter: &Filter, count: usize) -> Vec<i64> {
        let Some(filter) = self.resolve(filter) else { return Vec::new() };
        let rows = self.rows();
        let words: f32 = rows.iter().map(|row| row.words as f32).sum();
        let average = (words / rows.len().max(1) as f32).max(1.0);
        let mut scores = vec![0.0_f32; rows.len()];
        let mut places = Vec::new();
        for term in terms {
            self.places_of(term, &mut places);
            let (all, having) = (rows.len() as f32, places.len() as f32);
            let weight = ((all - having + 0.5) / (having + 0.5)).ln().max(LEAST_WEIGHT);
            for &place in &places {
                let length = rows[place].words as f32 / average;
                scores[place] += weight * (K1 + 1.0) / (1.0 + K1 * (1.0 - B + B * length));
            }
        }
        let mut best = BestRows::new(count);
        for (row, score) in rows.iter().zip(scores) {
            if score > 0.0 && filter.accepts(row) {
                best.add(score, row.id);
            }
        }
        best.into_ids()
    }

    /// Fills `places` with those of the rows that have these ids.
    fn places_of(&self, ids: &RoaringBitmap, places: &mut Vec<usize>) {
        places.clear();
        let rows = self.rows();
        let Some(first) = rows.first() else { return };
        let (mut place, mut at) = (0_usize, first.id);
        for id in ids.iter().map(i64::from) {
            // Ids ascend, so no row lies farther ahead than its id does; without gaps it lies just there.
            let ahead = usize::try_from(id - at).unwrap_or_default();
            let farthest = place.saturating_add(ahead).min(rows.len() - 1);
            let found = match rows[farthest].id == id {
                true => farthest,
                false => place + rows[place..=farthest].partition_point(|row| row.id < id),
            };
            if rows.get(found).is_some_and(|row| row.id == id) {
                places.push(found);
                (place, at) = (found, id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::RowValues;

    #[test]
    fn rare_words_and_short_rows_come_first() {
        let mut matrix = Matrix::new(1);
        for (id, words) in [(1, 10), (2, 10), (4, 40), (7, 10), (9, 10), (10, 10)] {
            matrix.push(
                id,
                &[1.0],
                &RowValues { language: "kotlin", simple_type: "a", confidence: 1.0, words },
            );
        }
        let filter = Filter { language: None, error_type: None, min_confidence: 0.0 };
        let best = |terms: &[&[u32]], count| {
            let terms: Vec<RoaringBitmap> = terms.iter().map(|rows| rows.iter().collect()).collect();
            matrix.best_by_words(&terms, &filter, count)
        };
        // The word of 7 is rarer; 4 is longer than 2; 3 is not in the matrix.
        assert_eq!(best(&[&[2, 3, 4], &[7]], 9), [7, 2, 4]);
        assert_eq!(best(&[&[2, 3, 4], &[7]], 1), [7]);
        assert_eq!(best(&[&[1, 2, 4, 7, 9, 10], &[9]], 2), [9, 1]);
        assert_eq!(best(&[], 2), Vec::<i64>::new());
    }
}
