//! The footer (last line) of native's answers about symbols, and the argument `format`.

use std::fmt;

use serde_json::Value;

use crate::arguments::{ArgumentError, Arguments};

/// The description of the argument `format` in every schema.
pub(super) const FORMAT: &str = "text: compact lines; json: the same facts for programs.";

/// The format of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Compact lines.
    Text,
    /// JSON for programs.
    Json,
}

pub(super) fn format(arguments: &Arguments<'_>) -> Result<Format, ArgumentError> {
    Ok(match arguments.one_of_or("format", &["text", "json"], "text")? {
        "json" => Format::Json,
        _ => Format::Text,
    })
}

/// Returns how many of `all` fit into `limit` characters of JSON. At least one: an empty answer is useless.
pub(super) fn fitting(all: &[Value], limit: usize) -> usize {
    let mut left = limit;
    let fits = |one: &&Value| {
        let cost = one.to_string().chars().count() + 1;
        let fits = cost <= left;
        left = left.saturating_sub(cost);
        fits
    };
    all.iter().take_while(fits).count().max(1).min(all.len())
}

/// The last line of an answer: `[3 symbols; complete]`, `[24 references in 3 files; syntax; unchecked: 2
/// marked ?]`.
#[derive(Clone, Debug)]
pub(super) struct Footer {
    counts: String,
    source: Option<String>,
    unchecked: Vec<String>,
    notes: Vec<String>,
    missing: Vec<String>,
}

impl Footer {
    /// Returns a footer that calls the answer complete, as long as nothing is added that says otherwise.
    pub(super) fn new(counts: String) -> Footer {
        Footer { counts, source: None, unchecked: Vec::new(), notes: Vec::new(), missing: Vec::new() }
    }

    /// Sets the source of the answer, where that decides how much the answer covers. What a file declares
    /// needs none: syntax knows that.
    pub(super) fn set_source(&mut self, source: String) {
        self.source = Some(source);
    }

    /// Adds what may or may not belong to the answer; the answer is then not called complete.
    pub(super) fn add_unchecked(&mut self, what: String) {
        self.unchecked.push(what);
    }

    /// Adds a fact.
    pub(super) fn add_note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Adds what is missing, and what to do about it.
    pub(super) fn add_incomplete(&mut self, why: String) {
        self.missing.push(why);
    }
}

impl fmt::Display for Footer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.counts)?;
        self.source.iter().try_for_each(|source| write!(f, "; {source}"))?;
        self.notes.iter().try_for_each(|note| write!(f, "; {note}"))?;
        self.unchecked.iter().try_for_each(|what| write!(f, "; unchecked: {what}"))?;
        if self.missing.is_empty() && !self.unchecked.is_empty() {
            return f.write_str("]");
        }
        if self.missing.is_empty() {
            return f.write_str("; complete]");
        }
        self.missing.iter().try_for_each(|why| write!(f, "; incomplete: {why}"))?;
        f.write_str("]")
    }
}
