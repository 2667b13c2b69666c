//! A compiled Python regular expression, as agents write it. Two engines: ripgrep's, which is linear in the
//! text, and a backtracking one with a budget for what the first cannot do (look-around, back-references,
//! atomic groups). Invariant: DOTALL and MULTILINE are on in both, and both get the same translated
//! expression.

use std::ops::Range;
use std::time::{Duration, Instant};

use grep_matcher::{LineMatchKind, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::folded::CaselessLiteral;
use super::python;
use super::weight::weight;

/// The memory limit of a compiled regex in bytes, and of a lazily built automaton per thread.
const SIZE_LIMIT: usize = 32 << 20;

/// (maximum length of the text in bytes, steps back that one match attempt may take there). Merely passing
/// over a character is a step, so a long text needs more; five million take about a tenth of a second.
const BUDGETS: [(usize, usize); 3] =
    [(1 << 20, 5_000_000), (10 << 20, 60_000_000), (usize::MAX, 600_000_000)];

/// The time limit of a single backtracking search line by line: each line has a budget of its own, and a file
/// may have any number of lines.
const LINES_PATIENCE: Duration = Duration::from_secs(1);

/// The length of a text in bytes from which on even a pattern that is linear in the text may take long.
const LARGE: usize = 4 << 20;

/// The product of the text's length and the pattern's weight from which on it may take long: where its
/// automaton has too many states the engine takes a step for each character of the pattern at each character
/// of the text, and a hundred million of those took a second (`[ab]*a[ab]{600}[c-d]` in 200,000 random
/// letters).
const LARGE_PRODUCT: u64 = 20_000_000;

/// How far ahead the end of a line is looked for before the line counts as endless, in bytes.
const LONG_LINE: usize = 64 << 10;

/// Lines between two checks of the clock.
const LINES_STEP: usize = 64;

/// Whether a match is case-sensitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Sensitive,
    Insensitive,
}

/// The constructor that a pattern was compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// [`Pattern::new`].
    Python,
    /// [`Pattern::within_lines`].
    WithinLines(Case),
    /// [`Pattern::literal`].
    Literal,
    /// [`Pattern::of_lines`].
    OfLines,
}

impl Origin {
    const ALL: [Origin; 5] = [
        Origin::Python,
        Origin::WithinLines(Case::Sensitive),
        Origin::WithinLines(Case::Insensitive),
        Origin::Literal,
        Origin::OfLines,
    ];

    /// Returns the byte that represents this origin in the protocol between processes of the same symd.
    pub(super) fn to_byte(self) -> u8 {
        let at = Origin::ALL.iter().position(|origin| *origin == self);
        at.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
    }

    pub(super) fn of_byte(byte: u8) -> Option<Origin> {
        Origin::ALL.get(usize::from(byte)).copied()
    }

    /// Compiles `source` with this constructor.
    pub(super) fn compile(self, source: &str) -> Result<Pattern, PatternError> {
        match self {
            Origin::Python => Pattern::new(source),
            Origin::WithinLines(case) => Pattern::within_lines(source, case),
            Origin::Literal => Pattern::literal(source),
            Origin::OfLines => Pattern::of_lines(source),
        }
    }
}

/// A compiled pattern. A clone shares the compiled form and has its own working memory.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: String,
    origin: Origin,
    engine: Engine,
    /// Whether the pattern mentions carriage returns, so that line endings must not be normalised.
    mentions_cr: bool,
    /// The length of the pattern with its repetitions written out.
    weight: u64,
}

#[derive(Clone, Debug)]
pub(super) enum Engine {
    /// For patterns that may match across lines: the text is searched in one go.
    Linear(RegexMatcher),
    /// For patterns that provably stay on a line: a literal from anywhere inside the pattern finds the
    /// candidate lines, as in ripgrep.
    ByLine(RegexMatcher),
    /// For a plain text on one line, case-insensitive.
    Folded(CaselessLiteral),
    /// One regex for each of the [`BUDGETS`].
    Backtracking(Vec<fancy_regex::Regex>),
    /// One regex for each of the [`BUDGETS`], applied to one line at a time.
    LineByLine(Vec<fancy_regex::Regex>),
}

/// Why a pattern does not compile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// The pattern is empty, and would match everywhere.
    #[error("The pattern is empty; give at least one character to search for")]
    Empty,
    /// The pattern is not a valid regular expression.
    #[error("Invalid regular expression '{pattern}': {reason}")]
    Invalid {
        /// The pattern as it was written.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// A match attempt exceeded its budget.
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
            let regexes = budgeted(&translated.expression, DotMatches::Lines, Case::Sensitive);
            Engine::Backtracking(regexes.map_err(invalid)?)
        } else {
            linear(&translated.expression, Case::Sensitive)
                .map_err(|error| invalid(one_line(&error.to_string())))?
        };
        let mentions_cr = translated.mentions_cr;
        Ok(Pattern::from_parts(source, Origin::Python, engine, mentions_cr))
    }

    /// Compiles a Python regular expression that is applied to each line by itself, as in `grep`: no match
    /// crosses the end of a line, and `.`, `\s` or `[^x]` do not match one.
    pub fn within_lines(source: &str, case: Case) -> Result<Pattern, PatternError> {
        if source.is_empty() {
            return Err(PatternError::Empty);
        }
        let origin = Origin::WithinLines(case);
        if case == Case::Insensitive
            && let Some(folded) = CaselessLiteral::new(source)
        {
            let engine = Engine::Folded(folded);
            return Ok(Pattern::from_parts(source, origin, engine, false));
        }
        let invalid = |reason: String| PatternError::Invalid { pattern: source.to_owned(), reason };
        let translated = python::translate(source).map_err(invalid)?;
        let expression = translated.expression.as_str();
        // Anchors of the whole text must match at the ends of each line here, which only the backtracking
        // engine supports.
        let anchored = ["\\A", "\\z"].iter().any(|anchor| expression.contains(anchor));
        let matcher = match translated.needs_backtracking {
            true => None,
            // An error of this engine is not reported as it is: the other engine's syntax is wider.
            false => match on_lines(expression, case) {
                Ok(matcher) => Some(matcher).filter(|_| !anchored),
                Err(_) => {
                    linear(expression, case).map_err(|error| invalid(one_line(&error.to_string())))?;
                    // The expression is valid, and contains a line feed, which only the backtracking engine
                    // accepts: it never matches.
                    None
                }
            },
        };
        let engine = match matcher {
            Some(matcher) => Engine::ByLine(matcher),
            None => Engine::LineByLine(budgeted(expression, DotMatches::Nothing, case).map_err(invalid)?),
        };
        let mentions_cr = translated.mentions_cr;
        Ok(Pattern::from_parts(source, origin, engine, mentions_cr))
    }

    /// Compiles a pattern that matches exactly this text; any line break matches any other.
    pub fn literal(text: &str) -> Result<Pattern, PatternError> {
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        let invalid = |error: grep_regex::Error| PatternError::Invalid {
            pattern: text.to_owned(),
            reason: one_line(&error.to_string()),
        };
        let line_feeds = text.replace("\r\n", "\n").replace('\r', "\n");
        let engine = linear(&regex::escape(&line_feeds), Case::Sensitive).map_err(invalid)?;
        Ok(Pattern::from_parts(text, Origin::Literal, engine, false))
    }

    /// Compiles a regular expression in the regex crate's own syntax (that of RE2), with the semantics of
    /// grep: a match stays on a line unless the expression contains a line break, and `.` never matches one.
    pub fn of_lines(source: &str) -> Result<Pattern, PatternError> {
        if source.is_empty() {
            return Err(PatternError::Empty);
        }
        let invalid = |error: grep_regex::Error| PatternError::Invalid {
            pattern: source.to_owned(),
            reason: one_line(&error.to_string()),
        };
        let mut builder = RegexMatcherBuilder::new();
        builder.multi_line(true).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT);
        let across = builder.build(source).map_err(invalid)?;
        // Fails where the expression contains a line feed.
        let by_line = builder.line_terminator(Some(b'\n')).build(source);
        let engine = by_line.map_or(Engine::Linear(across), Engine::ByLine);
        Ok(Pattern::from_parts(source, Origin::OfLines, engine, false))
    }

    fn from_parts(source: &str, origin: Origin, engine: Engine, mentions_cr: bool) -> Pattern {
        Pattern { source: source.to_owned(), origin, engine, mentions_cr, weight: weight(source) }
    }

    /// Returns the pattern as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the text must be searched with its own line endings; otherwise every line break is normalised
    /// to one `\n`, as Python reads text.
    pub(super) fn keeps_line_endings(&self) -> bool {
        self.mentions_cr
    }

    /// Whether the pattern must be applied to valid UTF-8.
    pub(super) fn needs_utf8(&self) -> bool {
        matches!(self.engine, Engine::Backtracking(_) | Engine::LineByLine(_))
    }

    /// Whether no match contains or depends on a line feed.
    pub(super) fn is_single_line(&self) -> bool {
        matches!(self.engine, Engine::ByLine(_) | Engine::Folded(_) | Engine::LineByLine(_))
    }

    pub(super) fn origin(&self) -> Origin {
        self.origin
    }

    /// Whether the pattern runs on the backtracking engine, whose time has no useful bound.
    pub(super) fn backtracks(&self) -> bool {
        matches!(self.engine, Engine::Backtracking(_) | Engine::LineByLine(_))
    }

    /// Whether one search in a text of `length` bytes may take long: without any bound if the pattern
    /// backtracks, some seconds in a large text or with a large pattern.
    pub(super) fn may_take_long(&self, length: usize) -> bool {
        match self.engine {
            Engine::Backtracking(_) | Engine::LineByLine(_) => true,
            Engine::Linear(_) | Engine::ByLine(_) => {
                self.origin != Origin::Literal && is_large(self.weight, length)
            }
            Engine::Folded(_) => false,
        }
    }

    /// Returns where to look for the next match behind `found`. Where matches stay on a line, a line has at
    /// most one empty match.
    pub(super) fn resume(&self, text: &[u8], found: &Range<usize>) -> usize {
        if !found.is_empty() {
            return found.end;
        }
        if self.is_single_line() {
            let rest = text.get(found.end..).unwrap_or(&[]);
            let Some(line_break) = memchr::memchr2(b'\n', b'\r', rest) else { return text.len() + 1 };
            let is_two = rest[line_break..].starts_with(b"\r\n");
            return found.end + line_break + if is_two { 2 } else { 1 };
        }
        after_char(text, found.end)
    }

    /// Finds the first match at or behind byte `at`. If [`Pattern::needs_utf8`], `text` must be UTF-8 and
    /// `at` a character boundary.
    pub(super) fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Range<usize>>, BudgetSpent> {
        match &self.engine {
            Engine::Linear(matcher) => Ok(find(matcher, text, at)),
            Engine::ByLine(matcher) => Ok(find_by_line(matcher, text, at)),
            Engine::Folded(folded) => Ok(folded.find_at(text, at)),
            Engine::Backtracking(regexes) => find_within_budget(regexes, text, at),
            Engine::LineByLine(regexes) => find_line_by_line(regexes, text, at),
        }
    }
}

/// Returns the next offset at which an empty match can be found.
fn after_char(text: &[u8], at: usize) -> usize {
    let is_continuation = |byte: &u8| byte & 0xC0 == 0x80;
    let rest = text.get(at + 1..).unwrap_or(&[]);
    // The linear engine accepts any offset, the backtracking one only character boundaries.
    at + 1 + rest.iter().take(3).take_while(|byte| is_continuation(byte)).count()
}

/// Whether a pattern that is linear in the text may take long in one of `length` bytes.
fn is_large(weight: u64, length: usize) -> bool {
    length >= LARGE || weight.saturating_mul(u64::try_from(length).unwrap_or(u64::MAX)) >= LARGE_PRODUCT
}

/// A Python regular expression that was compiled for one text and reports its groups.
#[derive(Clone, Debug)]
pub struct GroupedPattern {
    source: String,
    regex: fancy_regex::Regex,
    needs_backtracking: bool,
}

impl GroupedPattern {
    /// Returns the pattern as it was written.
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    pub(super) fn regex(&self) -> &fancy_regex::Regex {
        &self.regex
    }

    /// Returns the number of groups, without the whole match.
    pub fn groups(&self) -> usize {
        self.regex.captures_len().saturating_sub(1)
    }

    /// As [`Pattern::may_take_long`].
    pub(super) fn may_take_long(&self, length: usize) -> bool {
        self.needs_backtracking || is_large(weight(&self.source), length)
    }
}

/// Compiles a Python regular expression for one text of `length` bytes, with DOTALL and MULTILINE. A pattern
/// that does not need backtracking runs without.
pub fn compile_grouped(source: &str, length: usize) -> Result<GroupedPattern, PatternError> {
    if source.is_empty() {
        return Err(PatternError::Empty);
    }
    let invalid = |reason: String| PatternError::Invalid { pattern: source.to_owned(), reason };
    let translated = python::translate(source).map_err(invalid)?;
    let steps = BUDGETS.iter().find(|(longest, _)| length <= *longest).map_or(0, |&(_, steps)| steps);
    let regex = backtracking(&translated.expression, steps, DotMatches::Lines, Case::Sensitive)
        .map_err(|error| invalid(one_line(&error.to_string())))?;
    let needs_backtracking = translated.needs_backtracking;
    Ok(GroupedPattern { source: source.to_owned(), regex, needs_backtracking })
}

/// What `.` matches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DotMatches {
    /// Any character, line breaks included.
    Lines,
    /// Any character but a line break.
    Nothing,
}

/// One regex for each of the [`BUDGETS`].
fn budgeted(expression: &str, across: DotMatches, case: Case) -> Result<Vec<fancy_regex::Regex>, String> {
    let regexes = BUDGETS.iter().map(|(_, steps)| backtracking(expression, *steps, across, case));
    regexes.collect::<Result<Vec<_>, _>>().map_err(|error| one_line(&error.to_string()))
}

fn backtracking(
    expression: &str,
    steps: usize,
    across: DotMatches,
    case: Case,
) -> Result<fancy_regex::Regex, Box<fancy_regex::Error>> {
    fancy_regex::RegexBuilder::new(expression)
        .case_insensitive(case == Case::Insensitive)
        .multi_line(true)
        .dot_matches_new_line(across == DotMatches::Lines)
        .backtrack_limit(steps)
        .delegate_size_limit(SIZE_LIMIT)
        .delegate_dfa_size_limit(SIZE_LIMIT)
        .build()
        .map_err(Box::new)
}

fn linear(expression: &str, case: Case) -> Result<Engine, grep_regex::Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(case == Case::Insensitive);
    builder.multi_line(true).dot_matches_new_line(true).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT);
    let matcher = builder.build(expression)?;
    let stays_on_a_line = matcher.non_matching_bytes().is_some_and(|bytes| bytes.contains(b'\n'));
    if !stays_on_a_line {
        return Ok(Engine::Linear(matcher));
    }
    // The option asserts that no match contains a line feed; that is so anyway, and it only makes the search
    // faster.
    Ok(builder.line_terminator(Some(b'\n')).build(expression).map_or(Engine::Linear(matcher), Engine::ByLine))
}

/// Compiles a matcher whose matches stay on a line because of its options, whatever the expression says.
fn on_lines(expression: &str, case: Case) -> Result<RegexMatcher, grep_regex::Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(case == Case::Insensitive);
    builder.multi_line(true).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT).line_terminator(Some(b'\n'));
    builder.build(expression)
}

fn find_within_budget(
    regexes: &[fancy_regex::Regex],
    text: &[u8],
    at: usize,
) -> Result<Option<Range<usize>>, BudgetSpent> {
    let class = BUDGETS.iter().position(|(longest, _)| text.len() <= *longest);
    let Some(regex) = class.and_then(|class| regexes.get(class)).filter(|_| at <= text.len()) else {
        return Ok(None);
    };
    let found = regex.find_from_pos(text, at).map_err(|_| BudgetSpent)?;
    Ok(found.map(|found| found.start()..found.end()))
}

/// As [`find_within_budget`], with each line as a text of its own.
fn find_line_by_line(
    regexes: &[fancy_regex::Regex],
    text: &[u8],
    mut at: usize,
) -> Result<Option<Range<usize>>, BudgetSpent> {
    let started = Instant::now();
    let mut lines = 0_usize;
    while at <= text.len() {
        let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |feed| feed + 1);
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length);
        if let Some(found) = find_within_budget(regexes, &text[start..end], at - start)? {
            return Ok(Some(start + found.start..start + found.end));
        }
        lines += 1;
        if lines.is_multiple_of(LINES_STEP) && started.elapsed() > LINES_PATIENCE {
            return Err(BudgetSpent);
        }
        at = end + 1;
    }
    Ok(None)
}

fn find(matcher: &RegexMatcher, text: &[u8], at: usize) -> Option<Range<usize>> {
    // The matcher's error type has no values.
    let found = matcher.find_at(text, at).ok().flatten()?;
    Some(found.start()..found.end())
}

/// As [`find`], for a pattern that stays on a line.
fn find_by_line(matcher: &RegexMatcher, text: &[u8], mut at: usize) -> Option<Range<usize>> {
    let line_end =
        |from: usize| memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |length| from + length);
    if at > 0 && at < text.len() && text[at - 1] != b'\n' {
        let near = &text[at..text.len().min(at + LONG_LINE)];
        let Some(length) = memchr::memchr(b'\n', near).or((near.len() < LONG_LINE).then_some(near.len()))
        else {
            // Otherwise each match on a line of megabytes would cost a scan of the whole line.
            return find(matcher, text, at);
        };
        let end = at + length;
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

/// Returns the last line of an engine's error, which says what is wrong; the lines before it draw the place.
fn one_line(error: &str) -> String {
    let last = error.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it does not compile");
    last.trim().trim_start_matches("error: ").to_owned()
}
