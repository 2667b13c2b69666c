//! Lines that match a pattern, in all files on the disk, ignored or not. Invariant: every matching line is
//! counted, and no more of them are kept in memory than the caller asked for.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::search::{FileMatches, Pattern, SearchError, SearchQuery, search_files};
use super::tree::{FileOpError, Tree};
use super::walk::{Links, WalkLimits, walk};
use symd_base::{Cancel, RelPath};

/// Characters of a line that are kept: longer lines are those of generated files.
const MAX_LINE_CHARS: usize = 2_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrepLine {
    pub path: RelPath,
    /// The line number, 1-based.
    pub line: usize,
    /// The line's text, without white space at either end; a long line is truncated to 2,000 characters, with
    /// a note of how many more there are.
    pub text: String,
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct Grepped {
    /// The first matching lines, by path and line.
    pub lines: Vec<GrepLine>,
    /// The number of all matching lines.
    pub total: usize,
    /// The number of text files that were searched.
    pub files_searched: usize,
    /// The number of files and directories that could not be read.
    pub unreadable: usize,
    /// The number of directory entries that were skipped because their names are not UTF-8.
    pub non_utf8_names: usize,
    /// Whether the time ran out before everything was searched.
    pub timed_out: bool,
}

/// Searches every file that `wants` accepts until `until`, and keeps the first `most` matching lines.
pub fn grep(
    tree: &Tree<'_>,
    pattern: Pattern,
    wants: &dyn Fn(&RelPath) -> bool,
    most: usize,
    until: Instant,
    cancel: &Cancel,
) -> Result<Grepped, SearchError> {
    let reach = WalkLimits { levels: usize::MAX, until, links: Links::Omitted };
    let walked = walk(tree, &RelPath::root(), reach, cancel).map_err(|error| match error {
        FileOpError::Vfs(error) => SearchError::Vfs(error),
        // A walk of a path that is known to exist fails in no other way.
        _ => SearchError::Cancelled(symd_base::cancel::Cancelled),
    })?;
    let files: Vec<&RelPath> = walked.files.iter().filter(|path| wants(path)).collect();
    let query = SearchQuery::new(pattern);
    let room = LineQuota { most, taken: Mutex::new(BTreeMap::new()) };
    let counted = search_files(tree, &query, &files, Some(until), cancel, |hits| {
        let path = hits.path().clone();
        let wanted = room.for_file(&path);
        let (mut count, mut lines) = (0, Vec::new());
        each_line(hits, |hits, line| {
            count += 1;
            if lines.len() < wanted {
                let text = truncate_line(hits.line(line).trim());
                lines.push(GrepLine { path: path.clone(), line: line + 1, text });
            }
        })?;
        room.record(&path, lines.len());
        Ok((count, lines))
    })?;
    let mut found = Grepped {
        lines: Vec::new(),
        total: counted.files.iter().map(|(count, _)| count).sum(),
        files_searched: counted.searched,
        unreadable: counted.unreadable.len() + walked.unreadable,
        non_utf8_names: walked.non_utf8_names,
        timed_out: counted.timed_out || walked.timed_out,
    };
    found.lines = counted.files.into_iter().flat_map(|(_, lines)| lines).take(most).collect();
    Ok(found)
}

/// The number of lines that are still wanted: those of the first files by path. Files are searched nearly in
/// path order, so few lines are kept that the answer then drops.
struct LineQuota {
    most: usize,
    /// The number of lines kept of each file, for no more files than are needed.
    taken: Mutex<BTreeMap<RelPath, usize>>,
}

impl LineQuota {
    /// Returns how many lines of the file at `path` may still be kept.
    fn for_file(&self, path: &RelPath) -> usize {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let before: usize = taken.range::<RelPath, _>(..path).map(|(_, lines)| lines).sum();
        self.most.saturating_sub(before)
    }

    /// Records that `lines` lines of the file at `path` are kept.
    fn record(&self, path: &RelPath, lines: usize) {
        if lines == 0 {
            return;
        }
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.insert(path.clone(), lines);
        // Files after those that already hold `most` lines are not needed.
        let mut sum = 0;
        let full = taken.iter().find(|(_, lines)| {
            sum += *lines;
            sum >= self.most
        });
        if let Some(last) = full.map(|(path, _)| path.clone()) {
            taken.retain(|path, _| *path <= last);
        }
    }
}

/// Calls `each` once for every line (0-based) on which a match begins.
fn each_line(
    hits: &mut FileMatches<'_, '_>,
    mut each: impl FnMut(&FileMatches<'_, '_>, usize),
) -> Result<(), SearchError> {
    if hits.are_single_line() {
        // One match per line is enough: the other matches on that line, which may be millions, are not looked
        // for.
        return hits.for_each_matching_line(|hits, line| {
            each(hits, line);
            ControlFlow::Continue(())
        });
    }
    let mut last = None;
    hits.for_each_match(|hits, found| {
        if last != Some(found.lines.start) {
            last = Some(found.lines.start);
            each(hits, found.lines.start);
        }
    })
}

fn truncate_line(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((cut, _)) => {
            let left_out = line[cut..].chars().count();
            format!("{}… [{left_out} more characters]", &line[..cut])
        }
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::scratch::Scratch;

    fn found(scratch: &Scratch, pattern: Pattern, most: usize, seconds: u64) -> Grepped {
        let until = Instant::now() + Duration::from_secs(seconds);
        grep(&scratch.tree(), pattern, &|_| true, most, until, &Cancel::new()).expect("searched")
    }

    fn shown(found: &Grepped) -> Vec<String> {
        found.lines.iter().map(|hit| format!("{}:{}:{}", hit.path, hit.line, hit.text)).collect()
    }

    #[test]
    fn lines_are_counted_once_and_kept_up_to_the_limit() {
        let long = format!("x{}x", "é".repeat(3_000));
        let scratch = Scratch::new(&[
            ("a", b"x x\r\ny\r\n\t x \r\n"),
            ("b/c", b"x\n"),
            ("b/d", b"x\0"),
            ("ignored/e", long.as_bytes()),
        ]);
        let pattern = || Pattern::literal("x").expect("compiles");
        let all = found(&scratch, pattern(), 10, 60);
        assert_eq!(shown(&all)[..3], ["a:1:x x", "a:3:x", "b/c:1:x"]);
        let cut = format!("x{}… [1002 more characters]", "é".repeat(MAX_LINE_CHARS - 1));
        assert_eq!(all.lines[3].text, cut);
        assert_eq!((all.total, all.files_searched), (4, 3));
        let some = found(&scratch, pattern(), 2, 60);
        assert_eq!((shown(&some), some.total), (vec!["a:1:x x".to_owned(), "a:3:x".to_owned()], 4));
        let late = found(&scratch, pattern(), 2, 0);
        assert!(late.timed_out && late.lines.is_empty());
    }

    #[test]
    fn an_expression_stays_on_its_line_unless_it_asks_for_more() {
        let scratch = Scratch::new(&[("a", b"one\ntwo\r\nthree\n")]);
        let regex = |source: &str| found(&scratch, Pattern::of_lines(source).expect(source), 10, 60);
        assert_eq!(shown(&regex("one.*")), ["a:1:one"]);
        assert_eq!(shown(&regex(r"o[^x]+")), ["a:1:one"]);
        assert_eq!(shown(&regex("^t.*o$")), ["a:2:two"]);
        assert_eq!(shown(&regex(r"one\ntwo")), ["a:1:one"]);
        assert_eq!(regex("x*").total, 3);
        let literal = found(&scratch, Pattern::literal("two\r\nthree").expect("compiles"), 10, 60);
        assert_eq!(shown(&literal), ["a:2:two"]);
        let error = Pattern::of_lines("(a").expect_err("unclosed").to_string();
        assert!(error.ends_with("unclosed group"), "{error}");
    }
}
