//! Stack traces: which declarations of the project their frames are in. Sources are those on the disk now, which may
//! differ from those that were built.

mod lines;
mod mapping;
mod mapping_files;
mod names;
mod parse;
mod place;

pub use self::mapping::{MappingMisfit, TraceMapping};
pub use self::mapping_files::MappingChoice;
pub use self::parse::{ParsedFrame, ParsedTrace, TraceRelation, parse_trace};
pub use self::place::FramePlace;
use self::place::SourceFiles;
pub(crate) use self::place::declaration_at;
use symd_base::Cancel;
use symd_base::cancel::Cancelled;
use symd_engine::View;

use crate::code_context::{counted_lines, lines_of};

/// Maximum number of frames that are placed.
const MAX_FRAMES: usize = 5_000;

/// The lines of code before and after the first own frame's line.
const CODE_LINES: usize = 3;

/// A trace with the places of its frames.
#[derive(Clone, Debug)]
pub struct ResolvedTrace {
    pub error_type: String,
    pub message: String,
    pub relation: TraceRelation,
    pub thread: String,
    /// The frames, the innermost first.
    pub frames: Vec<ResolvedFrame>,
    /// The number of frames that the text leaves out.
    pub omitted: usize,
}

/// A frame, or several that repeat.
#[derive(Clone, Debug)]
pub struct ResolvedFrame {
    pub frame: ParsedFrame,
    /// The places in the project that it may be; empty if it is not of the project.
    pub places: Vec<FramePlace>,
    /// How often this frame and the `cycle - 1` after it repeat; 1 for most.
    pub times: usize,
    /// The length of the cycle that begins here; 0 within one or outside.
    pub cycle: usize,
}

/// The code around a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceCode {
    /// The first line shown, from 1.
    pub first_line: usize,
    /// The lines, without line breaks.
    pub lines: Vec<String>,
}

/// The traces of a text with the places of their frames.
#[derive(Clone, Debug, Default)]
pub struct ResolvedTraces {
    pub traces: Vec<ResolvedTrace>,
    /// The mapping by which names and lines were given back.
    pub mapping: Option<String>,
    /// Why a mapping was not used.
    pub notes: Vec<String>,
}

/// Places all frames of a text.
pub fn resolve_trace(
    view: &View,
    text: &str,
    choice: MappingChoice<'_>,
    cancel: &Cancel,
) -> Result<ResolvedTraces, Cancelled> {
    let mut traces = parse_trace(text);
    let (mapping, notes) = mapping_files::load(view, choice, &traces);
    if let Some((_, mapping)) = &mapping {
        mapping.retrace(&mut traces);
    }
    let mapping = mapping.map(|(path, _)| path);
    let traces = placed(view, traces, cancel)?;
    Ok(ResolvedTraces { traces, mapping, notes })
}

fn placed(
    view: &View,
    mut traces: Vec<ParsedTrace>,
    cancel: &Cancel,
) -> Result<Vec<ResolvedTrace>, Cancelled> {
    let mut left = MAX_FRAMES;
    for trace in &mut traces {
        trace.frames.truncate(left);
        left -= trace.frames.len();
    }
    let frames: Vec<&ParsedFrame> = traces
        .iter()
        .flat_map(|trace| &trace.frames)
        .flat_map(|frame| std::iter::once(frame).chain(&frame.alternatives))
        .collect();
    let mut files = SourceFiles::find(view, &frames, cancel)?;
    let mut all = Vec::with_capacity(traces.len());
    for trace in traces {
        cancel.check()?;
        let folded = folded(trace.frames);
        let frames = folded.into_iter().map(|(frame, times, cycle)| ResolvedFrame {
            places: files.places(&frame),
            frame,
            times,
            cycle,
        });
        all.push(ResolvedTrace {
            frames: frames.collect(),
            error_type: trace.error_type,
            message: trace.message,
            relation: trace.relation,
            thread: trace.thread,
            omitted: trace.omitted,
        });
    }
    Ok(all)
}

/// Returns the code around a place.
pub fn code_at(view: &View, place: &FramePlace) -> Option<PlaceCode> {
    let file = view.snapshot.files.get(place.path.as_str())?;
    let text = view.current(file).ok()?.text;
    let last = counted_lines(&text);
    if place.line == 0 || place.line > last {
        return None;
    }
    let (first, last) = (place.line.saturating_sub(CODE_LINES).max(1), (place.line + CODE_LINES).min(last));
    let lines = (first..=last).map(|line| lines_of(&text, line - 1, line - 1)).collect();
    Some(PlaceCode { first_line: first, lines })
}

/// Maximum length of a cycle that is folded.
const MAX_CYCLE: usize = 32;

/// Folds cycles of frames that repeat at least three times: each frame with the number of repetitions and the length of
/// the cycle that begins with it.
fn folded(frames: Vec<ParsedFrame>) -> Vec<(ParsedFrame, usize, usize)> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < frames.len() {
        let repeats = |length: usize| {
            let mut times = 1;
            while frames.get(at + times * length..at + (times + 1) * length) == Some(&frames[at..at + length])
            {
                times += 1;
            }
            times
        };
        let longest = MAX_CYCLE.min((frames.len() - at) / 3);
        let cycle = (1..=longest).find(|&length| repeats(length) >= 3);
        let (length, times) = cycle.map_or((1, 1), |length| (length, repeats(length)));
        for (number, frame) in frames[at..at + length].iter().enumerate() {
            let begins = if number == 0 && times > 1 { length } else { 0 };
            all.push((frame.clone(), times, begins));
        }
        at += length * times;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_folded() {
        let frame = |method: &str| ParsedFrame { method: method.to_owned(), ..ParsedFrame::default() };
        let frames: Vec<ParsedFrame> =
            ["a", "b", "c", "b", "c", "b", "c", "d", "d"].into_iter().map(frame).collect();
        let shown: Vec<String> = folded(frames)
            .iter()
            .map(|(frame, times, cycle)| format!("{}{times}{cycle}", frame.method))
            .collect();
        assert_eq!(shown, ["a10", "b32", "c30", "d10", "d10"]);
    }
}
