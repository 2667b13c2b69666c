//! Replaces the matches of a literal text or a Python regular expression (contracts, ruling on
//! replace_content). Matches against the text with `\n` for every line break; the replacement gets the line
//! endings of its place. Invariant: bytes outside the matches stay as they are.

use super::endings::{Endings, line_feeds};
use super::normalised::Normalised;
use symd_base::cancel::Cancelled;
use symd_base::{TextEdit, TextEditError, TextEdits};
use symd_files::search::{GroupedError, GroupedMatch, MatchContext, PatternError, compile_grouped, find_all};

/// How to interpret the needle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceMode {
    /// Needle and replacement are literal.
    Literal,
    /// The needle is a Python regular expression with DOTALL and MULTILINE; `$!1` in the replacement refers
    /// to its first group.
    Regex,
}

/// The expected number of occurrences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedCount {
    /// Exactly one.
    One,
    /// One or more.
    Any,
    /// This many.
    Exactly(usize),
}

/// The edits for the matches that were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    pub edits: TextEdits,
    /// The number of occurrences.
    pub count: usize,
}

/// Why nothing is replaced. The messages are symd's own; a contract with sentences of its own matches the
/// variants.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplaceError {
    /// The needle does not occur.
    #[error("No matches of search expression found in file '{path}'.")]
    NoMatches { path: String },
    /// The needle occurs more often than expected.
    #[error(
        "Expression matches {count} occurrences in file '{path}'. Please revise the expression to be more specific or \
         enable allow_multiple_occurrences if this is expected."
    )]
    Many { count: usize, path: String },
    /// The needle does not occur as often as expected.
    #[error("Expected {expected} occurrences in file '{path}', but found {count}.")]
    Miscounted {
        expected: usize,
        /// The actual number of occurrences; never 0.
        count: usize,
        path: String,
    },
    /// A match over several lines contains another match.
    #[error(
        "Match is ambiguous: the search pattern matches multiple overlapping occurrences. Please revise the search \
         pattern to be more specific to avoid ambiguity."
    )]
    Ambiguous,
    /// Matches overlap, which is a bug.
    #[error(transparent)]
    Edits(#[from] TextEditError),
    /// The needle is not a valid regular expression, or is empty.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The replacement refers to a group that the needle does not have.
    #[error("The replacement refers to group $!{group}, but the expression has {}", groups(*count))]
    UnknownGroup {
        /// The number of the group, as written.
        group: String,
        /// The number of groups in the needle.
        count: usize,
    },
    /// Matching exceeded its budget.
    #[error(
        "The expression '{needle}' takes too many steps to match in file '{path}'; write it without nested repetition"
    )]
    BudgetSpent {
        /// The needle as written.
        needle: String,
        path: String,
    },
    /// The process that matched the needle exited, twice.
    #[error(
        "Matching the expression '{needle}' in file '{path}' failed: the matching process exited ({why}); try again"
    )]
    ProcessEnded {
        /// The needle as written.
        needle: String,
        path: String,
        /// The reason why it exited.
        why: String,
    },
    /// The request was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

fn groups(count: usize) -> String {
    match count {
        0 => "no groups".to_owned(),
        1 => "1 group".to_owned(),
        _ => format!("{count} groups"),
    }
}

/// Replaces the matches of `needle` in `text`, the text of `path`, by `replacement`. A regular expression is
/// matched with `means`.
pub fn replace_content(
    path: &str,
    text: &str,
    needle: &str,
    replacement: &str,
    mode: ReplaceMode,
    how_many: ExpectedCount,
    means: MatchContext<'_>,
) -> Result<Replacement, ReplaceError> {
    let normalised = Normalised::of(text);
    let template = match mode {
        ReplaceMode::Literal => vec![Part::Text(replacement)],
        ReplaceMode::Regex => parts(replacement),
    };
    let found = match mode {
        ReplaceMode::Literal => literal(&normalised.text, needle)?,
        ReplaceMode::Regex => {
            let pattern = compile_grouped(needle, normalised.text.len())?;
            let groups = numbers(&template, pattern.groups())?;
            find_all(&pattern, &groups, &normalised.text, means)
                .map_err(|error| stopped(error, path, needle))?
        }
    };
    let count = found.len();
    if count == 0 {
        return Err(ReplaceError::NoMatches { path: path.to_owned() });
    }
    match how_many {
        ExpectedCount::One if count > 1 => return Err(ReplaceError::Many { count, path: path.to_owned() }),
        ExpectedCount::Exactly(expected) if count != expected => {
            return Err(ReplaceError::Miscounted { expected, count, path: path.to_owned() });
        }
        ExpectedCount::One | ExpectedCount::Any | ExpectedCount::Exactly(_) => {}
    }
    let endings = Endings::of(text);
    let edits = found.into_iter().map(|found| {
        let range = normalised.original(found.range);
        let ending = endings.at(range.start as usize);
        let mut groups = found.groups.into_iter();
        let mut new_text = String::new();
        for part in &template {
            match part {
                Part::Text(literal) => new_text.push_str(&ending.apply_to(literal)),
                // Taken from the original text, so that it keeps its line endings.
                Part::Group(_) => {
                    let group = groups.next().flatten().map(|group| normalised.original(group));
                    new_text.push_str(group.map_or("", |group| &text[group.as_range()]));
                }
            }
        }
        TextEdit { range, new_text }
    });
    let edits = TextEdits::new(edits.collect())?;
    Ok(Replacement { edits, count })
}

/// A part of a replacement.
#[derive(Debug, PartialEq, Eq)]
enum Part<'a> {
    Text(&'a str),
    /// The digits after `$!`.
    Group(&'a str),
}

/// Splits a replacement at its group references, in one pass: the content of a group is never interpreted
/// again.
fn parts(replacement: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut text = 0;
    for (at, _) in replacement.match_indices("$!") {
        let behind = &replacement[at + 2..];
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            parts.push(Part::Text(&replacement[text..at]));
            parts.push(Part::Group(&behind[..digits]));
            text = at + 2 + digits;
        }
    }
    parts.push(Part::Text(&replacement[text..]));
    parts
}

fn literal(text: &str, needle: &str) -> Result<Vec<GroupedMatch>, ReplaceError> {
    if needle.is_empty() {
        return Err(PatternError::Empty.into());
    }
    let needle = line_feeds(needle);
    let found = memchr::memmem::find_iter(text.as_bytes(), needle.as_bytes());
    Ok(found.map(|at| GroupedMatch { range: at..at + needle.len(), groups: Vec::new() }).collect())
}

/// Returns the numbers of the groups that the template refers to, in its order; fails if one exceeds `count`,
/// the number of groups in the expression.
fn numbers(template: &[Part], count: usize) -> Result<Vec<usize>, ReplaceError> {
    let named = template.iter().filter_map(|part| match part {
        Part::Text(_) => None,
        Part::Group(digits) => Some(*digits),
    });
    let number = |digits: &str| {
        let group = digits.parse().ok().filter(|group| *group <= count);
        group.ok_or_else(|| ReplaceError::UnknownGroup { group: digits.to_owned(), count })
    };
    named.map(number).collect()
}

fn stopped(error: GroupedError, path: &str, needle: &str) -> ReplaceError {
    let (path, needle) = (path.to_owned(), needle.to_owned());
    match error {
        GroupedError::BudgetSpent => ReplaceError::BudgetSpent { needle, path },
        GroupedError::Ambiguous => ReplaceError::Ambiguous,
        GroupedError::Cancelled => ReplaceError::Cancelled(Cancelled),
        GroupedError::Ended(why) => ReplaceError::ProcessEnded { needle, path, why },
    }
}

#[cfg(test)]
#[path = "replace_content_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "replace_content_random_tests.rs"]
mod random_tests;
