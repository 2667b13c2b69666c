//! The tables of the file and their versions.

use rusqlite::{Connection, TransactionBehavior};

use super::file::Failure;
use super::words;

/// The version of the tables that this program reads and writes.
const VERSION: i64 = 5;

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
  dimension INTEGER NOT NULL DEFAULT 0,
  word_count INTEGER NOT NULL DEFAULT 0
);
";

/// What later versions added to the rows, each with its value for rows that are there already.
const ADDED: [(&str, &str); 2] = [("dimension", "length(vector) / 4"), ("word_count", "0")];

/// The first version whose index of words is that of now.
const OF_WORDS: i64 = 5;

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
        for (column, value) in ADDED {
            let sql = "SELECT EXISTS (SELECT 1 FROM pragma_table_info('solutions') WHERE name = ?1)";
            let is_there: bool = transaction.query_row(sql, [column], |row| row.get(0))?;
            if !is_there {
                transaction.execute_batch(&format!(
                    "ALTER TABLE solutions ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0; UPDATE solutions SET {column} = {value}"
                ))?;
            }
        }
        if found < OF_WORDS {
            words::rebuild(&transaction)?;
        }
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()?;
    Ok(Ok(()))
}

/// Builds the index of words again.
pub(super) fn repair(connection: &mut Connection) -> Result<(), Failure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    words::rebuild(&transaction)?;
    Ok(transaction.commit()?)
}
