//! Converts the hunks of one file to edits of its text. Invariant: lines that a hunk neither removes nor adds
//! keep their bytes.

use std::fmt;

use super::parsed::{Hunk, HunkLine, HunkLineKind, shown};
use super::place::{ExpectedLine, Finder, NotFound, SearchTarget, Tolerance};
use super::text::FileLines;
use crate::endings::{Ending, Endings};
use symd_base::{RelPath, TextEdit, TextRange};

/// A hunk that is not where it says, or that matches only approximately. Lines are 1-based.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InexactHunk {
    pub path: RelPath,
    /// The hunk's number in the file, from 1.
    pub hunk: usize,
    /// The line at which the hunk's old lines begin.
    pub line: usize,
    /// The distance below the line that the hunk names, negative above it; 0 if it names none.
    pub offset: i64,
    /// The number of context lines that were ignored.
    pub fuzz: usize,
    /// How exactly the lines match.
    pub tolerance: Tolerance,
}

impl fmt::Display for InexactHunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: hunk {} applied at line {}", self.path.as_str(), self.hunk, self.line)?;
        if self.offset != 0 {
            write!(f, " (offset {})", self.offset)?;
        }
        if self.fuzz != 0 {
            write!(f, " (fuzz {})", self.fuzz)?;
        }
        match self.tolerance {
            Tolerance::Exact => Ok(()),
            Tolerance::LineEnds => write!(f, " (white space at line ends differs)"),
            Tolerance::Indentation => write!(f, " (indentation differs)"),
            Tolerance::Punctuation => write!(f, " (typographic characters differ)"),
        }
    }
}

/// Why a hunk cannot be applied. Lines of the file and of the patch are 1-based.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HunkError {
    /// The hunk's old lines do not occur in the file.
    #[error(
        "{}: hunk {hunk} does not apply: line {patch_line} of the patch expects {expected}, but line {line} of the file is \
         {}", path.as_str(), found.as_deref().unwrap_or("past its end")
    )]
    Mismatch {
        path: RelPath,
        /// The hunk's number, from 1.
        hunk: usize,
        /// The line of the patch that does not match.
        patch_line: usize,
        /// The text of that line.
        expected: String,
        /// The line of the file that was compared with it.
        line: usize,
        /// The text of that line; `None` past the end of the file.
        found: Option<String>,
    },
    /// The hunk's old lines occur at several places.
    #[error(
        "{}: hunk {hunk} is ambiguous: its context occurs at lines {first} and {second}; give more context, or a line \
         number in its header", path.as_str()
    )]
    Ambiguous {
        path: RelPath,
        /// The hunk's number, from 1.
        hunk: usize,
        /// The first place.
        first: usize,
        /// Another place.
        second: usize,
    },
    /// The line that the hunk's header names does not occur.
    #[error("{}: hunk {hunk}: there is no line {header} after line {after}", path.as_str())]
    NoHeader {
        path: RelPath,
        /// The hunk's number, from 1.
        hunk: usize,
        /// The line in the header.
        header: String,
        /// The line after which the search began; 0 for the file's start.
        after: usize,
    },
    /// The hunk says that no line break follows a line that is not the last one.
    #[error(
        "{}: hunk {hunk}: line {patch_line} of the patch is marked `\\ No newline at end of file`, but more text follows it",
        path.as_str()
    )]
    UnendedInside {
        path: RelPath,
        /// The hunk's number, from 1.
        hunk: usize,
        /// The marked line.
        patch_line: usize,
    },
}

/// Returns the edits that `hunks` make to `text`, and the hunks that are not where they say.
pub(super) fn edits_of(
    path: &RelPath,
    text: &str,
    hunks: &[Hunk],
    fuzz: usize,
) -> Result<(Vec<TextEdit>, Vec<InexactHunk>), HunkError> {
    let lines = FileLines::of(text);
    let file = File { path, lines: &lines, endings: Endings::of(text) };
    let mut finder = Finder::new(&lines);
    let (mut edits, mut shifts) = (Vec::new(), Vec::new());
    let mut cursor = Cursor { floor: 0, offset: 0 };
    for hunk in hunks {
        let place = file.place(&mut finder, hunk, &mut cursor, fuzz)?;
        let line = place.line + 1;
        let is_as_said = place.offset == 0 && place.fuzz == 0 && place.tolerance == Tolerance::Exact;
        if !is_as_said {
            let HunkPosition { offset, fuzz, tolerance, .. } = place;
            shifts.push(InexactHunk { path: path.clone(), hunk: hunk.number, line, offset, fuzz, tolerance });
        }
        file.edits(hunk, place.line, &mut edits)?;
    }
    Ok((edits, shifts))
}

struct File<'a> {
    path: &'a RelPath,
    lines: &'a FileLines<'a>,
    endings: Endings<'a>,
}

/// The progress through the hunks of a file.
struct Cursor {
    /// The line after the last one that a hunk matched.
    floor: usize,
    /// The distance of the last hunk below the line that it names.
    offset: i64,
}

/// The place of a hunk: the 0-based line of its first old line.
struct HunkPosition {
    line: usize,
    offset: i64,
    fuzz: usize,
    tolerance: Tolerance,
}

impl File<'_> {
    fn place(
        &self,
        finder: &mut Finder<'_>,
        hunk: &Hunk,
        cursor: &mut Cursor,
        fuzz: usize,
    ) -> Result<HunkPosition, HunkError> {
        let floor = self.behind_headers(finder, hunk, cursor.floor)?;
        let mut wanted: Vec<ExpectedLine> =
            hunk.old_lines().map(|line| (line.text.as_str(), line.no_newline)).collect();
        let shifted = |start: usize| usize::try_from(as_signed(start) + cursor.offset).unwrap_or(0);
        let aim = match hunk.start {
            _ if hunk.is_last => SearchTarget::Last,
            Some(start) => SearchTarget::Near(shifted(start)),
            None if hunk.headers.is_empty() => SearchTarget::Only,
            None => SearchTarget::First,
        };
        let found = if wanted.is_empty() {
            self.insertion(hunk, floor, aim)
        } else {
            self.search(finder, hunk, &wanted, floor, aim, fuzz)
        };
        let (line, fuzz, tolerance) = match found {
            // Models write the file's final line break as one more, empty line.
            Err(HunkError::Mismatch { .. }) if wanted.len() > 1 && ends_in_empty_context(hunk) => {
                wanted.pop();
                let again = self.search(finder, hunk, &wanted, floor, SearchTarget::Last, 0);
                again.or(found)?
            }
            found => found?,
        };
        let offset = hunk.start.map_or(0, |start| as_signed(line) - as_signed(start));
        *cursor = Cursor { floor: line + wanted.len(), offset };
        Ok(HunkPosition { line, offset, fuzz, tolerance })
    }

    /// Returns the place of a hunk without old lines: the line that it names, else the line after its
    /// headers, else the end.
    fn insertion(
        &self,
        hunk: &Hunk,
        floor: usize,
        aim: SearchTarget,
    ) -> Result<(usize, usize, Tolerance), HunkError> {
        let line = match aim {
            SearchTarget::Near(line) => line,
            SearchTarget::First => (floor + 1).min(self.lines.count()),
            SearchTarget::Only | SearchTarget::Last => self.lines.count(),
        };
        if line > self.lines.count() {
            let expected = "a line before it".to_owned();
            return Err(self.mismatch(hunk, hunk.at, expected, self.lines.count()));
        }
        Ok((line, 0, Tolerance::Exact))
    }

    fn search(
        &self,
        finder: &mut Finder<'_>,
        hunk: &Hunk,
        wanted: &[ExpectedLine],
        floor: usize,
        aim: SearchTarget,
        max_fuzz: usize,
    ) -> Result<(usize, usize, Tolerance), HunkError> {
        let is_context = |line: &&HunkLine| line.kind == HunkLineKind::Context;
        let leading = hunk.lines.iter().take_while(is_context).count();
        let trailing = hunk.lines.iter().rev().take_while(is_context).count();
        for fuzz in 0..=max_fuzz.min(leading.max(trailing)) {
            let (top, bottom) = (fuzz.min(leading), fuzz.min(trailing));
            if top + bottom >= wanted.len() {
                break;
            }
            let inner = &wanted[top..wanted.len() - bottom];
            let inner_aim =
                if let SearchTarget::Near(line) = aim { SearchTarget::Near(line + top) } else { aim };
            match finder.find(inner, floor + top, inner_aim) {
                Ok((line, tolerance)) if line + inner.len() + bottom <= self.lines.count() => {
                    return Ok((line - top, fuzz, tolerance));
                }
                Ok(_) | Err(NotFound::Nowhere) => {}
                Err(NotFound::Ambiguous(first, second)) => {
                    let (path, hunk) = (self.path.clone(), hunk.number);
                    let (first, second) = (first.min(second) + 1 - top, first.max(second) + 1 - top);
                    return Err(HunkError::Ambiguous { path, hunk, first, second });
                }
            }
        }
        Err(self.nearest_mismatch(finder, hunk, wanted, floor, aim))
    }

    fn behind_headers(&self, finder: &mut Finder<'_>, hunk: &Hunk, floor: usize) -> Result<usize, HunkError> {
        let mut floor = floor;
        for header in &hunk.headers {
            floor = finder.header(header, floor).ok_or_else(|| HunkError::NoHeader {
                path: self.path.clone(),
                hunk: hunk.number,
                header: shown(header),
                after: floor,
            })?;
        }
        Ok(floor)
    }

    /// Reports the first line that does not match, at the place that the hunk names or where its first line
    /// occurs.
    fn nearest_mismatch(
        &self,
        finder: &mut Finder<'_>,
        hunk: &Hunk,
        wanted: &[ExpectedLine],
        floor: usize,
        aim: SearchTarget,
    ) -> HunkError {
        let said = match aim {
            SearchTarget::Near(line) => line.max(floor),
            SearchTarget::Last => self.lines.count().saturating_sub(wanted.len()).max(floor),
            SearchTarget::First | SearchTarget::Only => floor,
        };
        let first = (wanted[0].0, false);
        let start = if finder.agreeing(wanted, said, Tolerance::Punctuation) > 0 {
            said
        } else {
            finder.find(&[first], floor, SearchTarget::First).map_or(said, |(line, _)| line)
        };
        let agreed = finder.agreeing(wanted, start, Tolerance::Punctuation).min(wanted.len() - 1);
        let old =
            hunk.lines.iter().enumerate().filter(|(_, line)| line.kind != HunkLineKind::Added).nth(agreed);
        let (at, expected) = old.map_or((0, String::new()), |(at, line)| (at, shown(&line.text)));
        let marks = hunk.lines[..at].iter().filter(|line| line.no_newline).count();
        self.mismatch(hunk, hunk.at + at + marks, expected, start + agreed)
    }

    fn mismatch(&self, hunk: &Hunk, patch_line: usize, expected: String, line: usize) -> HunkError {
        let found = (line < self.lines.count()).then(|| shown(self.lines.line(line)));
        HunkError::Mismatch {
            path: self.path.clone(),
            hunk: hunk.number,
            patch_line,
            expected,
            line: line + 1,
            found,
        }
    }

    /// Adds the edits of one hunk whose old lines begin at line `first`.
    fn edits(&self, hunk: &Hunk, first: usize, edits: &mut Vec<TextEdit>) -> Result<(), HunkError> {
        let spelling = self.spelling(hunk, first);
        let mut line = first;
        let mut rest = &hunk.lines[..];
        while let Some(next) = rest.first() {
            if next.kind == HunkLineKind::Context {
                line += 1;
                rest = &rest[1..];
                continue;
            }
            let length = rest.iter().take_while(|line| line.kind != HunkLineKind::Context).count();
            let (run, behind) = rest.split_at(length);
            let past = line + run.iter().filter(|line| line.kind == HunkLineKind::Removed).count();
            if let Some(marked) = self.unended_inside(run, past) {
                let before = hunk.lines.len() - rest.len() + marked;
                let patch_line = hunk.at + before;
                return Err(HunkError::UnendedInside {
                    path: self.path.clone(),
                    hunk: hunk.number,
                    patch_line,
                });
            }
            edits.push(self.edit(run, line, past, spelling));
            line = past;
            rest = behind;
        }
        Ok(())
    }

    /// Returns the first new line of `run` that is marked as the file's last without being it.
    fn unended_inside(&self, run: &[HunkLine], past: usize) -> Option<usize> {
        let last = run.iter().rposition(|line| line.kind == HunkLineKind::Added)?;
        let is_inside = |at: usize| at != last || past < self.lines.count();
        (0..run.len()).find(|&at| run[at].kind == HunkLineKind::Added && run[at].no_newline && is_inside(at))
    }

    /// Returns the edit that replaces lines `first..past` by the new lines of `run`.
    fn edit(&self, run: &[HunkLine], first: usize, past: usize, spelling: Spelling) -> TextEdit {
        let lines = self.lines;
        let range = TextRange::new(offset(lines.start(first)), offset(lines.start(past)));
        let is_behind_unended = past == lines.count() && past > 0 && !lines.is_ended(past - 1);
        // Unless the patch says otherwise, a file without a final line break does not get one.
        let marked = run.iter().any(|line| line.kind == HunkLineKind::Removed && line.no_newline);
        let keeps_unended = is_behind_unended && !marked;
        if keeps_unended && first > 0 && !run.iter().any(|line| line.kind == HunkLineKind::Added) {
            // The line before becomes the last one.
            let end = lines.start(first - 1) + lines.line(first - 1).len();
            let end = end - usize::from(lines.text[..end].ends_with('\r'));
            return TextEdit { range: TextRange::new(offset(end), range.end), new_text: String::new() };
        }
        let ending = spelling.ending();
        let mut new_text = String::new();
        if is_behind_unended && first == past {
            new_text.push_str(ending);
        }
        let mut new_lines = run.iter().filter(|line| line.kind == HunkLineKind::Added).peekable();
        while let Some(line) = new_lines.next() {
            new_text.push_str(spelling.spell(&line.text));
            let is_last = new_lines.peek().is_none();
            if !(is_last && (line.no_newline || keeps_unended)) {
                new_text.push_str(ending);
            }
        }
        TextEdit { range, new_text }
    }

    /// Determines whether the patch spells out carriage returns as the file has them: then new lines are used
    /// as they are.
    fn spelling(&self, hunk: &Hunk, first: usize) -> Spelling {
        let ended = || hunk.old_lines().enumerate().filter(|(i, _)| self.lines.is_ended(first + i));
        let agrees = |(i, line): (usize, &HunkLine)| self.lines.line(first + i) == line.text;
        let has_returns =
            || hunk.lines.iter().any(|line| line.kind == HunkLineKind::Added && line.text.ends_with('\r'));
        let is_verbatim = match ended().next() {
            _ if self.lines.is_cr() => false,
            None => has_returns(),
            Some(_) => ended().all(agrees),
        };
        if is_verbatim {
            return Spelling::Verbatim;
        }
        Spelling::Adopted(self.endings.at(self.lines.start(first)))
    }
}

/// How to write new lines.
#[derive(Clone, Copy)]
enum Spelling {
    /// As in the patch.
    Verbatim,
    /// With the file's own line ending.
    Adopted(Ending),
}

impl Spelling {
    fn ending(self) -> &'static str {
        match self {
            Spelling::Verbatim => "\n",
            Spelling::Adopted(ending) => ending.as_str(),
        }
    }

    fn spell(self, line: &str) -> &str {
        match self {
            Spelling::Verbatim => line,
            Spelling::Adopted(_) => line.strip_suffix('\r').unwrap_or(line),
        }
    }
}

/// Whether the hunk is placed by context alone and ends with an empty context line.
fn ends_in_empty_context(hunk: &Hunk) -> bool {
    let is_empty = |line: &HunkLine| line.kind == HunkLineKind::Context && line.text.is_empty();
    hunk.start.is_none() && hunk.lines.last().is_some_and(is_empty)
}

fn as_signed(line: usize) -> i64 {
    i64::try_from(line).unwrap_or(i64::MAX)
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
