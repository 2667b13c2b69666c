//! What is known about a text that reports an error: what it is, its cause and places, who calls those, who changed them
//! last, and what solved similar errors before. Each part that fails is named and left out.

use std::ops::RangeInclusive;
use std::time::Duration;

use tokio::time::Instant;

use super::Project;
use super::build_output::{BuildOutcome, BuildTool, ExplainedBuild, explain_build};
use super::question::QuestionError;
use super::recent_changes::{ChangesOfPlace, recent_changes};
use super::relations::{CallChains, FindCallChains, call_chains};
use super::solutions::Solutions;
use super::stack_trace::{
    MappingChoice, ResolvedFrame, ResolvedTrace, ResolvedTraces, TraceError, TraceQuestion, resolve_trace,
};
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_git::{Git, GitError};
use symd_knowledge::{SimilarSolution, SolutionQuery};

/// How many places of the project are looked at closely.
const PLACES: usize = 3;

/// The lines before and after a place whose changes are told.
const AROUND: usize = 2;

/// The calls in a chain of callers, and how long they are searched for.
const CHAIN: usize = 2;
const FOR_SERVERS: Duration = Duration::from_millis(700);
const FOR_CALLERS: Duration = Duration::from_secs(10);

/// How many similar solutions are told.
const SOLUTIONS: usize = 3;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Investigate {
    pub text: String,
    /// A mapping file of the project, for an obfuscated trace.
    pub mapping: Option<String>,
    /// The variant that was built: `paidRelease`.
    pub variant: Option<String>,
    /// The revision that was built.
    pub revision: Option<String>,
}

impl Investigate {
    fn question<'a>(&'a self, git: Result<&'a Git, &'a GitError>) -> TraceQuestion<'a> {
        TraceQuestion {
            text: &self.text,
            mapping: self.mapping.as_deref().map_or(MappingChoice::OfBuild, MappingChoice::Given),
            variant: self.variant.as_deref(),
            revision: self.revision.as_deref(),
            git,
        }
    }
}

/// What a text is.
#[derive(Clone, Debug)]
pub enum Diagnosis {
    Trace(ResolvedTraces),
    Build(ExplainedBuild),
    /// Neither a trace nor a build's output.
    Message,
}

/// A place of the project that the text is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvestigatedPlace {
    pub path: RelPath,
    pub line: usize,
    /// The name path of its declaration; empty at a file's top level.
    pub name_path: String,
    pub is_sure: bool,
}

/// What is known.
#[derive(Clone, Debug)]
pub struct Investigation {
    pub diagnosis: Diagnosis,
    /// The places nearest to the cause, the nearest first.
    pub places: Vec<InvestigatedPlace>,
    /// The callers of the first place's function.
    pub callers: Option<CallChains>,
    /// The last changes of the lines around the places.
    pub changes: Vec<ChangesOfPlace>,
    /// Solutions of similar errors, the most similar first.
    pub similar: Vec<SimilarSolution>,
    /// What could not be found out, and why.
    pub notes: Vec<String>,
}

/// Why a text was not investigated.
#[derive(Debug, thiserror::Error)]
pub enum InvestigateError {
    #[error(transparent)]
    Question(#[from] QuestionError),
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// What one step of the question finds out.
struct TextFindings {
    diagnosis: Diagnosis,
    places: Vec<InvestigatedPlace>,
    changes: Vec<ChangesOfPlace>,
    notes: Vec<String>,
}

/// Investigates a text.
pub async fn investigate(project: &Project, ask: Investigate) -> Result<Investigation, InvestigateError> {
    let (git, asked) = (project.git(), ask.clone());
    let work = move |view: &View, cancel: &Cancel| find(view, &asked, git.as_ref(), cancel);
    let TextFindings { diagnosis, places, changes, mut notes } = project.with_view(work).await??;
    let callers = callers_of_nearest(project, &places, 1, &mut notes).await.pop();
    let query = SolutionQuery {
        text: searched_text(&diagnosis, &ask.text),
        language: None,
        error_type: None,
        min_confidence: 0.0,
        limit: SOLUTIONS,
        until: Solutions::deadline(),
    };
    let similar = match project.solutions.find_similar(query).await {
        Ok(found) => {
            notes.extend(found.notices);
            found.similar.list
        }
        Err(error) => {
            notes.push(format!("past solutions were not searched: {error}"));
            Vec::new()
        }
    };
    Ok(Investigation { diagnosis, places, callers, changes, similar, notes })
}

/// The places of a trace, with the callers of those that are nearest to its cause.
#[derive(Clone, Debug)]
pub struct TraceWithCallers {
    pub traces: ResolvedTraces,
    /// Of each function, the nearest first; none if no frame is in a function of this project.
    pub callers: Vec<CallChains>,
    /// Why there are no callers.
    pub notes: Vec<String>,
}

/// Places the frames of a text, and finds the callers of the functions of the first places.
pub async fn trace_with_callers(
    project: &Project,
    ask: Investigate,
) -> Result<TraceWithCallers, InvestigateError> {
    let git = project.git();
    let work = move |view: &View, cancel: &Cancel| resolve_trace(view, ask.question(git.as_ref()), cancel);
    let traces = project.with_view(work).await??;
    let mut notes = Vec::new();
    let callers = callers_of_nearest(project, &places_of(&traces), PLACES, &mut notes).await;
    Ok(TraceWithCallers { traces, callers, notes })
}

/// Finds the callers of the functions of the first places, of `count` functions at most.
async fn callers_of_nearest(
    project: &Project,
    places: &[InvestigatedPlace],
    count: usize,
    notes: &mut Vec<String>,
) -> Vec<CallChains> {
    let mut functions: Vec<(&RelPath, &str)> = Vec::new();
    for place in places.iter().filter(|place| !place.name_path.is_empty()) {
        let function = (&place.path, place.name_path.as_str());
        if functions.len() < count && !functions.contains(&function) {
            functions.push(function);
        }
    }
    let now = Instant::now();
    let mut all = Vec::new();
    for (path, name_path) in functions {
        let wanted = FindCallChains {
            function: name_path.to_owned(),
            path: path.as_str().to_owned(),
            depth: CHAIN,
            servers_until: now + FOR_SERVERS,
            until: now + FOR_CALLERS,
        };
        match call_chains(project, &wanted).await {
            Ok(found) => all.push(found),
            Err(error) => notes.push(format!("no callers of {name_path}: {error}")),
        }
    }
    all
}

fn find(
    view: &View,
    ask: &Investigate,
    git: Result<&Git, &GitError>,
    cancel: &Cancel,
) -> Result<TextFindings, TraceError> {
    let diagnosis = diagnose(view, ask, git, cancel)?;
    let places = places(&diagnosis);
    let mut notes = Vec::new();
    let changes = changes(view, ask, git, &places).unwrap_or_else(|error| {
        // A project that is in no repository has no changes, and that is no news.
        if !matches!(error, GitError::NoRepository(_)) {
            notes.push(format!("changes are not known: {error}"));
        }
        Vec::new()
    });
    Ok(TextFindings { diagnosis, places, changes, notes })
}

/// Finds out what the text is. A build's output may hold traces of its tools, and a trace is often among a build's lines:
/// errors of compilers come first, then traces, then what Gradle says of its tasks.
fn diagnose(
    view: &View,
    ask: &Investigate,
    git: Result<&Git, &GitError>,
    cancel: &Cancel,
) -> Result<Diagnosis, TraceError> {
    let build = explain_build(view, &ask.text, cancel)?;
    let is_compiler =
        |tool: BuildTool| tool.is_of_build() && !matches!(tool, BuildTool::Test | BuildTool::Gradle);
    if build.errors.iter().any(|error| is_compiler(error.problem.tool)) {
        return Ok(Diagnosis::Build(build));
    }
    let traces = resolve_trace(view, ask.question(git), cancel)?;
    // A place alone, such as one of a warning, is no frame of a trace.
    let is_own = |frame: &ResolvedFrame| !frame.frame.class.is_empty() && !frame.places.is_empty();
    let has_own = traces.traces.iter().flat_map(|trace| &trace.frames).any(is_own);
    let is_build = build.errors.iter().any(|error| error.problem.tool.is_of_build())
        || build.outcome != BuildOutcome::Unknown;
    Ok(match (traces.traces.is_empty(), is_build && !has_own) {
        (_, true) => Diagnosis::Build(build),
        (false, false) => Diagnosis::Trace(traces),
        (true, false) => Diagnosis::Message,
    })
}

fn places(diagnosis: &Diagnosis) -> Vec<InvestigatedPlace> {
    match diagnosis {
        Diagnosis::Trace(traces) => places_of(traces),
        Diagnosis::Build(build) => {
            nearest(build.errors.iter().filter_map(|error| error.place.as_ref()).filter_map(|place| {
                Some(InvestigatedPlace {
                    path: place.path.clone(),
                    line: place.line?,
                    name_path: place.name_path.clone(),
                    is_sure: place.doubt.is_none(),
                })
            }))
        }
        Diagnosis::Message => Vec::new(),
    }
}

fn places_of(traces: &ResolvedTraces) -> Vec<InvestigatedPlace> {
    let frames = traces.chains().into_iter().flatten().flat_map(|trace| &trace.frames);
    nearest(frames.filter_map(|frame| match frame.places.as_slice() {
        [place] => Some(InvestigatedPlace {
            path: place.path.clone(),
            line: place.line,
            name_path: place.name_path.clone(),
            is_sure: place.doubt.is_none(),
        }),
        _ => None,
    }))
}

/// Returns the first places, each once.
fn nearest(places: impl Iterator<Item = InvestigatedPlace>) -> Vec<InvestigatedPlace> {
    let mut all: Vec<InvestigatedPlace> = Vec::new();
    for place in places {
        if all.len() < PLACES
            && !all.iter().any(|known| (&known.path, known.line) == (&place.path, place.line))
        {
            all.push(place);
        }
    }
    all
}

fn changes(
    view: &View,
    ask: &Investigate,
    git: Result<&Git, &GitError>,
    places: &[InvestigatedPlace],
) -> Result<Vec<ChangesOfPlace>, GitError> {
    let Ok(git) = git else { return Ok(Vec::new()) };
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let repository = git.repository(symd_git::DEADLINE)?;
    let commit = ask.revision.as_ref().map(|revision| repository.commit(revision)).transpose()?;
    let around = |place: &InvestigatedPlace| -> (RelPath, RangeInclusive<usize>) {
        (place.path.clone(), place.line.saturating_sub(AROUND).max(1)..=place.line + AROUND)
    };
    let places: Vec<_> = places.iter().map(around).collect();
    recent_changes(view, &repository, commit.as_ref(), &places)
}

/// The longest text that is searched for as it is, in bytes; of a longer log the errors count.
const WHOLE: usize = 16 << 10;

/// Returns the text by which similar solutions are found: of a build its root cause, of a long log its first crash, else the
/// whole text.
fn searched_text(diagnosis: &Diagnosis, text: &str) -> String {
    match diagnosis {
        Diagnosis::Build(build) => {
            build.errors.first().map_or_else(|| text.to_owned(), |root| root.problem.message.clone())
        }
        Diagnosis::Trace(traces) if text.len() > WHOLE => {
            let chain = traces.chains().into_iter().next().unwrap_or_default();
            chain.into_iter().map(as_text).collect()
        }
        Diagnosis::Trace(_) | Diagnosis::Message => text.to_owned(),
    }
}

/// Writes a trace as a program prints it.
fn as_text(trace: &ResolvedTrace) -> String {
    let at = |one: &ResolvedFrame| format!("\tat {}.{}()\n", one.frame.class, one.frame.method);
    let frames: String = trace.frames.iter().map(at).collect();
    format!("{}: {}\n{frames}", trace.error_type, trace.message)
}
