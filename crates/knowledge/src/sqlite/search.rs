//! Finds similar solutions: filters first, then the nearest vectors and the best by words, merged by their ranks.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, params};
use symd_base::cores;

use super::file::Failure;
use super::rows::{COLUMNS, from_bytes, number_at, solution_at, text_at};
use super::{LoadedMatrix, SqliteStore, column, words};
use crate::embedder::cosine;
use crate::matrix::{Filter, Matrix, RowValues, simple_type};
use crate::ranking::{MIN_SIMILARITY, rank_score};
use crate::shared_words::distinct_terms;
use crate::store::{SimilarSolution, SimilarSolutions, SolutionQuery};

/// How many of the nearest vectors, and of the best by words, are candidates.
pub(super) const CANDIDATES: usize = 200;

impl SqliteStore {
    /// Returns the vectors of the file as it is now: those of this model and dimension.
    pub(super) fn matrix<'m>(
        &self,
        connection: &mut Connection,
        known: &'m mut Option<LoadedMatrix>,
        dimension: usize,
    ) -> Result<&'m Matrix, Failure> {
        // Changes with every commit of another connection; our own commits drop the matrix.
        let version: i64 = connection.pragma_query_value(None, "data_version", |row| row.get(0))?;
        let is_current = known
            .as_ref()
            .is_some_and(|loaded| loaded.version == version && loaded.matrix.dimension() == dimension);
        if !is_current {
            if !self.embedder.is_costly() {
                self.reembed_rows(connection, dimension, &mut |_, _| {})?;
            }
            *known = Some(LoadedMatrix { matrix: self.load(connection, dimension)?, version });
        }
        match known {
            Some(loaded) => Ok(&loaded.matrix),
            None => Err(Failure::Store(self.unavailable("its vectors are missing"))),
        }
    }

    fn load(&self, connection: &Connection, dimension: usize) -> Result<Matrix, Failure> {
        let mut matrix = Matrix::new(dimension);
        let sql = "SELECT row, vector, language, simple_type, confidence, word_count FROM solutions \
            WHERE model = ?1 AND dimension = ?2 ORDER BY row";
        let mut statement = connection.prepare(sql)?;
        let mut found = statement.query(params![self.embedder.model(), column(dimension)])?;
        while let Some(row) = found.next()? {
            let vector = from_bytes(row.get_ref(1)?.as_blob().unwrap_or_default());
            if vector.len() != dimension {
                continue;
            }
            let (language, simple_type) = (text_at(row, 2)?, text_at(row, 3)?);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of words")]
            let words = number_at(row, 5)? as u32;
            let values = RowValues {
                language: &language,
                simple_type: &simple_type,
                confidence: number_at(row, 4)?,
                words,
            };
            matrix.push(row.get(0)?, &vector, &values);
        }
        Ok(matrix)
    }

    pub(super) fn search(
        &self,
        connection: &mut Connection,
        known: &mut Option<LoadedMatrix>,
        query: &SolutionQuery,
        (text, vector): (&str, &[f32]),
    ) -> Result<SimilarSolutions, Failure> {
        let filter = Filter {
            language: query.language.as_ref().map(|language| language.trim().to_lowercase()),
            error_type: query.error_type.as_ref().map(|name| simple_type(name)),
            min_confidence: query.min_confidence,
        };
        let matrix = self.matrix(connection, known, vector.len())?;
        // One view for all that is read, and one lock instead of one for each row.
        let connection = &connection.transaction()?;
        let best_by_words = || {
            let wanted = matrix.weigh(words::rows_of(connection, &distinct_terms(text))?);
            Ok::<_, Failure>((matrix.best_by_words(&wanted, &filter, CANDIDATES), wanted))
        };
        let nearest = || matrix.nearest(vector, &filter, CANDIDATES, MIN_SIMILARITY);
        let (by_words, nearest) = cores::beside(best_by_words, nearest);
        let (by_words, wanted) = by_words?;
        let mut ranked: HashMap<i64, f64> = HashMap::new();
        for (list, weight) in [(&nearest.best, self.embedder.rank_weight()), (&by_words, 1.0)] {
            for (rank, row) in (1_u32..).zip(list) {
                *ranked.entry(*row).or_default() += weight * rank_score(rank);
            }
        }
        // Of all that match, the candidates decide about themselves by their exact vectors and their words.
        let is_near = |row: &&i64| nearest.near.binary_search(row).is_ok();
        let mut total = nearest.near.len() - ranked.keys().filter(is_near).count();
        let mut found = Vec::new();
        // A cosine with a vector of another model means nothing.
        let mut vectors = connection
            .prepare("SELECT vector, id FROM solutions WHERE row = ?1 AND model = ?2 AND dimension = ?3")?;
        for (row, score) in ranked {
            let read = |row: &Row<'_>| {
                Ok((from_bytes(row.get_ref(0)?.as_blob().unwrap_or_default()), text_at(row, 1)?))
            };
            let of = params![row, self.embedder.model(), column(vector.len())];
            let Some((exact, id)) = vectors.query_row(of, read).optional()? else { continue };
            let similarity = cosine(vector, &exact);
            if similarity >= MIN_SIMILARITY || by_words.contains(&row) && wanted.matches(row) {
                total += 1;
                found.push((score, similarity, id, row));
            }
        }
        found.sort_by(|(one, a, id, _), (other, b, other_id, _)| {
            other.total_cmp(one).then(b.total_cmp(a)).then(id.cmp(other_id))
        });
        let mut solutions = connection.prepare(&format!("SELECT {COLUMNS} FROM solutions WHERE row = ?1"))?;
        let mut list = Vec::new();
        for (_, similarity, _, row) in found.into_iter().take(query.limit) {
            let solution = solutions.query_row([row], |row| solution_at(row, 0))?;
            list.push(SimilarSolution { solution, similarity });
        }
        Ok(SimilarSolutions { list, total })
    }
}
