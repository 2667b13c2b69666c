//! Finds the matching lines, file by file, as in `grep -n`. Not for matches over several lines. Invariant:
//! the lines kept are the first ones in path order, however many threads searched.

use std::ops::ControlFlow;

use super::{SearchError, SearchQuery, search};
use crate::tree::Tree;
use symd_base::{Cancel, RelPath};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchingLine {
    /// The line number, 0-based.
    pub number: usize,
    /// The whole line without its line break; invalid UTF-8 as U+FFFD.
    pub text: String,
}

/// The matching lines of one file; there is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchingFile {
    pub path: RelPath,
    /// The matching lines in order.
    pub lines: Vec<MatchingLine>,
}

/// The result of a search for lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchingLines {
    /// The files with matching lines, in path order.
    pub files: Vec<MatchingFile>,
    /// The number of all matching lines, including those not kept.
    pub count: usize,
}

/// Searches for `query`, whose pattern must come from
/// [`Pattern::within_lines`](super::Pattern::within_lines); the query's context is ignored. Keeps at most
/// `most` lines, which bounds the memory for one file and for the whole answer.
pub fn matching_lines(
    tree: &Tree<'_>,
    query: &SearchQuery,
    most: usize,
    cancel: &Cancel,
) -> Result<MatchingLines, SearchError> {
    let outcome = search(tree, query, cancel, |hits| {
        let mut lines = Vec::new();
        let mut count = 0;
        hits.for_each_matching_line(|hits, number| {
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
