//! The store of this machine: one SQLite file with the solutions, an index of their words and their vectors.
//! Invariants: a file that is damaged is kept aside and said; each row has its vector's model and dimension, and vectors of
//! different ones are never compared; what another process writes is seen by the next question.

mod file;
mod reembed;
mod rows;
mod search;
mod tables;
mod words;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use file::Failure;
use rows::{COLUMNS, solution_at, to_bytes};
use words::WordChanges;

use super::embedder::Embedder;
use super::matrix::{Matrix, simple_type};
use super::query_text::identifying;
use super::solution::Solution;
use super::store::{ImportedSolutions, SimilarSolutions, SolutionQuery, SolutionStore, StoreError};

/// Stands in for the id of a row until it has one; no id holds a control character.
const NO_ID_YET: &str = "\u{1}";

/// A store in one file.
pub struct SqliteStore {
    path: PathBuf,
    embedder: Arc<dyn Embedder>,
    opened: Mutex<Opened>,
}

#[derive(Default)]
struct Opened {
    connection: Option<Connection>,
    /// The identity of the connection's file.
    file: Option<(u64, u64)>,
    matrix: Option<LoadedMatrix>,
    notices: Vec<String>,
    /// The number of solutions without a vector of this model when that was said last.
    said_missing: usize,
}

/// The vectors, and the state of the file that they are of.
struct LoadedMatrix {
    matrix: Matrix,
    /// SQLite's `data_version`.
    version: i64,
}

/// Returns a dimension as a column has it.
fn column(dimension: usize) -> i64 {
    i64::try_from(dimension).unwrap_or(i64::MAX)
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SqliteStore({})", self.path.display())
    }
}

impl SqliteStore {
    /// Returns the store in the file at `path`, which is opened, or created, when it is first needed.
    pub fn new(path: &Path, embedder: Arc<dyn Embedder>) -> SqliteStore {
        SqliteStore { path: path.to_owned(), embedder, opened: Mutex::default() }
    }

    fn opened(&self) -> MutexGuard<'_, Opened> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the solution that `imported` is a copy of, with its row, and whether its id is another's.
    fn known(
        transaction: &Transaction<'_>,
        imported: &Solution,
    ) -> Result<(Option<(i64, Solution)>, bool), Failure> {
        let sql = format!("SELECT row, {COLUMNS} FROM solutions WHERE id = ?1");
        let known = transaction
            .query_row(&sql, [&imported.id], |row| Ok((row.get::<_, i64>(0)?, solution_at(row, 1)?)))
            .optional()?;
        Ok(match known {
            None => (None, false),
            Some((row, known)) if known.is_of_same_error(imported) => (Some((row, known)), false),
            Some(_) => (None, true),
        })
    }

    /// Adds a solution with this id, or with a new one.
    fn insert(
        &self,
        (transaction, words): (&Transaction<'_>, &mut WordChanges),
        solution: &Solution,
        vector: Option<&Vec<f32>>,
        id: Option<&str>,
    ) -> Result<String, Failure> {
        let text = solution.searched_text();
        let computed;
        let (model, vector) = match vector {
            Some(vector) => (self.embedder.model(), vector.as_slice()),
            None if self.embedder.is_costly() => ("", &[][..]),
            None => {
                computed = self.embedder.embed(&text)?;
                (self.embedder.model(), computed.as_slice())
            }
        };
        transaction.execute(
            "INSERT INTO solutions (id, error_description, root_cause, solution, language, error_type, simple_type, \
             confidence, validated, created_at, fixed_in, model, vector, dimension) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            params![
                id.unwrap_or(NO_ID_YET),
                solution.error_description,
                solution.root_cause,
                solution.solution,
                solution.language,
                solution.error_type,
                simple_type(&solution.error_type),
                solution.confidence,
                solution.user_validated,
                solution.created_at,
                solution.fixed_in,
                model,
                to_bytes(vector),
                column(vector.len()),
            ],
        )?;
        let row = transaction.last_insert_rowid();
        let id = id.map_or_else(|| free_id(transaction, row), |id| Ok(id.to_owned()))?;
        let word_count = column(words.add(row, &solution.worded_text()));
        transaction.execute(
            "UPDATE solutions SET id = ?1, word_count = ?2 WHERE row = ?3",
            params![id, word_count, row],
        )?;
        Ok(id)
    }

    /// Returns the vectors of solutions that are recorded, if they are not computed with each row; none if the model gives
    /// none: a solution is not lost for that.
    fn vectors(&self, solutions: &[Solution]) -> Vec<Option<Vec<f32>>> {
        if !self.embedder.is_costly() {
            return vec![None; solutions.len()];
        }
        let texts: Vec<String> = solutions.iter().map(Solution::searched_text).collect();
        match self.embedder.embed_all(&texts) {
            Ok(vectors) => vectors.into_iter().map(Some).collect(),
            Err(error) => {
                let what =
                    "recorded without vectors, so that nothing finds it until `symd solutions reembed`";
                self.opened().notices.push(format!("{what}: {error}"));
                vec![None; solutions.len()]
            }
        }
    }
}

impl SolutionStore for SqliteStore {
    fn find_similar(&self, query: &SolutionQuery) -> Result<SimilarSolutions, StoreError> {
        let text = identifying(&query.text);
        // First: a model may be slow, and the file is not locked meanwhile.
        let vector = self.embedder.embed_by(&text, query.until)?;
        let (found, missing) = self.with(|connection, matrix| {
            let found = self.search(connection, matrix, query, (&text, &vector))?;
            let missing = match self.embedder.is_costly() {
                true => self.counted(connection, vector.len()).map(|(all, current)| all - current)?,
                false => 0,
            };
            Ok((found, missing))
        })?;
        let mut opened = self.opened();
        if missing > 0 && missing != opened.said_missing {
            let of = "solutions have no vector of this model and are not found";
            opened.notices.push(format!("{missing} {of}; `symd solutions reembed` computes them"));
        }
        opened.said_missing = missing;
        Ok(found)
    }

    fn record(&self, solutions: Vec<Solution>) -> Result<Vec<String>, StoreError> {
        let solutions: Vec<Solution> = solutions.into_iter().map(Solution::dated).collect();
        solutions.iter().try_for_each(Solution::check)?;
        let vectors = self.vectors(&solutions);
        self.with(|connection, matrix| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut words = WordChanges::default();
            let with_vectors = solutions.iter().zip(&vectors);
            let ids = with_vectors
                .map(|(one, vector)| self.insert((&transaction, &mut words), one, vector.as_ref(), None))
                .collect::<Result<_, _>>()?;
            words.write(&transaction)?;
            transaction.commit()?;
            *matrix = None;
            Ok(ids)
        })
    }

    fn import(&self, solutions: Vec<Solution>) -> Result<ImportedSolutions, StoreError> {
        let solutions: Vec<Solution> = solutions.into_iter().map(Solution::dated).collect();
        solutions.iter().try_for_each(Solution::check)?;
        let vectors = self.vectors(&solutions);
        self.with(|connection, matrix| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut words = WordChanges::default();
            let mut done = ImportedSolutions { count: solutions.len(), ..ImportedSolutions::default() };
            for (one, vector) in solutions.iter().zip(&vectors) {
                let (known, is_taken) = Self::known(&transaction, one)?;
                if let Some((row, known)) = &known {
                    words.remove(*row, &known.worded_text());
                    transaction.execute("DELETE FROM solutions WHERE row = ?1", [row])?;
                }
                self.insert(
                    (&transaction, &mut words),
                    one,
                    vector.as_ref(),
                    Some(one.id.as_str()).filter(|id| !is_taken && !id.is_empty()),
                )?;
                done.replaced += usize::from(known.is_some());
                done.renumbered += usize::from(is_taken);
            }
            words.write(&transaction)?;
            transaction.commit()?;
            *matrix = None;
            Ok(done)
        })
    }

    fn all(&self) -> Result<Vec<Solution>, StoreError> {
        self.with(|connection, _| {
            let mut statement =
                connection.prepare(&format!("SELECT {COLUMNS} FROM solutions ORDER BY row"))?;
            let all = statement.query_map([], |row| solution_at(row, 0))?.collect::<Result<_, _>>()?;
            Ok(all)
        })
    }

    fn get(&self, id: &str) -> Result<Solution, StoreError> {
        self.with(|connection, _| by_id(connection, id))
    }

    fn validate(&self, id: &str) -> Result<Solution, StoreError> {
        self.with(|connection, _| {
            connection.execute("UPDATE solutions SET validated = 1 WHERE id = ?1", [id])?;
            by_id(connection, id)
        })
    }

    fn delete(&self, id: &str) -> Result<Solution, StoreError> {
        self.with(|connection, matrix| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let solution = by_id(&transaction, id)?;
            let row =
                transaction.query_row("SELECT row FROM solutions WHERE id = ?1", [id], |row| row.get(0))?;
            let mut words = WordChanges::default();
            words.remove(row, &solution.worded_text());
            transaction.execute("DELETE FROM solutions WHERE id = ?1", [id])?;
            words.write(&transaction)?;
            transaction.commit()?;
            *matrix = None;
            Ok(solution)
        })
    }

    fn reembed(&self, progress: &mut dyn FnMut(usize, usize)) -> Result<usize, StoreError> {
        // Its dimension is that of any text.
        let dimension = self.embedder.embed("dimension")?.len();
        let progress = std::cell::RefCell::new(progress);
        self.with(|connection, matrix| {
            *matrix = None;
            self.reembed_rows(connection, dimension, &mut |done, of| (progress.borrow_mut())(done, of))
        })
    }

    fn memory(&self) -> Option<usize> {
        let opened = match self.opened.try_lock() {
            Ok(opened) => opened,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(opened.matrix.as_ref().map_or(0, |loaded| loaded.matrix.memory()))
    }

    fn free_memory(&self) {
        self.opened().matrix = None;
    }

    fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.opened().notices)
    }
}

fn by_id(connection: &Connection, id: &str) -> Result<Solution, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM solutions WHERE id = ?1");
    let found = connection.query_row(&sql, [id], |row| solution_at(row, 0)).optional()?;
    found.ok_or_else(|| Failure::Store(StoreError::Unknown(id.to_owned())))
}

/// Returns an id that no solution has.
fn free_id(transaction: &Transaction<'_>, row: i64) -> Result<String, Failure> {
    let mut number = row;
    loop {
        let id = format!("rca-{number:03}");
        let is_taken: bool =
            transaction.query_row("SELECT EXISTS (SELECT 1 FROM solutions WHERE id = ?1)", [&id], |row| {
                row.get(0)
            })?;
        if !is_taken {
            return Ok(id);
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests;
