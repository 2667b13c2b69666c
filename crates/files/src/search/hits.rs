//! The matches in one file, one after the other, and the lines around them. Invariant: the text shown is the
//! text searched; lines break where `base::text` breaks them.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use super::finder::{Finder, KnownMatches, StopReason};
use super::pattern::Pattern;
use super::{FirstMatch, SearchError, SearchQuery};
use symd_base::RelPath;
use symd_base::cancel::Cancelled;

/// Matches between two checks of the cancel flag and the clock.
const STEP: usize = 256;

/// The matches in one file; there is at least one.
#[derive(Debug)]
pub struct FileMatches<'h, 'f> {
    path: &'h RelPath,
    text: Vec<u8>,
    finder: &'h mut Finder<'f>,
    /// Whether the time ran out before the end of the text: there may be more matches.
    timed_out: bool,
    before: usize,
    after: usize,
    /// The start of each line, followed by the end of the text: line `n` is `starts[n]..starts[n + 1]`.
    starts: Vec<u32>,
    first: Range<usize>,
}

/// One match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextMatch {
    /// The lines (0-based, half-open) that the match touches; never empty.
    pub lines: Range<usize>,
    /// The matching lines with the requested context, clipped at the file's ends.
    pub block: Range<usize>,
}

impl<'h, 'f> FileMatches<'h, 'f> {
    /// Looks for a first match in `text`; the lines are indexed only if there is one.
    pub(super) fn find_first(
        path: &'h RelPath,
        text: Vec<u8>,
        known: Option<KnownMatches>,
        query: &SearchQuery,
        finder: &'h mut Finder<'f>,
    ) -> Result<FirstMatch<'h, 'f>, SearchError> {
        // Reading and decoding a large file takes time too.
        let begun = finder.check().and_then(|()| finder.begin(&text, known));
        let first = match begun.and_then(|()| finder.find_at(&text, 0)) {
            Err(StopReason::TimedOut) => return Ok(FirstMatch::TimedOut),
            first => first.map_err(|stop| stopped(stop, finder.pattern(), path))?,
        };
        let Some(first) = first.filter(|found| !is_phantom(&text, found)) else {
            return Ok(FirstMatch::NoMatch);
        };
        let starts = line_starts(&text);
        let (before, after) = (query.before, query.after);
        Ok(FirstMatch::Matched(FileMatches {
            path,
            text,
            finder,
            timed_out: false,
            before,
            after,
            starts,
            first,
        }))
    }

    pub fn path(&self) -> &RelPath {
        self.path
    }

    /// Whether the deadline passed before the last match was found.
    pub fn has_timed_out(&self) -> bool {
        self.timed_out
    }

    /// Whether no match contains or depends on a line feed.
    pub fn are_single_line(&self) -> bool {
        self.finder.pattern().is_single_line()
    }

    /// Returns the number of lines of the file.
    pub fn line_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns line `line` (0-based) without its line break, with invalid UTF-8 as U+FFFD; an empty text past
    /// the last line.
    pub fn line(&self, line: usize) -> Cow<'_, str> {
        let (Some(&start), Some(&end)) = (self.starts.get(line), self.starts.get(line + 1)) else {
            return Cow::Borrowed("");
        };
        let bytes = &self.text[start as usize..end as usize];
        let bytes = match bytes {
            [line @ .., b'\r', b'\n'] | [line @ .., b'\n' | b'\r'] => line,
            line => line,
        };
        String::from_utf8_lossy(bytes)
    }

    /// Calls `each` for every match, in order. Matches do not overlap. Of the matches without text only one
    /// per line counts, and only if no earlier match touches that line.
    pub fn for_each_match(
        &mut self,
        mut each: impl FnMut(&FileMatches<'h, 'f>, TextMatch),
    ) -> Result<(), SearchError> {
        let mut next = Some(self.first.clone());
        // The line past the last one touched.
        let mut touched = 0;
        let mut count = 0_usize;
        while let Some(found) = next {
            count += 1;
            if count.is_multiple_of(STEP) {
                match self.finder.check() {
                    Err(StopReason::TimedOut) => {
                        self.timed_out = true;
                        break;
                    }
                    checked => checked.map_err(|stop| stopped(stop, self.finder.pattern(), self.path))?,
                }
            }
            let first = self.line_of(found.start, touched);
            let resume = self.finder.pattern().resume(&self.text, &found);
            if found.is_empty() {
                if first >= touched {
                    touched = first + 1;
                    each(self, self.found(first..first + 1));
                }
            } else {
                let last = self.line_of(found.end - 1, first);
                touched = last + 1;
                each(self, self.found(first..last + 1));
            }
            if resume > self.text.len() {
                break;
            }
            next = self.find_at(resume)?;
        }
        Ok(())
    }

    /// Finds the first match at or behind byte `at`; returns `None` also when the deadline has passed.
    fn find_at(&mut self, at: usize) -> Result<Option<Range<usize>>, SearchError> {
        match self.finder.find_at(&self.text, at) {
            Ok(found) => Ok(found.filter(|found| !is_phantom(&self.text, found))),
            Err(StopReason::TimedOut) => {
                self.timed_out = true;
                Ok(None)
            }
            Err(stop) => Err(stopped(stop, self.finder.pattern(), self.path)),
        }
    }

    /// Calls `each` with every line (0-based) that has a match, in order, until it breaks. For patterns from
    /// [`Pattern::within_lines`]; for other patterns only the line on which a match begins is reported.
    pub fn for_each_matching_line(
        &mut self,
        mut each: impl FnMut(&FileMatches<'h, 'f>, usize) -> ControlFlow<()>,
    ) -> Result<(), SearchError> {
        let mut next = Some(self.first.clone());
        let mut hint = 0;
        while let Some(found) = next {
            let line = self.line_of(found.start, hint);
            hint = line + 1;
            let resume = self.starts.get(hint).map_or(self.text.len(), |&start| start as usize);
            if each(self, line).is_break() || resume >= self.text.len() {
                break;
            }
            match self.finder.check() {
                Err(StopReason::TimedOut) => {
                    self.timed_out = true;
                    break;
                }
                checked => checked.map_err(|stop| stopped(stop, self.finder.pattern(), self.path))?,
            }
            next = self.find_at(resume)?;
        }
        Ok(())
    }

    fn found(&self, lines: Range<usize>) -> TextMatch {
        let block = lines.start.saturating_sub(self.before)
            ..lines.end.saturating_add(self.after).min(self.line_count());
        TextMatch { lines, block }
    }

    /// Returns the line that contains byte `offset`. Earlier matches lie at or before line `hint`.
    fn line_of(&self, offset: usize, hint: usize) -> usize {
        let from = hint.saturating_sub(1);
        // Matches mostly follow each other closely: widen the window before bisecting it.
        let mut width = 1;
        while self.starts.get(from + width).is_some_and(|&start| start as usize <= offset) {
            width *= 2;
        }
        let window = &self.starts[from + width / 2..(from + width).min(self.starts.len())];
        let inside = window.partition_point(|&start| start as usize <= offset);
        (from + width / 2 + inside).saturating_sub(1).min(self.line_count() - 1)
    }
}

fn stopped(stop: StopReason, pattern: &Pattern, path: &RelPath) -> SearchError {
    let backtracks = pattern.backtracks();
    let (pattern, path) = (pattern.source().to_owned(), path.clone());
    match stop {
        StopReason::BudgetSpent if !backtracks => SearchError::TooLarge { pattern, path },
        // The callers handle a deadline before: it is not an error.
        StopReason::BudgetSpent | StopReason::TimedOut => SearchError::BudgetSpent { pattern, path },
        StopReason::Cancelled => SearchError::Cancelled(Cancelled),
        StopReason::Ended(why) => SearchError::ProcessEnded { path, why },
    }
}

/// Whether the match lies behind the last line break, where there is no line, or in an empty file.
fn is_phantom(text: &[u8], found: &Range<usize>) -> bool {
    found.start >= text.len() && matches!(text.last(), None | Some(b'\n' | b'\r'))
}

/// The text of a file to search.
#[derive(Debug)]
pub(super) enum Searchable {
    /// The file is binary: there is nothing to search.
    Binary,
    /// The file cannot be decoded: there is nothing to search.
    Undecodable,
    /// The decoded text.
    Text(Vec<u8>),
}

impl Searchable {
    /// Prepares a file's bytes for `pattern`.
    pub(super) fn new(bytes: Vec<u8>, pattern: &Pattern) -> Searchable {
        // Checked before the search: a slow pattern must not run on a picture.
        if is_binary(&bytes) {
            return Searchable::Binary;
        }
        searchable(bytes, pattern).map_or(Searchable::Undecodable, Searchable::Text)
    }

    pub(super) fn text(&self) -> Option<&[u8]> {
        match self {
            Searchable::Text(text) => Some(text),
            Searchable::Binary | Searchable::Undecodable => None,
        }
    }
}

/// Whether the bytes are binary by the rule of `base::text`.
fn is_binary(bytes: &[u8]) -> bool {
    !matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) && memchr::memchr(0, bytes).is_some()
}

/// Decodes the bytes as the pattern needs them. Most files are returned as they are, without a copy. `None`
/// if they cannot be decoded.
fn searchable(bytes: Vec<u8>, pattern: &Pattern) -> Option<Vec<u8>> {
    let mut text = match bytes.as_slice() {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0xEF, 0xBB, 0xBF, ..] => {
            symd_base::text::decode(bytes).ok()?.0.into_bytes()
        }
        _ => bytes,
    };
    if !pattern.keeps_line_endings() {
        text = with_line_feeds(text);
    }
    if pattern.needs_utf8() {
        text = match String::from_utf8(text) {
            Ok(text) => text.into_bytes(),
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned().into_bytes(),
        };
    }
    Some(text)
}

/// Converts `\r\n` and `\r` to `\n`, as Python does when it reads text: `$` then matches at the end of every
/// line.
fn with_line_feeds(mut text: Vec<u8>) -> Vec<u8> {
    let Some(first) = memchr::memchr(b'\r', &text) else { return text };
    let mut to = first;
    for from in first..text.len() {
        let byte = text[from];
        if byte == b'\r' {
            if text.get(from + 1) == Some(&b'\n') {
                continue;
            }
            text[to] = b'\n';
        } else {
            text[to] = byte;
        }
        to += 1;
    }
    text.truncate(to);
    text
}

/// Returns the start of each line, followed by the end of the text. The offsets fit: `vfs` reads no larger
/// files.
fn line_starts(text: &[u8]) -> Vec<u32> {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let mut starts = vec![0];
    for at in memchr::memchr2_iter(b'\n', b'\r', text) {
        let is_first_half = text[at] == b'\r' && text.get(at + 1) == Some(&b'\n');
        if !is_first_half {
            starts.push(offset(at + 1));
        }
    }
    if starts.last() != Some(&offset(text.len())) {
        starts.push(offset(text.len()));
    }
    starts
}
