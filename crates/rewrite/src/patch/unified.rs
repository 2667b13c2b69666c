//! Parses unified diffs, as `diff -u` and `git diff` write them and as models write them from memory: the
//! counts in hunk headers are used if they are consistent, else the hunk ends where the next one begins. Text
//! before and between files is skipped.

use std::ops::Range;

use super::names::{git_names, header_name, path, without_prefixes};
use super::parsed::{FilePatch, Hunk, HunkLine, HunkLineKind, Patch, PatchParseError, shown};
use symd_edit::Access;

pub(super) fn parse(lines: &[&str], range: Range<usize>) -> Result<Patch, PatchParseError> {
    let mut reader = Reader { lines, at: range.start, end: range.end, patch: Patch::default() };
    while reader.at < reader.end {
        let line = reader.lines[reader.at];
        if let Some(names) = line.strip_prefix("diff --git ") {
            reader.git_section(names)?;
        } else if reader.is_file_header(reader.at) {
            reader.section(Git::default())?;
        } else if line.starts_with("@@ -") {
            return Err(
                reader.unexpected("the names of a file (`--- a/file`, `+++ b/file`) before its first hunk")
            );
        } else {
            reader.refuse_binary(line)?;
            reader.at += 1;
        }
    }
    match reader.patch.files.is_empty() && reader.patch.notes.is_empty() {
        true => Err(PatchParseError::Empty),
        false => Ok(reader.patch),
    }
}

/// The extended headers of a git diff.
#[derive(Default)]
struct Git {
    names: Option<(String, String)>,
    is_new: bool,
    is_deleted: bool,
    modes: Vec<String>,
    /// Whether the resulting file is executable.
    access: Access,
    rename: (Option<String>, Option<String>),
    copy: (Option<String>, Option<String>),
}

struct Reader<'a> {
    lines: &'a [&'a str],
    at: usize,
    end: usize,
    patch: Patch,
}

impl<'a> Reader<'a> {
    fn line(&self, at: usize) -> Option<&'a str> {
        (at < self.end).then(|| self.lines[at])
    }

    fn is_file_header(&self, at: usize) -> bool {
        let starts = |at, text| self.line(at).is_some_and(|line| line.starts_with(text));
        starts(at, "--- ") && starts(at + 1, "+++ ")
    }

    fn unexpected(&self, expected: &'static str) -> PatchParseError {
        let found = self.line(self.at).map_or("the end".to_owned(), shown);
        PatchParseError::Unexpected { line: self.at + 1, expected, found }
    }

    fn refuse_binary(&self, line: &str) -> Result<(), PatchParseError> {
        let differ = line.strip_prefix("Binary files ").and_then(|rest| rest.strip_suffix(" differ"));
        let file = match differ {
            Some(names) => names.split(" and ").last().unwrap_or(names).to_owned(),
            None if line.starts_with("GIT binary patch") => "a file".to_owned(),
            None => return Ok(()),
        };
        Err(PatchParseError::Binary { line: self.at + 1, file })
    }

    fn git_section(&mut self, names: &str) -> Result<(), PatchParseError> {
        let mut git = Git { names: git_names(names), ..Git::default() };
        let file = git.names.as_ref().map_or_else(|| names.to_owned(), |(_, new)| new.clone());
        self.at += 1;
        while let Some(line) = self.line(self.at) {
            if self.is_file_header(self.at) {
                break;
            }
            let value = |prefix: &str| line.strip_prefix(prefix).map(str::to_owned);
            let unquoted = |prefix: &str| line.strip_prefix(prefix).and_then(header_name);
            if let Some(mode) = value("new file mode ") {
                git.is_new = true;
                git.access = self.access(&file, &mode)?;
            } else if let Some(mode) = value("deleted file mode ") {
                git.is_deleted = true;
                self.access(&file, &mode)?;
            } else if let Some(mode) = value("old mode ").or_else(|| value("new mode ")) {
                git.access = self.access(&file, &mode)?;
                git.modes.push(mode);
            } else if let Some(name) = unquoted("rename from ") {
                git.rename.0 = Some(name);
            } else if let Some(name) = unquoted("rename to ") {
                git.rename.1 = Some(name);
            } else if let Some(name) = unquoted("copy from ") {
                git.copy.0 = Some(name);
            } else if let Some(name) = unquoted("copy to ") {
                git.copy.1 = Some(name);
            } else if let Some(hashes) = value("index ") {
                // The mode follows the hashes if it does not change.
                if hashes.trim_end().ends_with(" 100755") {
                    git.access = Access::Program;
                }
            } else if !["similarity ", "dissimilarity "].iter().any(|start| line.starts_with(start)) {
                self.refuse_binary(line)?;
                break;
            }
            self.at += 1;
        }
        self.section(git)
    }

    fn access(&self, file: &str, mode: &str) -> Result<Access, PatchParseError> {
        match mode.trim_end() {
            "100644" | "100664" => Ok(Access::Plain),
            "100755" => Ok(Access::Program),
            mode => {
                Err(PatchParseError::Mode { line: self.at + 1, file: file.to_owned(), mode: mode.to_owned() })
            }
        }
    }

    /// Parses the names of a file and its hunks, and adds its change to the patch.
    fn section(&mut self, git: Git) -> Result<(), PatchParseError> {
        let at = self.at + 1;
        let (old, new) = if self.is_file_header(self.at) {
            let name = |at: usize| header_name(&self.lines[at][4..]);
            let names = (name(self.at), name(self.at + 1));
            self.at += 2;
            names
        } else {
            git.names.clone().map_or((None, None), |(old, new)| (Some(old), Some(new)))
        };
        let (old, new) = without_prefixes(old, new);
        let hunks = self.hunks()?;
        let named = |name: Option<String>| name.as_deref().map(|name| path(at, name)).transpose();
        let missing = || PatchParseError::NoHunks { line: at, file: "a file without a name".to_owned() };
        let (old, new) = (named(old)?, named(new)?);
        if let [from, to] = &git.modes[..]
            && let Some(path) = new.as_ref().or(old.as_ref())
        {
            let note = format!(
                "{path}: the change of its mode from {from} to {to} is not applied",
                path = path.as_str()
            );
            self.patch.notes.push(note);
        }
        let file = if let (Some(from), Some(to)) = (named(git.rename.0)?, named(git.rename.1)?) {
            FilePatch::Update { names: vec![from], new_path: Some(to), hunks }
        } else if let (Some(from), Some(to)) = (named(git.copy.0)?, named(git.copy.1)?) {
            FilePatch::Copy { path: from, new_path: to, hunks, access: git.access }
        } else if git.is_new || old.is_none() {
            FilePatch::Add { path: new.ok_or_else(missing)?, text: new_text(&hunks), access: git.access }
        } else if git.is_deleted || new.is_none() {
            FilePatch::Delete { path: old.ok_or_else(missing)?, hunks }
        } else {
            let mut names: Vec<_> = [new, old].into_iter().flatten().collect();
            names.dedup();
            if hunks.is_empty() {
                if git.modes.is_empty() {
                    let file = names.first().map_or_else(String::new, |name| name.as_str().to_owned());
                    return Err(PatchParseError::NoHunks { line: at, file });
                }
                return Ok(());
            }
            FilePatch::Update { names, new_path: None, hunks }
        };
        self.patch.files.push(file);
        Ok(())
    }

    fn hunks(&mut self) -> Result<Vec<Hunk>, PatchParseError> {
        let mut hunks = Vec::new();
        while let Some(line) = self.line(self.at).filter(|line| line.starts_with("@@")) {
            let header = Header::read(line);
            self.at += 1;
            let mut hunk = header.hunk(hunks.len() + 1, self.at + 1);
            let end = match header.counts.and_then(|counts| self.counted_end(counts)) {
                Some(end) => end,
                None => {
                    let end = self.next_header()?;
                    if header.counts.is_some() {
                        let number = hunk.number;
                        let note =
                            format!("line {} of the patch: the counts of hunk {number} are wrong", self.at);
                        self.patch.notes.push(note);
                    }
                    end
                }
            };
            read_lines(&self.lines[self.at..end], &mut hunk);
            self.at = end;
            hunks.push(hunk);
        }
        Ok(hunks)
    }

    /// Returns the end of the hunk by its counts; `None` if they are inconsistent.
    fn counted_end(&self, (mut old, mut new): (usize, usize)) -> Option<usize> {
        let mut at = self.at;
        while old > 0 || new > 0 {
            match self.line(at)?.bytes().next() {
                None | Some(b' ' | b'\r') => (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?),
                Some(b'-') => old = old.checked_sub(1)?,
                Some(b'+') => new = new.checked_sub(1)?,
                Some(b'\\') => {}
                Some(_) => return None,
            }
            at += 1;
        }
        if self.line(at).is_some_and(|line| line.starts_with('\\')) {
            at += 1;
        }
        // Does the hunk continue after its counts?
        let goes_on = self.line(at).is_some_and(|line| line.starts_with([' ', '+', '-', '\\']));
        (!goes_on || self.is_end(at)).then_some(at)
    }

    /// Returns the end of the hunk, whatever its counts say.
    fn next_header(&self) -> Result<usize, PatchParseError> {
        let mut end = self.at;
        while let Some(line) = self.line(end).filter(|_| !self.is_end(end)) {
            if !(line.is_empty() || line.starts_with([' ', '+', '-', '\\', '\r'])) {
                let expected = "a line of the hunk, beginning with ' ', '-' or '+', or the next `@@`";
                return Err(PatchParseError::Unexpected { line: end + 1, expected, found: shown(line) });
            }
            end += 1;
        }
        while end > self.at
            && self.lines[end - 1].trim_end().is_empty()
            && !self.lines[end - 1].starts_with(' ')
        {
            end -= 1;
        }
        Ok(end)
    }

    fn is_end(&self, at: usize) -> bool {
        let Some(line) = self.line(at) else { return true };
        let starts = ["@@", "diff ", "Index: ", "=====", "Only in ", "*** "];
        starts.iter().any(|start| line.starts_with(start))
            || matches!(line.trim_end_matches('\r'), "-- " | "--")
            || self.is_file_header(at)
    }
}

/// The first line of a hunk.
pub(super) struct Header {
    start: Option<usize>,
    counts: Option<(usize, usize)>,
    context: Option<String>,
}

impl Header {
    /// Parses `@@ -1,3 +1,3 @@ context`, `@@ context` or `@@`.
    pub(super) fn read(line: &str) -> Header {
        let rest = line.trim_start_matches('@').trim();
        if let Some(((start, old), new)) = numbers(rest) {
            // Without old lines, `start` is the line after which the new lines are inserted.
            let start = if old == 0 { start } else { start.saturating_sub(1) };
            return Header { start: Some(start), counts: Some((old, new)), context: None };
        }
        let context = rest.trim_end_matches('@').trim_end();
        let is_context =
            !context.is_empty() && !context.chars().all(|c| c == '.' || c == '-' || c == '+' || c == ' ');
        Header { start: None, counts: None, context: is_context.then(|| context.to_owned()) }
    }

    pub(super) fn hunk(&self, number: usize, at: usize) -> Hunk {
        let headers = self.context.iter().cloned().collect();
        Hunk { number, at, start: self.start, headers, ..Hunk::default() }
    }
}

/// Parses start and count of the old side, and the count of the new side.
fn numbers(rest: &str) -> Option<((usize, usize), usize)> {
    let (old, rest) = rest.strip_prefix('-')?.split_once(" +")?;
    let new = rest.split([' ', '@']).next()?;
    let side = |text: &str| match text.split_once(',') {
        Some((start, count)) => Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()?)),
        None => Some((text.parse::<usize>().ok()?, 1)),
    };
    Some((side(old)?, side(new)?.1))
}

/// Parses the lines of a hunk.
pub(super) fn read_lines(lines: &[&str], hunk: &mut Hunk) {
    for line in lines {
        let (sign, text) = match line.as_bytes().first() {
            Some(b'-') => (HunkLineKind::Removed, &line[1..]),
            Some(b'+') => (HunkLineKind::Added, &line[1..]),
            Some(b'\\') => {
                if let Some(last) = hunk.lines.last_mut() {
                    last.no_newline = true;
                }
                continue;
            }
            Some(b' ') => (HunkLineKind::Context, &line[1..]),
            // Mail programs remove the blank of an empty line.
            _ => (HunkLineKind::Context, *line),
        };
        hunk.lines.push(HunkLine { kind: sign, text: text.to_owned(), no_newline: false });
    }
}

/// Returns the text of a new file.
fn new_text(hunks: &[Hunk]) -> String {
    let mut text = String::new();
    for line in hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind != HunkLineKind::Removed) {
        text.push_str(&line.text);
        if !line.no_newline {
            text.push('\n');
        }
    }
    text
}
