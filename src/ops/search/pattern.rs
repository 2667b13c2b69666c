//! A Python regular expression as the agents write it, compiled. Two engines: ripgrep's, linear in the text,
//! and a backtracking one with a budget for what the first cannot do (look-around, back-references, atomic
//! groups). Invariant: DOTALL and MULTILINE are on in both, and both see the same translated expression.

use std::ops::Range;

use grep_matcher::{LineMatchKind, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::python;

/// A compiled regex may take this much memory, in bytes, and a lazily built automaton as much per thread.
const SIZE_LIMIT: usize = 32 << 20;

/// Up to which length of text, in bytes, how many steps back one match attempt may take. Merely passing
/// over a character is a step, so a long text needs more; five million are about a tenth of a second.
const BUDGETS: [(usize, usize); 3] =
    [(1 << 20, 5_000_000), (10 << 20, 60_000_000), (usize::MAX, 600_000_000)];

/// A compiled pattern. Cloning shares what is compiled and gives the clone its own working memory.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: String,
    engine: Engine,
    /// It asks for carriage returns itself, so they must not be normalised away.
    mentions_cr: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Engine {
    /// For patterns that may match across lines: the text is searched in one go.
    Linear(RegexMatcher),
    /// For patterns that stay on a line, and know it: a literal from anywhere inside the pattern finds the
    /// lines worth a look, as in ripgrep.
    ByLine(RegexMatcher),
    /// One for each of the [`BUDGETS`].
    Backtracking(Vec<fancy_regex::Regex>),
}

/// Why a pattern does not compile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It would match everywhere.
    #[error("The pattern is empty; give at least one character to search for")]
    Empty,
    /// It is no regular expression.
    #[error("Invalid regular expression '{pattern}': {reason}")]
    Invalid {
        /// As it was written.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// A match attempt ran out of its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BudgetSpent;

impl Pattern {
    /// Compiles a Python regular expression, with DOTALL and MULTILINE.
    pub fn new(source: &str) -> Result<Pattern, PatternError> {
        if source.is_empty() {
            return Err(PatternError::Empty);
        }
        let invalid = |reason: String| PatternError::Invalid { pattern: source.to_owned(), reason };
        let translated = python::translate(source).map_err(invalid)?;
        let engine = if translated.needs_backtracking {
            let regexes = BUDGETS.iter().map(|(_, steps)| backtracking(&translated.expression, *steps));
            let regexes = regexes.collect::<Result<Vec<_>, _>>();
            Engine::Backtracking(regexes.map_err(|error| invalid(one_line(&error.to_string())))?)
        } else {
            linear(&translated.expression).map_err(|error| invalid(one_line(&error.to_string())))?
        };
        Ok(Pattern { source: source.to_owned(), engine, mentions_cr: translated.mentions_cr })
    }

    /// As it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the text is to be searched with its own line endings; otherwise, as Python reads text, every
    /// line break is one `\n`.
    pub(super) fn keeps_line_endings(&self) -> bool {
        self.mentions_cr
    }

    /// Whether the pattern needs the text as a string.
    pub(super) fn needs_utf8(&self) -> bool {
        matches!(self.engine, Engine::Backtracking(_))
    }

    /// Whether no match holds or depends on a line feed.
    pub(super) fn stays_on_a_line(&self) -> bool {
        matches!(self.engine, Engine::ByLine(_))
    }

    /// The first match at or behind byte `at`. With [`Pattern::needs_utf8`], `text` must be UTF-8 and `at` a
    /// character boundary.
    pub(super) fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Range<usize>>, BudgetSpent> {
        match &self.engine {
            Engine::Linear(matcher) => Ok(find(matcher, text, at)),
            Engine::ByLine(matcher) => Ok(find_by_line(matcher, text, at)),
            Engine::Backtracking(regexes) => {
                let class = BUDGETS.iter().position(|(longest, _)| text.len() <= *longest);
                let Some(regex) = class.and_then(|class| regexes.get(class)).filter(|_| at <= text.len())
                else {
                    return Ok(None);
                };
                let found = regex.find_from_pos(text, at).map_err(|_| BudgetSpent)?;
                Ok(found.map(|found| found.start()..found.end()))
            }
        }
    }
}

/// Compiles a Python regular expression for one text of `length` bytes, so that its groups can be had. DOTALL and
/// MULTILINE are on; what needs no backtracking runs without.
pub(in crate::ops) fn with_groups(source: &str, length: usize) -> Result<fancy_regex::Regex, PatternError> {
    if source.is_empty() {
        return Err(PatternError::Empty);
    }
    let invalid = |reason: String| PatternError::Invalid { pattern: source.to_owned(), reason };
    let translated = python::translate(source).map_err(invalid)?;
    let steps = BUDGETS.iter().find(|(longest, _)| length <= *longest).map_or(0, |&(_, steps)| steps);
    backtracking(&translated.expression, steps).map_err(|error| invalid(one_line(&error.to_string())))
}

fn backtracking(expression: &str, steps: usize) -> Result<fancy_regex::Regex, Box<fancy_regex::Error>> {
    fancy_regex::RegexBuilder::new(expression)
        .multi_line(true)
        .dot_matches_new_line(true)
        .backtrack_limit(steps)
        .delegate_size_limit(SIZE_LIMIT)
        .delegate_dfa_size_limit(SIZE_LIMIT)
        .build()
        .map_err(Box::new)
}

fn linear(expression: &str) -> Result<Engine, grep_regex::Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).dot_matches_new_line(true).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT);
    let matcher = builder.build(expression)?;
    let stays_on_a_line = matcher.non_matching_bytes().is_some_and(|bytes| bytes.contains(b'\n'));
    if !stays_on_a_line {
        return Ok(Engine::Linear(matcher));
    }
    // The promise that no match holds a line feed changes nothing but the speed, as it is kept anyway.
    Ok(builder.line_terminator(Some(b'\n')).build(expression).map_or(Engine::Linear(matcher), Engine::ByLine))
}

fn find(matcher: &RegexMatcher, text: &[u8], at: usize) -> Option<Range<usize>> {
    // Its error type has no values.
    let found = matcher.find_at(text, at).ok().flatten()?;
    Some(found.start()..found.end())
}

/// As [`find`], for a pattern that stays on a line.
fn find_by_line(matcher: &RegexMatcher, text: &[u8], mut at: usize) -> Option<Range<usize>> {
    let line_end =
        |from: usize| memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |length| from + length);
    if at > 0 && at < text.len() && text[at - 1] != b'\n' {
        let end = line_end(at);
        if let Some(found) = find(matcher, &text[..end], at) {
            return Some(found);
        }
        at = end + 1;
    }
    while at <= text.len() {
        let place = match matcher.find_candidate_line(&text[at..]).ok().flatten()? {
            LineMatchKind::Confirmed(place) | LineMatchKind::Candidate(place) => at + place,
        };
        let start = memchr::memrchr(b'\n', &text[at..place]).map_or(at, |feed| at + feed + 1);
        let end = line_end(place);
        if let Some(found) = find(matcher, &text[..end], start) {
            return Some(found);
        }
        at = end + 1;
    }
    None
}

/// The engines draw the error's place with several lines; the last says what is wrong.
fn one_line(error: &str) -> String {
    let last = error.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it does not compile");
    last.trim().trim_start_matches("error: ").to_owned()
}
