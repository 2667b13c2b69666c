//! Places frames in the project's files: package and file name first, then the method, then the line. Invariant: a place
//! that is not sure says why.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::PlaceCode;
use super::names::{SourceNames, source_names};
use super::parse::ParsedFrame;
use super::python_place::{self, written_files};
use super::source_version::SourceVersion;
use crate::code_context::{counted_lines, lines_of};
use symd_base::RelPath;
use symd_engine::CurrentText;
use symd_resolve::attributed_row;
use symd_syntax::{Row, SymbolKind};

/// The lines of code before and after a place.
const CODE_LINES: usize = 3;

/// The place of a frame in the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FramePlace {
    pub path: RelPath,
    /// The line, from 1: the frame's own, or that of the declaration where the frame's cannot be right.
    pub line: usize,
    /// The name path of the declaration; empty at a file's top level.
    pub name_path: String,
    /// Why the place may be wrong.
    pub doubt: Option<String>,
    /// Whether it may be wrong because the sources are not those that were built.
    pub differs: bool,
}

/// Returns the names of the files that frames may lie in.
pub(super) fn file_names(frames: &[&ParsedFrame]) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    for frame in frames {
        if frame.file.is_empty() {
            let outer = source_names(frame).map(|names| names.outer).unwrap_or_default();
            names.extend(files_of_class(&outer));
        } else {
            names.insert(frame.file.clone());
        }
    }
    names
}

/// Returns the names that the file of a class usually has.
fn files_of_class(outer: &str) -> Vec<String> {
    let stem = outer.strip_suffix("Kt").unwrap_or(outer);
    vec![format!("{stem}.kt"), format!("{outer}.kt"), format!("{outer}.java")]
}

/// The files that frames may lie in.
pub(super) struct SourceFiles<'v> {
    version: &'v dyn SourceVersion,
    /// The absolute path of the project's root.
    root: &'v Path,
    read: BTreeMap<RelPath, Option<Arc<CurrentText>>>,
}

impl<'v> SourceFiles<'v> {
    pub(super) fn of(version: &'v dyn SourceVersion, root: &'v Path) -> SourceFiles<'v> {
        SourceFiles { version, root, read: BTreeMap::new() }
    }

    /// Returns the code around a place.
    pub(super) fn code(&mut self, place: &FramePlace) -> Option<PlaceCode> {
        let text = &self.read(&place.path)?.text;
        let last = counted_lines(text);
        if place.line == 0 || place.line > last {
            return None;
        }
        let (first, last) =
            (place.line.saturating_sub(CODE_LINES).max(1), (place.line + CODE_LINES).min(last));
        let lines = (first..=last).map(|line| lines_of(text, line - 1, line - 1)).collect();
        Some(PlaceCode { first_line: first, lines })
    }

    /// Returns the places that a frame may have, the likeliest first; none if it is not of this project.
    pub(super) fn places(&mut self, frame: &ParsedFrame) -> Vec<FramePlace> {
        if frame.alternatives.is_empty() {
            return self.places_of(frame);
        }
        let doubt = format!("the mapping has {} methods for it", frame.alternatives.len() + 1);
        let readings = std::iter::once(frame).chain(&frame.alternatives);
        let places = readings.flat_map(|reading| self.places_of(reading)).collect::<Vec<_>>();
        let mut all: Vec<FramePlace> = Vec::new();
        for place in places {
            let place = FramePlace { doubt: Some(doubt.clone()), ..place };
            if !all.contains(&place) {
                all.push(place);
            }
        }
        all
    }

    fn places_of(&mut self, frame: &ParsedFrame) -> Vec<FramePlace> {
        if !frame.path.is_empty() {
            return self.of_path(frame);
        }
        let Some(names) = source_names(frame) else { return self.of_file_alone(frame) };
        let file_names = match frame.file.as_str() {
            "" => files_of_class(&names.outer),
            file => vec![file.to_owned()],
        };
        let mut files: Vec<RelPath> =
            file_names.iter().flat_map(|name| self.version.named(name).iter().cloned()).collect();
        files.dedup();
        if files.is_empty() && frame.file.is_empty() {
            files = self.version.declaring(&names.package, &names.outer);
        }
        let mut all: Vec<FramePlace> = Vec::new();
        for path in files {
            let Some(current) = self.read(&path) else { continue };
            if current.outline.imports.package().unwrap_or_default() == names.package {
                all.push(place(&path, &current, &names, frame));
            }
        }
        let sure: Vec<FramePlace> = all.iter().filter(|place| place.doubt.is_none()).cloned().collect();
        match (sure.len(), all.len()) {
            (1, _) => sure,
            (0, _) => all,
            (count, _) => sure
                .into_iter()
                .map(|place| FramePlace { doubt: Some(format!("{count} files fit it")), ..place })
                .collect(),
        }
    }

    fn of_path(&mut self, frame: &ParsedFrame) -> Vec<FramePlace> {
        let files = written_files(&frame.path, self.root, self.version.named(&frame.file));
        let placed = |(path, doubt)| {
            let place = python_place::place(&path, &*self.read(&path)?, frame);
            Some(FramePlace { doubt: place.doubt.clone().or(doubt), ..place })
        };
        files.into_iter().filter_map(placed).collect()
    }

    fn of_file_alone(&mut self, frame: &ParsedFrame) -> Vec<FramePlace> {
        let files = self.version.named(&frame.file).to_vec();
        let count = files.len();
        let mut all = Vec::new();
        for path in files {
            let Some(current) = self.read(&path) else { continue };
            let Some(line) = frame.line.filter(|line| (1..=counted_lines(&current.text)).contains(line))
            else {
                continue;
            };
            let name_path = declaration_at(&current, line);
            let doubt = match count {
                1 => "only the file's name is known".to_owned(),
                count => format!("only the file's name is known, and {count} files have it"),
            };
            all.push(FramePlace { path, line, name_path, doubt: Some(doubt), differs: false });
        }
        all
    }

    fn read(&mut self, path: &RelPath) -> Option<Arc<CurrentText>> {
        let version = self.version;
        self.read.entry(path.clone()).or_insert_with(|| version.read(path).map(Arc::new)).clone()
    }
}

/// Returns the name path of the declaration that holds the first character of a line.
pub(crate) fn declaration_at(current: &CurrentText, line: usize) -> String {
    attributed(current, line).map_or_else(String::new, |row| current.outline.name_path(row))
}

fn attributed(current: &CurrentText, line: usize) -> Option<usize> {
    let start = current.text.line_start(line - 1);
    let text = current.text.line(line - 1)?;
    let indent = text.len() - text.trim_start().len();
    attributed_row(&current.outline, u32::try_from(start + indent).ok()?)
}

/// Whether a frame fits a text of its file without a doubt.
pub(super) fn fits(path: &RelPath, current: &CurrentText, frame: &ParsedFrame) -> bool {
    if !frame.path.is_empty() {
        return python_place::place(path, current, frame).doubt.is_none();
    }
    source_names(frame).is_some_and(|names| place(path, current, &names, frame).doubt.is_none())
}

fn place(path: &RelPath, current: &CurrentText, names: &SourceNames, frame: &ParsedFrame) -> FramePlace {
    let lines = counted_lines(&current.text);
    let at = |line: usize, doubt: Option<String>| FramePlace {
        path: path.clone(),
        line,
        name_path: declaration_at(current, line),
        doubt,
        differs: false,
    };
    let differing = |line: usize, why: String| FramePlace {
        differs: true,
        ..at(line, Some(format!("sources differ from the build: {why}")))
    };
    let outer_doubt = outer_doubt(current, names);
    let named = named_rows(current, names);
    let declared_line = named.first().map(|&row| current.outline.rows[row].name_line as usize + 1);
    let Some(line) = frame.line.filter(|line| *line > 0) else {
        return match (named.as_slice(), declared_line) {
            ([_], Some(line)) => at(line, outer_doubt),
            (_, Some(line)) => {
                at(line, Some("the frame has no line, and several declarations have its name".to_owned()))
            }
            (_, None) => {
                let class =
                    class_row(current, names).map(|row| current.outline.rows[row].name_line as usize + 1);
                let why = match names.is_of_class && class.is_some() {
                    true => "the frame has no line: it may be any constructor or initializer of the class",
                    false => "the frame has no line",
                };
                at(class.unwrap_or(1), outer_doubt.or(Some(why.to_owned())))
            }
        };
    };
    if line > lines {
        // The compiler numbers the lines of inlined functions past the end of the file.
        let inlined = format!("line {line} is past the end of the file: code that was inlined here");
        return match declared_line {
            Some(declared) if named.len() == 1 => at(declared, Some(inlined)),
            Some(declared) => at(declared, Some(format!("{inlined}; several declarations have its name"))),
            None => at(lines.max(1), Some(inlined)),
        };
    }
    let holds = |row: &Row| (row.start_line as usize) < line && line <= row.end_line as usize + 1;
    if named.iter().any(|&row| holds(&current.outline.rows[row])) {
        return at(line, outer_doubt);
    }
    // An object expression, an enum entry or a lambda: its own methods are no symbols, the declaration around it is.
    if within_nested(current, names, line) {
        return at(line, outer_doubt);
    }
    let in_class = class_row(current, names).is_none_or(|row| holds(&current.outline.rows[row]));
    // Nothing but the class is known of a lambda, an initializer or a generated method.
    let has_no_name =
        names.is_of_class || names.members.is_empty() || names.has_unnamed && names.nested.is_empty();
    if has_no_name && in_class && fits_nested(current, names, line) {
        return at(line, outer_doubt);
    }
    // Methods that the compiler makes for a class have its line, such as those that call a default of an interface.
    if named.is_empty() && is_class_line(current, names, line) {
        return at(line, outer_doubt);
    }
    let member = names.members.first().map_or("<init>", String::as_str);
    match declared_line {
        Some(declared) => differing(declared, format!("line {line} is not in {member}")),
        // The name that `@JvmName` gives.
        None if has_jvm_name(current, line, &frame.method) => at(line, outer_doubt),
        None => differing(line, format!("{} has no {member}", path.file_name())),
    }
}

/// Returns the doubt about a file that does not declare the frame's outermost class.
fn outer_doubt(current: &CurrentText, names: &SourceNames) -> Option<String> {
    let outline = &current.outline;
    let is_declared =
        outline.rows.iter().any(|row| row.parent().is_none() && outline.name(row) == names.outer);
    let text = current.text.as_str();
    let is_facade = names.outer.ends_with("Kt") || text.contains(&format!("JvmName(\"{}\")", names.outer));
    (!is_declared && !is_facade).then(|| format!("this file declares no {}", names.outer))
}

/// Returns the rows that have one of the frame's member names, within its class if the file declares that.
fn named_rows(current: &CurrentText, names: &SourceNames) -> Vec<usize> {
    let outline = &current.outline;
    let within = class_row(current, names);
    let is_within = |row: usize| {
        within.is_none_or(|class| row != class && is_inside(outline.rows[row], outline.rows[class]))
    };
    let of = |wanted: &[String]| -> Vec<usize> {
        (0..outline.rows.len())
            .filter(|&row| {
                wanted.iter().any(|name| outline.name(&outline.rows[row]) == name) && is_within(row)
            })
            .collect()
    };
    let members = of(&names.members);
    // A lambda's function is a part of its class's name.
    if members.is_empty() && names.members.is_empty() && !names.is_of_class {
        let functions: Vec<String> = names.nested.iter().rev().take(2).cloned().collect();
        return of(&functions).into_iter().filter(|&row| !is_class(&outline.rows[row])).collect();
    }
    members
}

fn is_inside(row: Row, class: Row) -> bool {
    class.start <= row.start && row.end <= class.end
}

pub(super) fn is_class(row: &Row) -> bool {
    use SymbolKind::{Class, Enum, Interface, Object, Struct};
    matches!(row.kind(), Class | Enum | Interface | Object | Struct)
}

/// Returns the row of the innermost class of the frame that the file declares.
fn class_row(current: &CurrentText, names: &SourceNames) -> Option<usize> {
    let outline = &current.outline;
    let find = |name: &str, within: Option<usize>| {
        (0..outline.rows.len()).find(|&row| {
            let this = &outline.rows[row];
            is_class(this)
                && outline.name(this) == name
                && within.map_or(this.parent().is_none(), |class| is_inside(*this, outline.rows[class]))
        })
    };
    let mut class = find(&names.outer, None)?;
    for part in &names.nested {
        class = find(part, Some(class)).unwrap_or(class);
    }
    Some(class)
}

/// Whether a function, a property or an enum entry in the class's name holds the line.
fn within_nested(current: &CurrentText, names: &SourceNames, line: usize) -> bool {
    let outline = &current.outline;
    let holds = |row: &Row| (row.start_line as usize) < line && line <= row.end_line as usize + 1;
    let within = class_row(current, names);
    let rows = outline.rows.iter().filter(|row| !is_class(row) && holds(row));
    let mut rows = rows.filter(|row| within.is_none_or(|class| is_inside(**row, outline.rows[class])));
    rows.any(|row| {
        let is_part = names.nested.iter().any(|part| outline.name(row) == part);
        is_part && (names.has_unnamed || row.kind() == SymbolKind::EnumMember)
    })
}

fn is_class_line(current: &CurrentText, names: &SourceNames, line: usize) -> bool {
    class_row(current, names).is_some_and(|row| {
        let row = &current.outline.rows[row];
        line == row.name_line as usize + 1 || line == row.start_line as usize + 1
    })
}

/// Whether the functions in the class's name, where the file declares them, hold the line.
fn fits_nested(current: &CurrentText, names: &SourceNames, line: usize) -> bool {
    let outline = &current.outline;
    names.nested.iter().all(|part| {
        let mut rows = outline.rows.iter().filter(|row| outline.name(row) == part).peekable();
        rows.peek().is_none()
            || rows.any(|row| (row.start_line as usize) < line && line <= row.end_line as usize + 1)
    })
}

/// Whether the declaration at a line has `@JvmName` with this name.
fn has_jvm_name(current: &CurrentText, line: usize, method: &str) -> bool {
    let Some(row) = attributed(current, line) else { return false };
    let name = method.split('$').next().unwrap_or(method);
    current.text.slice(current.outline.rows[row].range()).contains(&format!("JvmName(\"{name}\")"))
}
