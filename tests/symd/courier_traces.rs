//! Traces of the Android project in fixtures/traces/courier: two variants, each compiled for two JVM targets, with lines and without,
//! obfuscated and not. What is true of a frame stands as marks in its sources, by hand (`fixtures/traces/courier.py` compiles and runs
//! them). A frame that has a wrong place without a doubt is a fault, whatever the share.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use symd::git::GitError;
use symd::ops::Project;
use symd::ops::stack_trace::{MappingChoice, ResolvedFrame, ResolvedTraces, TraceQuestion, resolve_trace};

use crate::market_traces::{Tally, TruePlace};
use crate::opened::Opening;

const VARIANTS: [&str; 2] = ["freeDebug", "paidRelease"];
const TARGETS: [&str; 2] = ["1.8", "11"];

/// What a build left in its traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TraceForm {
    Plain,
    Stripped,
    Files,
    Obfuscated,
    ObfuscatedStripped,
}

impl TraceForm {
    const ALL: [TraceForm; 5] =
        [Self::Plain, Self::Stripped, Self::Files, Self::Obfuscated, Self::ObfuscatedStripped];

    fn name(self) -> &'static str {
        match self {
            TraceForm::Plain => "plain",
            TraceForm::Stripped => "stripped",
            TraceForm::Files => "files",
            TraceForm::Obfuscated => "obfuscated",
            TraceForm::ObfuscatedStripped => "obfuscated-stripped",
        }
    }

    fn has_lines(self) -> bool {
        matches!(self, TraceForm::Plain | TraceForm::Obfuscated)
    }

    /// What was reached of frames with lines: the least percentage that is right, in doubt or not (99 is wanted), and the highest
    /// that is in doubt (5 is wanted).
    fn reached(self) -> Option<(usize, usize)> {
        match self {
            TraceForm::Plain => Some((99, 4)),
            TraceForm::Obfuscated => Some((99, 4)),
            TraceForm::Stripped | TraceForm::Files | TraceForm::ObfuscatedStripped => None,
        }
    }

    fn is_obfuscated(self) -> bool {
        matches!(self, TraceForm::Obfuscated | TraceForm::ObfuscatedStripped)
    }
}

/// What tells which variant was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Nothing,
    /// Android's head of the crash: the name of the process is the application's id.
    Process,
    /// The question.
    Variant,
}

/// What Android logs before the trace of a crash.
fn head(variant: &str) -> String {
    let id = if variant == "freeDebug" { "courier.app.free.debug" } else { "courier.app" };
    format!("FATAL EXCEPTION: main\nProcess: {id}, PID: 4711\n")
}

fn courier() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces/courier")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(courier().join(name)).unwrap()
}

/// The traces of one build, by the names of their cases.
fn cases(build: &str) -> BTreeMap<String, String> {
    let text = read(&format!("traces/{build}.txt"));
    let cases = text.split("### ").skip(1).map(|case| case.split_once('\n').unwrap());
    cases.map(|(title, text)| (title.to_owned(), text.to_owned())).collect()
}

/// What is true of the frames of one build that are of the project, by case and the number of the frame; line 0 is any.
fn truth(build: &str) -> BTreeMap<(String, usize), TruePlace> {
    let text = read("truth.tsv");
    let rows = text.lines().map(|row| row.split('\t').collect::<Vec<_>>());
    let of_build = rows.filter(|row| row[0] == build).map(|row| {
        let [_, title, number, _, path, line, declaration] = *row else { panic!("{row:?}") };
        let line = if line == "any" { 0 } else { line.parse().unwrap() };
        let place = TruePlace { path: path.to_owned(), line, declaration: declaration.to_owned() };
        ((title.to_owned(), number.parse().unwrap()), place)
    });
    of_build.collect()
}

/// Opens a copy of the project, with the mapping of a build beneath `build/outputs/mapping`.
fn opened(at: &Path, mapping: Option<(&str, &str)>) -> Project {
    let project = at.join("project");
    crate::git_stage::copy(&courier().join("project"), &project);
    if let Some((build, path)) = mapping {
        std::fs::create_dir_all(project.join(path).parent().unwrap()).unwrap();
        std::fs::copy(courier().join(format!("traces/{build}.mapping.txt")), project.join(path)).unwrap();
    }
    Opening::new(at, "").open(at)
}

async fn resolved(
    project: &Project,
    text: &str,
    variant: Option<&str>,
    mapping: Option<&str>,
) -> ResolvedTraces {
    let (text, variant, mapping) = (text.to_owned(), variant.map(str::to_owned), mapping.map(str::to_owned));
    let answered = project.engine.ask(move |view| {
        let git = GitError::Failed("not asked".to_owned());
        let question = TraceQuestion {
            text: &text,
            mapping: mapping.as_deref().map_or(MappingChoice::OfBuild, MappingChoice::Given),
            variant: variant.as_deref(),
            revision: None,
            git: Err(&git),
        };
        resolve_trace(view, question, &symd::base::Cancel::new()).unwrap()
    });
    answered.await.unwrap()
}

/// Resolves the traces of one build, each as a whole.
async fn tally(variant: &str, target: &str, form: TraceForm, told: Told) -> Tally {
    let at = tempfile::tempdir().unwrap();
    let at = at.path().canonicalize().unwrap();
    let build = format!("{variant}-{target}-{}", form.name());
    let of_build = format!("app/build/outputs/mapping/{variant}/mapping.txt");
    let path = if told == Told::Variant { of_build.as_str() } else { "mapping.txt" };
    let project = opened(&at, form.is_obfuscated().then_some((build.as_str(), path)));
    let truth = truth(&build);
    // A mapping of a build tells its variant.
    let (built, variant) = (variant, (told == Told::Variant && !form.is_obfuscated()).then_some(variant));
    let given = (told != Told::Variant && form.is_obfuscated()).then_some(path);
    let mut tally = Tally::default();
    for (title, text) in cases(&build) {
        let printed = text.lines().filter_map(|line| line.trim().strip_prefix("at ")).enumerate();
        // What the JVM makes for a lambda, and shows where it has no memory left, is no frame of the answer.
        let printed: Vec<(usize, &str)> = printed.filter(|(_, frame)| !frame.contains("$$Lambda$")).collect();
        if !truth.keys().any(|(of, _)| *of == title) {
            continue;
        }
        let head = if told == Told::Process { head(built) } else { String::new() };
        let found = resolved(&project, &(head + &text), variant, given).await;
        // Without lines, calls of one name are equal frames, which are folded.
        let mut frames: Vec<&ResolvedFrame> = Vec::new();
        for frame in found.traces.iter().flat_map(|trace| &trace.frames) {
            assert!(frame.cycle <= 1, "{build} {title}: a cycle of several frames");
            frames.extend(std::iter::repeat_n(frame, frame.times));
        }
        assert_eq!(frames.len(), printed.len(), "{build} {title}: {frames:#?}");
        for (frame, (number, printed)) in frames.into_iter().zip(printed) {
            match truth.get(&(title.clone(), number)) {
                Some(place) => {
                    let has_line = form.has_lines() && place.line > 0;
                    tally.judge(printed, place, &frame.places, has_line);
                }
                // Of a library, a stand-in or the harness.
                None if frame.places.is_empty() => {}
                None => tally.wrong.push(format!("{title}: {printed}: not {:?}", frame.places)),
            }
        }
    }
    tally
}

#[tokio::test(flavor = "multi_thread")]
async fn no_frame_of_an_android_project_has_a_wrong_place_without_a_doubt() {
    let mut faults: Vec<String> = Vec::new();
    for (told, form) in [Told::Nothing, Told::Process, Told::Variant]
        .into_iter()
        .flat_map(|told| TraceForm::ALL.map(|form| (told, form)))
    {
        let (mut all, mut right, mut right_in_doubt, mut doubted, mut unplaced) = (0, 0, 0, 0, 0);
        for (variant, target) in
            VARIANTS.into_iter().flat_map(|variant| TARGETS.map(|target| (variant, target)))
        {
            let found = tally(variant, target, form, told).await;
            let build = format!("{variant}-{target}-{}", form.name());
            found.elsewhere.iter().for_each(|one| println!("  {build}: elsewhere, in doubt: {one}"));
            found.right_but_doubted.iter().for_each(|one| println!("  {build}: right, in doubt: {one}"));
            found.unplaced.iter().for_each(|one| println!("  {build}: not placed: {one}"));
            faults.extend(found.wrong.iter().map(|one| format!("{build}: {one}")));
            all += found.seen.len();
            right += found.right;
            right_in_doubt += found.right_in_doubt;
            doubted += found.doubted;
            unplaced += found.unplaced.len();
        }
        println!(
            "{}, told: {told:?}: {all} frames, {right} right without a doubt, {doubted} in doubt ({right_in_doubt} of them \
             right), {unplaced} not placed",
            form.name(),
        );
        if let Some((right_percent, doubted_percent)) = form.reached()
            && ((right + right_in_doubt) * 100 < all * right_percent || doubted * 100 > all * doubted_percent)
        {
            faults.push(format!(
                "{form:?}, {told:?}: {right} + {right_in_doubt} right, {doubted} in doubt of {all}"
            ));
        }
    }
    assert_eq!(faults, Vec::<String>::new());
}

/// The sure places of traces: file, line and declaration.
fn sure_places(found: &ResolvedTraces) -> BTreeSet<(String, usize, String)> {
    let frames = found.traces.iter().flat_map(|trace| &trace.frames);
    let sure = frames.filter_map(|frame| match frame.places.as_slice() {
        [place] if place.doubt.is_none() => Some(place),
        _ => None,
    });
    sure.map(|place| (place.path.as_str().to_owned(), place.line, place.name_path.clone())).collect()
}

/// Traces as they arrive: cut anywhere, wrapped by a mail, and of two processes in one log.
#[tokio::test(flavor = "multi_thread")]
async fn a_trace_that_is_damaged_has_no_other_places() {
    let at = tempfile::tempdir().unwrap();
    let at = at.path().canonicalize().unwrap();
    let project = opened(&at, None);
    let (free, paid) = (cases("freeDebug-11-plain"), cases("paidRelease-1.8-plain"));
    for title in ["flow", "price", "click", "suppressed"] {
        let whole = sure_places(&resolved(&project, &free[title], None, None).await);
        assert!(!whole.is_empty(), "{title}");
        for end in (0..free[title].len()).filter(|end| free[title].is_char_boundary(*end)) {
            let cut = sure_places(&resolved(&project, &free[title][..end], None, None).await);
            assert!(cut.is_subset(&whole), "{title}, cut at {end}: {:?}", cut.difference(&whole));
        }
        let mail: String = free[title].lines().map(|line| format!("> {}\n", wrapped(line, 60))).collect();
        assert_eq!(sure_places(&resolved(&project, &mail, None, None).await), whole, "{mail}");
        // A line of the one, a line of the other.
        let logged = |pid: u32, variant: &str, text: &str| -> Vec<String> {
            let begun = head(variant).replace("4711", &pid.to_string()) + text;
            let line = |line: &str| format!("01-05 12:34:56.789  {pid}  {pid} E AndroidRuntime: {line}\n");
            begun.lines().map(line).collect()
        };
        let (one, other) =
            (logged(4711, "freeDebug", &free[title]), logged(4712, "paidRelease", &paid[title]));
        let mut log = String::new();
        for at in 0..one.len().max(other.len()) {
            log.extend(one.get(at).map(String::as_str));
            log.extend(other.get(at).map(String::as_str));
        }
        let of_other = sure_places(&resolved(&project, &paid[title], None, None).await);
        let both: BTreeSet<_> = whole.union(&of_other).cloned().collect();
        assert_eq!(sure_places(&resolved(&project, &log, None, None).await), both, "{log}");
    }
}

/// Breaks a line after `width` characters, as programs for mails do.
fn wrapped(line: &str, width: usize) -> String {
    let chars: Vec<char> = line.chars().collect();
    let lines = chars.chunks(width).map(|chunk| chunk.iter().collect::<String>());
    lines.collect::<Vec<_>>().join("\n> ")
}

/// Of a mapping that is cut in the middle of a line no frame is given to another method without a doubt.
#[tokio::test(flavor = "multi_thread")]
async fn a_mapping_that_is_cut_gives_no_other_places() {
    let build = "paidRelease-11-obfuscated";
    let at = tempfile::tempdir().unwrap();
    let at = at.path().canonicalize().unwrap();
    let path = "app/build/outputs/mapping/paidRelease/mapping.txt";
    let project = opened(&at, Some((build, path)));
    let mapping = read(&format!("traces/{build}.mapping.txt"));
    let text = ["flow", "price", "click"].map(|title| cases(build).remove(title).unwrap()).concat();
    let whole = sure_places(&resolved(&project, &text, None, None).await);
    assert!(whole.len() >= 8, "{whole:?}");
    let mut fewer = 0;
    for end in
        (0..mapping.len()).step_by(151).filter(|end| mapping.as_bytes()[end.saturating_sub(1)] != b'\n')
    {
        crate::support::write(&at.join("project").join(path), &mapping[..end]);
        let cut = sure_places(&resolved(&project, &text, None, None).await);
        assert!(cut.is_subset(&whole), "cut at {end}: {:?}", cut.difference(&whole).collect::<Vec<_>>());
        fewer += usize::from(cut.len() < whole.len());
    }
    assert!(fewer > 10, "{fewer}");
}
