//! Finds the mapping file of a trace: the given one, or the one of a build in the project. A build's mapping is used only
//! if it renames a class of the trace, so that a trace of a debug build keeps its lines.

use std::collections::BTreeSet;

use super::mapping::TraceMapping;
use super::mapping_pieces::{FileEnd, for_each_line};
use super::mapping_reader::MappingReader;
use super::parse::{ParsedFrame, ParsedTrace};
use super::variant::BuildVariant;
use crate::view_tree::ViewTree;
use symd_base::{Cancel, RelPath};
use symd_engine::View;

/// Which mapping is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappingChoice<'a> {
    /// That of a build in the project, if the trace is obfuscated.
    OfBuild,
    /// The file at this path in the project.
    Given(&'a str),
}

/// Maximum number of builds' mappings that are read.
const MAX_BUILDS: usize = 12;

/// The longest name of a class or method that is taken for an obfuscated one.
const OBFUSCATED: usize = 3;

/// Returns the mappings that fit equally well, with their paths, and why others were not used.
pub(super) fn load(
    view: &View,
    choice: MappingChoice<'_>,
    told: Option<&BuildVariant>,
    traces: &[ParsedTrace],
    cancel: &Cancel,
) -> (Vec<(String, TraceMapping)>, Vec<String>) {
    let mut notes = Vec::new();
    let mut fitting: Vec<(String, ReadMapping)> = Vec::new();
    match choice {
        MappingChoice::Given(path) => match read(view, path, traces, cancel) {
            Ok(mapping) => fitting.push((path.to_owned(), mapping)),
            Err(why) => notes.push(format!("{path} is not used: {why}")),
        },
        MappingChoice::OfBuild if !traces.iter().any(may_be_obfuscated) => {}
        MappingChoice::OfBuild => {
            for path in of_builds(view) {
                match read(view, &path, traces, cancel) {
                    Ok(read) if read.mapping.renames_any(traces) => fitting.push((path, read)),
                    Ok(_) => {}
                    // Methods of other programs have short names, too.
                    Err(why) if traces.iter().any(is_obfuscated) => {
                        notes.push(format!("{path} is not used: {why}"));
                    }
                    Err(_) => {}
                }
            }
            if fitting.is_empty() && notes.is_empty() && traces.iter().any(has_no_names) {
                notes.push(
                    "names look obfuscated, and no mapping.txt beneath build/outputs/mapping of a module has them: give one by mapping"
                        .to_owned(),
                );
            }
            // The trace is of the variant that is told, so the mappings of others only seem to fit.
            let is_told = |path: &str| {
                told.zip(BuildVariant::of_mapping(path)).is_some_and(|(told, of)| told.may_be(&of))
            };
            if fitting.iter().any(|(path, _)| is_told(path)) {
                fitting.retain(|(path, _)| is_told(path));
            }
            // That of the build that the frames name, then that of most of the trace's classes.
            fitting.sort_by_key(|(_, read)| std::cmp::Reverse(read.fitness));
        }
    }
    let best = fitting.first().map(|(_, read)| read.fitness);
    let (chosen, others): (Vec<_>, Vec<_>) =
        fitting.into_iter().partition(|(_, read)| Some(read.fitness) == best);
    notes.extend(others.into_iter().map(|(path, _)| format!("{path} may fit, too")));
    for (path, read) in &chosen {
        if matches!(read.end, FileEnd::Cut) {
            notes.push(format!("{path} ends in the middle of a line, so more of it may be missing"));
        }
    }
    (chosen.into_iter().map(|(path, read)| (path, read.mapping)).collect(), notes)
}

struct ReadMapping {
    mapping: TraceMapping,
    end: FileEnd,
    /// Whether it has the identity that the frames name, and how many of their classes it has.
    fitness: (bool, usize),
}

fn read(view: &View, path: &str, traces: &[ParsedTrace], cancel: &Cancel) -> Result<ReadMapping, String> {
    let found = view.whole_tree(|tree| tree.locate(path)).map_err(|error| error.to_string())?;
    let mut reader = MappingReader::of(traces);
    let end = for_each_line(&*view.files, &found.path, cancel, |line| reader.line(line))?;
    if matches!(end, FileEnd::Cut) {
        reader.cut();
    }
    let mapping = reader.finish().map_err(|error| error.to_string())?;
    let mut ids = traces.iter().flat_map(|trace| &trace.frames).filter_map(|frame| frame.map_id.as_deref());
    let fitness = (ids.any(|id| mapping.is_called(id)), mapping.class_count());
    Ok(ReadMapping { mapping, end, fitness })
}

fn is_short(name: &str) -> bool {
    !name.is_empty() && name.len() <= OBFUSCATED
}

fn has_short_class(frame: &ParsedFrame) -> bool {
    is_short(frame.class.rsplit('.').next().unwrap_or_default())
}

/// Whether a trace has classes with short names, or R8's mark.
fn is_obfuscated(trace: &ParsedTrace) -> bool {
    trace.frames.iter().any(|frame| frame.map_id.is_some() || has_short_class(frame))
}

/// Whether a frame has R8's mark, or a line but neither a file nor a class with a longer name.
fn has_no_names(trace: &ParsedTrace) -> bool {
    let is_unnamed =
        |frame: &ParsedFrame| frame.file.is_empty() && frame.line.is_some() && has_short_class(frame);
    trace.frames.iter().any(|frame| frame.map_id.is_some() || is_unnamed(frame))
}

fn may_be_obfuscated(trace: &ParsedTrace) -> bool {
    is_obfuscated(trace) || trace.frames.iter().any(|frame| is_short(&frame.method))
}

/// Returns the module that a file shows: the directory of a build's script, or of the sources.
fn module_of(path: &str) -> Option<&str> {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    if matches!(name, "build.gradle" | "build.gradle.kts") {
        return Some(directory);
    }
    match path.starts_with("src/") {
        true => Some(""),
        false => path.split_once("/src/").map(|(module, _)| module),
    }
}

/// Returns the mappings beneath `build/outputs/mapping` of all modules, in order of their paths. Scripts have any name in some
/// projects, so sources show a module, too.
fn of_builds(view: &View) -> Vec<String> {
    let modules: BTreeSet<&str> =
        view.snapshot.files.iter().filter_map(|file| module_of(file.path.as_str())).collect();
    let mut found = Vec::new();
    for module in modules {
        let directory = match module {
            "" => "build/outputs/mapping".to_owned(),
            module => format!("{module}/build/outputs/mapping"),
        };
        let listed = RelPath::new(&directory).ok().and_then(|path| view.files.list(&path).ok());
        let (variants, _) = listed.unwrap_or_default();
        found.extend(variants.iter().map(|variant| format!("{directory}/{}/mapping.txt", variant.name)));
    }
    found.retain(|path| RelPath::new(path).is_ok_and(|path| view.files.stat(&path).is_ok()));
    found.sort();
    found.truncate(MAX_BUILDS);
    found
}
