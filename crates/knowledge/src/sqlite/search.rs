//! Finds similar solutions: filters first, then the nearest vectors and the best by words, merged by their ranks.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::file::Failure;
use super::rows::{COLUMNS, from_bytes, number_at, solution_at, text_at};
use super::{LoadedMatrix, SqliteStore, column};
use crate::embedder::cosine;
use crate::matrix::{Filter, Matrix, simple_type};
use crate::ranking::{MIN_SIMILARITY, rank_score};
use crate::shared_words::{distinct_terms, shares_most};
use crate::store::{SimilarSolution, SimilarSolutions, SolutionQuery};

/// How many of the nearest vectors, and of the best by words, are candidates.
pub(super) const CANDIDATES: usize = 200;

impl SqliteStore {
    /// Returns the vectors of the file as it is now: those of this model and dimension.
    fn matrix<'m>(
        &self,
        connection: &mut Connection,
        known: &'m mut Option<LoadedMatrix>,
        dimension: usize,
    ) -> Result<&'m Matrix, Failure> {
        // Changes with every commit of another connection; our own commits drop the matrix.
        let version: i64 = connection.pragma_query_value(None, "data_version", |row| row.get(0))?;
        let (count, last): (i64, i64) =
            connection.query_row("SELECT count(*), coalesce(max(row), 0) FROM solutions", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        let is_current = known.as_ref().is_some_and(|loaded| {
            loaded.version == version
                && (loaded.rows, loaded.last_row) == (count, last)
                && loaded.matrix.dimension() == dimension
        });
        if !is_current {
            if !self.embedder.is_costly() {
                self.reembed_rows(connection, dimension, &mut |_, _| {})?;
            }
            *known = Some(self.load(connection, dimension, (version, count, last))?);
        }
        match known {
            Some(loaded) => Ok(&loaded.matrix),
            None => Err(Failure::Store(self.unavailable("its vectors are missing"))),
        }
    }

    fn load(
        &self,
        connection: &Connection,
        dimension: usize,
        (version, rows, last_row): (i64, i64, i64),
    ) -> Result<LoadedMatrix, Failure> {
        let mut matrix = Matrix::new(dimension);
        let sql = "SELECT row, vector, language, error_type, confidence FROM solutions \
            WHERE model = ?1 AND dimension = ?2 ORDER BY row";
        let mut statement = connection.prepare(sql)?;
        let mut found = statement.query(params![self.embedder.model(), column(dimension)])?;
        while let Some(row) = found.next()? {
            let vector = from_bytes(row.get_ref(1)?.as_blob().unwrap_or_default());
            if vector.len() != dimension {
                continue;
            }
            let (language, error_type) = (text_at(row, 2)?, text_at(row, 3)?);
            matrix.push(row.get(0)?, &vector, (&language, &error_type, number_at(row, 4)?));
        }
        Ok(LoadedMatrix { matrix, version, rows, last_row })
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
        let nearest = matrix.nearest(vector, &filter, CANDIDATES, MIN_SIMILARITY);
        let by_words = by_words(connection, text, &filter)?;
        let mut ranked: HashMap<i64, f64> = HashMap::new();
        for list in [&nearest.best, &by_words] {
            for (rank, row) in (1_u32..).zip(list) {
                *ranked.entry(*row).or_default() += rank_score(rank);
            }
        }
        // Of all that match, the candidates decide about themselves by their exact vectors and their words.
        let mut matching: HashSet<i64> =
            nearest.near.into_iter().filter(|row| !ranked.contains_key(row)).collect();
        let wanted = distinct_terms(text);
        let mut found = Vec::new();
        // A cosine with a vector of another model means nothing.
        let sql = format!(
            "SELECT vector, {COLUMNS} FROM solutions WHERE row = ?1 AND model = ?2 AND dimension = ?3"
        );
        let mut statement = connection.prepare(&sql)?;
        for (row, score) in ranked {
            let read = |row: &Row<'_>| {
                Ok((from_bytes(row.get_ref(0)?.as_blob().unwrap_or_default()), solution_at(row, 1)?))
            };
            let of = params![row, self.embedder.model(), column(vector.len())];
            let Some((exact, solution)) = statement.query_row(of, read).optional()? else { continue };
            let similarity = cosine(vector, &exact);
            if similarity >= MIN_SIMILARITY || by_words.contains(&row) && shares_most(&wanted, &solution) {
                matching.insert(row);
                found.push((score, SimilarSolution { solution, similarity }));
            }
        }
        found.sort_by(|(one, a), (other, b)| {
            other
                .total_cmp(one)
                .then(b.similarity.total_cmp(&a.similarity))
                .then(a.solution.id.cmp(&b.solution.id))
        });
        let total = matching.len();
        let list = found.into_iter().take(query.limit).map(|(_, one)| one).collect();
        Ok(SimilarSolutions { list, total })
    }
}

/// Returns the best rows that share words with the text and pass the filter, the best first.
pub(super) fn by_words(connection: &Connection, text: &str, filter: &Filter) -> Result<Vec<i64>, Failure> {
    let terms: Vec<String> = distinct_terms(text).iter().map(|term| format!("\"{term}\"")).collect();
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let sql = "SELECT words.rowid FROM words JOIN solutions ON solutions.row = words.rowid WHERE words MATCH ?1 \
        AND confidence >= ?2 AND (?3 IS NULL OR language = ?3) AND (?4 IS NULL OR simple_type = ?4) \
        ORDER BY bm25(words), words.rowid LIMIT ?5";
    let given = params![
        terms.join(" OR "),
        filter.min_confidence,
        filter.language,
        filter.error_type,
        i64::try_from(CANDIDATES).unwrap_or(i64::MAX)
    ];
    let rows = connection
        .prepare(sql)
        .and_then(|mut statement| statement.query_map(given, |row| row.get(0)).and_then(Iterator::collect));
    match rows {
        // A query that FTS5 does not accept finds no words; vectors go on finding.
        Err(error) if error.to_string().starts_with("fts5: ") => Ok(Vec::new()),
        rows => rows.map_err(Failure::Words),
    }
}
