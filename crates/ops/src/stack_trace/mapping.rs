//! Traces of obfuscated programs: a mapping file of ProGuard or R8 gives the names and lines back. Only what it says of the
//! methods that the trace names is parsed: a mapping has tens of megabytes, and a class thousands of lines. Invariant: an ambiguous frame keeps every
//! alternative, and frames that were inlined into one keep their order.
//!
//! Formats: <https://www.guardsquare.com/manual/tools/retrace>, <https://r8.googlesource.com/r8/+/refs/heads/main/doc/retrace.md>.

use std::collections::{BTreeMap, BTreeSet};

use memchr::memrchr;
use proguard::{ProguardMapper, ProguardMapping, ProguardRecord, StackFrame};

use super::mapping_remarks::{FrameRewriting, Remark};
use super::parse::{FrameNumber, ParsedFrame, ParsedTrace};

/// Maximum size of the sections that a trace needs, in bytes: what they mean takes some ten times as much memory.
const MAX_SECTIONS: usize = 16 << 20;

/// Maximum number of identities that are kept; a mapping has two.
const MAX_IDS: usize = 16;

/// The part of a mapping that a trace needs.
#[derive(Clone, Debug)]
pub struct TraceMapping {
    sections: Vec<u8>,
    /// The identity that R8 gives the mapping: the values of `# pg_map_id` and `# pg_map_hash`.
    ids: Vec<String>,
    /// The obfuscated classes that the trace names, with their own names.
    classes: BTreeMap<String, String>,
    /// The obfuscated class in which the file was cut: more of its methods may be missing.
    cut_class: Option<String>,
}

/// Why a mapping is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingMisfit {
    #[error("it is no mapping of ProGuard or R8: no line such as `shop.Till -> a.a:`")]
    NoMapping,
    /// The trace and the mapping name different builds.
    #[error("it is of another build: the frames are of {frames}, the mapping is {mapping}")]
    OtherBuild { frames: String, mapping: String },
    #[error("it has none of the classes of the trace, so it is of another build")]
    NoClass,
    #[error(
        "what it says of the trace's classes has more than {} MiB; resolve fewer frames at once",
        MAX_SECTIONS >> 20
    )]
    TooBig,
}

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
            self.mapping.sections.extend_from_slice(line);
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

impl TraceMapping {
    /// Whether it gives another name to anything in the trace. A trace that is not obfuscated is not to be retraced.
    pub fn renames_any(&self, traces: &[ParsedTrace]) -> bool {
        if self.classes.iter().any(|(obfuscated, original)| obfuscated != original) {
            return true;
        }
        let methods = self.methods();
        traces.iter().flat_map(|trace| &trace.frames).any(|frame| {
            let known = methods.get(&(frame.class.clone(), frame.method.clone()));
            known.is_some_and(|known| known.iter().all(|method| method.method != frame.method))
        })
    }

    /// Returns how many of the trace's classes it has.
    pub(super) fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// Whether the mapping has this identity; frames may have the start of a hash only.
    pub(super) fn is_called(&self, id: &str) -> bool {
        self.ids.iter().any(|own| own.starts_with(id) || id.starts_with(own.as_str()))
    }

    /// Returns what each frame is in the program, in the order of the traces: the frames that were inlined into it, the innermost
    /// first. None are left of a frame that only the compiler's own code is in, unless an error was thrown there.
    pub(super) fn read(&self, traces: &[ParsedTrace]) -> Vec<Vec<ParsedFrame>> {
        let mapper = ProguardMapper::new(ProguardMapping::new(&self.sections));
        let (methods, files) = (self.methods(), self.files());
        let of_trace = |trace: &ParsedTrace| -> Vec<Vec<ParsedFrame>> {
            let thrown = self.class(&trace.error_type).unwrap_or(&trace.error_type);
            let read = |(at, frame): (usize, &ParsedFrame)| {
                let thrown = (at == 0).then_some(thrown);
                let own_class = self.classes.get(&frame.class);
                let mut frames = retraced(&mapper, (&methods, &files), own_class, frame, thrown);
                if self.cut_class.as_ref() == Some(&frame.class) {
                    let why = "the mapping ends within this class, so other methods may be meant";
                    frames.iter_mut().for_each(|frame| frame.reading_doubt = Some(why.to_owned()));
                }
                frames
            };
            trace.frames.iter().enumerate().map(read).collect()
        };
        traces.iter().flat_map(of_trace).collect()
    }

    /// Returns the program's own name of a class.
    pub(super) fn class(&self, obfuscated: &str) -> Option<&str> {
        self.classes.get(obfuscated).map(String::as_str)
    }

    /// Returns the names of the files that R8 writes down, by class.
    fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let mut class = String::new();
        for line in self.sections.split(|byte| *byte == b'\n') {
            if let Some((original, _)) = class_line(line) {
                original.clone_into(&mut class);
            } else if let Some(file) = source_file(line) {
                files.insert(class.clone(), file.to_owned());
            }
        }
        files
    }

    /// Returns the methods of each class, by their obfuscated names.
    fn methods(&self) -> Methods {
        let mut methods = Methods::new();
        let mut class = (String::new(), String::new());
        // The method that comments belong to; none at the head of a class.
        let mut last: Option<(String, String)> = None;
        let (mut is_made_class, mut has_member) = (false, false);
        for line in self.sections.split(|byte| *byte == b'\n') {
            if let Some(remark) = Remark::read(line) {
                let of_last =
                    last.as_ref().and_then(|last| methods.get_mut(last)).and_then(|named| named.last_mut());
                match (remark, of_last) {
                    (Remark::Synthesized, Some(method)) => method.is_made = true,
                    // A remark behind a field is the field's.
                    (Remark::Synthesized, None) => is_made_class |= !has_member,
                    (Remark::Rewriting(rewriting), Some(method)) => method.rewriting = Some(rewriting),
                    (Remark::Rewriting(_), None) => {}
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
                    let own_lines = line_mapping
                        .and_then(|lines| Some((lines.original_startline?, lines.original_endline)));
                    let key = (class.1.clone(), obfuscated.to_owned());
                    methods.entry(key.clone()).or_default().push(MappedMethod {
                        class: original_class.unwrap_or(&class.0).to_owned(),
                        method: original.to_owned(),
                        lines,
                        own_lines,
                        // What was inlined into a class that the compiler made is of the source.
                        is_made: is_made_class && original_class.is_none(),
                        rewriting: None,
                    });
                    (last, has_member) = (Some(key), true);
                }
                Ok(ProguardRecord::Field { .. }) => (last, has_member) = (None, true),
                _ => {}
            }
        }
        methods
    }
}

/// A method, or a part of one that was inlined, under an obfuscated name.
#[derive(Clone, Debug)]
struct MappedMethod {
    class: String,
    method: String,
    /// The lines of the obfuscated program; `None` if it has one line, or the program's own.
    lines: Option<(usize, usize)>,
    /// The first and the last of the lines that the mapping has for these; 0 if it is unknown.
    own_lines: Option<(usize, Option<usize>)>,
    /// Whether the compiler made it: it stands in no source.
    is_made: bool,
    rewriting: Option<FrameRewriting>,
}

impl MappedMethod {
    fn has_own_lines(&self) -> bool {
        self.own_lines.is_some()
    }

    fn holds(&self, line: usize) -> bool {
        self.lines.is_some_and(|(first, last)| (first..=last).contains(&line))
    }

    /// Returns the line of the source for a frame's own line, which no range of the mapping has.
    fn line_outside(&self, line: Option<usize>) -> Option<usize> {
        match self.own_lines {
            _ if self.lines.is_some() => None,
            None => line,
            // Whatever R8 numbers in a method of one line, it is this one.
            Some(_) => self.only_line(),
        }
    }

    /// Returns the only line that the mapping has for it.
    fn only_line(&self) -> Option<usize> {
        let (first, last) = self.own_lines?;
        (first > 0 && last.is_none_or(|last| last == first)).then_some(first)
    }
}

/// By obfuscated class and method.
type Methods = BTreeMap<(String, String), Vec<MappedMethod>>;

/// Returns the frames that were inlined into one, the innermost first; or one frame, with its other readings. `thrown` is the error that
/// was thrown in the frame, if one was.
fn retraced(
    mapper: &ProguardMapper<'_>,
    (methods, files): (&Methods, &BTreeMap<String, String>),
    own_class: Option<&String>,
    frame: &ParsedFrame,
    thrown: Option<&str>,
) -> Vec<ParsedFrame> {
    let Some(own_class) = own_class else { return vec![frame.clone()] };
    let known = methods.get(&(frame.class.clone(), frame.method.clone()));
    let known = known.map_or(&[][..], Vec::as_slice);
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
            method: found.method().to_owned(),
            // The crate guesses one from the class where the mapping has none.
            file: files.get(found.class()).cloned().unwrap_or_default(),
            line: found.line().filter(|line| *line > 0),
            ..ParsedFrame::default()
        })
        .collect();
    let group: Vec<&MappedMethod> = known.iter().filter(|method| method.holds(line)).collect();
    if !group.is_empty() && found.len() == group.len() {
        let with_line = |(mut one, method): (ParsedFrame, &&MappedMethod)| {
            if !method.has_own_lines() {
                one.line = own_line;
            }
            one
        };
        // Inlined code has lines of its own; methods that share a name and a line have not.
        let are_overloads = group.len() > 1 && group.iter().all(|method| !method.has_own_lines());
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

/// Returns the name in `# {"id":"sourceFile","fileName":"Till.kt"}`.
fn source_file(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line).ok()?.trim_start().strip_prefix('#')?;
    let (_, after) = line.contains("\"sourceFile\"").then(|| line.split_once("\"fileName\":\""))??;
    let file = after.split('"').next()?;
    (file.ends_with(".kt") || file.ends_with(".java")).then_some(file)
}

/// Returns the names of `shop.app.Till -> a.b:`: its own, and the obfuscated one.
fn class_line(line: &[u8]) -> Option<(&str, &str)> {
    let line = std::str::from_utf8(line).ok()?.trim_end();
    let (original, obfuscated) = line.strip_suffix(':')?.split_once(" -> ")?;
    (!original.is_empty() && !obfuscated.is_empty()).then_some((original, obfuscated))
}

/// Returns the value of `# pg_map_id: abc` or `# pg_map_hash: SHA-256 abc`.
fn map_id(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?.trim_start_matches(['#', ' ']);
    let value = line.strip_prefix("pg_map_id:").or_else(|| line.strip_prefix("pg_map_hash:"))?;
    value.split_whitespace().next_back().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::mapping_pieces::CutLines;
    use super::super::mapping_readings::retrace;
    use super::super::parse::parse_trace;
    use super::*;

    /// The forms of R8's specification: inlined frames, a file's name, overloads without lines.
    const MAPPING: &str = "# compiler: R8\n# pg_map_id: 1a2b3c4\n# pg_map_hash: SHA-256 1a2b3c4d5e\nshop.app.Till -> a.a:\n\
        # {\"id\":\"sourceFile\",\"fileName\":\"Tills.kt\"}\n    int count -> a\n    1:1:void sell():12:12 -> a\n    \
        2:2:void shop.core.Catalog.take(int):30:30 -> a\n    2:2:void sell():13:13 -> a\n    void close(int) -> b\n    \
        void open(java.lang.String) -> b\n    4:4:int getCount() -> c\n    4:4:int \
        access$count(shop.app.Till) -> c\nshop.app.Gone -> a.b:\n";

    fn read_bytes(bytes: &[u8], traces: &[ParsedTrace]) -> Result<TraceMapping, MappingMisfit> {
        let mut reader = MappingReader::of(traces);
        CutLines::default().take(bytes, &mut |line| reader.line(line));
        reader.finish()
    }

    fn read(trace: &str) -> Result<(TraceMapping, Vec<ParsedTrace>), MappingMisfit> {
        let traces = parse_trace(trace);
        read_bytes(MAPPING.as_bytes(), &traces).map(|mapping| (mapping, traces))
    }

    fn shown(trace: &str) -> Vec<String> {
        let (mapping, mut traces) = read(trace).expect("fits");
        let name = |frame: &ParsedFrame| {
            format!(
                "{}.{}:{}",
                frame.class,
                frame.method,
                frame.line.map_or(String::new(), |line| line.to_string())
            )
        };
        let mut all: Vec<String> = Vec::new();
        retrace(&[(String::new(), mapping)], &mut traces);
        for trace in &traces {
            all.push(trace.error_type.clone());
            all.extend(trace.frames.iter().map(|frame| {
                let or =
                    frame.alternatives.iter().map(|other| format!(" or {}", name(other))).collect::<String>();
                name(frame) + &or
            }));
        }
        all
    }

    #[test]
    fn names_lines_and_inlined_frames_come_back() {
        let trace = "a.b: no till\n\tat a.a.a(SourceFile:1)\n\tat a.a.a(r8-map-id-1a2b3c4d:2)\n\tat a.a.b(Unknown Source:0)\n\tat \
                     a.a.c(SourceFile:4)\n\tat java.lang.Thread.run(Thread.java:840)\n";
        assert_eq!(
            shown(trace),
            [
                "shop.app.Gone",
                "shop.app.Till.sell:12",
                "shop.core.Catalog.take:30",
                "shop.app.Till.sell:13",
                "shop.app.Till.close: or shop.app.Till.open:",
                "shop.app.Till.getCount:4 or shop.app.Till.access$count:4",
                "java.lang.Thread.run:840",
            ]
        );
    }

    #[test]
    fn without_a_line_each_method_of_the_name_may_be_meant() {
        let trace = "a.b: x\n\tat a.a.a(Unknown Source)\n\tat a.a.b(Unknown Source:7)\n\tat a.a.c(Unknown Source:9)\n\tat a.a.d(Unknown Source)\n";
        assert_eq!(
            shown(trace),
            [
                "shop.app.Gone",
                // Not what was inlined into it.
                "shop.app.Till.sell:",
                "shop.app.Till.close: or shop.app.Till.open:",
                "shop.app.Till.getCount: or shop.app.Till.access$count:",
                "shop.app.Till.d:",
            ]
        );
    }

    /// Reads frames by a mapping of R8's: what is left of each.
    fn read_by(mapping: &str, trace: &str) -> Vec<String> {
        let mut traces = parse_trace(trace);
        let mapping = read_bytes(mapping.as_bytes(), &traces).expect("fits");
        retrace(&[(String::new(), mapping)], &mut traces);
        let one = |frame: &ParsedFrame| {
            let line = frame.line.map_or(String::new(), |line| line.to_string());
            let or = if frame.alternatives.is_empty() { "" } else { " or" };
            format!("{}.{}:{line}{or}", frame.class, frame.method)
        };
        traces.iter().flat_map(|trace| &trace.frames).map(one).collect()
    }

    #[test]
    fn a_method_of_one_line_has_that_line_whatever_the_frame_names() {
        let mapping = "shop.Till -> a.a:\n    void one():42:42 -> a\n    void first():7 -> b\n    void unknown():0:0 -> c\n    \
            void several():3:5 -> d\n    void kept() -> e\n    void twice():1:1 -> f\n    void again():9:9 -> f\n";
        let frames = |place: &str| -> String {
            ["a", "b", "c", "d", "e", "f"].map(|method| format!("\tat a.a.{method}({place})\n")).concat()
        };
        let read = |place: &str| read_by(mapping, &format!("java.lang.Error: x\n{}", frames(place)));
        let expected = |kept: &str| {
            [
                "shop.Till.one:42",
                "shop.Till.first:7",
                "shop.Till.unknown:",
                "shop.Till.several:",
                kept,
                "shop.Till.twice:1 or",
            ]
            .map(str::to_owned)
        };
        assert_eq!(read("SourceFile:2"), expected("shop.Till.kept:2"));
        assert_eq!(read("Unknown Source:2"), expected("shop.Till.kept:"));
        assert_eq!(read("Unknown Source"), expected("shop.Till.kept:"));
    }

    #[test]
    fn frames_without_a_line_have_a_range_of_their_own() {
        let mapping = "shop.Till -> a.a:\n    0:0:void shop.Box.close():12:12 -> a\n    0:0:void sell():30 -> a\n    \
            1:1:void sell():33 -> a\n";
        let read = |frame: &str| read_by(mapping, &format!("java.lang.Error: x\n\tat {frame}\n"));
        assert_eq!(read("a.a.a(Unknown Source)"), ["shop.Box.close:12", "shop.Till.sell:30"]);
        assert_eq!(read("a.a.a(SourceFile:1)"), ["shop.Till.sell:33"]);
    }

    #[test]
    fn an_inlined_check_is_left_out_of_the_frame_that_threw() {
        let mapping = "shop.Till -> a.a:\n    4:4:void shop.Box.check():23:23 -> a\n    4:4:void sell(shop.Box):7 -> a\n      \
            # {\"id\":\"com.android.tools.r8.rewriteFrame\",\"conditions\":[\"throws(Ljava/lang/NullPointerException;)\"],\
            \"actions\":[\"removeInnerFrames(1)\"]}\n";
        let frame = "\tat a.a.a(SourceFile:4)\n";
        let (check, sell) = ("shop.Box.check:23", "shop.Till.sell:7");
        let null = format!("java.lang.NullPointerException\n{frame}{frame}");
        assert_eq!(read_by(mapping, &null), [sell, check, sell]);
        assert_eq!(read_by(mapping, &format!("java.lang.IllegalStateException\n{frame}")), [check, sell]);
    }

    #[test]
    fn what_the_compiler_made_is_no_frame() {
        let made = "# {\"id\":\"com.android.tools.r8.synthesized\"}\n";
        let mapping = format!(
            "shop.Till -> a.a:\n    5:5:void lambda$sell$0():25 -> a\n    3:3:void sell():18 -> b\n\
             shop.Till$$ExternalSyntheticLambda0 -> a.b:\n{made}    void run(shop.Till) -> a\n      {made}    \
             6:6:void shop.Till.lambda$buy$1():40 -> c\n    6:6:void run():0:0 -> c\n      {made}"
        );
        let (lambda, sell) = ("shop.Till.lambda$sell$0:25", "shop.Till.sell:18");
        let frames = |frames: &[&str]| -> Vec<String> {
            let frames: String = frames.iter().map(|frame| format!("\tat {frame}\n")).collect();
            read_by(&mapping, &format!("java.lang.Error: x\n{frames}"))
        };
        let (body, call, caller) = ("a.a.a(SourceFile:5)", "a.b.a(Unknown Source:4)", "a.a.b(SourceFile:3)");
        assert_eq!(frames(&[body, call, caller]), [lambda, sell]);
        // What was inlined into it is of the source.
        assert_eq!(frames(&["a.b.c(SourceFile:6)", caller]), ["shop.Till.lambda$buy$1:40", sell]);
        // An error that was thrown there has no other frame.
        assert_eq!(frames(&[call, caller]), ["shop.Till$$ExternalSyntheticLambda0.run:", sell]);
    }

    #[test]
    fn a_remark_behind_a_field_is_not_the_classs() {
        let made = "      # {\"id\":\"com.android.tools.r8.synthesized\"}\n";
        let mapping = format!("shop.Till -> a.a:\n    int count -> a\n{made}    3:3:void sell():18 -> a\n");
        let trace = "java.lang.Error: x\n\tat b.b.b(B.java:1)\n\tat a.a.a(SourceFile:3)\n";
        assert_eq!(read_by(&mapping, trace), ["b.b.b:1", "shop.Till.sell:18"]);
    }

    /// ProGuard's own ReTrace is the judge: `fixtures/traces/obfuscate.py` obfuscates a program, runs it, and asks ReTrace.
    #[test]
    #[allow(clippy::disallowed_methods, reason = "fixtures are no files of a project")]
    fn real_crashes_are_read_as_retrace_reads_them() {
        let fixture = |name: &str| {
            let path = format!("{}/../../fixtures/traces/obfuscated/{name}", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(path).expect("a fixture")
        };
        let (crashes, retraced) = (fixture("crashes.txt"), fixture("retraced.txt"));
        let mapping = fixture("mapping.txt");
        let (mut compared, mut differing) = (0, Vec::new());
        let cases = |text: &str| text.split("### ").skip(1).map(str::to_owned).collect::<Vec<_>>();
        for (crash, judge) in cases(&crashes).iter().zip(cases(&retraced)) {
            let mut traces = parse_trace(crash);
            let Ok(mapping) = read_bytes(mapping.as_bytes(), &traces) else { continue };
            retrace(&[(String::new(), mapping)], &mut traces);
            let name = |frame: &ParsedFrame| {
                let line = frame.line.filter(|line| *line > 0);
                format!("{}.{} {}", frame.class, frame.method, line.unwrap_or(0))
            };
            let ours: Vec<String> = traces
                .iter()
                .flat_map(|trace| &trace.frames)
                .flat_map(|frame| std::iter::once(frame).chain(&frame.alternatives))
                .map(name)
                .collect();
            let theirs: Vec<String> =
                parse_trace(&judge).iter().flat_map(|trace| &trace.frames).map(name).collect();
            compared += theirs.len();
            // ReTrace lists methods without lines beside those whose lines fit, so it may have more.
            let mut left = theirs.iter();
            if let Some(other) = ours.iter().find(|ours| !left.any(|theirs| theirs == *ours)) {
                differing.push(format!("{}: {other}", crash.lines().next().unwrap_or_default()));
            }
        }
        assert!(compared >= 100, "{compared} frames");
        assert_eq!(differing, Vec::<String>::new(), "of {compared} frames");
    }

    #[test]
    fn only_a_file_that_the_mapping_names_is_known() {
        let (mapping, mut traces) = read("a.b: x\n\tat a.a.a(SourceFile:2)\n").expect("fits");
        retrace(&[(String::new(), mapping)], &mut traces);
        let files: Vec<&str> = traces[0].frames.iter().map(|frame| frame.file.as_str()).collect();
        assert_eq!(files, ["", "Tills.kt"]);
    }

    #[test]
    fn a_mapping_of_another_build_is_noticed() {
        let other = read("a.b: x\n\tat a.a.a(r8-map-id-ffff000:2)\n").err();
        assert!(matches!(other, Some(MappingMisfit::OtherBuild { .. })), "{other:?}");
        assert_eq!(read("x.Y: x\n\tat x.Y.z(SourceFile:2)\n").err(), Some(MappingMisfit::NoClass));
        let traces = parse_trace("a.b: x\n\tat a.a.a(SourceFile:2)\n");
        for text in ["", "# only a comment\n", "<html></html>\n", "\u{fffd} -> \n"] {
            let read = read_bytes(text.as_bytes(), &traces).err();
            assert_eq!(read, Some(MappingMisfit::NoMapping), "{text}");
        }
    }

    /// What a copy that was broken off left of the file still counts, and nothing of it is taken for something else.
    #[test]
    fn a_mapping_that_is_cut_gives_back_what_is_left() {
        let whole = shown("a.b: no till\n\tat a.a.a(SourceFile:1)\n\tat a.a.c(SourceFile:4)\n");
        let traces = || parse_trace("a.b: no till\n\tat a.a.a(SourceFile:1)\n\tat a.a.c(SourceFile:4)\n");
        // With `ab` in place of `a`: what is left of it is the name of the trace's method.
        let mapping = MAPPING.replacen("12:12 -> a\n", "12:12 -> ab\n    1:1:void sell():12:12 -> a\n", 1);
        let mut kept = BTreeSet::new();
        for end in 0..mapping.len() {
            let mut traces = traces();
            match read_bytes(&mapping.as_bytes()[..end], &traces) {
                Ok(mapping) => {
                    retrace(&[(String::new(), mapping)], &mut traces);
                    let frames: Vec<&ParsedFrame> = traces.iter().flat_map(|trace| &trace.frames).collect();
                    assert_eq!(frames.len(), 2, "cut at {end}");
                    let line = |frame: &ParsedFrame| (frame.class.clone(), frame.method.clone(), frame.line);
                    kept.insert(line(frames[0]));
                }
                Err(why) => assert!(
                    matches!(why, MappingMisfit::NoMapping | MappingMisfit::NoClass),
                    "cut at {end}: {why}"
                ),
            }
        }
        let frame = |method: &str, line| ("shop.app.Till".to_owned(), method.to_owned(), Some(line));
        assert_eq!(kept, BTreeSet::from([frame("a", 1), frame("sell", 12)]));
        assert_eq!(whole[1], "shop.app.Till.sell:12");
    }

    #[test]
    fn what_a_mapping_says_of_one_class_is_bounded() {
        let traces = parse_trace("a.b: x\n\tat a.a.a(SourceFile:2)\n");
        let mut reader = MappingReader::of(&traces);
        reader.line(b"shop.app.Till -> a.a:\n");
        (0..400_000).for_each(|_| reader.line(b"    1:1:void sell(java.lang.String):12:12 -> a\n"));
        assert_eq!(reader.finish().err(), Some(MappingMisfit::TooBig));
    }
}
