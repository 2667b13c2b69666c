//! The lines that match, file by file, as `grep -n` tells them. Not for matches over several lines. Invariant: the lines
//! kept are the first ones in path order, however many threads looked.

use std::ops::ControlFlow;

use super::{Query, SearchError, search};
use crate::tree::Tree;
use symd_base::{Cancel, RelPath};

/// One line with a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchingLine {
    /// 0-based.
    pub number: usize,
    /// The whole line without its line break; invalid UTF-8 as U+FFFD.
    pub text: String,
}

/// The lines of one file; there is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchingFile {
    /// Which file.
    pub path: RelPath,
    /// In order.
    pub lines: Vec<MatchingLine>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchingLines {
    /// In path order.
    pub files: Vec<MatchingFile>,
    /// How many lines match in all, those left out included.
    pub count: usize,
}

/// Searches for `query`, whose pattern must be one of [`Pattern::within_lines`](super::Pattern::within_lines); context and
/// the like are not looked at. No more than `most` lines are kept, which bounds what one file and the whole answer hold.
pub fn matching_lines(
    tree: &Tree<'_>,
    query: &Query,
    most: usize,
    cancel: &Cancel,
) -> Result<MatchingLines, SearchError> {
    let outcome = search(tree, query, cancel, |hits| {
        let mut lines = Vec::new();
        let mut count = 0;
        hits.each_line(|hits, number| {
            count += 1;
            if lines.len() < most {
                lines.push(MatchingLine { number, text: hits.line(number).into_owned() });
            }
            ControlFlow::Continue(())
        })?;
        Ok((MatchingFile { path: hits.path().clone(), lines }, count))
    })?;
    let mut found = MatchingLines::default();
    let mut left = most;
    for (mut file, count) in outcome.files {
        found.count += count;
        file.lines.truncate(left);
        left -= file.lines.len();
        if !file.lines.is_empty() {
            found.files.push(file);
        }
    }
    Ok(found)
}
