//! Searches a text in a helper process, which is killed when the time is up or the request is cancelled:
//! neither regex engine can be interrupted. This is the daemon's side; the other is `super::searched`.
//! Invariant: a process finds the same matches as [`Pattern::find_at`] in the daemon.
//!
//! ```text
//! request: 'p' | origin u8 | source       the pattern from now on; no answer's bytes
//!          't' | text                             the text from now on, and its first matches
//!          'n' | at u64                           the matches at or behind `at`
//!          'b' | count u8 | lengths u32* | texts  the first matches of several texts
//!          'g' | …                                see `super::grouped`
//! answer:  what follows u8 | (start u64, end u64)*
//! of 'b':  (what follows u8 | count u32 | (start u64, end u64)*)*, as many as there was time for
//! ```

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use super::pattern::Pattern;
pub use super::searched::run;
use super::searched::{offset, to_bytes};
use symd_base::Cancel;
use symd_parse::{HelperProcess, NoReply};

/// The helper's name on the command line.
pub const NAME: &str = "match";

/// The maximum length of an answer in bytes.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// Request types.
pub(super) const PATTERN: u8 = b'p';
pub(super) const TEXT: u8 = b't';
pub(super) const FIND: u8 = b'n';
pub(super) const BATCH: u8 = b'b';
pub(super) const GROUPED: u8 = b'g';

/// What follows the matches of an answer: there may be more, there are none, or the search exceeded its
/// budget.
pub(super) const MORE: u8 = 0;
pub(super) const NOTHING: u8 = 1;
pub(super) const BUDGET_SPENT: u8 = 2;

/// Searches texts one after the other in a helper process, which is started for the first one.
#[derive(Debug)]
pub(super) struct ProcessSearch {
    program: PathBuf,
    process: Option<HelperProcess>,
    knows_pattern: bool,
}

/// The matches in one text.
#[derive(Debug)]
pub(super) struct ProcessMatches {
    ahead: VecDeque<Range<usize>>,
    /// The offset at which the helper continues its search.
    next: usize,
    continuation: u8,
    /// Whether the helper still holds the text.
    helper_has_text: bool,
    /// The length of the text in bytes.
    length: usize,
}

impl ProcessMatches {
    /// Returns the matches of a text of which `all` are known; the helper had the text in a batch and no
    /// longer holds it.
    pub(super) fn known(all: Vec<Range<usize>>, length: usize) -> ProcessMatches {
        ProcessMatches { ahead: all.into(), next: 0, continuation: NOTHING, helper_has_text: false, length }
    }
}

impl ProcessSearch {
    pub(super) fn new(program: PathBuf) -> ProcessSearch {
        ProcessSearch { program, process: None, knows_pattern: false }
    }

    /// Starts the helper process, if it is not running.
    pub(super) fn start(&mut self) -> io::Result<()> {
        if self.process.is_none() {
            self.process = Some(HelperProcess::start(&self.program, NAME)?);
            self.knows_pattern = false;
        }
        Ok(())
    }

    /// Sends a text to the helper, and receives its first matches.
    pub(super) fn begin(
        &mut self,
        pattern: &Pattern,
        text: &[u8],
        until: Instant,
        cancel: &Cancel,
    ) -> Result<ProcessMatches, NoReply> {
        self.send_pattern(pattern, until, cancel)?;
        let (ahead, length) = (VecDeque::new(), text.len());
        let mut matches =
            ProcessMatches { ahead, next: 0, continuation: MORE, helper_has_text: true, length };
        self.request_matches(&mut matches, (&[TEXT], text), until, cancel)?;
        Ok(matches)
    }

    /// Returns all matches of each of these texts; `None` for texts with too many, or that there was no time
    /// for.
    pub(super) fn batch(
        &mut self,
        pattern: &Pattern,
        texts: &[&[u8]],
        until: Instant,
        cancel: &Cancel,
    ) -> Result<Vec<Option<Vec<Range<usize>>>>, NoReply> {
        self.send_pattern(pattern, until, cancel)?;
        let mut head = vec![BATCH, u8::try_from(texts.len()).unwrap_or(u8::MAX)];
        for text in texts {
            head.extend(u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
        }
        let answer = self.send((&head, &texts.concat()), until, cancel)?;
        let mut found = read_batch(&answer, texts).ok_or_else(invalid_answer)?;
        found.resize(texts.len(), None);
        Ok(found)
    }

    /// Returns the first match at or behind `at` in `text`, which must be the text given to `begin`; the
    /// outer `None` if the pattern exceeded its budget.
    pub(super) fn find_at(
        &mut self,
        matches: &mut ProcessMatches,
        pattern: &Pattern,
        (text, at): (&[u8], usize),
        until: Instant,
        cancel: &Cancel,
    ) -> Result<Option<Option<Range<usize>>>, NoReply> {
        if at != matches.next && !pattern.is_single_line() {
            matches.ahead.clear();
            matches.continuation = MORE;
        } else if at != matches.next {
            // The caller skipped whole lines: matches on those lines are dropped.
            while matches.ahead.front().is_some_and(|found| found.start < at) {
                matches.ahead.pop_front();
            }
        }
        if matches.ahead.is_empty() && matches.continuation == MORE {
            if !matches.helper_has_text {
                *matches = self.begin(pattern, text, until, cancel)?;
            }
            let head = [[FIND].as_slice(), &to_bytes(at)].concat();
            self.request_matches(matches, (&head, &[]), until, cancel)?;
        }
        match matches.ahead.pop_front() {
            Some(found) => {
                matches.next = pattern.resume(text, &found);
                Ok(Some(Some(found)))
            }
            None if matches.continuation == BUDGET_SPENT => Ok(None),
            None => Ok(Some(None)),
        }
    }

    /// Sends the pattern to the helper, unless it has it.
    fn send_pattern(&mut self, pattern: &Pattern, until: Instant, cancel: &Cancel) -> Result<(), NoReply> {
        self.start().map_err(|error| NoReply::Ended(error.to_string()))?;
        if !self.knows_pattern {
            let head = [PATTERN, pattern.origin().to_byte()];
            self.send((&head, pattern.source().as_bytes()), until, cancel)?;
            self.knows_pattern = true;
        }
        Ok(())
    }

    fn request_matches(
        &mut self,
        matches: &mut ProcessMatches,
        request: (&[u8], &[u8]),
        until: Instant,
        cancel: &Cancel,
    ) -> Result<(), NoReply> {
        let answer = self.send(request, until, cancel)?;
        (matches.continuation, matches.ahead) =
            read_answer(&answer, matches.length).ok_or_else(invalid_answer)?;
        Ok(())
    }

    fn send(&mut self, request: (&[u8], &[u8]), until: Instant, cancel: &Cancel) -> Result<Vec<u8>, NoReply> {
        let Some(process) = &mut self.process else { return Err(NoReply::Ended("not running".to_owned())) };
        // Whatever the process was doing, it cannot be used any more.
        process.ask(request, MAX_ANSWER_BYTES, until, cancel).inspect_err(|_| self.process = None)
    }
}

fn invalid_answer() -> NoReply {
    NoReply::Ended("it sent an invalid answer".to_owned())
}

/// Parses an answer into what follows and the matches in a text of `length` bytes; `None` if it is malformed.
pub(super) fn read_answer(answer: &[u8], length: usize) -> Option<(u8, VecDeque<Range<usize>>)> {
    let (follows, matches) = answer.split_first()?;
    Some((*follows, read_matches(matches, length)?))
}

/// Parses the matches in a text of `length` bytes; `None` if they are malformed or lie outside the text.
fn read_matches<C: FromIterator<Range<usize>>>(matches: &[u8], length: usize) -> Option<C> {
    let range = |bytes: &[u8]| {
        let found = offset(&bytes[..8])?..offset(&bytes[8..])?;
        (found.start <= found.end && found.end <= length).then_some(found)
    };
    matches.chunks(16).map(|chunk| (chunk.len() == 16).then(|| range(chunk)).flatten()).collect()
}

fn read_batch(mut answer: &[u8], texts: &[&[u8]]) -> Option<Vec<Option<Vec<Range<usize>>>>> {
    let mut found = Vec::new();
    let mut texts = texts.iter();
    while let Some((follows, rest)) = answer.split_first() {
        let (count, rest) = rest.split_first_chunk()?;
        let length = (u32::from_le_bytes(*count) as usize).checked_mul(16)?;
        let (matches, rest) = rest.split_at_checked(length)?;
        let text = texts.next()?;
        found.push((*follows == NOTHING).then(|| read_matches(matches, text.len())).flatten());
        answer = rest;
    }
    Some(found)
}
