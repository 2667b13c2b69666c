//! Reads one frame of an obfuscated program by a mapping. Invariant: an ambiguous frame keeps every alternative, and frames that were
//! inlined into one keep their order.

use std::collections::BTreeMap;

use proguard::{ProguardMapper, StackFrame};

use super::mapping_lines::name_in_source;
use super::mapping_methods::{MappedMethod, Methods};
use super::parse::{FrameNumber, ParsedFrame};

/// Returns the frames that were inlined into one, the innermost first; or one frame, with its other readings. `thrown` is the error that
/// was thrown in the frame, if one was.
pub(super) fn retraced(
    mapper: &ProguardMapper<'_>,
    (methods, files): (&Methods, &BTreeMap<String, String>),
    own_class: Option<&String>,
    frame: &ParsedFrame,
    thrown: Option<&str>,
) -> Vec<ParsedFrame> {
    let Some(own_class) = own_class else { return vec![frame.clone()] };
    let known = methods_of(methods, frame);
    if !known.is_empty() && thrown.is_none() && known.iter().all(|method| method.is_made) {
        return Vec::new();
    }
    let Some(line) = frame.line.filter(|line| *line > 0) else {
        // R8's range of what has no line: 0:0.
        let group: Vec<&MappedMethod> =
            known.iter().filter(|method| method.has_own_lines() && method.holds(0)).collect();
        if !group.is_empty() {
            let frames = group.iter().map(|method| reading(method, files, method.only_line())).collect();
            return of_source(frames, &group, thrown);
        }
        return vec![one_of(readings(&outermost(known), files, None), own_class, frame)];
    };
    let own_line = Some(line).filter(|_| frame.number != FrameNumber::Offsets);
    let asked = StackFrame::new(&frame.class, &frame.method, line);
    let found: Vec<ParsedFrame> = mapper
        .remap_frame(&asked)
        .map(|found| ParsedFrame {
            class: found.class().to_owned(),
            method: name_in_source(found.method()),
            // The crate guesses one from the class where the mapping has none.
            file: files.get(found.class()).cloned().unwrap_or_default(),
            line: found.line().filter(|line| *line > 0),
            ..ParsedFrame::default()
        })
        .collect();
    let group: Vec<&MappedMethod> = known.iter().filter(|method| method.holds(line)).collect();
    if !group.is_empty() && found.len() == group.len() {
        // Inlined code has lines of its own; methods that share a name and a line have not.
        let are_overloads = group.len() > 1 && group.iter().all(|method| !method.has_own_lines());
        let with_line = |(mut one, method): (ParsedFrame, &&MappedMethod)| {
            if !method.has_own_lines() {
                one.line = own_line;
                // They tell overloads apart, and differ between mappings of several builds.
                one.mapped_lines = method.lines.filter(|_| are_overloads);
            }
            one
        };
        let frames: Vec<ParsedFrame> = found.into_iter().zip(&group).map(with_line).collect();
        return match are_overloads {
            true => vec![one_of(frames, own_class, frame)],
            false => of_source(frames, &group, thrown),
        };
    }
    if !group.is_empty() && !found.is_empty() {
        return found;
    }
    // Lines that no range has are the program's own, or those of a method of one line.
    let plain: Vec<&MappedMethod> = known.iter().filter(|method| method.lines.is_none()).collect();
    if !plain.is_empty() {
        return vec![one_of(readings(&plain, files, own_line), own_class, frame)];
    }
    // Each method of the name may be meant, and the line is unknown.
    let mut one = one_of(readings(&outermost(known), files, None), own_class, frame);
    // A mapping that is cut, or of another build, has not the range either.
    one.reading_doubt = Some(format!("no range of the mapping has line {line}"));
    vec![one]
}

/// Returns the methods that a frame of the obfuscated program may be of.
pub(super) fn methods_of<'m>(methods: &'m Methods, frame: &ParsedFrame) -> &'m [MappedMethod] {
    methods.get(&(frame.class.clone(), frame.method.clone())).map_or(&[][..], Vec::as_slice)
}

/// Returns those of a group's frames that are in the source and that the error went through; at least one.
fn of_source(frames: Vec<ParsedFrame>, group: &[&MappedMethod], thrown: Option<&str>) -> Vec<ParsedFrame> {
    let rewritings = group.iter().filter_map(|method| method.rewriting.as_ref());
    let met = rewritings.filter(|rewriting| thrown.is_some_and(|thrown| rewriting.is_meant(thrown)));
    let removed = met.map(|rewriting| rewriting.removed).fold(0, usize::saturating_add);
    let mut frames: Vec<(ParsedFrame, bool)> =
        frames.into_iter().zip(group.iter().map(|method| method.is_made)).collect();
    frames.drain(..removed.min(frames.len().saturating_sub(1)));
    if frames.iter().any(|(_, is_made)| !is_made) {
        frames.retain(|(_, is_made)| !is_made);
    }
    frames.into_iter().map(|(frame, _)| frame).collect()
}

/// Returns the methods without those that were inlined into the next one.
fn outermost(known: &[MappedMethod]) -> Vec<&MappedMethod> {
    let next = known.iter().skip(1).map(Some).chain([None]);
    let is_inlined = |one: &MappedMethod, next: Option<&MappedMethod>| {
        one.lines.is_some() && one.has_own_lines() && next.is_some_and(|next| next.lines == one.lines)
    };
    known.iter().zip(next).filter(|(one, next)| !is_inlined(one, *next)).map(|(one, _)| one).collect()
}

fn reading(method: &MappedMethod, files: &BTreeMap<String, String>, line: Option<usize>) -> ParsedFrame {
    ParsedFrame {
        class: method.class.clone(),
        method: method.method.clone(),
        file: files.get(&method.class).cloned().unwrap_or_default(),
        line,
        ..ParsedFrame::default()
    }
}

/// Returns the frames of methods, each once; `line` is one that no range of the mapping has.
fn readings(
    methods: &[&MappedMethod],
    files: &BTreeMap<String, String>,
    line: Option<usize>,
) -> Vec<ParsedFrame> {
    let mut all: Vec<ParsedFrame> = Vec::new();
    for method in methods {
        let reading = reading(method, files, method.line_outside(line));
        if !all.contains(&reading) {
            all.push(reading);
        }
    }
    all
}

/// Returns the first reading with the others as its alternatives; with none only the class has its own name again.
fn one_of(readings: Vec<ParsedFrame>, own_class: &str, frame: &ParsedFrame) -> ParsedFrame {
    let mut readings = readings.into_iter();
    match readings.next() {
        Some(first) => ParsedFrame { alternatives: readings.collect(), ..first },
        None => ParsedFrame { class: own_class.to_owned(), ..frame.clone() },
    }
}
