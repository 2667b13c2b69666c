//! Finds similar solutions: the server's nearest vectors of this model that pass the filters, ranked by vectors and by shared
//! words together.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::ChromaStore;
use super::collection::ChromaCollection;
use super::record::{ERROR_NAME, MODEL, OWN, solution};
use crate::matrix::simple_type;
use crate::query_text::identifying;
use crate::ranking::{MIN_SIMILARITY, rank_score};
use crate::redaction::redact;
use crate::shared_words::{distinct_terms, shared};
use crate::store::{SimilarSolution, SimilarSolutions, SolutionQuery, StoreError};

/// How many of the nearest vectors are counted.
const CANDIDATES: usize = 200;

/// How many of them are read and ranked.
const RANKED: usize = 50;

/// How long the number of solutions without a vector of this model is taken for known.
const CHECKED_FOR: Duration = Duration::from_secs(60);

impl ChromaStore {
    pub(super) fn search(&self, query: &SolutionQuery) -> Result<SimilarSolutions, StoreError> {
        self.server.check_consent()?;
        let text = identifying(&query.text);
        let vector = self.embedder.embed_by(&text, query.until)?;
        let collection = self.server.collection(query.until)?;
        self.check_dimension(&collection, vector.len())?;
        let filter = self.filter(query);
        let nearest = self.server.nearest(&collection, (&vector, &filter, CANDIDATES), query.until)?;
        let ids: Vec<String> = nearest.iter().take(RANKED).map(|(id, _)| id.clone()).collect();
        let records = self.server.records(&collection, &ids, &|| query.until)?;
        let terms = distinct_terms(&text);
        let mut ranked: Vec<(SimilarSolution, usize)> = Vec::new();
        for (id, similarity) in nearest.iter().take(RANKED) {
            // One that another client has deleted meanwhile is not there.
            let Some(solution) = records.iter().find(|record| record.id == *id).and_then(solution) else {
                continue;
            };
            let words = shared(&terms, &solution);
            if *similarity >= MIN_SIMILARITY || words * 2 > terms.len() {
                ranked.push((SimilarSolution { solution, similarity: *similarity }, words));
            }
        }
        let beyond =
            nearest.iter().skip(RANKED).filter(|(_, similarity)| *similarity >= MIN_SIMILARITY).count();
        let total = ranked.len() + beyond;
        self.note_others(&collection, query.until);
        let list = merged(ranked, self.embedder.rank_weight()).into_iter().take(query.limit).collect();
        Ok(SimilarSolutions { list, total })
    }

    /// Returns the filter of a query. Filters are sent like texts: without secrets.
    fn filter(&self, query: &SolutionQuery) -> Value {
        let mut all = vec![json!({ OWN: 1 }), json!({ MODEL: self.embedder.model() })];
        if let Some(language) = &query.language {
            all.push(json!({ "language": redact(&language.trim().to_lowercase()).0 }));
        }
        if let Some(name) = &query.error_type {
            all.push(json!({ ERROR_NAME: redact(&simple_type(name)).0 }));
        }
        if query.min_confidence > 0.0 {
            all.push(json!({ "confidence": { "$gte": query.min_confidence } }));
        }
        json!({ "$and": all })
    }

    /// Says how many solutions are not found because they have no vector of this model. A search does not fail for that.
    fn note_others(&self, collection: &ChromaCollection, until: Instant) {
        if self.noted().checked.is_some_and(|checked| checked.elapsed() < CHECKED_FOR) {
            return;
        }
        let Ok(others) = self.server.ids(collection, Some(&self.of_other_models()), &|| until) else {
            return;
        };
        let mut noted = self.noted();
        noted.checked = Some(Instant::now());
        if !others.is_empty() && others.len() != noted.said_others {
            noted.notices.push(format!(
                "{} solutions of the team have no vector of {} and are not found; use the team's model, or `symd solutions \
                 reembed`",
                others.len(),
                self.embedder.model()
            ));
        }
        noted.said_others = others.len();
    }

    /// Returns the filter for solutions whose vector is of another model, or missing.
    pub(super) fn of_other_models(&self) -> Value {
        json!({ "$and": [{ OWN: 1 }, { MODEL: { "$ne": self.embedder.model() } }] })
    }
}

/// Orders solutions that are in the order of their vectors by both ranks; `weight` is that of the vectors'.
fn merged(by_vectors: Vec<(SimilarSolution, usize)>, weight: f64) -> Vec<SimilarSolution> {
    let mut words: Vec<usize> = by_vectors.iter().map(|(_, words)| *words).collect();
    words.sort_unstable_by(|a, b| b.cmp(a));
    let mut scored: Vec<(f64, SimilarSolution)> = (1_u32..)
        .zip(by_vectors)
        .map(|(rank, (one, shared))| {
            let before = words.partition_point(|words| *words > shared);
            let by_words = match shared {
                0 => 0.0,
                _ => rank_score(u32::try_from(before + 1).unwrap_or(u32::MAX)),
            };
            (weight * rank_score(rank) + by_words, one)
        })
        .collect();
    scored.sort_by(|(one, a), (other, b)| {
        other
            .total_cmp(one)
            .then(b.similarity.total_cmp(&a.similarity))
            .then_with(|| a.solution.id.cmp(&b.solution.id))
    });
    scored.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solution::Solution;

    #[test]
    fn both_ranks_count_and_none_does_alone() {
        let one = |id: &str, similarity: f64| SimilarSolution {
            solution: Solution {
                id: id.to_owned(),
                error_description: String::new(),
                root_cause: String::new(),
                solution: String::new(),
                language: String::new(),
                error_type: String::new(),
                confidence: 0.0,
                user_validated: false,
                created_at: String::new(),
                fixed_in: String::new(),
            },
            similarity,
        };
        let ids = |found: Vec<(SimilarSolution, usize)>| -> Vec<String> {
            merged(found, 1.0).into_iter().map(|one| one.solution.id).collect()
        };
        assert_eq!(ids(vec![(one("near", 0.9), 0), (one("both", 0.8), 3)]), ["both", "near"]);
        assert_eq!(ids(vec![(one("a", 0.9), 2), (one("b", 0.8), 2)]), ["a", "b"]);
        assert_eq!(ids(vec![(one("b", 0.9), 0), (one("c", 0.9), 0), (one("a", 0.9), 0)]), ["b", "c", "a"]);
    }
}
