//! The rows of the greatest scores, gathered from many without keeping them all.

use std::cmp::Ordering;

/// Gathers the rows of the greatest scores; of equal scores the least ids.
pub(crate) struct BestRows {
    count: usize,
    /// Up to twice `count`.
    scored: Vec<(f32, i64)>,
    /// What a row must come before, once there are `count` better ones.
    last: Option<(f32, i64)>,
}

impl BestRows {
    /// Returns an empty collection that keeps `count` rows, at least one.
    pub(crate) fn new(count: usize) -> BestRows {
        let count = count.max(1);
        BestRows { count, scored: Vec::with_capacity(2 * count), last: None }
    }

    pub(crate) fn add(&mut self, score: f32, id: i64) {
        let one = (score, id);
        if self.last.is_some_and(|last| order(&last, &one).is_lt()) {
            return;
        }
        self.scored.push(one);
        if self.scored.len() == 2 * self.count {
            let (_, last, _) = self.scored.select_nth_unstable_by(self.count - 1, order);
            self.last = Some(*last);
            self.scored.truncate(self.count);
        }
    }

    pub(crate) fn join(&mut self, other: BestRows) {
        other.scored.into_iter().for_each(|(score, id)| self.add(score, id));
    }

    /// Returns the ids, the greatest score first.
    pub(crate) fn into_ids(mut self) -> Vec<i64> {
        self.scored.sort_unstable_by(order);
        self.scored.truncate(self.count);
        self.scored.into_iter().map(|(_, id)| id).collect()
    }
}

fn order(a: &(f32, i64), b: &(f32, i64)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    fn the_best_are_those_of_a_full_sort() {
        let scored: Vec<(f32, i64)> = (0..1_000_i64).map(|n| ((n * 7_919 % 101) as f32, n)).collect();
        for count in [1, 3, 200, 999, 2_000] {
            let mut best = BestRows::new(count);
            scored.iter().for_each(|(score, id)| best.add(*score, *id));
            let mut sorted = scored.clone();
            sorted.sort_by(order);
            let expected: Vec<i64> = sorted.into_iter().take(count).map(|(_, id)| id).collect();
            assert_eq!(best.into_ids(), expected, "{count}");
        }
    }
}
