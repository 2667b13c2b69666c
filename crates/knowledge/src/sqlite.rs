//! The store of this machine: one SQLite file with the solutions, an FTS5 index of their words and their vectors.
//! Invariants: a file that is damaged is kept aside and said; vectors of another model are computed again before
//! they are compared; what another process writes is seen by the next question.

mod rows;
mod tables;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use symd_base::Timestamp;
use symd_base::state::{self, durable};

use rows::{COLUMNS, from_bytes, number_at, solution_at, text_at, to_bytes};

use super::embedder::{Embedder, cosine};
use super::matrix::{Filter, Matrix, simple_type};
use super::query_text::identifying;
use super::solution::Solution;
use super::store::{
    ImportedSolutions, SimilarSolution, SimilarSolutions, SolutionQuery, SolutionStore, StoreError,
};
use super::terms::for_each_term;

/// How long a call waits for another process that writes.
const WAIT: Duration = Duration::from_millis(1_500);

/// Stands in for the id of a row until it has one; no id holds a control character.
const NO_ID_YET: &str = "\u{1}";

/// How often a file that other processes replace is opened.
const TRIES: usize = 3;

/// The end of the name of SQLite's log of writes.
const LOG: &str = "-wal";

/// How many of the nearest vectors, and of the best by words, are candidates.
const CANDIDATES: usize = 200;

/// Below this cosine a solution is a match only if it has most of the query's words: one that is common, such as
/// "property", would make everything similar.
const MIN_SIMILARITY: f64 = 0.2;

/// Maximum number of words of a query for the search by words.
const MAX_TERMS: usize = 40;

/// The rank from which ranks count little: that of reciprocal rank fusion.
const RANK_OFFSET: f64 = 60.0;

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
    /// The vectors, and the state of the file that they are of.
    matrix: Option<(Matrix, i64)>,
    notices: Vec<String>,
}

/// Why a transaction failed.
enum Failure {
    Sqlite(rusqlite::Error),
    Store(StoreError),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        Failure::Sqlite(error)
    }
}

impl<E: Into<StoreError>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Store(error.into())
    }
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

    /// Frees the vectors in memory; the next question reads them again.
    pub fn free_memory(&self) {
        self.opened().matrix = None;
    }

    fn opened(&self) -> MutexGuard<'_, Opened> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work`; if the file turns out to be damaged, keeps it aside and runs `work` on a new one.
    fn with<T>(
        &self,
        work: impl Fn(&mut Connection, &mut Option<(Matrix, i64)>) -> Result<T, Failure>,
    ) -> Result<T, StoreError> {
        let mut opened = self.opened();
        let (mut is_repaired, mut is_second) = (false, false);
        loop {
            let done = self.run(&mut opened, &work);
            match done {
                Err(Failure::Sqlite(error)) if is_of_words(&error) && !is_repaired => {
                    is_repaired = true;
                    // If that fails, the next round finds the damage again.
                    if opened.connection.as_mut().is_some_and(|connection| tables::repair(connection).is_ok())
                    {
                        let said =
                            "the words of the solutions could not be searched; their index was built again";
                        opened.notices.push(format!("{said} ({error})"));
                    }
                }
                Ok(value) => return Ok(value),
                Err(Failure::Store(error)) => return Err(error),
                Err(Failure::Sqlite(error)) if is_damaged(&error) && !is_second => {
                    is_second = true;
                    self.set_aside(&mut opened, &error)?;
                }
                Err(Failure::Sqlite(error)) => return Err(self.unavailable(error)),
            }
        }
    }

    fn run<T>(
        &self,
        opened: &mut Opened,
        work: &impl Fn(&mut Connection, &mut Option<(Matrix, i64)>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        // A file that another process has set aside, or that was deleted, is not written any more.
        if opened.connection.is_none() || opened.file != self.file() {
            let _lock = self.lock().map_err(Failure::Store)?;
            (opened.connection, opened.matrix) = (None, None);
            self.connect(opened)?;
        }
        match &mut opened.connection {
            Some(connection) => work(connection, &mut opened.matrix),
            None => Err(Failure::Store(self.unavailable("it did not open"))),
        }
    }

    /// Returns the identity of the file that is at the path now.
    fn file(&self) -> Option<(u64, u64)> {
        let metadata = std::fs::metadata(&self.path).ok()?;
        Some((metadata.dev(), metadata.ino()))
    }

    /// Keeps the file from being set aside by another process until the lock is dropped.
    fn lock(&self) -> Result<File, StoreError> {
        if let Some(parent) = self.path.parent() {
            state::private_dir(parent).map_err(|error| self.unavailable(error))?;
        }
        durable::lock(&beside(&self.path, ".lock")).map_err(|error| self.unavailable(error))
    }

    /// Opens the file; the caller holds the lock.
    fn connect(&self, opened: &mut Opened) -> Result<(), Failure> {
        for _ in 0..TRIES {
            // Also if it does not open: what is set aside is the file that was found damaged.
            opened.file = self.file();
            let (before, connection) = (opened.file, self.open()?);
            opened.file = self.file();
            if before.is_none() || before == opened.file {
                opened.connection = Some(connection);
                return Ok(());
            }
        }
        Err(Failure::Store(self.unavailable("other processes replace it all the time")))
    }

    fn open(&self) -> Result<Connection, Failure> {
        let mut connection = Connection::open(&self.path)?;
        connection.busy_timeout(WAIT)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        if let Err(newer) = tables::prepare(&mut connection)? {
            let reason = format!("it was written by a newer symd (version {newer} of its tables)");
            return Err(Failure::Store(self.unavailable(reason)));
        }
        Ok(connection)
    }

    /// Keeps the damaged file, with the log of its last writes, under another name.
    fn set_aside(&self, opened: &mut Opened, error: &rusqlite::Error) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        if opened.file != self.file() {
            // Another process has done it.
            (opened.connection, opened.matrix) = (None, None);
            return Ok(());
        }
        if let Some(connection) = opened.connection.take() {
            // It would write its log into the damaged file otherwise; without the setting, no more than that.
            let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
        opened.matrix = None;
        let first = beside(&self.path, &format!(".damaged-{}", Timestamp::now().seconds()));
        let others = (2..).map(|number| beside(&first, &format!("-{number}")));
        let is_free = |path: &PathBuf| [path.clone(), beside(path, LOG)].iter().all(|path| is_absent(path));
        let aside =
            std::iter::once(first.clone()).chain(others).find(is_free).unwrap_or_else(|| first.clone());
        // The log first: SQLite would apply one that is left to the new file.
        let log = beside(&self.path, LOG);
        if !is_absent(&log) {
            state::move_file(&log, &beside(&aside, LOG)).map_err(|error| self.unavailable(error))?;
        }
        state::remove_file(&beside(&self.path, "-shm")).map_err(|error| self.unavailable(error))?;
        state::move_file(&self.path, &aside).map_err(|error| self.unavailable(error))?;
        opened.notices.push(format!(
            "the store of solutions was damaged ({error}); it is kept as {}, and a new one was begun",
            aside.display()
        ));
        Ok(())
    }

    fn unavailable(&self, reason: impl ToString) -> StoreError {
        StoreError::Unavailable { place: self.path.display().to_string(), reason: reason.to_string() }
    }

    /// Returns the row of the solution that `imported` is a copy of, and whether its id is another's.
    fn known(transaction: &Transaction<'_>, imported: &Solution) -> Result<(Option<i64>, bool), Failure> {
        let sql = format!("SELECT row, {COLUMNS} FROM solutions WHERE id = ?1");
        let known = transaction
            .query_row(&sql, [&imported.id], |row| Ok((row.get::<_, i64>(0)?, solution_at(row, 1)?)))
            .optional()?;
        Ok(match known {
            None => (None, false),
            Some((row, known)) if known.is_of_same_error(imported) => (Some(row), false),
            Some(_) => (None, true),
        })
    }

    /// Adds a solution with this id, or with a new one.
    fn insert(
        &self,
        transaction: &Transaction<'_>,
        solution: &Solution,
        id: Option<&str>,
    ) -> Result<String, Failure> {
        let text = solution.searched_text();
        let vector = self.embedder.embed(&text)?;
        transaction.execute(
            "INSERT INTO solutions (id, error_description, root_cause, solution, language, error_type, simple_type, \
             confidence, validated, created_at, fixed_in, model, vector) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
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
                self.embedder.model(),
                to_bytes(&vector),
            ],
        )?;
        let row = transaction.last_insert_rowid();
        let id = id.map_or_else(|| free_id(transaction, row), |id| Ok(id.to_owned()))?;
        transaction.execute("UPDATE solutions SET id = ?1 WHERE row = ?2", params![id, row])?;
        tables::insert_words(transaction, row, &text)?;
        Ok(id)
    }

    /// Computes the vectors that are of another model.
    fn re_embed(&self, connection: &mut Connection) -> Result<(), Failure> {
        let model = self.embedder.model();
        loop {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let query = format!("SELECT row, {COLUMNS} FROM solutions WHERE model <> ?1 LIMIT 500");
            let old: Vec<(i64, Solution)> = transaction
                .prepare(&query)?
                .query_map([model], |row| Ok((row.get(0)?, solution_at(row, 1)?)))?
                .collect::<Result<_, _>>()?;
            for (row, solution) in &old {
                let text = solution.searched_text();
                let vector = to_bytes(&self.embedder.embed(&text)?);
                transaction.execute("DELETE FROM words WHERE rowid = ?1", [row])?;
                tables::insert_words(&transaction, *row, &text)?;
                let sql = "UPDATE solutions SET model = ?1, vector = ?2 WHERE row = ?3";
                transaction.prepare(sql)?.execute(params![model, vector, row])?;
            }
            transaction.commit()?;
            if old.is_empty() {
                return Ok(());
            }
        }
    }

    /// Returns the vectors of the file as it is now.
    fn matrix<'m>(
        &self,
        connection: &mut Connection,
        known: &'m mut Option<(Matrix, i64)>,
    ) -> Result<&'m Matrix, Failure> {
        // Changes with every commit of another connection; our own commits drop the matrix or are appended.
        let version: i64 = connection.pragma_query_value(None, "data_version", |row| row.get(0))?;
        let (count, last): (i64, i64) =
            connection.query_row("SELECT count(*), coalesce(max(row), 0) FROM solutions", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        let is_current = known.as_ref().is_some_and(|(matrix, of)| {
            *of == version && i64::try_from(matrix.len()) == Ok(count) && matrix.last_id() == last
        });
        if !is_current {
            let is_other: bool = connection.query_row(
                "SELECT EXISTS (SELECT 1 FROM solutions WHERE model <> ?1)",
                [self.embedder.model()],
                |row| row.get(0),
            )?;
            if is_other {
                self.re_embed(connection)?;
            }
            let mut matrix = Matrix::new(self.embedder.dimension());
            let sql = "SELECT row, vector, language, error_type, confidence FROM solutions ORDER BY row";
            let mut statement = connection.prepare(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let vector = from_bytes(row.get_ref(1)?.as_blob().unwrap_or_default());
                if vector.len() != self.embedder.dimension() {
                    continue;
                }
                let (language, error_type) = (text_at(row, 2)?, text_at(row, 3)?);
                matrix.push(row.get(0)?, &vector, (&language, &error_type, number_at(row, 4)?));
            }
            *known = Some((matrix, version));
        }
        match known {
            Some((matrix, _)) => Ok(matrix),
            None => Err(Failure::Store(self.unavailable("its vectors are missing"))),
        }
    }

    fn search(
        &self,
        connection: &mut Connection,
        known: &mut Option<(Matrix, i64)>,
        query: &SolutionQuery,
    ) -> Result<SimilarSolutions, Failure> {
        let text = identifying(&query.text);
        let vector = self.embedder.embed(&text)?;
        let filter = Filter {
            language: query.language.as_ref().map(|language| language.trim().to_lowercase()),
            error_type: query.error_type.as_ref().map(|name| simple_type(name)),
            min_confidence: query.min_confidence,
        };
        let nearest = self.matrix(connection, known)?.nearest(&vector, &filter, CANDIDATES, MIN_SIMILARITY);
        let by_words = by_words(connection, &text, &filter)?;
        let mut ranked: HashMap<i64, f64> = HashMap::new();
        for list in [&nearest.best, &by_words] {
            for (rank, row) in (1_u32..).zip(list) {
                *ranked.entry(*row).or_default() += 1.0 / (RANK_OFFSET + f64::from(rank));
            }
        }
        // Of all that match, the candidates decide about themselves by their exact vectors and their words.
        let mut matching: HashSet<i64> =
            nearest.near.into_iter().filter(|row| !ranked.contains_key(row)).collect();
        let wanted = distinct_terms(&text);
        let mut found = Vec::new();
        let sql = format!("SELECT vector, {COLUMNS} FROM solutions WHERE row = ?1");
        let mut statement = connection.prepare(&sql)?;
        for (row, score) in ranked {
            let read = |row: &Row<'_>| {
                Ok((from_bytes(row.get_ref(0)?.as_blob().unwrap_or_default()), solution_at(row, 1)?))
            };
            let Some((exact, solution)) = statement.query_row([row], read).optional()? else { continue };
            let similarity = cosine(&vector, &exact);
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

/// Returns `path` with `suffix` at its end.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.to_owned().into_os_string();
    path.push(suffix);
    PathBuf::from(path)
}

fn is_absent(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_err()
}

impl SolutionStore for SqliteStore {
    fn find_similar(&self, query: &SolutionQuery) -> Result<SimilarSolutions, StoreError> {
        self.with(|connection, matrix| self.search(connection, matrix, query))
    }

    fn record(&self, solutions: Vec<Solution>) -> Result<Vec<String>, StoreError> {
        let solutions: Vec<Solution> = solutions.into_iter().map(Solution::dated).collect();
        solutions.iter().try_for_each(Solution::check)?;
        self.with(|connection, matrix| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let ids =
                solutions.iter().map(|one| self.insert(&transaction, one, None)).collect::<Result<_, _>>()?;
            transaction.commit()?;
            *matrix = None;
            Ok(ids)
        })
    }

    fn import(&self, solutions: Vec<Solution>) -> Result<ImportedSolutions, StoreError> {
        let solutions: Vec<Solution> = solutions.into_iter().map(Solution::dated).collect();
        solutions.iter().try_for_each(Solution::check)?;
        self.with(|connection, matrix| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut done = ImportedSolutions { count: solutions.len(), ..ImportedSolutions::default() };
            for one in &solutions {
                let (row, is_taken) = Self::known(&transaction, one)?;
                if let Some(row) = row {
                    transaction.execute("DELETE FROM words WHERE rowid = ?1", [row])?;
                    transaction.execute("DELETE FROM solutions WHERE row = ?1", [row])?;
                }
                self.insert(
                    &transaction,
                    one,
                    Some(one.id.as_str()).filter(|id| !is_taken && !id.is_empty()),
                )?;
                done.replaced += usize::from(row.is_some());
                done.renumbered += usize::from(is_taken);
            }
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
            let sql = "DELETE FROM words WHERE rowid = (SELECT row FROM solutions WHERE id = ?1)";
            transaction.execute(sql, [id])?;
            transaction.execute("DELETE FROM solutions WHERE id = ?1", [id])?;
            transaction.commit()?;
            *matrix = None;
            Ok(solution)
        })
    }

    fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.opened().notices)
    }
}

/// Returns the best rows that share words with the text and pass the filter, the best first.
fn by_words(connection: &Connection, text: &str, filter: &Filter) -> Result<Vec<i64>, Failure> {
    let terms: Vec<String> = distinct_terms(text).iter().map(|term| format!("\"{term}\"")).collect();
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let sql = "SELECT words.rowid FROM words JOIN solutions ON solutions.row = words.rowid WHERE words MATCH ?1 \
        AND confidence >= ?2 AND (?3 IS NULL OR language = ?3) AND (?4 IS NULL OR simple_type = ?4) \
        ORDER BY bm25(words), words.rowid LIMIT ?5";
    let mut statement = connection.prepare(sql)?;
    let given = params![
        terms.join(" OR "),
        filter.min_confidence,
        filter.language,
        filter.error_type,
        i64::try_from(CANDIDATES).unwrap_or(i64::MAX)
    ];
    let rows = statement.query_map(given, |row| row.get(0)).and_then(Iterator::collect);
    match rows {
        // A query that FTS5 does not accept finds no words; vectors go on finding.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::Unknown) => Ok(Vec::new()),
        rows => Ok(rows?),
    }
}

/// Returns the first terms of a text, each once.
fn distinct_terms(text: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    for_each_term(text, |term| {
        if terms.len() < MAX_TERMS && !terms.iter().any(|known| known == term) {
            terms.push(term.to_owned());
        }
    });
    terms
}

/// Whether a solution has more than half of the terms.
fn shares_most(terms: &[String], solution: &Solution) -> bool {
    let mut own = HashSet::new();
    for_each_term(&solution.searched_text(), |term| {
        own.insert(term.to_owned());
    });
    terms.iter().filter(|term| own.contains(*term)).count() * 2 > terms.len()
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

/// Whether the index of words, which can be built again, is damaged or missing.
fn is_of_words(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    code == Some(rusqlite::ffi::SQLITE_CORRUPT_VTAB) || error.to_string().contains("no such table: words")
}

fn is_damaged(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

#[cfg(test)]
mod tests;
