//! The tables of the file, their versions, and the index of words.

use rusqlite::{Connection, Params, Transaction, TransactionBehavior, params};

use super::file::Failure;
use super::rows::{COLUMNS, solution_at};
use crate::terms::for_each_term;

/// The version of the tables that this program reads and writes.
const VERSION: i64 = 3;

const SOLUTIONS: &str = "
CREATE TABLE IF NOT EXISTS solutions (
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  error_description TEXT NOT NULL,
  root_cause TEXT NOT NULL,
  solution TEXT NOT NULL,
  language TEXT NOT NULL,
  error_type TEXT NOT NULL,
  simple_type TEXT NOT NULL,
  confidence REAL NOT NULL,
  validated INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  fixed_in TEXT NOT NULL,
  model TEXT NOT NULL,
  vector BLOB NOT NULL,
  dimension INTEGER NOT NULL DEFAULT 0
);
";

/// Adds to the rows of version 2 what their vectors tell.
const DIMENSIONS: &str = "
ALTER TABLE solutions ADD COLUMN dimension INTEGER NOT NULL DEFAULT 0;
UPDATE solutions SET dimension = length(vector) / 4;
";

/// The first version whose index of words is that of now.
const OF_WORDS: i64 = 2;

/// With `detail` other than `full`, bm25() of a table without content is 0 for every row, and a term that FTS5
/// splits in two is an error (<https://www.sqlite.org/fts5.html>, 4.4 and 4.6).
const WORDS: &str = "CREATE VIRTUAL TABLE words USING fts5(terms, content='', contentless_delete=1)";

/// Removes an index of words whose own tables are so damaged that it cannot be dropped.
const FORGET_WORDS: &str = "
PRAGMA writable_schema = ON;
DELETE FROM sqlite_schema WHERE name = 'words';
PRAGMA writable_schema = RESET;
DROP TABLE IF EXISTS words_data;
DROP TABLE IF EXISTS words_idx;
DROP TABLE IF EXISTS words_content;
DROP TABLE IF EXISTS words_docsize;
DROP TABLE IF EXISTS words_config;
";

/// Creates the tables, or brings those of an older version up to this one. A newer version is left alone: the
/// error is its number.
pub(super) fn prepare(connection: &mut Connection) -> Result<Result<(), i64>, Failure> {
    let version =
        |connection: &Connection| connection.pragma_query_value(None, "user_version", |row| row.get(0));
    let found: i64 = version(connection)?;
    if found >= VERSION {
        return Ok(if found == VERSION { Ok(()) } else { Err(found) });
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it meanwhile.
    let found = version(&transaction)?;
    if found < VERSION {
        transaction.execute_batch(SOLUTIONS)?;
        let has_dimension: bool = transaction.query_row(
            "SELECT EXISTS (SELECT 1 FROM pragma_table_info('solutions') WHERE name = 'dimension')",
            [],
            |row| row.get(0),
        )?;
        if !has_dimension {
            transaction.execute_batch(DIMENSIONS)?;
        }
        if found < OF_WORDS {
            rebuild_words(&transaction)?;
        }
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()?;
    Ok(Ok(()))
}

/// Builds the index of words again.
pub(super) fn repair(connection: &mut Connection) -> Result<(), Failure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    rebuild_words(&transaction)?;
    Ok(transaction.commit()?)
}

/// Creates the index of words, which holds nothing that the solutions do not.
fn rebuild_words(transaction: &Transaction<'_>) -> Result<(), Failure> {
    if transaction.execute_batch("DROP TABLE IF EXISTS words").is_err() {
        transaction.execute_batch(FORGET_WORDS)?;
    }
    transaction.execute_batch(WORDS)?;
    let mut statement = transaction.prepare(&format!("SELECT row, {COLUMNS} FROM solutions ORDER BY row"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        insert_words(transaction, row.get(0)?, &solution_at(row, 1)?.searched_text())?;
    }
    Ok(())
}

/// Commits. FTS5 writes what it has gathered only now, and no constraint of the solutions themselves is deferred: what fails
/// first fails in the index of words.
pub(super) fn commit(transaction: Transaction<'_>) -> Result<(), Failure> {
    transaction.commit().map_err(Failure::Words)
}

/// Adds the words of one row.
pub(super) fn insert_words(transaction: &Transaction<'_>, row: i64, text: &str) -> Result<(), Failure> {
    let mut terms = String::new();
    for_each_term(text, |term| terms.extend([term, " "]));
    changed_words(transaction, "INSERT INTO words (rowid, terms) VALUES (?1, ?2)", params![row, terms])
}

/// Removes the words of one row.
pub(super) fn delete_words(transaction: &Transaction<'_>, row: i64) -> Result<(), Failure> {
    changed_words(transaction, "DELETE FROM words WHERE rowid = ?1", params![row])
}

fn changed_words(transaction: &Transaction<'_>, sql: &str, values: impl Params) -> Result<(), Failure> {
    let changed = transaction.prepare(sql).and_then(|mut statement| statement.execute(values));
    changed.map(|_| ()).map_err(Failure::Words)
}
