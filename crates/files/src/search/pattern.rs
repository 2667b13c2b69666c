//! A Python regular expression as the agents write it, compiled. Two engines: ripgrep's, linear in the text,
//! and a backtracking one with a budget for what the first cannot do (look-around, back-references, atomic
//! groups). Invariant: DOTALL and MULTILINE are on in both, and both see the same translated expression.

use std::ops::Range;
use std::time::{Duration, Instant};

use grep_matcher::{LineMatchKind, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::folded::Folded;
use super::python;
use super::weight::weight;

/// A compiled regex may take this much memory, in bytes, and a lazily built automaton as much per thread.
const SIZE_LIMIT: usize = 32 << 20;

/// Up to which length of text, in bytes, how many steps back one match attempt may take. Merely passing
/// over a character is a step, so a long text needs more; five million are about a tenth of a second.
const BUDGETS: [(usize, usize); 3] =
    [(1 << 20, 5_000_000), (10 << 20, 60_000_000), (usize::MAX, 600_000_000)];

/// How long one look for a match in single lines may take when it backtracks: each line has a budget of its own, and a
/// file may have any number of lines.
const LINES_PATIENCE: Duration = Duration::from_secs(1);

/// In a text from this length on, in bytes, also a pattern that is linear in the text may take long.
const LARGE: usize = 4 << 20;

/// And from this length times its weight on: where its automaton has too many states the engine takes a step for each
/// character of the pattern at each of the text, and a hundred million of those took a second
/// (`[ab]*a[ab]{600}[c-d]` in 200,000 random letters).
const LARGE_PRODUCT: u64 = 20_000_000;

/// How far ahead the end of a line is looked for before the line is taken for one without end, in bytes.
const LONG_LINE: usize = 64 << 10;

/// Lines between two looks at the clock.
const LINES_STEP: usize = 64;

/// Whether letters must agree in case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// They must.
    Sensitive,
    /// They need not.
    Insensitive,
}

/// What a pattern was compiled from, besides its source.
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

    /// One that stands for it, for another process of this symd.
    pub(super) fn to_byte(self) -> u8 {
        let at = Origin::ALL.iter().position(|origin| *origin == self);
        at.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
    }

    pub(super) fn of_byte(byte: u8) -> Option<Origin> {
        Origin::ALL.get(usize::from(byte)).copied()
    }

    /// The pattern of `source`.
    pub(super) fn compile(self, source: &str) -> Result<Pattern, PatternError> {
        match self {
            Origin::Python => Pattern::new(source),
            Origin::WithinLines(case) => Pattern::within_lines(source, case),
            Origin::Literal => Pattern::literal(source),
            Origin::OfLines => Pattern::of_lines(source),
        }
    }
}

/// A compiled pattern. Cloning shares what is compiled and gives the clone its own working memory.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: String,
    origin: Origin,
    engine: Engine,
    /// It asks for carriage returns itself, so they must not be normalised away.
    mentions_cr: bool,
    /// How long it is with its repetitions written out.
    weight: u64,
}

#[derive(Clone, Debug)]
pub(super) enum Engine {
    /// For patterns that may match across lines: the text is searched in one go.
    Linear(RegexMatcher),
    /// For patterns that stay on a line, and know it: a literal from anywhere inside the pattern finds the
    /// lines worth a look, as in ripgrep.
    ByLine(RegexMatcher),
    /// For a plain text on one line, in any case.
    Folded(Folded),
    /// One for each of the [`BUDGETS`].
    Backtracking(Vec<fancy_regex::Regex>),
    /// The same, shown one line at a time.
    LineByLine(Vec<fancy_regex::Regex>),
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
            let regexes = budgeted(&translated.expression, Across::Lines, Case::Sensitive);
            Engine::Backtracking(regexes.map_err(invalid)?)
        } else {
            linear(&translated.expression, Case::Sensitive)
                .map_err(|error| invalid(one_line(&error.to_string())))?
        };
        let mentions_cr = translated.mentions_cr;
        Ok(Pattern::made(source, Origin::Python, engine, mentions_cr))
    }

    /// Compiles a Python regular expression that is put to each line alone, as `grep` does: no match goes over a line's
    /// end, and `.`, `\s` or `[^x]` do not stand for one.
    pub fn within_lines(source: &str, case: Case) -> Result<Pattern, PatternError> {
        if source.is_empty() {
            return Err(PatternError::Empty);
        }
        let origin = Origin::WithinLines(case);
        if case == Case::Insensitive
            && let Some(folded) = Folded::new(source)
        {
            let engine = Engine::Folded(folded);
            return Ok(Pattern::made(source, origin, engine, false));
        }
        let invalid = |reason: String| PatternError::Invalid { pattern: source.to_owned(), reason };
        let translated = python::translate(source).map_err(invalid)?;
        let expression = translated.expression.as_str();
        // Anchors of the whole text mean those of the line here, which only the one engine can be told.
        let anchored = ["\\A", "\\z"].iter().any(|anchor| expression.contains(anchor));
        let matcher = match translated.needs_backtracking {
            true => None,
            // What the other engine makes of a mistake is no matter: its syntax is wider.
            false => match on_lines(expression, case) {
                Ok(matcher) => Some(matcher).filter(|_| !anchored),
                Err(_) => {
                    linear(expression, case).map_err(|error| invalid(one_line(&error.to_string())))?;
                    // It is right, and has a line feed in it, which only the other engine takes: it fits nowhere.
                    None
                }
            },
        };
        let engine = match matcher {
            Some(matcher) => Engine::ByLine(matcher),
            None => Engine::LineByLine(budgeted(expression, Across::Nothing, case).map_err(invalid)?),
        };
        let mentions_cr = translated.mentions_cr;
        Ok(Pattern::made(source, origin, engine, mentions_cr))
    }

    /// Exactly this text, line breaks compared as line breaks.
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
        Ok(Pattern::made(text, Origin::Literal, engine, false))
    }

    /// Compiles a regular expression in the regex crate's own syntax (that of RE2), as grep reads it: a match stays on
    /// a line unless the expression asks for a line break itself, and `.` never is one.
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
        // Refused where the expression names a line feed.
        let by_line = builder.line_terminator(Some(b'\n')).build(source);
        let engine = by_line.map_or(Engine::Linear(across), Engine::ByLine);
        Ok(Pattern::made(source, Origin::OfLines, engine, false))
    }

    fn made(source: &str, origin: Origin, engine: Engine, mentions_cr: bool) -> Pattern {
        Pattern { source: source.to_owned(), origin, engine, mentions_cr, weight: weight(source) }
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
        matches!(self.engine, Engine::Backtracking(_) | Engine::LineByLine(_))
    }

    /// Whether no match holds or depends on a line feed.
    pub(super) fn stays_on_a_line(&self) -> bool {
        matches!(self.engine, Engine::ByLine(_) | Engine::Folded(_) | Engine::LineByLine(_))
    }

    pub(super) fn origin(&self) -> Origin {
        self.origin
    }

    /// Whether it may go back over a text again and again, without end.
    pub(super) fn backtracks(&self) -> bool {
        matches!(self.engine, Engine::Backtracking(_) | Engine::LineByLine(_))
    }

    /// Whether one look for a match in a text of `length` bytes may take long: for ever where it backtracks, and some seconds in
    /// a large text, or where the pattern is large itself.
    pub(super) fn may_take_long(&self, length: usize) -> bool {
        match self.engine {
            Engine::Backtracking(_) | Engine::LineByLine(_) => true,
            Engine::Linear(_) | Engine::ByLine(_) => {
                self.origin != Origin::Literal && is_large(self.weight, length)
            }
            Engine::Folded(_) => false,
        }
    }

    /// Where the next match behind `found` is looked for. Of those without text there is one on a line, at most, where
    /// matches stay on a line.
    pub(super) fn resume(&self, text: &[u8], found: &Range<usize>) -> usize {
        if !found.is_empty() {
            return found.end;
        }
        if self.stays_on_a_line() {
            let rest = text.get(found.end..).unwrap_or(&[]);
            let Some(line_break) = memchr::memchr2(b'\n', b'\r', rest) else { return text.len() + 1 };
            let is_two = rest[line_break..].starts_with(b"\r\n");
            return found.end + line_break + if is_two { 2 } else { 1 };
        }
        after_char(text, found.end)
    }

    /// The first match at or behind byte `at`. With [`Pattern::needs_utf8`], `text` must be UTF-8 and `at` a
    /// character boundary.
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

/// The next place an empty match can be found at.
fn after_char(text: &[u8], at: usize) -> usize {
    let is_continuation = |byte: &u8| byte & 0xC0 == 0x80;
    let rest = text.get(at + 1..).unwrap_or(&[]);
    // The linear engine takes any place, the backtracking one only character boundaries.
    at + 1 + rest.iter().take(3).take_while(|byte| is_continuation(byte)).count()
}

/// Whether what is linear in a text may take long in one of `length` bytes.
fn is_large(weight: u64, length: usize) -> bool {
    length >= LARGE || weight.saturating_mul(u64::try_from(length).unwrap_or(u64::MAX)) >= LARGE_PRODUCT
}

/// A Python regular expression for one text, so that its groups can be had.
#[derive(Clone, Debug)]
pub struct GroupedPattern {
    source: String,
    regex: fancy_regex::Regex,
    needs_backtracking: bool,
}

impl GroupedPattern {
    /// As it was written.
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    pub(super) fn regex(&self) -> &fancy_regex::Regex {
        &self.regex
    }

    /// How many groups it has.
    pub fn groups(&self) -> usize {
        self.regex.captures_len().saturating_sub(1)
    }

    /// As [`Pattern::may_take_long`].
    pub(super) fn may_take_long(&self, length: usize) -> bool {
        self.needs_backtracking || is_large(weight(&self.source), length)
    }
}

/// Compiles a Python regular expression for one text of `length` bytes. DOTALL and
/// MULTILINE are on; what needs no backtracking runs without.
pub fn with_groups(source: &str, length: usize) -> Result<GroupedPattern, PatternError> {
    if source.is_empty() {
        return Err(PatternError::Empty);
    }
    let invalid = |reason: String| PatternError::Invalid { pattern: source.to_owned(), reason };
    let translated = python::translate(source).map_err(invalid)?;
    let steps = BUDGETS.iter().find(|(longest, _)| length <= *longest).map_or(0, |&(_, steps)| steps);
    let regex = backtracking(&translated.expression, steps, Across::Lines, Case::Sensitive)
        .map_err(|error| invalid(one_line(&error.to_string())))?;
    let needs_backtracking = translated.needs_backtracking;
    Ok(GroupedPattern { source: source.to_owned(), regex, needs_backtracking })
}

/// What `.` stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Across {
    /// Line breaks too.
    Lines,
    /// Anything but a line break.
    Nothing,
}

/// One regex for each of the [`BUDGETS`].
fn budgeted(expression: &str, across: Across, case: Case) -> Result<Vec<fancy_regex::Regex>, String> {
    let regexes = BUDGETS.iter().map(|(_, steps)| backtracking(expression, *steps, across, case));
    regexes.collect::<Result<Vec<_>, _>>().map_err(|error| one_line(&error.to_string()))
}

fn backtracking(
    expression: &str,
    steps: usize,
    across: Across,
    case: Case,
) -> Result<fancy_regex::Regex, Box<fancy_regex::Error>> {
    fancy_regex::RegexBuilder::new(expression)
        .case_insensitive(case == Case::Insensitive)
        .multi_line(true)
        .dot_matches_new_line(across == Across::Lines)
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
    // The promise that no match holds a line feed changes nothing but the speed, as it is kept anyway.
    Ok(builder.line_terminator(Some(b'\n')).build(expression).map_or(Engine::Linear(matcher), Engine::ByLine))
}

/// A matcher whose matches stay on a line by what it is told, not by what is written.
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

/// As [`find_within_budget`], each line being a text of its own.
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
    // Its error type has no values.
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
            // Else each match on a line of megabytes would cost a look at all of them.
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

/// The engines draw the error's place with several lines; the last says what is wrong.
fn one_line(error: &str) -> String {
    let last = error.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it does not compile");
    last.trim().trim_start_matches("error: ").to_owned()
}
