//! The methods that a mapping has under an obfuscated name, with their lines in both programs, and what remarks say of them.

use std::collections::BTreeMap;

use proguard::ProguardRecord;

use super::mapping_lines::{class_line, name_in_source, source_file};
use super::mapping_remarks::{FrameRewriting, OutlineCalls, Remark};
use super::parse::ParsedFrame;

/// A method, or a part of one that was inlined, under an obfuscated name.
#[derive(Clone, Debug)]
pub(super) struct MappedMethod {
    pub(super) class: String,
    pub(super) method: String,
    /// The lines of the obfuscated program; `None` if it has one line, or the program's own.
    pub(super) lines: Option<(usize, usize)>,
    /// The first and the last of the lines that the mapping has for these; 0 if it is unknown.
    pub(super) own_lines: Option<(usize, Option<usize>)>,
    /// Whether the compiler made it: it stands in no source.
    pub(super) is_made: bool,
    pub(super) rewriting: Option<FrameRewriting>,
    /// Whether it holds code of the methods that call it.
    pub(super) is_outline: bool,
    pub(super) outline_calls: Vec<OutlineCalls>,
}

impl MappedMethod {
    pub(super) fn has_own_lines(&self) -> bool {
        self.own_lines.is_some()
    }

    pub(super) fn holds(&self, line: usize) -> bool {
        self.lines.is_some_and(|(first, last)| (first..=last).contains(&line))
    }

    /// Returns the line of the source for a frame's own line, which no range of the mapping has.
    pub(super) fn line_outside(&self, line: Option<usize>) -> Option<usize> {
        match self.own_lines {
            _ if self.lines.is_some() => None,
            None => line,
            // Whatever R8 numbers in a method of one line, it is this one.
            Some(_) => self.only_line(),
        }
    }

    /// Returns the only line that the mapping has for it.
    pub(super) fn only_line(&self) -> Option<usize> {
        let (first, last) = self.own_lines?;
        (first > 0 && last.is_none_or(|last| last == first)).then_some(first)
    }
}

/// Returns the line that a frame of methods of one name stands for if they called an outline, whose frame is the one before.
pub(super) fn line_at_outline(
    known: &[MappedMethod],
    frame: &ParsedFrame,
    outline: &ParsedFrame,
) -> Option<usize> {
    let of_frame = known
        .iter()
        .filter(|method| method.lines.is_none() || frame.line.is_none_or(|line| method.holds(line)));
    let mut calls = of_frame.flat_map(|method| &method.outline_calls);
    calls.find_map(|calls| calls.line_of((&outline.class, &outline.method), outline.line?))
}

/// By obfuscated class and method.
pub(super) type Methods = BTreeMap<(String, String), Vec<MappedMethod>>;

/// Returns the names of the files that R8 writes down, by class.
pub(super) fn files(sections: &[u8]) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut class = String::new();
    for line in sections.split(|byte| *byte == b'\n') {
        if let Some((original, _)) = class_line(line) {
            original.clone_into(&mut class);
        } else if let Some(file) = source_file(line) {
            files.insert(class.clone(), file.to_owned());
        }
    }
    files
}

/// Returns the methods of each class, by their obfuscated names.
pub(super) fn methods(sections: &[u8]) -> Methods {
    let mut methods = Methods::new();
    let mut class = (String::new(), String::new());
    // The method that comments belong to; none at the head of a class.
    let mut last: Option<(String, String)> = None;
    let (mut is_made_class, mut has_member) = (false, false);
    for line in sections.split(|byte| *byte == b'\n') {
        if let Some(remark) = Remark::read(line) {
            let of_last =
                last.as_ref().and_then(|last| methods.get_mut(last)).and_then(|named| named.last_mut());
            match (remark, of_last) {
                (Remark::Synthesized, Some(method)) => method.is_made = true,
                // A remark behind a field is the field's.
                (Remark::Synthesized, None) => is_made_class |= !has_member,
                (Remark::Rewriting(rewriting), Some(method)) => method.rewriting = Some(rewriting),
                (Remark::Outline, Some(method)) => method.is_outline = true,
                (Remark::OutlineCalls(calls), Some(method)) => method.outline_calls.push(calls),
                (Remark::Rewriting(_) | Remark::Outline | Remark::OutlineCalls(_), None) => {}
            }
            continue;
        }
        match ProguardRecord::try_parse(line) {
            Ok(ProguardRecord::Class { original, obfuscated }) => {
                class = (original.to_owned(), obfuscated.to_owned());
                (last, is_made_class, has_member) = (None, false, false);
            }
            Ok(ProguardRecord::Method { original, obfuscated, original_class, line_mapping, .. }) => {
                let lines = line_mapping.and_then(|lines| Some((lines.startline?, lines.endline?)));
                let own_lines =
                    line_mapping.and_then(|lines| Some((lines.original_startline?, lines.original_endline)));
                let key = (class.1.clone(), obfuscated.to_owned());
                methods.entry(key.clone()).or_default().push(MappedMethod {
                    class: original_class.unwrap_or(&class.0).to_owned(),
                    method: name_in_source(original),
                    lines,
                    own_lines,
                    // What was inlined into a class that the compiler made is of the source.
                    is_made: is_made_class && original_class.is_none(),
                    rewriting: None,
                    is_outline: false,
                    outline_calls: Vec::new(),
                });
                (last, has_member) = (Some(key), true);
            }
            Ok(ProguardRecord::Field { .. }) => (last, has_member) = (None, true),
            _ => {}
        }
    }
    methods
}
