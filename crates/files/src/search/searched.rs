//! The helper process for searches (`symd match`, hidden): answers the requests of `super::process`, for one
//! pattern and one text after the other. Invariant: it finds what [`Pattern::find_at`] finds in the daemon.

use std::ffi::OsString;
use std::ops::Range;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::grouped;
use super::pattern::{Origin, Pattern};
use super::process::{BATCH, BUDGET_SPENT, FIND, GROUPED, MORE, NOTHING, PATTERN, TEXT};
use symd_parse::serve;

/// Maximum number of matches in an answer. The first answer for a text holds one, and each further answer up
/// to twice as many as the one before: a search that is killed loses the matches of the answer that was not
/// yet sent.
const MATCHES: usize = 256;
/// Maximum number of matches of one text in a batch.
const BATCH_MATCHES: usize = 64;
/// The maximum time between two answers, so that a search that is killed has reported most of its matches.
const ANSWER_EVERY: Duration = Duration::from_millis(50);

/// Runs the helper process; `arguments` are those behind its name on the command line.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let mut state = HelperState { pattern: None, text: Vec::new(), max_matches: 1 };
    serve(arguments, |request| state.answer(request))
}

/// The state of the helper process.
struct HelperState {
    pattern: Option<Pattern>,
    text: Vec<u8>,
    /// The maximum number of matches in the next answer.
    max_matches: usize,
}

/// Some consecutive matches in a text, and what follows them.
struct MatchRun {
    continuation: u8,
    matches: Vec<Range<usize>>,
}

impl HelperState {
    fn answer(&mut self, request: &[u8]) -> Result<Vec<u8>, String> {
        match request.split_first() {
            Some((&PATTERN, made)) => {
                let (origin, source) = made.split_first().ok_or("no pattern")?;
                let source = std::str::from_utf8(source).map_err(|error| error.to_string())?;
                let origin = Origin::of_byte(*origin).ok_or("no such pattern")?;
                self.pattern = Some(origin.compile(source).map_err(|error| error.to_string())?);
                Ok(Vec::new())
            }
            Some((&TEXT, text)) => {
                self.text = text.to_vec();
                self.max_matches = 1;
                self.next_matches(0)
            }
            Some((&FIND, at)) => self.next_matches(offset(at).ok_or("no place")?),
            Some((&BATCH, texts)) => self.batch(texts),
            Some((&GROUPED, request)) => grouped::answer(request).ok_or_else(|| "not a request".to_owned()),
            _ => Err("not a request".to_owned()),
        }
    }

    fn next_matches(&mut self, at: usize) -> Result<Vec<u8>, String> {
        let pattern = self.pattern.as_ref().ok_or("no pattern yet")?;
        let until = Instant::now() + ANSWER_EVERY;
        let run = find_run(pattern, &self.text, at, self.max_matches, Some(until));
        self.max_matches = (self.max_matches * 2).min(MATCHES);
        let mut answer = vec![run.continuation];
        put(&run.matches, &mut answer);
        Ok(answer)
    }

    fn batch(&self, request: &[u8]) -> Result<Vec<u8>, String> {
        let pattern = self.pattern.as_ref().ok_or("no pattern yet")?;
        let texts = texts(request).ok_or("no texts")?;
        let until = Instant::now() + ANSWER_EVERY;
        let mut answer = Vec::new();
        for text in texts {
            let run = find_run(pattern, text, 0, BATCH_MATCHES, None);
            answer.push(run.continuation);
            answer.extend(u32::try_from(run.matches.len()).unwrap_or(0).to_le_bytes());
            put(&run.matches, &mut answer);
            if Instant::now() >= until {
                break;
            }
        }
        Ok(answer)
    }
}

/// Finds up to `max_matches` matches at or behind `at`, until the time `until`.
fn find_run(
    pattern: &Pattern,
    text: &[u8],
    mut at: usize,
    max_matches: usize,
    until: Option<Instant>,
) -> MatchRun {
    let mut matches = Vec::new();
    let is_over = || until.is_some_and(|until| Instant::now() >= until);
    while matches.len() < max_matches && !is_over() {
        if at > text.len() {
            return MatchRun { continuation: NOTHING, matches };
        }
        match pattern.find_at(text, at) {
            Ok(Some(found)) => {
                at = pattern.resume(text, &found);
                matches.push(found);
            }
            Ok(None) => return MatchRun { continuation: NOTHING, matches },
            Err(_) => return MatchRun { continuation: BUDGET_SPENT, matches },
        }
    }
    MatchRun { continuation: MORE, matches }
}

fn put(matches: &[Range<usize>], answer: &mut Vec<u8>) {
    for found in matches {
        answer.extend(to_bytes(found.start));
        answer.extend(to_bytes(found.end));
    }
}

/// Parses the texts of a batch: their count as u8, their lengths as u32, then the texts.
fn texts(request: &[u8]) -> Option<Vec<&[u8]>> {
    let (count, rest) = request.split_first()?;
    let (lengths, mut rest) = rest.split_at_checked(usize::from(*count) * 4)?;
    let mut texts = Vec::new();
    for length in lengths.chunks_exact(4) {
        let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
        let (text, behind) = rest.split_at_checked(length)?;
        texts.push(text);
        rest = behind;
    }
    rest.is_empty().then_some(texts)
}

pub(super) fn to_bytes(offset: usize) -> [u8; 8] {
    u64::try_from(offset).unwrap_or(u64::MAX).to_le_bytes()
}

pub(super) fn offset(bytes: &[u8]) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(bytes.try_into().ok()?)).ok()
}
