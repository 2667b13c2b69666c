//! The last line of native's symbol answers, and the argument `format`.

use std::fmt;

use crate::toolsets::arguments::{ArgumentError, Arguments};

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

/// `[3 symbols in 2 files; syntax; revision 17; complete]`
#[derive(Debug)]
pub(super) struct Footer {
    counts: String,
    revision: u64,
    notes: Vec<String>,
    missing: Vec<String>,
}

impl Footer {
    /// A footer that says the answer is complete.
    pub(super) fn new(counts: String, revision: u64) -> Footer {
        Footer { counts, revision, notes: Vec::new(), missing: Vec::new() }
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
        write!(f, "[{}; syntax; revision {}", self.counts, self.revision)?;
        self.notes.iter().try_for_each(|note| write!(f, "; {note}"))?;
        if self.missing.is_empty() {
            return f.write_str("; complete]");
        }
        self.missing.iter().try_for_each(|why| write!(f, "; incomplete: {why}"))?;
        f.write_str("]")
    }
}
