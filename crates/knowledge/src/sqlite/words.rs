//! The index of words: of each term the rows that have it, as a compressed bitmap. It holds nothing that the solutions do not,
//! so it can be built again at any time. Rows are never given again, so those of deleted solutions would do no harm.

use std::collections::HashMap;

use roaring::RoaringBitmap;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, Statement, Transaction, params};

use super::file::Failure;
use super::rows::{COLUMNS, solution_at};
use crate::related::related;
use crate::shared_words::distinct;
use crate::word_ranking::QueryWord;

const TABLE: &str = "CREATE TABLE words (term TEXT PRIMARY KEY, rows BLOB NOT NULL)";

/// Removes an index whose own tables are so damaged that it cannot be dropped, and that of FTS5 which earlier versions had.
const FORGET: &str = "
PRAGMA writable_schema = ON;
DELETE FROM sqlite_schema WHERE tbl_name = 'words';
PRAGMA writable_schema = RESET;
DROP TABLE IF EXISTS words_data;
DROP TABLE IF EXISTS words_idx;
DROP TABLE IF EXISTS words_content;
DROP TABLE IF EXISTS words_docsize;
DROP TABLE IF EXISTS words_config;
";

/// The changes of one transaction, so that each term is written once.
#[derive(Default)]
pub(super) struct WordChanges(HashMap<String, TermChange>);

#[derive(Default)]
struct TermChange {
    added: RoaringBitmap,
    removed: RoaringBitmap,
}

impl WordChanges {
    /// Adds a row by its worded text; returns the number of its terms.
    pub(super) fn add(&mut self, row: i64, text: &str) -> usize {
        self.each_term(row, text, |change, row| {
            change.added.insert(row);
        })
    }

    /// Removes a row by its worded text.
    pub(super) fn remove(&mut self, row: i64, text: &str) {
        self.each_term(row, text, |change, row| {
            change.removed.insert(row);
        });
    }

    fn each_term(&mut self, row: i64, text: &str, change: impl Fn(&mut TermChange, u32)) -> usize {
        let terms = distinct(text);
        let count = terms.len();
        // Bitmaps hold 32 bits; vectors go on finding a row beyond them.
        if let Ok(row) = u32::try_from(row) {
            for term in terms {
                change(self.0.entry(term).or_default(), row);
            }
        }
        count
    }

    /// Writes the changes.
    pub(super) fn write(self, transaction: &Transaction<'_>) -> Result<(), Failure> {
        let written = self.write_terms(transaction);
        written.map_err(Failure::Words)
    }

    fn write_terms(self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let mut rows_of = TermReader::new(transaction)?;
        let mut put = transaction.prepare(
            "INSERT INTO words (term, rows) VALUES (?1, ?2) ON CONFLICT (term) DO UPDATE SET rows = excluded.rows",
        )?;
        let mut delete = transaction.prepare("DELETE FROM words WHERE term = ?1")?;
        for (term, change) in self.0 {
            let rows = (rows_of.read(&term)? - change.removed) | change.added;
            if rows.is_empty() {
                delete.execute([&term])?;
                continue;
            }
            let mut bytes = Vec::with_capacity(rows.serialized_size());
            rows.serialize_into(&mut bytes)
                .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
            put.execute(params![term, bytes])?;
        }
        Ok(())
    }
}

/// Returns for each term the rows that have it, and the rows of each related term. Related terms that are in `terms` are left
/// out, since they count for themselves.
pub(super) fn rows_of(connection: &Connection, terms: &[String]) -> Result<Vec<QueryWord>, Failure> {
    let read = || {
        let mut reader = TermReader::new(connection)?;
        let mut word = |term: &String| {
            let others = related(term).iter().filter(|other| !terms.contains(other));
            let related = others.map(|other| reader.read(other)).collect::<rusqlite::Result<_>>()?;
            Ok(QueryWord { own: reader.read(term)?, related })
        };
        terms.iter().map(&mut word).collect::<rusqlite::Result<_>>()
    };
    read().map_err(Failure::Words)
}

/// Reads the rows of one term after the other.
struct TermReader<'c>(Statement<'c>);

impl<'c> TermReader<'c> {
    fn new(connection: &'c Connection) -> rusqlite::Result<TermReader<'c>> {
        Ok(TermReader(connection.prepare("SELECT rows FROM words WHERE term = ?1")?))
    }

    fn read(&mut self, term: &str) -> rusqlite::Result<RoaringBitmap> {
        let read = |row: &Row<'_>| {
            RoaringBitmap::deserialize_from(row.get_ref(0)?.as_blob().unwrap_or_default())
                .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Blob, error.into()))
        };
        Ok(self.0.query_row([term], read).optional()?.unwrap_or_default())
    }
}

/// Builds the index of all solutions anew.
pub(super) fn rebuild(transaction: &Transaction<'_>) -> Result<(), Failure> {
    if transaction.execute_batch("DROP TABLE IF EXISTS words").is_err() {
        transaction.execute_batch(FORGET)?;
    }
    transaction.execute_batch(TABLE)?;
    let mut changes = WordChanges::default();
    let mut count = transaction.prepare("UPDATE solutions SET word_count = ?1 WHERE row = ?2")?;
    let mut statement = transaction.prepare(&format!("SELECT row, {COLUMNS} FROM solutions ORDER BY row"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, solution) = (row.get(0)?, solution_at(row, 1)?);
        let words = changes.add(id, &solution.worded_text());
        count.execute(params![super::column(words), id])?;
    }
    changes.write(transaction)
}
