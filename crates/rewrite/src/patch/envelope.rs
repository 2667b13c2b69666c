//! Parses the form `*** Begin Patch` … `*** End Patch`: sections per file, hunks placed by context. It may
//! also contain a unified diff, which is parsed as such.

use std::ops::Range;

use super::names::path;
use super::parsed::{FilePatch, Hunk, Patch, PatchParseError, shown};
use super::unified::{Header, read_lines};
use symd_edit::Access;

/// Returns the lines between Begin and End; `None` if the patch does not begin with Begin.
pub(super) fn bounds(lines: &[&str]) -> Result<Option<Range<usize>>, PatchParseError> {
    let is = |at: usize, text: &str| lines[at].trim() == text;
    let Some(first) = (0..lines.len()).find(|&at| !lines[at].trim().is_empty()) else { return Ok(None) };
    if !is(first, "*** Begin Patch") {
        return Ok(None);
    }
    let last = (first..lines.len()).rev().find(|&at| is(at, "*** End Patch"));
    last.map(|last| Some(first + 1..last)).ok_or(PatchParseError::Unclosed { line: first + 1 })
}

/// Whether the lines are a unified diff.
pub(super) fn is_unified(lines: &[&str]) -> bool {
    let first = lines.iter().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| ["--- ", "diff ", "Index: "].iter().any(|start| line.starts_with(start)))
}

const SECTION: &str =
    "`*** Update File: path`, `*** Add File: path`, `*** Delete File: path` or `*** End Patch`";

pub(super) fn parse(lines: &[&str], range: Range<usize>) -> Result<Patch, PatchParseError> {
    let mut reader = Reader { lines, at: range.start, end: range.end };
    let mut patch = Patch::default();
    while let Some(line) = reader.line() {
        let at = reader.at + 1;
        reader.at += 1;
        if line.trim().is_empty() {
            continue;
        }
        // Models indent headers, too.
        let named = |start: &str| line.trim_start().strip_prefix(start).map(|name| path(at, name.trim()));
        let file = if let Some(path) = named("*** Add File:") {
            FilePatch::Add { path: path?, text: reader.added()?, access: Access::Plain }
        } else if let Some(path) = named("*** Delete File:") {
            FilePatch::Delete { path: path?, hunks: Vec::new() }
        } else if let Some(path) = named("*** Update File:") {
            reader.update(path?)?
        } else {
            return Err(PatchParseError::Unexpected { line: at, expected: SECTION, found: shown(line) });
        };
        patch.files.push(file);
    }
    if patch.files.is_empty() { Err(PatchParseError::Empty) } else { Ok(patch) }
}

struct Reader<'a> {
    lines: &'a [&'a str],
    at: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    fn line(&self) -> Option<&'a str> {
        (self.at < self.end).then(|| self.lines[self.at])
    }

    /// Returns the current line, if it belongs to the section.
    fn line_inside(&self) -> Option<&'a str> {
        self.line().filter(|line| !line.starts_with("*** ") || line.trim_end() == "*** End of File")
    }

    /// Whether only blank lines are left in the section.
    fn is_over(&self) -> bool {
        let rest = self.lines[self.at..self.end].iter();
        let mut rest = rest.skip_while(|line| line.trim().is_empty() && !line.starts_with(' '));
        rest.next().is_none_or(|line| line.starts_with("*** ") && line.trim_end() != "*** End of File")
    }

    fn added(&mut self) -> Result<String, PatchParseError> {
        let mut text = String::new();
        while let Some(line) = self.line_inside().filter(|_| !self.is_over()) {
            let expected = "a line of the new file, beginning with '+'";
            let unexpected =
                || PatchParseError::Unexpected { line: self.at + 1, expected, found: shown(line) };
            text.push_str(line.strip_prefix('+').ok_or_else(unexpected)?);
            text.push('\n');
            self.at += 1;
        }
        Ok(text)
    }

    fn update(&mut self, file: symd_base::RelPath) -> Result<FilePatch, PatchParseError> {
        let mut new_path = None;
        if let Some(name) = self.line().and_then(|line| line.strip_prefix("*** Move to:")) {
            new_path = Some(path(self.at + 1, name.trim())?);
            self.at += 1;
        }
        let at = self.at;
        let mut hunks: Vec<Hunk> = Vec::new();
        while !self.is_over() {
            hunks.push(self.hunk(hunks.len() + 1)?);
        }
        if hunks.is_empty() && new_path.is_none() {
            return Err(PatchParseError::NoHunks { line: at, file: file.as_str().to_owned() });
        }
        Ok(FilePatch::Update { names: vec![file], new_path, hunks })
    }

    fn hunk(&mut self, number: usize) -> Result<Hunk, PatchParseError> {
        let mut hunk = Hunk { number, ..Hunk::default() };
        while let Some(line) = self.line_inside().filter(|line| line.starts_with("@@")) {
            let mut inner = Header::read(line).hunk(number, self.at);
            hunk.headers.append(&mut inner.headers);
            hunk.start = hunk.start.or(inner.start);
            self.at += 1;
        }
        hunk.at = self.at + 1;
        let from = self.at;
        while let Some(line) = self.line_inside().filter(|line| !line.starts_with("@@")) {
            if line.starts_with("*** ") {
                hunk.is_last = true;
                break;
            }
            if self.is_over() {
                break;
            }
            if !(line.is_empty() || line.starts_with([' ', '+', '-', '\\', '\r'])) {
                let expected = "a line of the hunk, beginning with ' ', '-' or '+', or `@@`";
                return Err(PatchParseError::Unexpected { line: self.at + 1, expected, found: shown(line) });
            }
            self.at += 1;
        }
        read_lines(&self.lines[from..self.at], &mut hunk);
        if hunk.is_last {
            self.at += 1;
        }
        Ok(hunk)
    }
}
