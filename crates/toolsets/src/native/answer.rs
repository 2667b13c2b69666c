//! The last line of native's symbol answers, and the argument `format`.

use std::fmt;

use serde_json::Value;

use crate::arguments::{ArgumentError, Arguments};

/// What the argument `format` means, in every schema.
pub(super) const FORMAT: &str = "text: compact lines; json: the same facts for programs.";

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Compact lines.
    Text,
    /// JSON for programs.
    Json,
}

/// Reads the argument `format`.
pub(super) fn format(arguments: &Arguments<'_>) -> Result<Format, ArgumentError> {
    Ok(match arguments.one_of_or("format", &["text", "json"], "text")? {
        "json" => Format::Json,
        _ => Format::Text,
    })
}

/// How many of `all` fit into `limit` characters of JSON; at least one: an answer that shows nothing helps nobody.
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

/// `[3 symbols; complete]`, `[24 references in 3 files; syntax; unchecked: 2 marked ?]`
#[derive(Clone, Debug)]
pub(super) struct Footer {
    counts: String,
    source: Option<String>,
    unchecked: Vec<String>,
    notes: Vec<String>,
    missing: Vec<String>,
}

impl Footer {
    /// A footer that says the answer is complete.
    pub(super) fn new(counts: String) -> Footer {
        Footer { counts, source: None, unchecked: Vec::new(), notes: Vec::new(), missing: Vec::new() }
    }

    /// Says where the answer comes from, where that decides how far it reaches: what is declared in a file, syntax knows.
    pub(super) fn source(&mut self, source: String) {
        self.source = Some(source);
    }

    /// Says of what it is not known whether it belongs here: then the answer is not called complete.
    pub(super) fn unchecked(&mut self, what: String) {
        self.unchecked.push(what);
    }

    /// Adds a fact.
    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Says that something is missing, and what to do.
    pub(super) fn incomplete(&mut self, why: String) {
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
