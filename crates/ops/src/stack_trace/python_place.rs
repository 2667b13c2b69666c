//! Places frames of Python: by the path that is written, then by the line, its source and the function around it. Invariant: a
//! frame of a library is at no place, and a file that only ends like the written path is doubted.

use std::path::Path;

use super::parse::ParsedFrame;
use super::place_in_file::{FramePlace, declaration_at};
use super::python::is_installed;
use crate::code_context::counted_lines;
use symd_base::RelPath;
use symd_engine::CurrentText;
use symd_syntax::Row;

/// Frames of code that stands in no function of its own name.
const UNNAMED: [&str; 6] = ["<module>", "<lambda>", "<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"];

/// Returns the files that a written path may mean, of those with its name, each with the reason why it may be another one.
pub(super) fn written_files(written: &str, root: &Path, named: &[RelPath]) -> Vec<(RelPath, Option<String>)> {
    if is_installed(written) {
        return Vec::new();
    }
    let beneath = match Path::new(written).is_absolute() {
        true => Path::new(written).strip_prefix(root).ok().and_then(Path::to_str),
        false => Some(written.trim_start_matches("./")),
    };
    if let Some(beneath) = beneath
        && let Some(exact) = named.iter().find(|path| path.as_str() == beneath)
    {
        return vec![(exact.clone(), None)];
    }
    // A relative path is that of the directory in which the program ran; an absolute one may be of a container or another
    // machine.
    let common = |path: &RelPath| {
        let ends = path.as_str().rsplit('/').zip(written.rsplit('/'));
        ends.take_while(|(own, of_frame)| own == of_frame).count()
    };
    let whole = |path: &&RelPath| {
        let length = common(path);
        length == path.as_str().split('/').count() || length == written.split('/').count()
    };
    let most = named.iter().filter(whole).map(common).max().unwrap_or_default();
    let best: Vec<&RelPath> = named.iter().filter(whole).filter(|path| common(path) == most).collect();
    let doubt = match best.len() {
        1 => format!("the frame is of {written}"),
        count => format!("the frame is of {written}, and {count} files end like it"),
    };
    best.into_iter().map(|path| (path.clone(), Some(doubt.clone()))).collect()
}

/// Returns the place of a frame in a file.
pub(super) fn place(path: &RelPath, current: &CurrentText, frame: &ParsedFrame) -> FramePlace {
    let lines = counted_lines(&current.text);
    let at = |line: usize| FramePlace {
        path: path.clone(),
        line,
        name_path: declaration_at(current, line),
        doubt: None,
        remark: None,
        differs: false,
        is_by_line: false,
    };
    let line = frame.line.unwrap_or(0);
    let fits = |line: usize| is_source(current, line, frame) && is_in_function(current, line, frame);
    if (1..=lines).contains(&line) && fits(line) {
        return at(line);
    }
    // The sources have changed since: the function counts, and in it the line of source, if it is there once.
    let declared = current.outline.rows.iter().filter(|row| is_function(current, row, &frame.method));
    let declared = declared.map(|row| row.name_line as usize + 1).next();
    let same: Vec<usize> = match frame.code.is_empty() {
        true => Vec::new(),
        false => (1..=lines).filter(|&line| fits(line)).take(2).collect(),
    };
    let moved = match same.as_slice() {
        [one] => *one,
        _ => declared.unwrap_or(line).clamp(1, lines.max(1)),
    };
    let why = if line > lines {
        format!("the file has no line {line}")
    } else if !is_source(current, line, frame) {
        format!("line {line} is not `{}`", frame.code)
    } else {
        format!("line {line} is not in {}", frame.method)
    };
    FramePlace { doubt: Some(format!("sources differ from the run: {why}")), differs: true, ..at(moved) }
}

/// Whether a line has the source of the frame, which may be cut.
fn is_source(current: &CurrentText, line: usize, frame: &ParsedFrame) -> bool {
    let text = line.checked_sub(1).and_then(|line| current.text.line(line));
    text.is_some_and(|text| text.trim().starts_with(frame.code.as_str()))
}

fn is_in_function(current: &CurrentText, line: usize, frame: &ParsedFrame) -> bool {
    let holds = |row: &&Row| (row.start_line as usize) < line && line <= row.end_line as usize + 1;
    let mut around = current.outline.rows.iter().filter(holds);
    match frame.method.as_str() {
        // A syntax error.
        "" => true,
        // Heads of functions, with their defaults and decorators, run at the top level, too.
        "<module>" => !around.any(|row| row.kind().is_callable() && row.name_line as usize + 1 < line),
        unnamed if UNNAMED.contains(&unnamed) => true,
        name => around.any(|row| current.outline.name(row) == name),
    }
}

fn is_function(current: &CurrentText, row: &Row, name: &str) -> bool {
    row.kind().is_callable() && current.outline.name(row) == name
}
