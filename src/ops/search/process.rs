//! Searching a text in a process of its own, which is ended when the time is up or the answer is not wanted any more: neither
//! regex engine can be told to stop. Invariant: a helper finds what [`Pattern::find_at`] finds here.
//!
//! ```text
//! request: 'p' | origin u8 | source       the pattern from now on; no answer's bytes
//!          't' | text                             the text from now on, and its first matches
//!          'n' | at u64                           the matches at or behind `at`
//! answer:  what follows u8 | (start u64, end u64)*
//! ```

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::pattern::{Origin, Pattern};
use crate::base::Cancel;
use crate::parse::{HelperProcess, NoReply, serve};

/// What the command line calls a helper.
pub const NAME: &str = "match";

/// Matches in an answer, at most. The first answer for a text has one, each next twice as many as the last: a search that is cut
/// short loses what was found for an answer that was not full.
const MATCHES: usize = 256;
/// Bytes of the longest answer.
const LONGEST: usize = 1 << 20;
/// An answer with matches is given after this at the latest, so that a search that is cut short has them.
const ANSWER_EVERY: Duration = Duration::from_millis(50);

/// What follows the matches of an answer.
const MORE: u8 = 0;
const NOTHING: u8 = 1;
const BUDGET_SPENT: u8 = 2;

/// Searches texts one after the other, by a helper that is started for the first one.
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
    /// Where the next one is looked for, as the helper goes on by itself.
    next: usize,
    follows: u8,
}

impl ProcessSearch {
    pub(super) fn new(program: PathBuf) -> ProcessSearch {
        ProcessSearch { program, process: None, knows_pattern: false }
    }

    /// Has a process ready.
    pub(super) fn start(&mut self) -> io::Result<()> {
        if self.process.is_none() {
            self.process = Some(HelperProcess::start(&self.program, NAME)?);
            self.knows_pattern = false;
        }
        Ok(())
    }

    /// Begins with a text.
    pub(super) fn begin(
        &mut self,
        pattern: &Pattern,
        text: &[u8],
        until: Instant,
        cancel: &Cancel,
    ) -> Result<ProcessMatches, NoReply> {
        self.start().map_err(|error| NoReply::Ended(error.to_string()))?;
        if !self.knows_pattern {
            let head = [b'p', pattern.origin().to_byte()];
            self.put((&head, pattern.source().as_bytes()), until, cancel)?;
            self.knows_pattern = true;
        }
        let mut matches = ProcessMatches { ahead: VecDeque::new(), next: 0, follows: MORE };
        self.ask(&mut matches, (b"t", text), until, cancel)?;
        Ok(matches)
    }

    /// The first match at or behind `at` in `text`, with which it was begun; `None` where the pattern's budget is spent.
    pub(super) fn find_at(
        &mut self,
        matches: &mut ProcessMatches,
        pattern: &Pattern,
        (text, at): (&[u8], usize),
        until: Instant,
        cancel: &Cancel,
    ) -> Result<Option<Option<Range<usize>>>, NoReply> {
        if at != matches.next && !pattern.stays_on_a_line() {
            matches.ahead.clear();
            matches.follows = MORE;
        } else if at != matches.next {
            // Whole lines are passed over: what was found on them does not count.
            while matches.ahead.front().is_some_and(|found| found.start < at) {
                matches.ahead.pop_front();
            }
        }
        if matches.ahead.is_empty() && matches.follows == MORE {
            let head = [b"n".as_slice(), &to_bytes(at)].concat();
            self.ask(matches, (&head, &[]), until, cancel)?;
        }
        match matches.ahead.pop_front() {
            Some(found) => {
                matches.next = pattern.resume(text, &found);
                Ok(Some(Some(found)))
            }
            None if matches.follows == BUDGET_SPENT => Ok(None),
            None => Ok(Some(None)),
        }
    }

    fn ask(
        &mut self,
        matches: &mut ProcessMatches,
        request: (&[u8], &[u8]),
        until: Instant,
        cancel: &Cancel,
    ) -> Result<(), NoReply> {
        let answer = self.put(request, until, cancel)?;
        let read =
            read_answer(&answer).ok_or_else(|| NoReply::Ended("it answered what is no answer".to_owned()))?;
        (matches.follows, matches.ahead) = read;
        Ok(())
    }
}

impl ProcessSearch {
    fn put(&mut self, request: (&[u8], &[u8]), until: Instant, cancel: &Cancel) -> Result<Vec<u8>, NoReply> {
        let Some(process) = &mut self.process else { return Err(NoReply::Ended("it has ended".to_owned())) };
        // Whatever it was at, it is of no more use.
        process.ask(request, LONGEST, until, cancel).inspect_err(|_| self.process = None)
    }
}

fn to_bytes(offset: usize) -> [u8; 8] {
    u64::try_from(offset).unwrap_or(u64::MAX).to_le_bytes()
}

fn offset(bytes: &[u8]) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(bytes.try_into().ok()?)).ok()
}

fn read_answer(answer: &[u8]) -> Option<(u8, VecDeque<Range<usize>>)> {
    let (follows, matches) = answer.split_first()?;
    let range = |bytes: &[u8]| Some(offset(&bytes[..8])?..offset(&bytes[8..])?);
    let matches = matches.chunks(16).map(|chunk| (chunk.len() == 16).then(|| range(chunk)).flatten());
    Some((*follows, matches.collect::<Option<_>>()?))
}

/// What the hidden `symd match` does.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let mut searched = Searched { pattern: None, text: Vec::new(), room: 1 };
    serve(arguments, |request| searched.answer(request))
}

/// What a helper has been given.
struct Searched {
    pattern: Option<Pattern>,
    text: Vec<u8>,
    /// Matches in the next answer.
    room: usize,
}

impl Searched {
    fn answer(&mut self, request: &[u8]) -> Result<Vec<u8>, String> {
        match request.split_first() {
            Some((b'p', made)) => {
                let (origin, source) = made.split_first().ok_or("no pattern")?;
                let source = std::str::from_utf8(source).map_err(|error| error.to_string())?;
                let origin = Origin::of_byte(*origin).ok_or("no such pattern")?;
                self.pattern = Some(origin.compile(source).map_err(|error| error.to_string())?);
                Ok(Vec::new())
            }
            Some((b't', text)) => {
                self.text = text.to_vec();
                self.room = 1;
                self.matches(0)
            }
            Some((b'n', at)) => self.matches(offset(at).ok_or("no place")?),
            _ => Err("not a request".to_owned()),
        }
    }

    fn matches(&mut self, mut at: usize) -> Result<Vec<u8>, String> {
        let pattern = self.pattern.as_ref().ok_or("no pattern yet")?;
        let began = Instant::now();
        let mut answer = vec![MORE];
        while answer.len() < self.room * 16 && began.elapsed() < ANSWER_EVERY {
            if at > self.text.len() {
                answer[0] = NOTHING;
                break;
            }
            match pattern.find_at(&self.text, at) {
                Ok(Some(found)) => {
                    answer.extend(to_bytes(found.start));
                    answer.extend(to_bytes(found.end));
                    at = pattern.resume(&self.text, &found);
                }
                Ok(None) => {
                    answer[0] = NOTHING;
                    break;
                }
                Err(_) => {
                    answer[0] = BUDGET_SPENT;
                    break;
                }
            }
        }
        self.room = (self.room * 2).min(MATCHES);
        Ok(answer)
    }
}
