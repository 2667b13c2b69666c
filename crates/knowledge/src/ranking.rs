//! What all stores decide alike: what counts as similar, and how two ranks are merged.

/// Below this cosine a solution is a match only by its words (decisions/110): one that is common, such as "property",
/// would make everything similar.
pub(crate) const MIN_SIMILARITY: f64 = 0.2;

/// The rank from which ranks count little: that of reciprocal rank fusion.
const RANK_OFFSET: f64 = 60.0;

/// Returns what a rank, from 1, adds to the score of a solution.
pub(crate) fn rank_score(rank: u32) -> f64 {
    1.0 / (RANK_OFFSET + f64::from(rank))
}
