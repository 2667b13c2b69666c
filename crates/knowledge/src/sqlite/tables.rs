//! The tables of the file, their versions, and the index of words.

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::Failure;
use super::rows::{COLUMNS, solution_at};
use crate::terms::for_each_term;

/// The version of the tables that this program reads and writes.
const VERSION: i64 = 2;

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
  vector BLOB NOT NULL
);
";

/// With `detail` other than `full`, bm25() of a table without content is 0 for every row, and a term that FTS5
/// splits in two is an error (<https://www.sqlite.org/fts5.html>, 4.4 and 4.6).
const WORDS: &str = "CREATE VIRTUAL TABLE words USING fts5(terms, content='', contentless_delete=1)";

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
    if version(&transaction)? < VERSION {
        transaction.execute_batch(SOLUTIONS)?;
        rebuild_words(&transaction)?;
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
    transaction.execute_batch("DROP TABLE IF EXISTS words")?;
    transaction.execute_batch(WORDS)?;
    let mut statement = transaction.prepare(&format!("SELECT row, {COLUMNS} FROM solutions ORDER BY row"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        insert_words(transaction, row.get(0)?, &solution_at(row, 1)?.searched_text())?;
    }
    Ok(())
}

/// Adds the words of one row.
pub(super) fn insert_words(transaction: &Transaction<'_>, row: i64, text: &str) -> Result<(), Failure> {
    let mut terms = String::new();
    for_each_term(text, |term| terms.extend([term, " "]));
    let sql = "INSERT INTO words (rowid, terms) VALUES (?1, ?2)";
    transaction.prepare(sql)?.execute(params![row, terms])?;
    Ok(())
}
