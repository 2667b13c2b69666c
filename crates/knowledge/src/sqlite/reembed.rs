//! Vectors of other models, or of none, are computed again. Invariant: each batch is committed by itself, so that a run that
//! is interrupted goes on where it stopped; texts are sent to no model while the file is locked.

use rusqlite::{Connection, TransactionBehavior, params};

use super::file::Failure;
use super::rows::{COLUMNS, solution_at, to_bytes};
use super::{SqliteStore, column};
use crate::solution::Solution;

/// How many solutions are computed and committed at once.
const BATCH: usize = 256;

/// Those whose vector is of another model or dimension.
const OTHERS: &str = "FROM solutions WHERE model <> ?1 OR dimension <> ?2";

impl SqliteStore {
    /// Returns how many solutions there are, and how many of them have a vector of this model and dimension.
    pub(super) fn counted(
        &self,
        connection: &Connection,
        dimension: usize,
    ) -> Result<(usize, usize), Failure> {
        let of = params![self.embedder.model(), column(dimension)];
        let others: i64 = connection.query_row(&format!("SELECT count(*) {OTHERS}"), of, |row| row.get(0))?;
        let all: i64 = connection.query_row("SELECT count(*) FROM solutions", [], |row| row.get(0))?;
        let count = |number: i64| usize::try_from(number).unwrap_or_default();
        Ok((count(all), count(all - others)))
    }

    /// Computes the vectors that are of another model or dimension; tells how many of how many are done.
    pub(super) fn reembed_rows(
        &self,
        connection: &mut Connection,
        dimension: usize,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<usize, Failure> {
        let model = self.embedder.model();
        let mut done = 0;
        loop {
            let (all, current) = self.counted(connection, dimension)?;
            progress(current, all);
            if current >= all {
                return Ok(done);
            }
            let query = format!("SELECT row, {COLUMNS} {OTHERS} ORDER BY row LIMIT {BATCH}");
            let others: Vec<(i64, Solution)> = connection
                .prepare(&query)?
                .query_map(params![model, column(dimension)], |row| Ok((row.get(0)?, solution_at(row, 1)?)))?
                .collect::<Result<_, _>>()?;
            let texts: Vec<String> = others.iter().map(|(_, solution)| solution.searched_text()).collect();
            let vectors = self.embedder.embed_all(&texts)?;
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for ((row, _), vector) in others.iter().zip(&vectors) {
                let sql = "UPDATE solutions SET model = ?1, dimension = ?2, vector = ?3 WHERE row = ?4";
                let values = params![model, column(vector.len()), to_bytes(vector), row];
                // Another process may have deleted it meanwhile; its text never changes.
                if transaction.prepare(sql)?.execute(values)? > 0 {
                    done += 1;
                }
            }
            transaction.commit()?;
            if vectors.iter().any(|vector| vector.len() != dimension) {
                let reason = format!("the vectors of {model} are not all of one dimension");
                return Err(Failure::Store(self.unavailable(reason)));
            }
        }
    }
}
