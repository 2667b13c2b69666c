//! serena's `search_for_pattern`. Invariant: the length of an answer that is too long is exact to the last
//! character, but no more of the answer is kept than the limit allows.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value, json};

use super::answer::{AnswerLimit, bad_argument, pattern_error, regex_error, search_error, too_long};
use super::files::MAX_ANSWER_CHARS;
use super::json;
use crate::arguments::{ArgumentError, Arguments};
use crate::{Reply, Tool, ask_long};
use symd_base::Cancel;
use symd_files::glob::{Glob, GlobError};
use symd_files::search::{self, FileMatches, FileSelection, Pattern, PatternError, SearchError, SearchQuery};
use symd_files::tree::Tree;
use symd_ops::view_tree::ViewTree;

pub(super) const SEARCH_FOR_PATTERN: Tool = Tool::read_only(
    "search_for_pattern",
    "Search for pattern",
    "Performs a search for a pattern in the project. \
     Offers a flexible search for arbitrary patterns in the codebase, including the \
     possibility to search in non-code files. Generally, symbolic operations like find_symbol or find_referencing_symbols \
     should be preferred if you know which symbols you are looking for. \
     Answers JSON that maps each file path to the blocks of lines that match.",
    search_for_pattern_schema,
    |call| {
        let chars = call.project.max_answer_chars;
        ask_long(call, move |view, arguments, cancel| {
            view.tree(|tree| run_search_for_pattern(tree, arguments, chars, cancel))
        })
    },
);

pub(crate) fn search_for_pattern_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "substring_pattern": {"type": "string", "description": "A Python regular expression with DOTALL and MULTILINE: . matches line breaks too, ^ and $ match at every line. Use .*? rather than .* across lines."},
            "context_lines_before": {"type": "integer", "default": 0, "description": "How many lines to show before each match."},
            "context_lines_after": {"type": "integer", "default": 0, "description": "How many lines to show after each match."},
            "paths_include_glob": {"type": "string", "default": "", "description": "Search only files whose path from the project root fits, e.g. \"*.py\" or \"src/**/*.{ts,tsx}\". Without a /, * matches across directories. Empty: all files."},
            "paths_exclude_glob": {"type": "string", "default": "", "description": "Leave out files whose path fits, e.g. \"*test*\"; wins over paths_include_glob. Empty: none."},
            "relative_path": {"type": "string", "default": "", "description": "A file or directory to restrict the search to, relative to the project root. Empty: the whole project."},
            "restrict_search_to_code_files": {"type": "boolean", "default": false, "description": "Whether to search only files of programming languages symd knows."},
            "max_answer_chars": {"type": "integer", "default": -1, "description": MAX_ANSWER_CHARS}
        },
        "required": ["substring_pattern"]
    })
}

/// The reason why arguments are no valid query.
#[derive(Debug, thiserror::Error)]
pub(crate) enum QueryError {
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    #[error(transparent)]
    Glob(#[from] GlobError),
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

/// Parses a query from the arguments that `serena` and `native` share.
pub(crate) fn query(arguments: &Arguments<'_>) -> Result<SearchQuery, QueryError> {
    let pattern = arguments.string("substring_pattern")?;
    let glob = |name: &str| -> Result<Option<Glob>, QueryError> {
        match arguments.string_or(name, "")? {
            "" => Ok(None),
            text => Ok(Some(Glob::path(text)?)),
        }
    };
    let code_only = arguments.boolean_or("restrict_search_to_code_files", false)?;
    Ok(SearchQuery {
        before: arguments.count_or("context_lines_before", 0)?,
        after: arguments.count_or("context_lines_after", 0)?,
        include: glob("paths_include_glob")?,
        exclude: glob("paths_exclude_glob")?,
        scope: arguments.string_or("relative_path", "")?.to_owned(),
        among: if code_only { FileSelection::CodeFiles } else { FileSelection::AllFiles },
        pattern: Pattern::new(pattern)?,
    })
}

fn no_query(problem: QueryError) -> Reply {
    match problem {
        QueryError::Argument(problem) => bad_argument(problem),
        QueryError::Glob(problem) => regex_error(problem),
        QueryError::Pattern(problem) => pattern_error(&problem),
    }
}

pub(super) fn run_search_for_pattern(
    tree: &Tree<'_>,
    arguments: &Map<String, Value>,
    max_answer_chars: usize,
    cancel: &Cancel,
) -> Reply {
    let arguments = Arguments::new(arguments);
    let reply = || -> Result<Reply, Reply> {
        arguments.string("substring_pattern").map_err(bad_argument)?;
        let query = query(&arguments).map_err(no_query)?;
        let limit = AnswerLimit::read(&arguments, max_answer_chars)?;
        answer(tree, &query, limit, cancel).map_err(|error| search_error(&error))
    };
    reply().unwrap_or_else(|reply| reply)
}

fn answer(
    tree: &Tree<'_>,
    query: &SearchQuery,
    limit: AnswerLimit,
    cancel: &Cancel,
) -> Result<Reply, SearchError> {
    // The characters of the answer that all threads have found so far; the braces are the first two.
    let total = AtomicUsize::new(2);
    let found = search::search(tree, query, cancel, |hits| {
        let mut entry = Entry::new(hits);
        hits.for_each_match(|hits, found| entry.add(hits, found.block, &total, limit.chars()))?;
        Ok(entry.finish(&total))
    })?;
    let separators = 2 * found.files.len().saturating_sub(1);
    let chars = total.into_inner().saturating_add(separators);
    if chars > limit.chars() {
        return Ok(too_long(chars));
    }
    let mut text = String::from("{");
    for (i, entry) in found.files.iter().enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        text.push_str(entry);
    }
    text.push('}');
    debug_assert_eq!(text.chars().count(), chars, "an answer is as long as was counted");
    Ok(Reply::done(text))
}

/// One file's part of the answer, `"path": ["block", …]`, while it is built.
struct Entry {
    /// The text so far; empty once the answer is known to be too long.
    text: String,
    /// The characters that are not yet added to the total.
    chars: usize,
    blocks: usize,
    /// The last block and its length, so that many matches on one line are measured once.
    last: Option<(Range<usize>, usize)>,
    /// The number of characters before each line; filled once the answer is too long.
    lengths: Vec<usize>,
}

impl Entry {
    fn new(hits: &FileMatches<'_, '_>) -> Entry {
        let text = format!("{}: [", json::to_string(hits.path().as_str()));
        // Includes the bracket that closes the list.
        Entry { chars: text.chars().count() + 1, text, blocks: 0, last: None, lengths: Vec::new() }
    }

    fn add(&mut self, hits: &FileMatches<'_, '_>, block: Range<usize>, total: &AtomicUsize, limit: usize) {
        let separator = if self.blocks > 0 { ", " } else { "" };
        self.blocks += 1;
        if total.load(Ordering::Relaxed).saturating_add(self.chars) > limit {
            self.text = String::new();
            self.chars = self.chars.saturating_add(self.measure(hits, block)).saturating_add(separator.len());
            return;
        }
        let shown = json::to_string(&text_of(hits, &block));
        self.chars = self.chars.saturating_add(shown.chars().count() + separator.len());
        self.text.push_str(separator);
        self.text.push_str(&shown);
    }

    /// Returns the number of characters of a block, its quotes included, without formatting it.
    fn measure(&mut self, hits: &FileMatches<'_, '_>, block: Range<usize>) -> usize {
        if let Some((last, chars)) = &self.last
            && *last == block
        {
            return *chars;
        }
        if self.lengths.is_empty() {
            self.lengths.push(0);
            let mut sum = 0;
            for line in 0..hits.line_count() {
                sum += json::escaped_chars(&hits.line(line));
                self.lengths.push(sum);
            }
        }
        // A line feed between two lines is written with two characters.
        let chars = self.lengths[block.end] - self.lengths[block.start] + 2 * (block.len() - 1) + 2;
        self.last = Some((block, chars));
        chars
    }

    fn finish(mut self, total: &AtomicUsize) -> String {
        total.fetch_add(self.chars, Ordering::Relaxed);
        if !self.text.is_empty() {
            self.text.push(']');
        }
        self.text
    }
}

/// Returns the lines of a block, joined.
fn text_of<'h>(hits: &'h FileMatches<'_, '_>, block: &Range<usize>) -> Cow<'h, str> {
    if block.len() == 1 {
        return hits.line(block.start);
    }
    let lines: Vec<Cow<'_, str>> = block.clone().map(|line| hits.line(line)).collect();
    Cow::Owned(lines.join("\n"))
}
