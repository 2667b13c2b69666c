//! One past solution, as it is stored, exported and imported.

use serde::{Deserialize, Serialize};
use symd_base::Timestamp;

use super::query_text::identifying;

/// Maximum length of each text in bytes.
const MAX_TEXT: usize = 64 << 10;

/// Maximum length of a time in bytes.
const MAX_TIME: usize = 40;

/// A solved error (kotlin_debug contract, section 5). The keys of its JSON are those of the contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Solution {
    /// `rca-` and a number; empty until the store gives one.
    #[serde(default)]
    pub id: String,
    pub error_description: String,
    pub root_cause: String,
    pub solution: String,
    /// The programming language, in lower case.
    pub language: String,
    /// `NullPointerException`, `TypeError` …
    pub error_type: String,
    /// From 0 to 1.
    pub confidence: f64,
    /// Whether the user has confirmed that it solved the error.
    #[serde(default)]
    pub user_validated: bool,
    /// When it was recorded, in RFC 3339; empty until it is.
    #[serde(default)]
    pub created_at: String,
    /// The path of the file that was changed; empty if unknown.
    #[serde(default)]
    pub fixed_in: String,
}

/// Why something is no solution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSolution {
    #[error("{0} is empty")]
    Empty(&'static str),
    #[error("{0} is longer than 64 KiB")]
    TooLong(&'static str),
    #[error("id is not \"rca-\" and a number")]
    Id,
    #[error("createdAt is not a time in RFC 3339")]
    Time,
    #[error("confidence is not a number from 0 to 1")]
    Confidence,
}

impl Solution {
    /// Checks that it can be stored.
    pub fn check(&self) -> Result<(), InvalidSolution> {
        for (name, text) in [
            ("errorDescription", &self.error_description),
            ("rootCause", &self.root_cause),
            ("solution", &self.solution),
            ("language", &self.language),
            ("errorType", &self.error_type),
        ] {
            if text.trim().is_empty() {
                return Err(InvalidSolution::Empty(name));
            }
            if text.len() > MAX_TEXT {
                return Err(InvalidSolution::TooLong(name));
            }
        }
        if self.fixed_in.len() > MAX_TEXT {
            return Err(InvalidSolution::TooLong("fixedIn"));
        }
        let number = self.id.strip_prefix("rca-").unwrap_or_default();
        let is_id = (1..=18).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
        if !self.id.is_empty() && !is_id {
            return Err(InvalidSolution::Id);
        }
        let is_time = |c: char| c.is_ascii_digit() || "TtZz:.+- ".contains(c);
        if self.created_at.len() > MAX_TIME || !self.created_at.chars().all(is_time) {
            return Err(InvalidSolution::Time);
        }
        match (0.0..=1.0).contains(&self.confidence) {
            true => Ok(()),
            false => Err(InvalidSolution::Confidence),
        }
    }

    /// Returns what is free text in it.
    pub fn texts(&self) -> [&str; 6] {
        [
            &self.error_description,
            &self.root_cause,
            &self.solution,
            &self.language,
            &self.error_type,
            &self.fixed_in,
        ]
    }

    /// Returns the solution with its time, if it has none.
    pub(crate) fn dated(mut self) -> Solution {
        if self.created_at.is_empty() {
            self.created_at = Timestamp::now().to_string();
        }
        self.language = self.language.trim().to_lowercase();
        self
    }

    /// Whether both were recorded at the same time, of the same error: then one is a copy of the other.
    pub(crate) fn is_of_same_error(&self, other: &Solution) -> bool {
        self.created_at == other.created_at && self.error_description == other.error_description
    }

    /// Returns the text of which its vector is: what is known before the cause is, and then the cause.
    pub(crate) fn searched_text(&self) -> String {
        // A trace is searched for by the same part of it.
        format!("{}\n{}\n{}", self.error_type, identifying(&self.error_description), self.root_cause)
    }

    /// Returns the text whose words it is found by. What was done names the problem in words that the error does not have.
    pub(crate) fn worded_text(&self) -> String {
        format!("{}\n{}", self.searched_text(), self.solution)
    }
}
