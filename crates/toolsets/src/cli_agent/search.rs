//! cli_agent's `file_search` and `grep_search`: they search the disk, ignored files and dotfiles included,
//! but never `.git`. Invariant: results are in path order and capped, and an answer says how many there were.

use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use super::MAX_RESULTS;
use super::answer::{Answer, ToolAction, ask_long, cancelled, counted, invalid, not_a_directory, unnamed};
use super::envelope::{Code, Success, ToolError};
use crate::Tool;
use crate::arguments::Arguments;
use symd_base::{Cancel, RelPath};
use symd_files::glob::Glob;
use symd_files::grep::{GrepLine, grep};
use symd_files::search::{Pattern, PatternError, SearchError};
use symd_files::tree::{FileOpError, Tree};
use symd_files::walk::{Links, WalkLimits, walk};
use symd_ops::view_tree::ViewTree;
use symd_vfs::EntryKind;

/// The time limit of a search, which then answers with what it has.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// The maximum number of path components below the base that `file_search` visits.
const SEARCH_DEPTH: usize = 20;

/// The default maximum of results of `grep_search`.
const DEFAULT_RESULTS: usize = 100;

const TIMED_OUT: &str = "Search timed out after 30s, returning partial results";

pub(super) const FILE_SEARCH: Tool = Tool::read_only(
    "file_search",
    "Search files by name",
    "Search for files matching a glob pattern. The pattern is matched against paths from base_path: * stays within a \
        directory, ** crosses them, so **/*.py finds Python files at every level.",
    file_search_schema,
    |call| {
        let most = call.project.max_answer_chars;
        ask_long(call, move |view, arguments, cancel| {
            view.tree(|tree| file_search(tree, arguments, most, cancel))
        })
    },
);

pub(super) const GREP_SEARCH: Tool = Tool::read_only(
    "grep_search",
    "Search file contents",
    "Search file contents for text or regex pattern. Case-sensitive; answers path:line: text.",
    grep_search_schema,
    |call| {
        let most = call.project.max_answer_chars;
        ask_long(call, move |view, arguments, cancel| {
            view.tree(|tree| grep_search(tree, arguments, most, cancel))
        })
    },
);

fn file_search_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "description": "Glob pattern (e.g., '**/*.py', 'src/**/*.go')"},
            "base_path": {"type": "string", "default": ".", "description": "Base directory to search from (default: current directory)"}
        },
        "required": ["pattern"]
    })
}

fn grep_search_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "description": "Text or regex pattern to search for"},
            "is_regex": {"type": "boolean", "default": false, "description": "Whether pattern is regex (default: false)"},
            "file_pattern": {"type": "string", "description": "Glob pattern to limit files searched (default: all files)"},
            "max_results": {"type": "integer", "default": 100, "description": "Maximum number of results to return (default: 100)"}
        },
        "required": ["pattern"]
    })
}

#[derive(Serialize)]
struct FileMatches<'a> {
    matches: usize,
    pattern: &'a str,
}

fn file_search(tree: &Tree<'_>, arguments: &Arguments<'_>, chars: usize, cancel: &Cancel) -> Answer {
    let pattern = arguments.string("pattern")?;
    let base = arguments.string_or("base_path", ".")?;
    // Anchored at the base: a pattern without `/` means the base's own files.
    let from_base = format!("/{}", pattern.trim_start_matches("./").trim_start_matches('/'));
    if pattern.is_empty() {
        return Err(invalid_pattern(pattern));
    }
    let glob = Glob::path(&from_base).map_err(|_| invalid_pattern(pattern))?;
    let doing = ToolAction::searching(base);
    let found = tree.locate(base).map_err(|error| doing.locate(error))?;
    if found.kind != EntryKind::Directory {
        return Err(not_a_directory(base));
    }
    let reach = WalkLimits { levels: SEARCH_DEPTH, until: Instant::now() + TIME_LIMIT, links: Links::Listed };
    let walked = walk(tree, &found.path, reach, cancel).map_err(|error| doing.file(error))?;
    let fits = |path: &&RelPath| glob.matches(below(path, &found.path));
    let matching: Vec<&RelPath> = walked.files.iter().filter(fits).collect();
    let count = matching.len();
    let mut output = format!("Found {} matching '{pattern}'", counted(count, "file", "files"));
    let shown = list(&mut output, matching.iter().take(MAX_RESULTS).map(ToString::to_string), chars);
    let mut success = Success::new(output).with(&FileMatches { matches: count, pattern });
    if walked.is_deeper {
        success =
            success.warning(&format!("Search depth limited to {SEARCH_DEPTH} levels, there are deeper ones"));
    }
    if walked.timed_out {
        success = success.warning(TIMED_OUT);
    }
    if walked.non_utf8_names > 0 {
        success = success.warning(&unnamed(walked.non_utf8_names));
    }
    if shown < count {
        success = success.warning(&part(count, shown, MAX_RESULTS, chars));
    }
    Ok(success)
}

#[derive(Serialize)]
struct TextMatches<'a> {
    total_matches: usize,
    files_searched: usize,
    pattern: &'a str,
}

fn grep_search(tree: &Tree<'_>, arguments: &Arguments<'_>, chars: usize, cancel: &Cancel) -> Answer {
    let pattern = arguments.string("pattern")?;
    let is_regex = arguments.boolean_or("is_regex", false)?;
    let file_pattern = arguments.string_if("file_pattern")?;
    let most = arguments.integer_or("max_results", i64::try_from(DEFAULT_RESULTS).unwrap_or(i64::MAX))?;
    let most =
        usize::try_from(most).ok().filter(|most| (1..=MAX_RESULTS).contains(most)).ok_or_else(|| {
            invalid(
                format!(
                    "Invalid parameter 'max_results': must be between 1 and {MAX_RESULTS}, got: {}",
                    arguments.as_sent("max_results")
                ),
                "Use a narrower pattern or file_pattern to find less",
            )
        })?;
    let compiled = if is_regex { Pattern::of_lines(pattern) } else { Pattern::literal(pattern) };
    let compiled = compiled.map_err(|error| match error {
        PatternError::Empty => invalid(
            "Invalid parameter 'pattern': must not be empty".to_owned(),
            "Give the text to search for",
        ),
        PatternError::Invalid { reason, .. } => ToolError::new(
            Code::InvalidRegex,
            format!("Invalid regex pattern: {reason}"),
            "Correct the expression, or leave is_regex out to search for the text itself",
        ),
    })?;
    let wanted = file_pattern.filter(|glob| !glob.is_empty()).map(FilePattern::new).transpose()?;
    let wants = |path: &RelPath| wanted.as_ref().is_none_or(|wanted| wanted.fits(path));
    let until = Instant::now() + TIME_LIMIT;
    let found = grep(tree, compiled, &wants, most, until, cancel).map_err(search_error)?;
    let total = found.total;
    let mut output = format!("Found {} for '{pattern}'", counted(total, "match", "matches"));
    let line = |hit: &GrepLine| format!("{}:{}: {}", hit.path, hit.line, hit.text);
    let shown = list(&mut output, found.lines.iter().map(line), chars);
    let mut success = Success::new(output).with(&TextMatches {
        total_matches: total,
        files_searched: found.files_searched,
        pattern,
    });
    if found.unreadable > 0 {
        let files = counted(found.unreadable, "file", "files");
        success = success.warning(&format!("{files} could not be read"));
    }
    if found.timed_out {
        success = success.warning(TIMED_OUT);
    }
    if found.non_utf8_names > 0 {
        success = success.warning(&unnamed(found.non_utf8_names));
    }
    if shown < total {
        success = success.warning(&part(total, shown, most, chars));
    }
    Ok(success)
}

/// The files to search: without a `/` the glob is matched against file names, else against paths.
enum FilePattern {
    Name(Glob),
    Path(Glob),
}

impl FilePattern {
    fn new(glob: &str) -> Result<FilePattern, ToolError> {
        let compiled = Glob::path(glob).map_err(|_| invalid_pattern(glob))?;
        Ok(if glob.contains('/') { FilePattern::Path(compiled) } else { FilePattern::Name(compiled) })
    }

    fn fits(&self, path: &RelPath) -> bool {
        match self {
            FilePattern::Name(glob) => glob.matches(path.file_name()),
            FilePattern::Path(glob) => glob.matches(path.as_str()),
        }
    }
}

/// Ends the headline and appends each result on a line of its own, as many as fit into `chars` characters
/// with the headline; returns how many.
fn list(output: &mut String, results: impl Iterator<Item = String>, chars: usize) -> usize {
    let mut left = chars.saturating_sub(output.chars().count() + 2);
    let mut shown = 0;
    for result in results {
        let line = format!("  {result}\n");
        let length = line.chars().count();
        if length > left {
            break;
        }
        left -= length;
        if shown == 0 {
            output.push_str(":\n");
        }
        output.push_str(&line);
        shown += 1;
    }
    shown
}

/// Returns the warning that not all results are shown: because of `most`, the maximum of results, or because
/// `chars` characters were reached before.
fn part(count: usize, shown: usize, most: usize, chars: usize) -> String {
    let why = match shown < most.min(count) {
        true => format!(": an answer has at most {chars} characters"),
        false => String::new(),
    };
    format!("Found {count} matches, showing first {shown}{why}")
}

/// Returns `path` relative to `base`.
fn below<'p>(path: &'p RelPath, base: &RelPath) -> &'p str {
    let text = path.as_str();
    if base.is_root() { text } else { text.get(base.as_str().len() + 1..).unwrap_or(text) }
}

fn invalid_pattern(pattern: &str) -> ToolError {
    ToolError::new(
        Code::InvalidPattern,
        format!("Invalid glob pattern '{pattern}'"),
        "Correct the pattern; write \\[ and \\{ for the characters themselves",
    )
}

fn search_error(error: SearchError) -> ToolError {
    match error {
        SearchError::Cancelled(_) => cancelled(),
        SearchError::Locate(error) => ToolAction::searching(".").locate(error),
        SearchError::Vfs(error) => ToolAction::searching(".").file(FileOpError::Vfs(error)),
        other => invalid(other.to_string(), "Use another pattern"),
    }
}
