//! Finds the place of a hunk in a file: at the line that the hunk names, else where its old lines occur
//! nearest to it, first exactly and then with growing tolerance for white space. Invariant: of two places
//! equally near none is chosen. A hunk does not cost a scan of the file: the search uses the occurrences of
//! the hunk's rarest line.

use std::borrow::Cow;
use std::collections::HashMap;

use super::text::FileLines;

/// The maximum number of places that are compared with a hunk, per tolerance. Beyond it the nearest ones have
/// been compared, and the hunk counts as not found: even its rarest line occurs everywhere.
const MAX_CANDIDATES: usize = 10_000;

/// How exactly lines must match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tolerance {
    /// Exactly, except for the kind of line break.
    Exact,
    /// White space at the ends of lines may differ.
    LineEnds,
    /// Indentation may also differ.
    Indentation,
    /// Also, dashes, quotation marks and blanks may be typographic ones on either side, as models tend to
    /// type plain ones.
    Punctuation,
}

const TOLERANCES: [Tolerance; 4] =
    [Tolerance::Exact, Tolerance::LineEnds, Tolerance::Indentation, Tolerance::Punctuation];

impl Tolerance {
    /// Returns the part of `line` that must match.
    fn key(self, line: &str) -> Cow<'_, str> {
        match self {
            Tolerance::Exact => line.strip_suffix('\r').unwrap_or(line).into(),
            Tolerance::LineEnds => line.trim_end().into(),
            Tolerance::Indentation => line.trim().into(),
            Tolerance::Punctuation => plain(line.trim()),
        }
    }
}

/// Replaces each typographic dash, quotation mark and blank of `text` by a plain character: those that
/// Codex's apply_patch treats as equal.
fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let plain = |c| match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201B}' => '\'',
        '\u{201C}'..='\u{201F}' => '"',
        '\u{A0}' | '\u{2002}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        other => other,
    };
    text.chars().map(plain).collect::<String>().into()
}

/// An old line: its text, and whether the patch says that the file ends there without a line break.
pub(super) type ExpectedLine<'a> = (&'a str, bool);

/// Where to look for a hunk.
#[derive(Clone, Copy, Debug)]
pub(super) enum SearchTarget {
    /// Nearest to this line.
    Near(usize),
    /// At the first matching place.
    First,
    /// At the only matching place.
    Only,
    /// At the end of the file.
    Last,
}

/// Why a hunk has no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotFound {
    /// The old lines occur nowhere.
    Nowhere,
    /// The old lines occur at two places, and neither is nearer: 0-based lines.
    Ambiguous(usize, usize),
}

/// Finds the places of hunks in one file.
pub(super) struct Finder<'a> {
    lines: &'a FileLines<'a>,
    /// For each tolerance the line numbers by key, built on first use.
    indices: [Option<HashMap<Cow<'a, str>, Vec<usize>>>; TOLERANCES.len()],
}

impl<'a> Finder<'a> {
    pub(super) fn new(lines: &'a FileLines<'a>) -> Finder<'a> {
        Finder { lines, indices: [const { None }; TOLERANCES.len()] }
    }

    /// Returns the 0-based line, not before `floor`, at which `wanted` begins.
    pub(super) fn find(
        &mut self,
        wanted: &[ExpectedLine],
        floor: usize,
        aim: SearchTarget,
    ) -> Result<(usize, Tolerance), NotFound> {
        for tolerance in TOLERANCES {
            let found = match aim {
                SearchTarget::Near(line) if line >= floor && self.fits(wanted, line, tolerance) => Some(line),
                SearchTarget::Near(line) => self.nearest(wanted, floor, line, tolerance)?,
                SearchTarget::First => self.candidates(wanted, floor, tolerance).next(),
                SearchTarget::Only => {
                    let mut found = self.candidates(wanted, floor, tolerance);
                    match (found.next(), found.next()) {
                        (Some(one), Some(other)) => return Err(NotFound::Ambiguous(one, other)),
                        (found, _) => found,
                    }
                }
                SearchTarget::Last => {
                    let line = self.lines.count().checked_sub(wanted.len());
                    line.filter(|&line| line >= floor && self.fits(wanted, line, tolerance))
                }
            };
            if let Some(line) = found {
                return Ok((line, tolerance));
            }
        }
        Err(NotFound::Nowhere)
    }

    /// Returns the first line from `floor` that equals `header`, ignoring white space around it.
    pub(super) fn header(&mut self, header: &str, floor: usize) -> Option<usize> {
        self.find(&[(header, false)], floor, SearchTarget::First).ok().map(|(line, _)| line)
    }

    pub(super) fn fits(&self, wanted: &[ExpectedLine], line: usize, tolerance: Tolerance) -> bool {
        line + wanted.len() <= self.lines.count() && self.agreeing(wanted, line, tolerance) == wanted.len()
    }

    /// Returns how many of the wanted lines, counted from the first, match the file's lines from `line` on.
    pub(super) fn agreeing(&self, wanted: &[ExpectedLine], line: usize, tolerance: Tolerance) -> usize {
        let agrees = |at: usize, (text, unended): ExpectedLine| {
            at < self.lines.count()
                && tolerance.key(self.lines.line(at)) == tolerance.key(text)
                && !(unended && self.lines.is_ended(at))
        };
        wanted.iter().enumerate().take_while(|(i, wanted)| agrees(line + i, **wanted)).count()
    }

    fn nearest(
        &mut self,
        wanted: &[ExpectedLine],
        floor: usize,
        line: usize,
        tolerance: Tolerance,
    ) -> Result<Option<usize>, NotFound> {
        let (places, skip) = self.rarest(wanted, tolerance);
        let middle = places.partition_point(|&place| place < line + skip);
        let (mut below, mut above) =
            (places[..middle].iter().rev().peekable(), places[middle..].iter().peekable());
        let start = |place: Option<&&usize>| place.and_then(|place| place.checked_sub(skip));
        let mut found: Option<usize> = None;
        for _ in 0..MAX_CANDIDATES {
            let (before, behind) = (start(below.peek()), start(above.peek()));
            let next = match (before, behind) {
                (Some(before), Some(behind)) if line - before <= behind - line => Some(before),
                (Some(before), None) => Some(before),
                (_, behind) => behind,
            };
            let Some(place) = next else { break };
            if next == before {
                below.next();
            } else {
                above.next();
            }
            // A place found may have an equally near one on the other side; farther places do not count.
            if found.is_some_and(|found| found.abs_diff(line) < place.abs_diff(line)) {
                break;
            }
            if place >= floor && self.fits(wanted, place, tolerance) {
                match found {
                    Some(found) => return Err(NotFound::Ambiguous(found, place)),
                    None => found = Some(place),
                }
            }
        }
        Ok(found)
    }

    /// Returns the first two matching places from `floor` on, ascending.
    fn candidates(
        &mut self,
        wanted: &[ExpectedLine],
        floor: usize,
        tolerance: Tolerance,
    ) -> impl Iterator<Item = usize> {
        let (places, skip) = self.rarest(wanted, tolerance);
        let first = places.partition_point(|&place| place < floor + skip);
        let fitting: Vec<usize> = places[first..]
            .iter()
            .take(MAX_CANDIDATES)
            .map(|place| place - skip)
            .filter(|&place| self.fits(wanted, place, tolerance))
            .take(2)
            .collect();
        fitting.into_iter()
    }

    /// Returns the places of the wanted line that occurs least often in the file, and the number of wanted
    /// lines before it.
    fn rarest(&mut self, wanted: &[ExpectedLine], tolerance: Tolerance) -> (Vec<usize>, usize) {
        let lines = self.lines;
        let index = self.indices[tolerance as usize].get_or_insert_with(|| {
            let mut index: HashMap<Cow<str>, Vec<usize>> = HashMap::with_capacity(lines.count());
            for line in 0..lines.count() {
                index.entry(tolerance.key(lines.line(line))).or_default().push(line);
            }
            index
        });
        let keys = wanted.iter().map(|(text, _)| tolerance.key(text));
        let places = keys.map(|key| index.get(key.as_ref()).map_or(&[][..], Vec::as_slice));
        let rarest = places.enumerate().min_by_key(|(_, places)| places.len());
        rarest.map_or((Vec::new(), 0), |(skip, places)| (places.to_vec(), skip))
    }
}
