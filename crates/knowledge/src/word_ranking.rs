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
        let mut weights = vec![0.0_f32; rows.len()];
        for (weight, having) in words.0.iter().flat_map(|word| &word.rows) {
            self.for_each_place_of(having, |place| weights[place] += weight);
        }
        let mut best = BestRows::new(count);
        for (row, weight) in rows.iter().zip(weights) {
            if weight > 0.0 && filter.accepts(row) {
                // A word counts once in a row, so what the row's length takes is the same for all of its words.
                let length = row.words as f32 / average;
                best.add(weight * (K1 + 1.0) / (1.0 + K1 * (1.0 - B + B * length)), row.id);
            }
        }
        best.into_ids()
    }

    /// Calls `with` for the places of the rows that have these ids, in their order.
    fn for_each_place_of(&self, ids: &RoaringBitmap, mut with: impl FnMut(usize)) {
        let rows = self.rows();
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return };
        let place_without_gaps =
            |id: i64| usize::try_from(id - first.id).ok().filter(|place| *place < rows.len());
        if place_without_gaps(last.id) == Some(rows.len() - 1) {
            ids.iter().filter_map(|id| place_without_gaps(i64::from(id))).for_each(with);
            return;
        }
        let mut place = 0;
        for id in ids.iter().map(i64::from) {
            let Some(from) = rows.get(place) else { break };
            // Ids ascend, so no row lies farther ahead than its id does.
            let ahead = usize::try_from(id - from.id).unwrap_or_default();
            let farthest = place.saturating_add(ahead).min(rows.len() - 1);
            // Where none is missing between the two, it lies just there.
            place = match rows[farthest].id == id {
                true => farthest,
                false => place + rows[place..=farthest].partition_point(|row| row.id < id),
            };
            if rows.get(place).is_some_and(|row| row.id == id) {
                with(place);
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

    #[test]
    fn rows_are_found_with_and_without_gaps_between_their_ids() {
        for ids in [&[4, 5, 6, 7][..], &[2, 4, 5, 9], &[6], &[]] {
            let matrix = matrix_of(ids.iter().map(|id| (*id, 1)));
            for wanted in [&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10][..], &[5, 7], &[9], &[]] {
                let mut found = Vec::new();
                let wanted: RoaringBitmap = wanted.iter().collect();
                matrix.for_each_place_of(&wanted, |place| found.push(place));
                let is_wanted =
                    |place: &usize| u32::try_from(ids[*place]).is_ok_and(|id| wanted.contains(id));
                assert_eq!(found, (0..ids.len()).filter(is_wanted).collect::<Vec<_>>(), "{ids:?} {wanted:?}");
            }
        }
    }

    fn matrix() -> Matrix {
        matrix_of([(1, 10), (2, 10), (4, 40), (7, 10), (9, 10), (10, 10)])
    }

    fn matrix_of(rows: impl IntoIterator<Item = (i64, u32)>) -> Matrix {
        let mut matrix = Matrix::new(1);
        for (id, words) in rows {
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
