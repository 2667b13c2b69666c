//! Reads a mapping line by line, and keeps what it says of the classes and methods that traces name. The start of a mapping that was cut
//! is one, too.

use std::collections::{BTreeMap, BTreeSet};

use memchr::memrchr;

use super::mapping::{MAX_SECTIONS, MappingMisfit, TraceMapping};
use super::mapping_lines::{class_line, map_id, source_file, with_one_word};
use super::parse::ParsedTrace;

/// Maximum number of identities that are kept; a mapping has two.
const MAX_IDS: usize = 16;

/// Reads a mapping line by line.
pub(super) struct MappingReader<'t> {
    traces: &'t [ParsedTrace],
    /// The classes that the traces name, with their methods.
    named: BTreeMap<&'t str, BTreeSet<&'t str>>,
    mapping: TraceMapping,
    /// The class that the line belongs to, if the traces name it.
    class: Option<&'t str>,
    /// Whether the line's member, if it has one, is named too.
    is_named_member: bool,
    has_class: bool,
    is_too_big: bool,
}

impl<'t> MappingReader<'t> {
    pub(super) fn of(traces: &'t [ParsedTrace]) -> MappingReader<'t> {
        let mut named: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for trace in traces {
            named.entry(&trace.error_type).or_default();
            for frame in &trace.frames {
                named.entry(&frame.class).or_default().insert(&frame.method);
            }
        }
        let mapping =
            TraceMapping { sections: Vec::new(), ids: Vec::new(), classes: BTreeMap::new(), cut_class: None };
        MappingReader {
            traces,
            named,
            mapping,
            class: None,
            is_named_member: true,
            has_class: false,
            is_too_big: false,
        }
    }

    /// Takes the next line, with its line break if it has one.
    pub(super) fn line(&mut self, line: &[u8]) {
        match line.first() {
            Some(b' ' | b'\t') => self.member(line),
            Some(b'#') if self.mapping.ids.len() < MAX_IDS => self.mapping.ids.extend(map_id(line)),
            Some(b'#') => {}
            _ => self.begin_class(line),
        }
        // A comment belongs to the member before it, but for the file of the class.
        let is_kept = self.class.is_some() && (self.is_named_member || source_file(line).is_some());
        self.is_too_big |= is_kept && self.mapping.sections.len() + line.len() > MAX_SECTIONS;
        if is_kept && !self.is_too_big {
            self.mapping.sections.extend_from_slice(&with_one_word(line));
        }
    }

    fn begin_class(&mut self, line: &[u8]) {
        let class = class_line(line);
        self.has_class |= class.is_some();
        self.is_named_member = true;
        self.class = None;
        if let Some((original, obfuscated)) = class
            && let Some((&named, _)) = self.named.get_key_value(obfuscated)
        {
            self.class = Some(named);
            self.mapping.classes.insert(obfuscated.to_owned(), original.to_owned());
        }
    }

    /// Takes a member, or a comment of one.
    fn member(&mut self, line: &[u8]) {
        let Some(methods) = self.class.and_then(|class| self.named.get(class)) else { return };
        let line = line.trim_ascii();
        if !line.starts_with(b"#") {
            let start = memrchr(b' ', line).map_or(0, |blank| blank + 1);
            let name = std::str::from_utf8(&line[start..]).unwrap_or_default();
            self.is_named_member = methods.contains(name);
        }
    }

    /// Notes that the file ends within a line.
    pub(super) fn cut(&mut self) {
        self.mapping.cut_class = self.class.map(str::to_owned);
    }

    /// Returns the sections of the classes that the traces name.
    pub(super) fn finish(self) -> Result<TraceMapping, MappingMisfit> {
        let MappingReader { traces, mapping, .. } = self;
        if !self.has_class {
            return Err(MappingMisfit::NoMapping);
        }
        let frames = traces.iter().flat_map(|trace| &trace.frames);
        let said: BTreeSet<&str> = frames.filter_map(|frame| frame.map_id.as_deref()).collect();
        if let Some(said) = said.iter().find(|said| !mapping.ids.is_empty() && !mapping.is_called(said)) {
            let (frames, mapping) = ((*said).to_owned(), mapping.ids.join(" / "));
            return Err(MappingMisfit::OtherBuild { frames, mapping });
        }
        if mapping.classes.is_empty() {
            return Err(MappingMisfit::NoClass);
        }
        if self.is_too_big {
            return Err(MappingMisfit::TooBig);
        }
        Ok(mapping)
    }
}
