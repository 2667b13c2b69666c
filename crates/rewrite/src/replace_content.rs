//! Replacing what a literal text or a Python regular expression finds (contracts, ruling on replace_content). Matching is
//! on text with `\n` for every line break; the replacement takes the endings of the place. Invariant: bytes outside the
//! matches stay.

use super::endings::{Endings, line_feeds};
use super::normalised::Normalised;
use symd_base::cancel::Cancelled;
use symd_base::{TextEdit, TextEditError, TextEdits};
use symd_files::search::{GroupedError, GroupedMatch, MatchMeans, PatternError, find_all, with_groups};

/// How the needle is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceMode {
    /// Needle and replacement are taken as they are.
    Literal,
    /// The needle is a Python regular expression with DOTALL and MULTILINE; `$!1` in the replacement is its first group.
    Regex,
}

/// How many occurrences are expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HowMany {
    /// Exactly one.
    One,
    /// One or more.
    Any,
    /// So many.
    Exactly(usize),
}

/// What was found and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The changes.
    pub edits: TextEdits,
    /// How many occurrences there were.
    pub count: usize,
}

/// Why nothing is replaced. The texts of `NoMatches` (behind `Error: `), `Many` and `Ambiguous` are the serena contract's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplaceError {
    /// It does not occur.
    #[error("No matches of search expression found in file '{path}'.")]
    NoMatches {
        /// The file.
        path: String,
    },
    /// It occurs more often than expected.
    #[error(
        "Expression matches {count} occurrences in file '{path}'. Please revise the expression to be more specific or \
         enable allow_multiple_occurrences if this is expected."
    )]
    Many {
        /// How often.
        count: usize,
        /// The file.
        path: String,
    },
    /// It does not occur as often as expected.
    #[error("Expected {expected} occurrences in file '{path}', but found {count}.")]
    Miscounted {
        /// How often it should.
        expected: usize,
        /// How often it does; never 0.
        count: usize,
        /// The file.
        path: String,
    },
    /// A match over several lines holds another.
    #[error(
        "Match is ambiguous: the search pattern matches multiple overlapping occurrences. Please revise the search \
         pattern to be more specific to avoid ambiguity."
    )]
    Ambiguous,
    /// Matches overlap: a mistake in this binary.
    #[error(transparent)]
    Edits(#[from] TextEditError),
    /// The needle is no regular expression, or empty.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The replacement asks for a group that the needle has not.
    #[error("The replacement refers to group $!{group}, but the expression has {}", groups(*count))]
    UnknownGroup {
        /// As written.
        group: String,
        /// How many groups it has.
        count: usize,
    },
    /// Matching took too many steps.
    #[error(
        "The expression '{needle}' takes too many steps to match in file '{path}'; write it without nested repetition"
    )]
    BudgetSpent {
        /// As written.
        needle: String,
        /// The file.
        path: String,
    },
    /// The process that matched it ended, twice.
    #[error(
        "The expression '{needle}' was not matched in file '{path}': the process that did so ended ({why}); try again"
    )]
    ProcessEnded {
        /// As written.
        needle: String,
        /// The file.
        path: String,
        /// What became of it.
        why: String,
    },
    /// The asker went away.
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

/// Replaces what `needle` finds in `text`, the text of `path`, by `replacement`. An expression is matched by `means`.
pub fn replace_content(
    path: &str,
    text: &str,
    needle: &str,
    replacement: &str,
    mode: ReplaceMode,
    how_many: HowMany,
    means: MatchMeans<'_>,
) -> Result<Replaced, ReplaceError> {
    let normalised = Normalised::of(text);
    let template = match mode {
        ReplaceMode::Literal => vec![Part::Text(replacement)],
        ReplaceMode::Regex => parts(replacement),
    };
    let found = match mode {
        ReplaceMode::Literal => literal(&normalised.text, needle)?,
        ReplaceMode::Regex => {
            let pattern = with_groups(needle, normalised.text.len())?;
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
        HowMany::One if count > 1 => return Err(ReplaceError::Many { count, path: path.to_owned() }),
        HowMany::Exactly(expected) if count != expected => {
            return Err(ReplaceError::Miscounted { expected, count, path: path.to_owned() });
        }
        HowMany::One | HowMany::Any | HowMany::Exactly(_) => {}
    }
    let endings = Endings::of(text);
    let edits = found.into_iter().map(|found| {
        let range = normalised.original(found.range);
        let ending = endings.at(range.start as usize);
        let mut groups = found.groups.into_iter();
        let mut new_text = String::new();
        for part in &template {
            match part {
                Part::Text(literal) => new_text.push_str(&ending.adopt(literal)),
                // From the original: what is kept keeps its endings.
                Part::Group(_) => {
                    let group = groups.next().flatten().map(|group| normalised.original(group));
                    new_text.push_str(group.map_or("", |group| &text[group.as_range()]));
                }
            }
        }
        TextEdit { range, new_text }
    });
    let edits = TextEdits::new(edits.collect())?;
    Ok(Replaced { edits, count })
}

/// A piece of a replacement.
#[derive(Debug, PartialEq, Eq)]
enum Part<'a> {
    Text(&'a str),
    /// The digits behind `$!`.
    Group(&'a str),
}

/// Cuts a replacement at its groups, in one pass: what a group holds is never looked at again.
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

/// The groups that the template names, in its order, of an expression that has `count`.
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
