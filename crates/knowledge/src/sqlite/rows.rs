//! Reads and writes the values of a row. Invariant: a value that is not of its type, or not UTF-8, is read as far as
//! it can be: one damaged row does not hide the others.

use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::solution::Solution;

pub(super) const COLUMNS: &str = "id, error_description, root_cause, solution, language, error_type, confidence, validated, \
    created_at, fixed_in";

/// Reads [`COLUMNS`], of which the first is column `first`.
pub(super) fn solution_at(row: &Row<'_>, first: usize) -> rusqlite::Result<Solution> {
    Ok(Solution {
        id: text_at(row, first)?,
        error_description: text_at(row, first + 1)?,
        root_cause: text_at(row, first + 2)?,
        solution: text_at(row, first + 3)?,
        language: text_at(row, first + 4)?,
        error_type: text_at(row, first + 5)?,
        confidence: number_at(row, first + 6)?,
        user_validated: number_at(row, first + 7)? > 0.0,
        created_at: text_at(row, first + 8)?,
        fixed_in: text_at(row, first + 9)?,
    })
}

/// Reads a text; bytes that are not UTF-8 are read as U+FFFD.
pub(super) fn text_at(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Null => String::new(),
    })
}

/// Reads a number; a value of another type is read as 0.
pub(super) fn number_at(row: &Row<'_>, column: usize) -> rusqlite::Result<f64> {
    Ok(match row.get_ref(column)? {
        ValueRef::Real(number) => number,
        #[allow(clippy::cast_precision_loss, reason = "a confidence or a flag")]
        ValueRef::Integer(number) => number as f64,
        ValueRef::Text(_) | ValueRef::Blob(_) | ValueRef::Null => 0.0,
    })
}

pub(super) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

pub(super) fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect()
}
