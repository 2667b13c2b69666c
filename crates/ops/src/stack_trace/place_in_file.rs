//! Places a frame in one file: the class first, then the method, then the line. Invariant: a place that is not sure says why.

use super::declared::{FrameDeclarations, UnnamedClasses};
use super::named_text::NamedText;
use super::names::{COMPANION, SourceNames, source_names};
use super::parse::ParsedFrame;
use super::python_place;
use crate::code_context::counted_lines;
use symd_base::RelPath;
use symd_engine::CurrentText;
use symd_resolve::attributed_row;

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
    /// Why the line differs from the frame's although the place is sure.
    pub remark: Option<String>,
    /// Whether it may be wrong because the sources are not those that were built.
    pub differs: bool,
    /// Whether only the line tells it from other declarations that the frame's names mean.
    pub is_by_line: bool,
}

/// Returns the name path of the declaration that holds the first character of a line.
pub(crate) fn declaration_at(current: &CurrentText, line: usize) -> String {
    attributed(current, line).map_or_else(String::new, |row| current.outline.name_path(row))
}

pub(super) fn attributed(current: &CurrentText, line: usize) -> Option<usize> {
    let start = current.text.line_start(line - 1);
    let text = current.text.line(line - 1)?;
    let indent = text.len() - text.trim_start().len();
    attributed_row(&current.outline, u32::try_from(start + indent).ok()?)
}

/// Whether a frame fits a text of its file without a doubt.
pub(super) fn fits(path: &RelPath, source: &NamedText, frame: &ParsedFrame) -> bool {
    if !frame.path.is_empty() {
        return python_place::place(path, &source.current, frame).doubt.is_none();
    }
    source_names(frame).is_some_and(|names| place(path, source, &names, (frame, false)).doubt.is_none())
}

pub(super) fn declarations<'s>(
    path: &RelPath,
    source: &'s NamedText,
    names: &'s SourceNames,
) -> FrameDeclarations<'s> {
    let unnamed = match path.file_name().ends_with(".java") {
        true => UnnamedClasses::OfClasses,
        false => UnnamedClasses::OfInitializers,
    };
    FrameDeclarations::of(source, names, unnamed)
}

/// `is_made`: the compiler made the frame's method.
pub(super) fn place(
    path: &RelPath,
    source: &NamedText,
    names: &SourceNames,
    (frame, is_made): (&ParsedFrame, bool),
) -> FramePlace {
    let current = &source.current;
    let lines = counted_lines(&current.text);
    let at = |line: usize, doubt: Option<String>| FramePlace {
        path: path.clone(),
        line,
        name_path: declaration_at(current, line),
        doubt,
        remark: None,
        differs: false,
        is_by_line: false,
    };
    let by_line = |line: usize, doubt: Option<String>| FramePlace { is_by_line: true, ..at(line, doubt) };
    let differing = |line: usize, why: String| FramePlace {
        differs: true,
        ..at(line, Some(format!("sources differ from the build: {why}")))
    };
    let outer_doubt = outer_doubt(source, names);
    let declared = declarations(path, source, names);
    let class = declared.class_name().unwrap_or(path.file_name());
    // A lambda that a constructor's variable holds has that name.
    let may_be_variable = |line: usize| names.has_unnamed && line <= lines && declared.may_hold(line);
    let is_made_companion = |missing: &str, line: usize| missing == COMPANION && declared.is_class_line(line);
    if let Some(missing) = declared.missing()
        && !frame.source_line().is_some_and(|line| may_be_variable(line) || is_made_companion(missing, line))
    {
        return differing(declared.class_line().unwrap_or(1), format!("{class} has no {missing}"));
    }
    let named = declared.members();
    let declared_line = named.first().map(|&row| declared.line_of(row));
    // Where a frame is that no declaration has the name of.
    let nearest = || declared.only_initializer().map(|row| declared.line_of(row)).or(declared.class_line());
    let outer_doubt = outer_doubt.or_else(|| {
        let is_mapped = frame.map_id.is_some() && frame.line.is_some();
        is_mapped.then(|| "its line is R8's, and no mapping gives that of the source".to_owned())
    });
    let Some(line) = frame.source_line() else {
        return match (named.as_slice(), declared_line) {
            ([_], Some(line)) => at(line, outer_doubt),
            (_, Some(line)) => {
                at(line, Some("the frame has no line, and several declarations have its name".to_owned()))
            }
            (_, None) if is_made && declared.only_made_of_class() => {
                at(declared.class_line().unwrap_or(1), outer_doubt)
            }
            (_, None) => {
                let nearest = nearest();
                let why = match names.members.first() {
                    Some(member) if !declared.is_local() && !names.is_of_class => {
                        return differing(nearest.unwrap_or(1), format!("{class} has no {}", member.name));
                    }
                    _ if names.is_of_class && nearest.is_some() => {
                        "the frame has no line: it may be any constructor or initializer of the class"
                    }
                    _ => "the frame has no line",
                };
                at(nearest.unwrap_or(1), outer_doubt.or(Some(why.to_owned())))
            }
        };
    };
    if line > lines {
        // The compiler numbers the lines of inlined functions past the end of the file.
        let inlined = format!("line {line} is past the end of the file, as that of inlined code may be");
        return match declared_line {
            Some(declared) if named.len() == 1 => at(declared, Some(inlined)),
            Some(declared) => at(declared, Some(format!("{inlined}; several declarations have its name"))),
            None => match names.members.first().filter(|_| !declared.has_no_name()) {
                Some(member) => differing(
                    declared.class_line().unwrap_or(lines.max(1)),
                    format!("{class} has no {}", member.name),
                ),
                None => at(lines.max(1), Some(inlined)),
            },
        };
    }
    if named.iter().any(|&row| declared.holds(row, line)) {
        return FramePlace { is_by_line: named.len() > 1, ..at(line, outer_doubt) };
    }
    // An accessor and a bridge have the name of the method that they call.
    if let [called] = named.as_slice()
        && declared.is_class_line(line)
        && declared.may_have_caller(*called)
    {
        return at(declared.line_of(*called), outer_doubt);
    }
    // Nothing but the class is known of a lambda, an initializer or a generated method.
    if named.is_empty() && declared.has_no_name() && declared.class_holds(line) && declared.may_hold(line) {
        return by_line(line, outer_doubt);
    }
    // Methods that the compiler makes for a class have its line, such as those that call a default of an interface.
    if named.is_empty() && declared.is_class_line(line) {
        return at(line, outer_doubt);
    }
    if let Some(&row) = named.first() {
        let member = current.outline.name(&current.outline.rows[row]);
        return differing(declared.line_of(row), format!("line {line} is not in {member}"));
    }
    let nearest = nearest();
    if declared.is_local() {
        return differing(nearest.unwrap_or(line), format!("line {line} is in no unnamed class of {class}"));
    }
    match (names.members.first(), nearest) {
        (Some(member), Some(nearest)) if !declared.class_holds(line) => {
            differing(nearest, format!("{class} has no {}", member.name))
        }
        (Some(member), _) => differing(line, format!("{} has no {}", path.file_name(), member.name)),
        (None, Some(nearest)) => differing(nearest, format!("line {line} is in no initializer of {class}")),
        (None, None) => differing(line, format!("{} has no {}", path.file_name(), names.outer)),
    }
}

/// Returns the doubt about a file that does not declare the frame's outermost class.
pub(super) fn outer_doubt(source: &NamedText, names: &SourceNames) -> Option<String> {
    let outline = &source.current.outline;
    let is_declared =
        outline.rows.iter().any(|row| row.parent().is_none() && outline.name(row) == names.outer);
    let is_known = is_declared || source.is_facade(&names.outer);
    (!is_known).then(|| format!("this file declares no {}", names.outer))
}
