//! Stack traces: which declarations of the project their frames are in. Sources are those on the disk now, which may
//! differ from those that were built, or those of a revision.

mod anr;
mod application_id;
mod collected_lines;
mod declared;
mod expected;
mod flowed;
mod frames_of_services;
mod given_arguments;
mod hotspot_report;
mod inlined;
mod java_arguments;
mod json_frames;
mod learned_prefix;
mod lines;
mod link_lines;
mod locks;
mod logcat;
mod mapping;
mod mapping_callees;
mod mapping_files;
mod mapping_frames;
mod mapping_lines;
mod mapping_methods;
mod mapping_pieces;
mod mapping_reader;
mod mapping_readings;
mod mapping_remarks;
#[cfg(test)]
mod mapping_tests;
mod markup;
mod named_text;
mod names;
mod overloads;
mod parse;
mod place;
mod place_in_file;
#[cfg(test)]
mod place_tests;
mod platform;
mod python;
mod python_place;
#[cfg(test)]
mod r8_forms_tests;
mod repetitions;
mod revisions;
mod root_cause_first;
mod script_text;
mod source_version;
mod surefire;
mod synthetic_frames;
mod throwables;
mod tombstone;
mod value_classes;
mod variant;
mod wanted_files;
mod wrapped_heads;

pub use self::mapping::{MappingMisfit, TraceMapping};
pub use self::mapping_files::MappingChoice;
pub use self::parse::{FrameNumber, ParsedFrame, ParsedTrace, TraceRelation, parse_trace};
use self::place::SourceFiles;
pub use self::place_in_file::FramePlace;
pub(crate) use self::place_in_file::declaration_at;
pub use self::platform::FramePlatform;
pub use self::revisions::FittingTags;
use self::revisions::TriedTags;
use self::source_version::{CommittedSources, SavedSources};
use self::variant::BuildVariant;
use self::wanted_files::WantedFiles;
use std::collections::{BTreeSet, VecDeque};

use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_git::{Git, GitError};

/// Maximum number of frames that are placed.
const MAX_FRAMES: usize = 5_000;

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
    /// The code at the first frame that has one place.
    pub code: Option<PlaceCode>,
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
    /// The mapping by which names and lines were given back; several joined by "or" if they fit equally well.
    pub mapping: Option<String>,
    /// The revision whose sources were read; `None` for those on the disk.
    pub revision: Option<ReadRevision>,
    /// Tags whose sources fit frames that those on the disk do not fit.
    pub fitting_tags: Option<FittingTags>,
    /// Why a mapping, or git, was not used.
    pub notes: Vec<String>,
}

/// A revision whose sources were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRevision {
    /// The name that was given.
    pub name: String,
    /// The start of its commit's hash.
    pub commit: String,
}

/// One throwable with those that it led to: the cause first.
pub type CauseChain<'t> = VecDeque<&'t ResolvedTrace>;

impl ResolvedTraces {
    /// Returns the traces in the order in which they are read: causes before what they led to.
    pub fn chains(&self) -> Vec<CauseChain<'_>> {
        let mut all: Vec<CauseChain<'_>> = Vec::new();
        for trace in &self.traces {
            match (trace.relation, all.last_mut()) {
                (TraceRelation::Cause, Some(chain)) => chain.push_front(trace),
                // Behind the last cause, which it is of.
                (TraceRelation::Remote, Some(chain)) => chain.insert(1, trace),
                // What was suppressed caused nothing, nor did its own causes: they are told last.
                (TraceRelation::Suppressed | TraceRelation::CauseOfSuppressed, Some(chain)) => {
                    chain.push_back(trace);
                }
                _ => all.push(VecDeque::from([trace])),
            }
        }
        all
    }
}

/// What is asked about a text.
#[derive(Clone, Copy, Debug)]
pub struct TraceQuestion<'a> {
    pub text: &'a str,
    pub mapping: MappingChoice<'a>,
    /// The variant that was built: `paidRelease`. Without it that of the mapping, or one that the text names, is taken.
    pub variant: Option<&'a str>,
    /// The revision whose sources were built; without it those on the disk are taken.
    pub revision: Option<&'a str>,
    /// The user's git, or the reason why it cannot be run.
    pub git: Result<&'a Git, &'a GitError>,
}

/// Why a text has no answer.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The sources of the revision cannot be read.
    #[error("the sources of {revision:?} cannot be read: {why}")]
    Revision { revision: String, why: String },
}

/// Places all frames of a text.
pub fn resolve_trace(
    view: &View,
    question: TraceQuestion<'_>,
    cancel: &Cancel,
) -> Result<ResolvedTraces, TraceError> {
    let (mut traces, repeated) = repetitions::told_once(parse_trace(question.text));
    let told = question.variant.and_then(BuildVariant::named);
    let (mappings, mut notes) = mapping_files::load(view, question.mapping, told.as_ref(), &traces, cancel);
    if repeated > 0 {
        let are = if repeated == 1 { "1 trace is" } else { &format!("{repeated} traces are") };
        notes.push(format!("{are} left out: told above"));
    }
    mapping_readings::retrace(&mappings, &mut traces);
    mapping_callees::choose_callers(&mut traces);
    synthetic_frames::leave_out(&mut traces);
    let paths: Vec<&str> = mappings.iter().map(|(path, _)| path.as_str()).collect();
    let of_mapping = || if let [path] = paths[..] { BuildVariant::of_mapping(path) } else { None };
    let variant = told.or_else(of_mapping).or_else(|| BuildVariant::of_text(question.text));
    let mapping = (!paths.is_empty()).then(|| paths.join(" or "));
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
    let mut wanted = WantedFiles::of(&frames);
    let ids = application_id::of_processes(question.text);
    wanted
        .names
        .extend(application_id::SCRIPTS.iter().filter(|_| !ids.is_empty()).map(|name| (*name).to_owned()));
    let Some(revision) = question.revision else {
        let sources = SavedSources::named(view, wanted, cancel)?;
        let mut files = SourceFiles::of(&sources, view.files.path(), variant.as_ref()).learn_process(&ids);
        let mut traces = placed(&mut files, traces, cancel)?;
        overloads::doubt_others(view, &mut traces, cancel)?;
        doubt_those_by_line(&mut traces);
        add_code(&mut files, &mut traces);
        let tried = fitting_tags(view, question.git, &traces).unwrap_or_else(|error| {
            notes.push(format!("tags were not tried: {error}"));
            TriedTags::default()
        });
        if let Some(oldest) = &tried.oldest_tried {
            notes.push(format!(
                "tags older than {oldest} were not tried: too many texts of their sources differ"
            ));
        }
        let fitting_tags = tried.fitting;
        return Ok(ResolvedTraces { traces, mapping, revision: None, fitting_tags, notes });
    };
    let cannot =
        |why: &GitError| TraceError::Revision { revision: revision.to_owned(), why: why.to_string() };
    let git = question.git.map_err(cannot)?;
    let repository = git.repository(symd_git::DEADLINE).map_err(|error| cannot(&error))?;
    let commit = repository.commit(revision).map_err(|error| cannot(&error))?;
    let sources =
        CommittedSources::named(view, repository, &commit, wanted, cancel).map_err(|error| cannot(&error))?;
    let mut files = SourceFiles::of(&sources, view.files.path(), variant.as_ref()).learn_process(&ids);
    let mut traces = placed(&mut files, traces, cancel)?;
    doubt_those_by_line(&mut traces);
    add_code(&mut files, &mut traces);
    notes.extend(sources.lacking());
    let revision = Some(ReadRevision { name: revision.to_owned(), commit: commit.short().to_owned() });
    Ok(ResolvedTraces { traces, mapping, revision, fitting_tags: None, notes })
}

fn placed(
    files: &mut SourceFiles<'_>,
    traces: Vec<ParsedTrace>,
    cancel: &Cancel,
) -> Result<Vec<ResolvedTrace>, Cancelled> {
    let mut all: Vec<ResolvedTrace> = Vec::with_capacity(traces.len());
    // The first throwable of the present chain.
    let mut first = 0;
    for trace in traces {
        cancel.check()?;
        if trace.relation == TraceRelation::First {
            place_again(files, &mut all[first..])?;
            first = all.len();
        }
        files.learn_lines(trace.frames.iter());
        let folded = folded(trace.frames);
        let frames = folded.into_iter().map(|(frame, times, cycle)| {
            Ok(ResolvedFrame { places: files.places(&frame)?, frame, times, cycle })
        });
        all.push(ResolvedTrace {
            code: None,
            frames: frames.collect::<Result<_, Cancelled>>()?,
            error_type: trace.error_type,
            message: trace.message,
            relation: trace.relation,
            thread: trace.thread,
            omitted: trace.omitted,
        });
    }
    place_again(files, &mut all[first..])?;
    doubt_changed_files(all.iter_mut().flat_map(|trace| &mut trace.frames).collect());
    Ok(all)
}

/// Adds the code at the first frame of each trace that has one place: when all places are known.
fn add_code(files: &mut SourceFiles<'_>, traces: &mut [ResolvedTrace]) {
    for trace in traces {
        let sole = trace.frames.iter().find_map(|frame| match frame.places.as_slice() {
            [place] => Some(place),
            _ => None,
        });
        trace.code = sole.and_then(|place| files.code(place));
    }
}

/// Turns the remark on a line past the end of a file into a doubt if another frame shows that the file has changed: it may have
/// become shorter.
fn doubt_changed_files(frames: Vec<&mut ResolvedFrame>) {
    let places = frames.iter().flat_map(|frame| &frame.places);
    let changed: BTreeSet<RelPath> =
        places.filter(|place| place.differs).map(|place| place.path.clone()).collect();
    for frame in frames {
        for place in &mut frame.places {
            // The lines of a library's file do not depend on it.
            let is_of_file = place.path.file_name() == frame.frame.file;
            if is_of_file && place.doubt.is_none() && changed.contains(&place.path) {
                place.doubt = place.remark.take();
            }
        }
    }
}

/// Doubts places that only the line tells from others of the name where the sources are not those that were built: another frame of the file, or
/// that of the caller, shows it.
fn doubt_those_by_line(traces: &mut [ResolvedTrace]) {
    let frames = traces.iter().flat_map(|trace| &trace.frames);
    let differing = frames.flat_map(|frame| &frame.places).filter(|place| place.differs);
    let changed: BTreeSet<RelPath> = differing.map(|place| place.path.clone()).collect();
    for trace in traces.iter_mut().filter(|_| !changed.is_empty()) {
        for at in 0..trace.frames.len() {
            let (before, behind) = trace.frames.split_at_mut(at + 1);
            let of_caller = behind.first().map_or(&[][..], |caller| caller.places.as_slice());
            let is_caller_changed = of_caller.iter().any(|place| place.differs);
            for place in before[at].places.iter_mut().filter(|place| place.is_by_line) {
                if place.doubt.is_none() && (is_caller_changed || changed.contains(&place.path)) {
                    let why = "only its line tells it from others, and the sources differ from the build";
                    place.doubt = Some(why.to_owned());
                }
            }
        }
    }
}

/// Places frames that are in doubt again, by the flavors and the build type that other frames of their chain show: one program threw
/// it, and a log may hold the traces of several.
fn place_again(files: &mut SourceFiles<'_>, chain: &mut [ResolvedTrace]) -> Result<(), Cancelled> {
    let frames = chain.iter().flat_map(|trace| &trace.frames);
    if !files.learn_variant(frames.map(|frame| frame.places.as_slice())) {
        return Ok(());
    }
    for trace in chain {
        files.learn_lines(trace.frames.iter().map(|frame| &frame.frame));
        for frame in &mut trace.frames {
            if frame.places.iter().any(|place| place.doubt.is_some()) {
                frame.places = files.places(&frame.frame)?;
            }
        }
    }
    files.forget_variant();
    Ok(())
}

/// Tries the tags on the frames whose sources have changed since; none if there are no such frames.
fn fitting_tags(
    view: &View,
    git: Result<&Git, &GitError>,
    traces: &[ResolvedTrace],
) -> Result<TriedTags, GitError> {
    let mut differing: Vec<(RelPath, ParsedFrame)> = Vec::new();
    for frame in traces.iter().flat_map(|trace| &trace.frames) {
        if let [place] = frame.places.as_slice()
            && place.differs
        {
            let one = (place.path.clone(), frame.frame.clone());
            if !differing.contains(&one) {
                differing.push(one);
            }
        }
    }
    // A project without git has no tags, and that is no news.
    let Ok(git) = git else { return Ok(TriedTags::default()) };
    if differing.is_empty() {
        return Ok(TriedTags::default());
    }
    match git.repository(symd_git::DEADLINE) {
        Ok(repository) => revisions::fitting_tags(view, &repository, &differing),
        Err(GitError::NoRepository(_)) => Ok(TriedTags::default()),
        Err(error) => Err(error),
    }
}

/// Maximum length of a cycle that is folded.
const MAX_CYCLE: usize = 32;

/// Folds cycles of frames that repeat at least three times: each frame with the number of repetitions and the length of
/// the cycle that begins with it.
fn folded(frames: Vec<ParsedFrame>) -> Vec<(ParsedFrame, usize, usize)> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < frames.len() {
        if frames[at].repeats > 0 {
            all.push((frames[at].clone(), frames[at].repeats.saturating_add(1), 1));
            at += 1;
            continue;
        }
        let repeats = |length: usize| {
            let mut times = 1;
            while frames.get(at + times * length..at + (times + 1) * length) == Some(&frames[at..at + length])
            {
                times += 1;
            }
            times
        };
        let longest = MAX_CYCLE.min((frames.len() - at) / 3);
        // Of a library's function without a name only the address tells which it is, and that is not kept.
        let is_named = |frame: &ParsedFrame| {
            [&frame.class, &frame.method, &frame.file, &frame.path].iter().any(|name| !name.is_empty())
        };
        let cycle = (1..=longest)
            .find(|&length| frames[at..at + length].iter().all(is_named) && repeats(length) >= 3);
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
        let nameless = ParsedFrame { library: "libhwui.so".to_owned(), ..ParsedFrame::default() };
        assert_eq!(folded(vec![nameless; 4]).len(), 4);
    }
}
