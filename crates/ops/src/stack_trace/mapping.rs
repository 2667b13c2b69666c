//! Traces of obfuscated programs: a mapping file of ProGuard or R8 gives the names and lines back. Only what it says of the
//! methods that the trace names is parsed: a mapping has tens of megabytes, and a class thousands of lines.
//!
//! Formats: <https://www.guardsquare.com/manual/tools/retrace>, <https://r8.googlesource.com/r8/+/refs/heads/main/doc/retrace.md>.

use std::collections::BTreeMap;

use proguard::{ProguardMapper, ProguardMapping};

use super::mapping_frames::{methods_of, retraced};
use super::mapping_methods::{files, line_at_outline, methods};
use super::parse::{FrameNumber, ParsedFrame, ParsedTrace};

/// Maximum size of the sections that a trace needs, in bytes: what they mean takes some ten times as much memory.
pub(super) const MAX_SECTIONS: usize = 16 << 20;

/// The part of a mapping that a trace needs.
#[derive(Clone, Debug)]
pub struct TraceMapping {
    pub(super) sections: Vec<u8>,
    /// The identity that R8 gives the mapping: the values of `# pg_map_id` and `# pg_map_hash`.
    pub(super) ids: Vec<String>,
    /// The obfuscated classes that the trace names, with their own names.
    pub(super) classes: BTreeMap<String, String>,
    /// The obfuscated class in which the file was cut: more of its methods may be missing.
    pub(super) cut_class: Option<String>,
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

impl TraceMapping {
    /// Whether it gives another name to anything in the trace. A trace that is not obfuscated is not to be retraced.
    pub fn renames_any(&self, traces: &[ParsedTrace]) -> bool {
        if self.classes.iter().any(|(obfuscated, original)| obfuscated != original) {
            return true;
        }
        let methods = methods(&self.sections);
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
    /// first. None are left of an outline, whose code is that of the next frame, and of a frame that only the compiler's own code is in,
    /// unless an error was thrown there.
    pub(super) fn read(&self, traces: &[ParsedTrace]) -> Vec<Vec<ParsedFrame>> {
        let mapper = ProguardMapper::new(ProguardMapping::new(&self.sections));
        let (methods, files) = (methods(&self.sections), files(&self.sections));
        let of_trace = |trace: &ParsedTrace| -> Vec<Vec<ParsedFrame>> {
            let thrown = self.class(&trace.error_type).unwrap_or(&trace.error_type);
            let mut outline: Option<ParsedFrame> = None;
            let mut is_first = true;
            let keeps_lines = trace
                .frames
                .iter()
                .any(|frame| frame.source_line().is_some() && self.classes.contains_key(&frame.class));
            let read = |frame: &ParsedFrame| {
                let mut frame = frame.clone();
                let is_made = keeps_lines && frame.line.is_none();
                let known = methods_of(&methods, &frame);
                if let Some(before) = outline.take()
                    && let Some(line) = line_at_outline(known, &frame, &before)
                {
                    (frame.line, frame.number) = (Some(line), FrameNumber::SourceLines);
                }
                if known.iter().any(|method| method.is_outline) {
                    outline = Some(frame);
                    return Vec::new();
                }
                let frame = &frame;
                let thrown = std::mem::take(&mut is_first).then_some(thrown);
                let own_class = self.classes.get(&frame.class);
                let mut frames = retraced(&mapper, (&methods, &files), own_class, frame, thrown);
                if self.cut_class.as_ref() == Some(&frame.class) {
                    let why = "the mapping ends within this class, so other methods may be meant";
                    frames.iter_mut().for_each(|frame| frame.reading_doubt = Some(why.to_owned()));
                }
                for frame in &mut frames {
                    frame.is_made = is_made && frame.line.is_none();
                    for other in &mut frame.alternatives {
                        other.is_made = is_made && other.line.is_none();
                    }
                }
                frames
            };
            trace.frames.iter().map(read).collect()
        };
        traces.iter().flat_map(of_trace).collect()
    }

    /// Returns the program's own name of a class.
    pub(super) fn class(&self, obfuscated: &str) -> Option<&str> {
        self.classes.get(obfuscated).map(String::as_str)
    }
}
