//! The overview of a directory in `native`: one file per line, the most important first, each with its
//! top-level symbols. Invariant: the answer keeps to the limit and says what was left out.

use serde_json::{Value, json};

use super::answer::{Footer, fitting};
use super::files::counted;
use super::render::short_word;
use symd_ops::overview::{DirectoryOverview, FileSummary, TopLevel};

/// The candidates for the number of top-level symbols on a file's line: the first with which all files fit is
/// taken, else the last, and the least important files are left out.
const SYMBOLS_OF_A_FILE: [usize; 4] = [usize::MAX, 12, 6, 3];

/// The maximum number of directories that are listed.
const MAX_DIRECTORIES: usize = 20;

/// Formats the overview as text.
pub(super) fn directory_text(found: &DirectoryOverview, missing: Vec<String>, limit: usize) -> String {
    let directories = directory_lines(found);
    let mut left = limit.saturating_sub(length(&directories));
    let lines_with =
        |most: usize| -> Vec<String> { found.files.iter().map(|file| file_line(file, most)).collect() };
    let mut lines = Vec::new();
    let mut most = 0;
    for of_a_file in SYMBOLS_OF_A_FILE {
        lines = lines_with(of_a_file);
        most = of_a_file;
        if length(&lines) <= left {
            break;
        }
    }
    let fitting = lines.iter().take_while(|line| {
        let rest = left.checked_sub(line.chars().count() + 1);
        left = rest.unwrap_or(0);
        rest.is_some()
    });
    let shown = fitting.count().max(1).min(lines.len());
    let mut footer = footer(found, missing);
    if found.files[..shown].iter().any(|file| file.top.len() > most) {
        footer.add_incomplete(
            "+n: n more symbols at the file's top level; the overview of the file lists all".to_owned(),
        );
    }
    if shown < lines.len() {
        let (files, symbols) = left_out(&found.files[shown..]);
        footer.add_incomplete(format!(
            "the {shown} most important files shown, {files} with {symbols} left out; name a directory, or raise limit \
             (now {limit})"
        ));
    }
    let all = directories.into_iter().chain(lines.into_iter().take(shown));
    let text = all.collect::<Vec<_>>().join("\n");
    let text = if text.is_empty() { "No symbols.".to_owned() } else { text };
    format!("{text}\n{footer}")
}

fn length(lines: &[String]) -> usize {
    lines.iter().map(|line| line.chars().count() + 1).sum()
}

fn left_out(files: &[FileSummary]) -> (String, String) {
    let symbols = files.iter().map(|file| file.symbols).sum();
    (counted(files.len(), "file", "files"), counted(symbols, "symbol", "symbols"))
}

fn footer(found: &DirectoryOverview, missing: Vec<String>) -> Footer {
    let (files, symbols) = left_out(&found.files);
    let mut footer = Footer::new(format!("{symbols} in {files}"));
    if found.without_symbols > 0 {
        footer.add_note(format!(
            "{} without symbols",
            counted(found.without_symbols, "more file", "more files")
        ));
    }
    missing.into_iter().for_each(|why| footer.add_incomplete(why));
    footer
}

/// Formats the directories as `src/ 24 files, 812 symbols`; nothing if there is only one.
fn directory_lines(found: &DirectoryOverview) -> Vec<String> {
    if found.directories.len() < 2 {
        return Vec::new();
    }
    let line = |path: &str, files: usize, symbols: usize| {
        format!("{path} {}, {}", counted(files, "file", "files"), counted(symbols, "symbol", "symbols"))
    };
    let (shown, rest) = found.directories.split_at(MAX_DIRECTORIES.min(found.directories.len()));
    let mut lines: Vec<String> =
        shown.iter().map(|one| line(&format!("{}/", one.path), one.files, one.symbols)).collect();
    if !rest.is_empty() {
        let (files, symbols) =
            (rest.iter().map(|one| one.files).sum(), rest.iter().map(|one| one.symbols).sum());
        lines.push(line(
            &format!("{} more:", counted(rest.len(), "directory", "directories")),
            files,
            symbols,
        ));
    }
    lines
}

/// Formats a file as `src/flask/app.py (62): class Flask 81-1536, function _make_timedelta 73-78 +3`; lines
/// are 1-based, inclusive.
fn file_line(file: &FileSummary, most: usize) -> String {
    let symbol = |TopLevel { symbol, count }: &TopLevel| {
        let (start, end) = (symbol.start_line + 1, symbol.end_line + 1);
        let lines = if start == end { start.to_string() } else { format!("{start}-{end}") };
        let name = match count {
            1 => symbol.name.clone(),
            _ => format!("{} ×{count}", symbol.name.split('[').next().unwrap_or("")),
        };
        format!("{} {name} {lines}", short_word(symbol.kind))
    };
    let shown: Vec<String> = file.top.iter().take(most).map(symbol).collect();
    let more = match file.top.len().saturating_sub(most) {
        0 => String::new(),
        more => format!(" +{more}"),
    };
    format!("{} ({}): {}{more}", file.path, file.symbols, shown.join(", "))
}

/// Formats the overview as JSON.
pub(super) fn directory_json(found: &DirectoryOverview, missing: &[String], limit: usize) -> String {
    let directory = |path: &str, files: usize, symbols: usize| json!({ "path": path, "files": files, "symbols": symbols });
    let directories: Vec<Value> =
        found.directories.iter().map(|one| directory(one.path.as_str(), one.files, one.symbols)).collect();
    let symbol = |one: &TopLevel| {
        let symbol = &one.symbol;
        json!({
            "name_path": symbol.name_path, "kind": symbol.kind.word(), "count": one.count,
            "start_line": symbol.start_line + 1, "end_line": symbol.end_line + 1,
        })
    };
    let file = |one: &FileSummary| {
        let top: Vec<Value> = one.top.iter().map(symbol).collect();
        json!({ "path": one.path.as_str(), "symbols": one.symbols, "top_level": top })
    };
    let files: Vec<Value> = found.files.iter().map(file).collect();
    let shown = if files.is_empty() { 0 } else { fitting(&files, limit) };
    let left_out = files.len() - shown;
    let mut object = json!({
        "path": found.path.as_str(), "directories": directories, "files": files[..shown],
        "files_left_out": left_out, "files_without_symbols": found.without_symbols,
        "revision": found.revision, "source": "syntax", "complete": left_out == 0 && missing.is_empty(),
    });
    if !missing.is_empty() {
        object["notes"] = json!(missing);
    }
    object.to_string()
}
