//! Frames of the project in fixtures/traces/market: six packages whose files share their names, with every kind of declaration
//! that Kotlin's compiler gives names of its own. What is true of each frame stands as marks in its sources, by hand
//! (`fixtures/traces/market.py` writes them). A frame that has a wrong place without a doubt is a fault, whatever the share.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use symd::git::GitError;
use symd::ops::stack_trace::{FramePlace, MappingChoice, TraceQuestion, resolve_trace};

use crate::opened::Opening;

/// How many of 100 frames of earlier sources have their declaration, with a doubt or without; 95 are wanted.
const LATER_PERCENT: usize = 96;

pub(crate) fn market() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces/market")
}

/// What is true of a frame: its file, its line, and the declaration that holds it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TruePlace {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) declaration: String,
}

/// The frames of a form that are marked, each declaration, line and frame once.
fn truth(form: &str) -> BTreeSet<(String, TruePlace)> {
    let text = std::fs::read_to_string(market().join("truth.tsv")).unwrap();
    let mut all = BTreeSet::new();
    for row in text.lines() {
        let [of, _, _, frame, path, line, declaration] = *row.split('\t').collect::<Vec<_>>() else {
            panic!("{row}");
        };
        if of == form && declaration != "-" {
            let line = line.parse().unwrap();
            let place = TruePlace { path: path.to_owned(), line, declaration: declaration.to_owned() };
            all.insert((frame.to_owned(), place));
        }
    }
    all
}

/// The traces of a form, by the names of their cases.
pub(crate) fn written_cases(form: &str) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(market().join(format!("frames-{form}.txt"))).unwrap();
    let cases = text.split("### ").skip(1).map(|case| case.split_once('\n').unwrap());
    cases.map(|(title, text)| (title.to_owned(), text.to_owned())).collect()
}

/// What is true of the frames of a form that are marked, by case: the number of each frame, its text and its place.
pub(crate) fn places_by_case(form: &str) -> BTreeMap<String, Vec<(usize, String, TruePlace)>> {
    let text = std::fs::read_to_string(market().join("truth.tsv")).unwrap();
    let mut all: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for row in text.lines() {
        let [of, title, number, frame, path, line, declaration] = *row.split('\t').collect::<Vec<_>>() else {
            panic!("{row}");
        };
        if of == form && declaration != "-" {
            let (line, declaration) = (line.parse().unwrap(), declaration.to_owned());
            let place = TruePlace { path: path.to_owned(), line, declaration };
            all.entry(title.to_owned()).or_default().push((number.parse().unwrap(), frame.to_owned(), place));
        }
    }
    all
}

/// How the frames of one form fare.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) seen: BTreeSet<(String, TruePlace)>,
    pub(crate) right: usize,
    pub(crate) doubted: usize,
    /// How many of those in doubt are given their right place.
    pub(crate) right_in_doubt: usize,
    /// Each of them with its doubt.
    pub(crate) right_but_doubted: Vec<String>,
    pub(crate) unplaced: Vec<String>,
    /// Those in doubt that are given another place.
    pub(crate) elsewhere: Vec<String>,
    pub(crate) wrong: Vec<String>,
    /// How many an index by file name alone gets right, with the first file of a name.
    by_file_name: usize,
}

impl Tally {
    pub(crate) fn judge(&mut self, frame: &str, truth: &TruePlace, places: &[FramePlace], has_line: bool) {
        if !self.seen.insert((frame.to_owned(), truth.clone())) {
            return;
        }
        let is_right = |place: &FramePlace| {
            place.path.as_str() == truth.path
                && (!has_line || place.line == truth.line)
                && place.name_path.replace('`', "") == truth.declaration
        };
        match places {
            [] => self.unplaced.push(format!("{frame}: {truth:?}")),
            [place] if place.doubt.is_none() && is_right(place) => self.right += 1,
            [place] if place.doubt.is_none() => {
                self.wrong.push(format!("{frame}: {truth:?}, not {place:?}"));
            }
            places => {
                self.doubted += 1;
                // Of several, none is said to be the one.
                let is_right = matches!(places, [place] if is_right(place));
                self.right_in_doubt += usize::from(is_right);
                let doubt = || format!("{frame}: {:?}", places[0].doubt.as_deref().unwrap_or_default());
                self.right_but_doubted.extend(is_right.then(doubt));
                self.elsewhere.extend((!is_right).then(|| format!("{frame}: {truth:?}, not {places:?}")));
            }
        }
        let name = truth.path.rsplit('/').next().unwrap_or_default();
        let first =
            ["app", "orders", "prices", "search", "stock", "sync", "users"].iter().find_map(|module| {
                ["kotlin", "java"]
                    .iter()
                    .map(|language| format!("{module}/src/main/{language}/market/{module}/{name}"))
                    .find(|path| market().join(path).exists())
            });
        self.by_file_name += usize::from(has_line && first.is_some_and(|path| path == truth.path));
    }
}

/// The lines of the frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameLines {
    Right,
    /// As a build without line numbers prints them; made from the others.
    None,
    /// Since the build, lines were added everywhere.
    OfEarlierSources,
}

/// Adds comments at the empty lines of all sources, up to four at each, so that nothing stands where it stood.
fn move_all_lines(project: &Path) {
    for entry in std::fs::read_dir(project).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            move_all_lines(&path);
        } else if path.extension().is_some_and(|end| end == "kt" || end == "java") {
            let text = std::fs::read_to_string(&path).unwrap();
            let moved: Vec<String> = text
                .lines()
                .enumerate()
                .map(|(number, line)| match line.is_empty() {
                    true => "\n// later".repeat(number * 7 % 4 + 1) + "\n",
                    false => line.to_owned(),
                })
                .collect();
            crate::support::write(&path, &(moved.join("\n") + "\n"));
        }
    }
}

/// Resolves the frames of a project's traces, each in a trace of its own.
pub(crate) async fn tally(
    sources: &Path,
    truth: BTreeSet<(String, TruePlace)>,
    mapping: Option<&str>,
    lines: FrameLines,
) -> Tally {
    let at = tempfile::tempdir().unwrap();
    let at = at.path().canonicalize().unwrap();
    crate::git_stage::copy(sources, &at.join("project"));
    if lines == FrameLines::OfEarlierSources {
        move_all_lines(&at.join("project"));
    }
    let has_line = lines == FrameLines::Right;
    let project = Opening::new(&at, "").open(&at);
    let mapping = mapping.map(str::to_owned);
    let line = regex::Regex::new(r"\.(kt|java):\d+\)").unwrap();
    let answered = project.engine.ask(move |view| {
        let mut tally = Tally::default();
        for (frame, place) in truth {
            let printed = match lines {
                FrameLines::None => line.replace_all(&frame, ".$1)").into_owned(),
                FrameLines::Right | FrameLines::OfEarlierSources => frame,
            };
            let text = format!("market.orders.Refusal: Order 1\n\tat {printed}\n");
            let git = GitError::Failed("not asked".to_owned());
            let question = TraceQuestion {
                text: &text,
                mapping: mapping.as_deref().map_or(MappingChoice::OfBuild, MappingChoice::Given),
                variant: None,
                revision: None,
                git: Err(&git),
            };
            let resolved = resolve_trace(view, question, &symd::base::Cancel::new()).unwrap();
            let [trace] = resolved.traces.as_slice() else { panic!("{text}") };
            match trace.frames.as_slice() {
                [one] => tally.judge(&printed, &place, &one.places, has_line),
                // Code that was inlined: these programs have none.
                frames => tally.wrong.push(format!("{printed}: {place:?}, not {frames:?}")),
            }
        }
        tally
    });
    answered.await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_frame_of_any_form_has_a_wrong_place_without_a_doubt() {
    let (mut all, mut right, mut right_at_all, mut doubted, mut by_file_name) = (0, 0, 0, 0, 0);
    let mut wrong = Vec::new();
    let mut declarations = BTreeSet::new();
    for (form, mapping, lines) in [
        ("plain", None, FrameLines::Right),
        ("classes", None, FrameLines::Right),
        ("obfuscated", Some("mapping.txt"), FrameLines::Right),
        ("plain", None, FrameLines::None),
        ("classes", None, FrameLines::None),
        ("plain", None, FrameLines::OfEarlierSources),
        ("classes", None, FrameLines::OfEarlierSources),
    ] {
        let found = tally(&market(), truth(form), mapping, lines).await;
        let count = found.seen.len();
        println!(
            "{form}, lines {lines:?}: {count} frames, {} right, {} in doubt ({} of them right), {} not placed, {} wrong; by the \
             file's name alone {}",
            found.right,
            found.doubted,
            found.right_in_doubt,
            found.unplaced.len(),
            found.wrong.len(),
            found.by_file_name,
        );
        found.unplaced.iter().for_each(|one| println!("  not placed: {one}"));
        found.wrong.iter().for_each(|one| println!("  wrong: {one}"));
        found.elsewhere.iter().for_each(|one| println!("  elsewhere, in doubt: {one}"));
        if lines == FrameLines::Right {
            declarations
                .extend(found.seen.iter().map(|(_, place)| (place.path.clone(), place.declaration.clone())));
            all += count;
            right += found.right;
            right_at_all += found.right + found.right_in_doubt;
            doubted += found.doubted;
            by_file_name += found.by_file_name;
        }
        if lines == FrameLines::OfEarlierSources {
            let right = found.right + found.right_in_doubt;
            assert!(
                right * 100 >= count * LATER_PERCENT,
                "{right} of {count} have their declaration in later sources"
            );
        }
        wrong.extend(found.wrong);
    }
    println!(
        "{all} frames of {} declarations: {right} right, {doubted} in doubt; by the file's name alone {by_file_name}",
        declarations.len()
    );
    assert_eq!(wrong, Vec::<String>::new());
    assert!(all >= 500 && declarations.len() >= 150, "{all} frames of {} declarations", declarations.len());
    assert!(
        right_at_all * 100 >= all * 99 && doubted * 20 <= all,
        "{right} right and {doubted} in doubt of {all}"
    );
}
