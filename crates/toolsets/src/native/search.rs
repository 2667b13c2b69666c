//! native's `search_for_pattern`: matching lines grouped by file, with 1-based numbers, each shown once.
//! Invariant: the answer is the beginning of the whole answer in path order, whichever thread was faster, and
//! no more than that is kept.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::files::{DEFAULT_LIMIT, LIMIT, counted, failed, limit};
use crate::arguments::Arguments;
use crate::serena::search::{query, search_for_pattern_schema};
use crate::{Reply, Tool, ask_long};
use symd_base::{Cancel, RelPath, escaped};
use symd_files::search::{self, FileMatches, SearchError, SearchQuery, SearchResult};
use symd_files::tree::Tree;
use symd_ops::view_tree::ViewTree;

/// The maximum length of a line in characters; minified code is useless.
const LINE_CHARS: usize = 300;

/// The mark for omitted lines between matches shown with context.
const GAP: &str = " --\n";

/// The characters that JSON puts around a file's path and lines, with a count of up to ten digits.
const JSON_FILE_CHARS: usize = r#"{"lines":[],"matches":1234567890,"path":},"#.len();

pub(super) const SEARCH_FOR_PATTERN: Tool = Tool::read_only(
    "search_for_pattern",
    "Search text",
    "Performs a search for a pattern in the project. \
     Answers the matching lines grouped by file, with 1-based line numbers (12: a match, 13- context), then the counts.",
    schema,
    |call| {
        ask_long(call, |view, arguments, cancel| {
            view.tree(|tree| run_search_for_pattern(tree, arguments, &view.snapshot.unlisted, cancel))
        })
    },
);

fn schema() -> Value {
    let mut schema = search_for_pattern_schema();
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.remove("max_answer_chars");
        properties.insert(
            "limit".to_owned(),
            json!({"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT}),
        );
        properties.insert(
            "format".to_owned(),
            json!({"type": "string", "enum": ["text", "json"], "default": "text", "description": "text for reading, json for programs."}),
        );
    }
    schema
}

/// Runs `search_for_pattern`. `unlisted` has the directories that could not be listed, each with the system's
/// error.
pub(super) fn run_search_for_pattern(
    tree: &Tree<'_>,
    arguments: &Map<String, Value>,
    unlisted: &BTreeMap<RelPath, String>,
    cancel: &Cancel,
) -> Reply {
    let arguments = Arguments::new(arguments);
    let reply = || -> Result<Reply, Reply> {
        let query = query(&arguments).map_err(failed)?;
        let limit = limit(&arguments).map_err(failed)?;
        let form = match arguments.one_of_or("format", &["text", "json"], "text").map_err(failed)? {
            "json" => Form::Json,
            _ if query.before + query.after > 0 => Form::TextWithContext,
            _ => Form::Text,
        };
        let mut found = collect(tree, &query, Room { form, limit }, cancel).map_err(failed)?;
        found.unlisted = unlisted.keys().cloned().collect();
        Ok(Reply::done(if form == Form::Json { found.json() } else { found.text(limit) }))
    };
    reply().unwrap_or_else(|reply| reply)
}

/// The form of an answer, which decides how much of the limit a line takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    TextWithContext,
    Json,
}

/// The room for lines. Counts and the closing line are not part of it.
#[derive(Clone, Copy, Debug)]
struct Room {
    form: Form,
    /// In characters.
    limit: usize,
}

/// A shown line of a file.
#[derive(Debug, Serialize)]
struct Line {
    /// 1-based.
    line: usize,
    #[serde(rename = "match")]
    is_match: bool,
    text: String,
    /// The number of characters in the answer.
    #[serde(skip)]
    chars: usize,
}

/// The shown part of a file.
#[derive(Debug, Serialize)]
struct Shown {
    path: String,
    matches: usize,
    lines: Vec<Line>,
    /// The number of omitted lines of this file.
    #[serde(skip)]
    left_out: usize,
    #[serde(skip)]
    chars: usize,
}

struct Collected {
    /// In path order.
    shown: Vec<Shown>,
    files: usize,
    matches: usize,
    truncated: bool,
    outcome: SearchResult<()>,
    /// Directories that could not be listed, in path order.
    unlisted: Vec<RelPath>,
}

fn collect(
    tree: &Tree<'_>,
    query: &SearchQuery,
    room: Room,
    cancel: &Cancel,
) -> Result<Collected, SearchError> {
    let kept =
        Mutex::new(Kept { files: BTreeMap::new(), chars: 0, dropped: false, file_count: 0, matches: 0 });
    let outcome = search::search(tree, query, cancel, |hits| {
        let path = hits.path().clone();
        let shown = show(hits, room)?;
        kept.lock().unwrap_or_else(PoisonError::into_inner).add(path, shown, room.limit);
        Ok(())
    })?;
    let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut shown: Vec<Shown> = kept.files.into_values().collect();
    let mut truncated = kept.dropped;
    // The last file may take more than is left.
    let mut left = room.limit;
    for file in &mut shown {
        truncated |= file.clip(left) || file.left_out > 0;
        left = left.saturating_sub(file.chars);
    }
    shown.retain(|file| !file.lines.is_empty());
    let unlisted = Vec::new();
    Ok(Collected { shown, files: kept.file_count, matches: kept.matches, truncated, outcome, unlisted })
}

/// The first files in path order that fill the limit.
struct Kept {
    files: BTreeMap<RelPath, Shown>,
    chars: usize,
    dropped: bool,
    file_count: usize,
    matches: usize,
}

impl Kept {
    fn add(&mut self, path: RelPath, shown: Shown, limit: usize) {
        self.file_count += 1;
        self.matches += shown.matches;
        self.chars += shown.chars;
        self.files.insert(path, shown);
        // A file whose predecessors fill the answer by themselves will not be part of it, whatever else is
        // found.
        while let Some(last) = self.files.last_entry() {
            if self.chars - last.get().chars < limit {
                break;
            }
            self.chars -= last.get().chars;
            self.dropped = true;
            last.remove();
        }
    }
}

/// Collects the lines of one file, as many as there is room for; counts all matches.
fn show(hits: &mut FileMatches<'_, '_>, room: Room) -> Result<Shown, SearchError> {
    let path = hits.path().as_str().to_owned();
    let chars = match room.form {
        Form::Text | Form::TextWithContext => escaped(&path).chars().count() + 1,
        Form::Json => json!(path).to_string().chars().count() + JSON_FILE_CHARS,
    };
    let mut shown = Shown { chars, path, matches: 0, lines: Vec::new(), left_out: 0 };
    // Lines before this one have been handled; the context after the last match waits for the next match,
    // which may turn context into a match.
    let mut next = 0;
    let mut context_until = 0;
    hits.for_each_match(|hits, found| {
        shown.matches += 1;
        shown.add(hits, next..context_until.min(found.lines.start), false, room);
        next = next.max(context_until.min(found.lines.start));
        shown.add(hits, next.max(found.block.start)..found.lines.start, false, room);
        next = next.max(found.lines.start);
        shown.add(hits, next..found.lines.end, true, room);
        next = next.max(found.lines.end);
        context_until = found.block.end;
    })?;
    shown.add(hits, next..context_until, false, room);
    Ok(shown)
}

impl Shown {
    fn add(&mut self, hits: &FileMatches<'_, '_>, lines: std::ops::Range<usize>, is_match: bool, room: Room) {
        for line in lines.clone() {
            if self.chars >= room.limit {
                self.left_out += lines.end - line;
                return;
            }
            let mut line = Line { line: line + 1, is_match, text: truncate_line(&hits.line(line)), chars: 0 };
            line.chars = line.length(self.lines.last(), room.form);
            self.chars += line.chars;
            self.lines.push(line);
        }
    }

    /// Removes lines until the rest has at most `left` characters; returns whether it removed any.
    fn clip(&mut self, left: usize) -> bool {
        let before = self.lines.len();
        while self.chars > left {
            let Some(line) = self.lines.pop() else { break };
            self.chars -= line.chars;
            self.left_out += 1;
        }
        self.lines.len() < before
    }
}

impl Line {
    /// Returns the number of characters in the answer after `previous`: indentation, number, mark, text, line
    /// feed; or its JSON and a comma.
    fn length(&self, previous: Option<&Line>, form: Form) -> usize {
        let text = || self.text.chars().count() + self.line.to_string().len() + 4;
        match form {
            Form::Text => text(),
            Form::TextWithContext if previous.is_some_and(|previous| previous.line + 1 < self.line) => {
                text() + GAP.len()
            }
            Form::TextWithContext => text(),
            Form::Json => json!(self).to_string().chars().count() + 1,
        }
    }
}

fn truncate_line(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

impl Collected {
    fn text(&self, limit: usize) -> String {
        let mut text = String::new();
        for file in &self.shown {
            let _ = writeln!(text, "{}", escaped(&file.path));
            let has_context = file.lines.iter().any(|line| !line.is_match);
            let mut expected = file.lines.first().map_or(0, |line| line.line);
            for line in &file.lines {
                if line.line != expected && has_context {
                    text.push_str(GAP);
                }
                expected = line.line + 1;
                let mark = if line.is_match { ':' } else { '-' };
                let _ = writeln!(text, " {}{mark} {}", line.line, line.text);
            }
        }
        let _ = write!(
            text,
            "[{} in {} of {} on disk",
            counted(self.matches, "match", "matches"),
            self.files,
            counted(self.outcome.searched, "file", "files")
        );
        if self.outcome.binary > 0 {
            let _ = write!(text, "; {} binary left out", self.outcome.binary);
        }
        for (paths, what) in [(&self.outcome.unreadable, "read"), (&self.unlisted, "listed")] {
            match paths.as_slice() {
                [] => {}
                [one] => {
                    let _ = write!(text, "; {one} cannot be {what}");
                }
                [first, rest @ ..] => {
                    let _ = write!(text, "; {first} and {} more cannot be {what}", rest.len());
                }
            }
        }
        if self.truncated {
            let _ = write!(
                text,
                "; cut at {limit} characters in file {} of {}: narrow it with path or glob, or raise limit",
                self.shown.len().max(1),
                self.files
            );
        }
        text.push(']');
        text
    }

    fn json(&self) -> String {
        let names = |paths: &[RelPath]| paths.iter().map(|path| path.as_str().to_owned()).collect::<Vec<_>>();
        let (unreadable, unlisted) = (names(&self.outcome.unreadable), names(&self.unlisted));
        json!({
            "files": self.shown,
            "total_matches": self.matches,
            "total_files": self.files,
            "searched_files": self.outcome.searched,
            "binary_files": self.outcome.binary,
            "unreadable": unreadable,
            "unlisted": unlisted,
            "source": "disk",
            "truncated": self.truncated
        })
        .to_string()
    }
}
