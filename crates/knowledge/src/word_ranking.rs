//! Ranks the rows of a matrix by the words that they share with a query: Okapi BM25, each word of a row counted once. A word of
//! a similar meaning stands in for the query's own, for less.

use roaring::RoaringBitmap;

use crate::best_rows::BestRows;
use crate::matrix::{Filter, Matrix};

/// How soon further words of a long text count less: the usual value of BM25.
const K1: f32 = 1.2;

/// How much the length of a text counts: less than usual, because texts about errors differ little in length, and those that
/// tell more are no worse.
const B: f32 = 0.3;

/// What a word of a similar meaning counts of its weight; chosen on half of the paraphrases in benches/solutions.
const RELATED: f32 = 0.6;

/// Which part of the weight of a query's words makes two shared words a match.
const LEAST_PART: f32 = 0.2;

/// A word of a query: the ids of the rows that have it, and of those that have each of the words of a similar meaning.
#[derive(Debug)]
pub(crate) struct QueryWord {
    pub(crate) own: RoaringBitmap,
    pub(crate) related: Vec<RoaringBitmap>,
}

/// The words of a query with their weights in a store.
#[derive(Debug)]
pub(crate) struct WeightedWords(Vec<WeightedWord>);

#[derive(Debug)]
struct WeightedWord {
    /// The weight of the word itself, also if no row has it.
    own: f32,
    /// Rows with their weights, the greatest first; no row is in two.
    rows: Vec<(f32, RoaringBitmap)>,
}

impl WeightedWords {
    /// Whether a row matches by its words: it shares most of them, or two that tell a part of what the query says.
    pub(crate) fn matches(&self, id: i64) -> bool {
        let Ok(id) = u32::try_from(id) else { return false };
        let (mut count, mut weight, mut all) = (0, 0.0, 0.0);
        for word in &self.0 {
            all += word.own;
            if let Some((shared, _)) = word.rows.iter().find(|(_, rows)| rows.contains(id)) {
                count += 1;
                weight += shared.min(word.own);
            }
        }
        count * 2 > self.0.len() || count > 1 && weight >= all * LEAST_PART
    }
}

impl Matrix {
    /// Weighs words by their rarity among all rows.
    pub(crate) fn weigh(&self, words: Vec<QueryWord>) -> WeightedWords {
        let weight = |rows: &RoaringBitmap| self.rarity(rows.len());
        let weighted = words.into_iter().map(|word| {
            let own = weight(&word.own);
            let others = word.related.into_iter().filter(|rows| !rows.is_empty());
            let mut rows: Vec<_> = others.map(|rows| (weight(&rows) * RELATED, rows)).collect();
            rows.push((own, word.own));
            rows.sort_by(|(a, _), (b, _)| b.total_cmp(a));
            let mut taken = RoaringBitmap::new();
            for (_, of) in &mut rows {
                *of -= &taken;
                taken |= &*of;
            }
            WeightedWord { own, rows }
        });
        WeightedWords(weighted.collect())
    }

    #[allow(clippy::cast_precision_loss, reason = "counts of rows; weights are approximate")]
    fn rarity(&self, having: u64) -> f32 {
        // Rows with vectors of other models are not in the matrix.
        let all = (self.rows().len() as f32).max(having as f32);
        let having = having as f32;
        ((all - having + 0.5) / (having + 0.5)).ln_1p()
    }

    /// Returns the `count` rows that pass the filter and share the most telling words, the best first.
    #[allow(clippy::cast_precision_loss, reason = "counts of words; scores are approximate")]
    pub(crate) fn best_by_words(&self, words: &WeightedWords, filter: &Filter, count: usize) -> Vec<i64> {
        let Some(filter) = self.resolve(filter) else { return Vec::new() };
        let rows = self.rows();
        let all: f32 = rows.iter().map(|row| row.words as f32).sum();
        let average = (all / rows.len().max(1) as f32).max(1.0);
        let mut scores = vec![0.0_f32; rows.len()];
        let mut places = Vec::new();
        for (weight, having) in words.0.iter().flat_map(|word| &word.rows) {
            self.places_of(having, &mut places);
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
        let matrix = matrix();
        // The word of 7 is rarer; 4 is longer than 2; 3 is not in the matrix.
        assert_eq!(best(&matrix, &[&[2, 3, 4], &[7]], 9), [7, 2, 4]);
        assert_eq!(best(&matrix, &[&[2, 3, 4], &[7]], 1), [7]);
        assert_eq!(best(&matrix, &[&[1, 2, 4, 7, 9, 10], &[9]], 2), [9, 1]);
        assert_eq!(best(&matrix, &[], 2), Vec::<i64>::new());
    }

    #[test]
    fn a_related_word_counts_less_and_once() {
        let matrix = matrix();
        let words = || matrix.weigh(vec![word(&[1], &[&[2, 7], &[1, 2]])]);
        assert_eq!(matrix.best_by_words(&words(), &filter(), 9), [1, 2, 7]);
        let WeightedWord { own, rows } = &words().0[0];
        assert!(rows[0].0 >= *own && rows[1].0 < *own);
        assert_eq!(rows.iter().map(|(_, rows)| rows.len()).collect::<Vec<_>>(), [1, 2, 0]);
    }

    #[test]
    fn one_common_word_is_no_match() {
        let matrix = matrix();
        let common: &[u32] = &[1, 2, 4, 7, 9];
        let words =
            matrix.weigh(vec![word(common, &[]), word(&[9], &[]), word(&[7, 9], &[]), word(&[], &[])]);
        assert!(!words.matches(1) && words.matches(9), "9 has three of four");
        assert!(words.matches(7), "two, one of them rare");
        assert!(matrix.weigh(vec![word(common, &[])]).matches(1), "all that there is");
        assert!(!matrix.weigh(Vec::new()).matches(1));
    }

    fn matrix() -> Matrix {
        let mut matrix = Matrix::new(1);
        for (id, words) in [(1, 10), (2, 10), (4, 40), (7, 10), (9, 10), (10, 10)] {
            let of = RowValues { language: "kotlin", simple_type: "a", confidence: 1.0, words };
            matrix.push(id, &[1.0], &of);
        }
        matrix
    }

    fn filter() -> Filter {
        Filter { language: None, error_type: None, min_confidence: 0.0 }
    }

    fn word(own: &[u32], related: &[&[u32]]) -> QueryWord {
        let bitmap = |rows: &[u32]| rows.iter().collect();
        QueryWord { own: bitmap(own), related: related.iter().map(|rows| bitmap(rows)).collect() }
    }

    fn best(matrix: &Matrix, words: &[&[u32]], count: usize) -> Vec<i64> {
        let words = matrix.weigh(words.iter().map(|rows| word(rows, &[])).collect());
        matrix.best_by_words(&words, &filter(), count)
    }
}
