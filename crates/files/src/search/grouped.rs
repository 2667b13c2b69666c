//! Finds all matches of a regular expression in one text, with its groups, as a replacement needs them. Where
//! that may take long it runs in a helper process that can be killed. Invariant: both find the same matches.
//!
//! ```text
//! request: 'g' | number of groups u8 | groups u32* | length of the expression u32 | expression | text
//! answer:  0 found, 1 budget spent, 2 ambiguous u8 | (start u64, end u64)*: the match, then each group; none is u64::MAX twice
//! ```

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use super::finder::patience;
use super::pattern::{GroupedPattern, compile_grouped};
use super::process::{GROUPED, NAME};
use super::searched::{offset, to_bytes};
use symd_base::Cancel;
use symd_parse::{HelperProcess, NoReply};

/// The resources for matching an expression.
#[derive(Clone, Copy, Debug)]
pub struct MatchContext<'a> {
    /// symd's own executable, whose helper process runs matches that may take long; `None` runs them on this
    /// thread.
    pub program: Option<&'a Path>,
    /// Raised when the request is cancelled.
    pub cancel: &'a Cancel,
}

/// A match with its groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupedMatch {
    /// The match, in bytes of the text.
    pub range: Range<usize>,
    /// The range of each requested group, in the order of the request; `None` if the group did not take part
    /// in the match.
    pub groups: Vec<Option<Range<usize>>>,
}

/// Why not all matches were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupedError {
    /// The expression takes too long.
    BudgetSpent,
    /// A match over several lines contains another match.
    Ambiguous,
    /// The request was cancelled.
    Cancelled,
    /// The helper process exited, twice; with the reason.
    Ended(String),
}

type Matches = Result<Vec<GroupedMatch>, GroupedError>;

/// Returns all matches of `pattern` in `text`, from left to right, as Python's `re` finds them, with the
/// ranges of `groups`.
pub fn find_all(pattern: &GroupedPattern, groups: &[usize], text: &str, means: MatchContext<'_>) -> Matches {
    let head = || {
        let mut head = vec![GROUPED, u8::try_from(groups.len()).ok()?];
        for group in groups {
            head.extend(u32::try_from(*group).ok()?.to_le_bytes());
        }
        head.extend(u32::try_from(pattern.source().len()).ok()?.to_le_bytes());
        head.extend(pattern.source().as_bytes());
        Some(head)
    };
    match means.program.filter(|_| pattern.may_take_long(text.len())).zip(head()) {
        None => find_here(pattern, groups, text),
        Some((program, head)) => {
            let until = Instant::now() + patience(text.len());
            let ask = || ask(program, &head, (text, groups.len()), until, means.cancel);
            match ask() {
                // The process was killed from outside, or ran out of memory: a fresh one may succeed.
                Err(GroupedError::Ended(_)) => ask(),
                found => found,
            }
        }
    }
}

fn find_here(pattern: &GroupedPattern, groups: &[usize], text: &str) -> Matches {
    let spent = |_| GroupedError::BudgetSpent;
    let regex = pattern.regex();
    let mut found = Vec::new();
    let mut from = 0;
    while from <= text.len() {
        let Some(captures) = regex.captures_from_pos(text, from).map_err(spent)? else { break };
        let Some(whole) = captures.get(0) else { break };
        let range = whole.start()..whole.end();
        let matched = &text[range.clone()];
        // A match over several lines within which the expression matches again is ambiguous.
        // intended.
        if matched.contains('\n') && regex.is_match(&matched[past_character(matched, 0)..]).map_err(spent)? {
            return Err(GroupedError::Ambiguous);
        }
        let groups = groups.iter().map(|&group| captures.get(group));
        let groups = groups.map(|group| group.map(|group| group.start()..group.end())).collect();
        from = if range.is_empty() { past_character(text, range.end) } else { range.end };
        found.push(GroupedMatch { range, groups });
    }
    Ok(found)
}

/// Returns the offset behind the character at `at`; past the end of the text behind its last character.
fn past_character(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

fn ask(
    program: &Path,
    head: &[u8],
    (text, groups): (&str, usize),
    until: Instant,
    cancel: &Cancel,
) -> Matches {
    let ended = |why: &str| GroupedError::Ended(why.to_owned());
    let mut process = HelperProcess::start(program, NAME).map_err(|error| ended(&error.to_string()))?;
    // There is at most one match between two characters.
    let longest = (text.len() + 2).saturating_mul(32 * (groups + 1)).saturating_add(64);
    let answer = process.ask((head, text.as_bytes()), longest, until, cancel).map_err(|why| match why {
        NoReply::Late => GroupedError::BudgetSpent,
        NoReply::Cancelled => GroupedError::Cancelled,
        NoReply::Ended(why) => GroupedError::Ended(why),
    })?;
    match answer.split_first() {
        Some((0, matches)) => read(matches, groups, text).ok_or_else(|| ended("it sent an invalid answer")),
        Some((1, _)) => Err(GroupedError::BudgetSpent),
        Some((2, _)) => Err(GroupedError::Ambiguous),
        _ => Err(ended("it sent an invalid answer")),
    }
}

/// Parses the matches of an answer; `None` if they are malformed or lie outside `text`.
pub(super) fn read(matches: &[u8], groups: usize, text: &str) -> Option<Vec<GroupedMatch>> {
    let range = |bytes: &[u8]| {
        let range = offset(&bytes[..8])?..offset(&bytes[8..])?;
        text.get(range.clone()).map(|_| range)
    };
    let mut found: Vec<GroupedMatch> = Vec::new();
    for one in matches.chunks(16 * (groups + 1)) {
        let (whole, rest) = one.split_at_checked(16).filter(|_| one.len() == 16 * (groups + 1))?;
        let is_none = |bytes: &[u8]| bytes.iter().all(|byte| *byte == u8::MAX);
        let group = |bytes: &[u8]| if is_none(bytes) { Some(None) } else { range(bytes).map(Some) };
        let groups = rest.chunks(16).map(group).collect::<Option<_>>()?;
        let range =
            range(whole).filter(|range| found.last().is_none_or(|last| last.range.end <= range.start))?;
        found.push(GroupedMatch { range, groups });
    }
    Some(found)
}

/// Answers a request, given without its first byte; `None` if it is malformed.
pub(super) fn answer(request: &[u8]) -> Option<Vec<u8>> {
    let (count, rest) = request.split_first()?;
    let (numbers, rest) = rest.split_at_checked(usize::from(*count) * 4)?;
    let number = |bytes: &[u8]| Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize);
    let groups: Vec<usize> = numbers.chunks_exact(4).map(number).collect::<Option<_>>()?;
    let (length, rest) = rest.split_at_checked(4)?;
    let (source, text) = rest.split_at_checked(number(length)?)?;
    let (source, text) = (std::str::from_utf8(source).ok()?, std::str::from_utf8(text).ok()?);
    let pattern = compile_grouped(source, text.len()).ok()?;
    let found = match find_here(&pattern, &groups, text) {
        Ok(found) => found,
        Err(GroupedError::Ambiguous) => return Some(vec![2]),
        Err(_) => return Some(vec![1]),
    };
    let mut answer = vec![0];
    for one in found {
        for range in std::iter::once(Some(one.range)).chain(one.groups) {
            let (start, end) =
                range.map_or(([u8::MAX; 8], [u8::MAX; 8]), |it| (to_bytes(it.start), to_bytes(it.end)));
            answer.extend(start);
            answer.extend(end);
        }
    }
    Some(answer)
}
