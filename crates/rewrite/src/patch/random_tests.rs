//! apply(diff(a, b), a) == b, for random texts and the diffs of real tools.
#![allow(clippy::disallowed_methods, reason = "the diffs are of files in a scratch folder")]

use std::process::Command;

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert_eq, prop_assume, prop_oneof, proptest};
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;

use super::*;

/// The line endings of a random text.
#[derive(Clone, Copy, Debug)]
enum Ends {
    Lf,
    CrLf,
    Mixed,
}

/// Few different lines, so that they repeat; some look like lines of a diff.
const LINES: [&str; 12] = [
    "",
    "}",
    "    return x",
    "\tend",
    "😀 é\u{2028}",
    "-- a",
    "++ b",
    "@@ -1 +1 @@",
    "\\ x",
    " ",
    "x\u{c}",
    "a",
];

/// A random change of the lines of a text.
#[derive(Clone, Debug)]
enum LineChange {
    Remove(Index),
    Set(Index, String),
    Insert(Index, String),
}

impl LineChange {
    fn make(self, lines: &mut Vec<String>) {
        let place = |at: Index| at.index(lines.len() + 1);
        match self {
            LineChange::Remove(at) if place(at) < lines.len() => drop(lines.remove(place(at))),
            LineChange::Set(at, line) if place(at) < lines.len() => {
                let at = place(at);
                lines[at] = line;
            }
            LineChange::Remove(_) => {}
            LineChange::Set(at, line) | LineChange::Insert(at, line) => lines.insert(place(at), line),
        }
    }
}

fn line(ends: Ends) -> impl Strategy<Value = String> {
    let endings: &[&str] = match ends {
        Ends::Lf => &["\n"],
        Ends::CrLf => &["\r\n"],
        Ends::Mixed => &["\n", "\r\n"],
    };
    let text = prop_oneof![
        3 => select(&LINES[..]).prop_map(str::to_owned),
        1 => (select(&LINES[..]), 0..20_u8).prop_map(|(line, number)| format!("{line}{number}")),
    ];
    (text, select(endings)).prop_map(|(text, ending)| text + ending)
}

/// Random texts with changed versions of them, and their line endings.
fn pair() -> impl Strategy<Value = (Ends, String, String)> {
    let changes = |ends| {
        let change = prop_oneof![
            any::<Index>().prop_map(LineChange::Remove),
            (any::<Index>(), line(ends)).prop_map(|(at, line)| LineChange::Set(at, line)),
            (any::<Index>(), line(ends)).prop_map(|(at, line)| LineChange::Insert(at, line)),
        ];
        (vec(line(ends), 0..60), vec(change, 1..6), any::<[bool; 2]>()).prop_map(move |made| (ends, made))
    };
    select(vec![Ends::Lf, Ends::CrLf, Ends::Mixed]).prop_flat_map(changes).prop_map(
        |(ends, (old, changes, is_open))| {
            let mut new = old.clone();
            changes.into_iter().for_each(|change| change.make(&mut new));
            let joined = |lines: Vec<String>, is_open: bool| {
                let text = lines.concat();
                if is_open { text.trim_end_matches(['\r', '\n']).to_owned() } else { text }
            };
            (ends, joined(old, is_open[0]), joined(new, is_open[1]))
        },
    )
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2_000,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

fn applied(patch: &str, old: &str) -> String {
    let patch = parse(patch).unwrap_or_else(|error| panic!("{error}\n{patch}"));
    let mut read =
        |path: &symd_base::RelPath| Ok((path.as_str() == "old").then(|| FileToPatch::Text(old.to_owned())));
    let plan = plan(&patch, PatchOptions::default(), &mut read)
        .unwrap_or_else(|error| panic!("{error}\n{patch:?}\n{old:?}"));
    assert!(plan.inexact_hunks.is_empty() && plan.notes.is_empty(), "{plan:?}");
    match &plan.operations[..] {
        [PatchOperation::Update { edits, .. }] => edits.apply(old).expect("inside"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn diffs_of_the_crate_similar_give_the_new_text() {
    proptest!(config(600), |((ends, old, new) in pair(), radius in 0..4_usize)| {
        prop_assume!(old != new);
        // Without context a hunk does not show the line endings.
        let context = if matches!(ends, Ends::Lf) { radius } else { 3 };
        let diff = similar::TextDiff::from_lines(&old, &new);
        let patch = diff.unified_diff().context_radius(context).header("old", "old").to_string();
        prop_assert_eq!(applied(&patch, &old), new, "{}", patch);
    });
}

#[test]
fn diffs_of_diff_and_git_give_the_new_text() {
    let folder = tempfile::tempdir().expect("made");
    proptest!(config(150), |((_, old, new) in pair())| {
        prop_assume!(old != new);
        std::fs::write(folder.path().join("old"), &old).expect("written");
        std::fs::write(folder.path().join("new"), &new).expect("written");
        let commands: [(&str, &[&str]); 2] = [
            ("diff", &["-u", "old", "new"]),
            ("git", &["-c", "core.autocrlf=false", "diff", "--no-index", "--no-color", "old", "new"]),
        ];
        for (program, arguments) in commands {
            let output = Command::new(program)
                .args(arguments)
                .current_dir(folder.path())
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .output()
                .expect("run");
            prop_assert_eq!(output.status.code(), Some(1), "{:?}", output);
            let patch = String::from_utf8(output.stdout).expect("UTF-8");
            prop_assert_eq!(applied(&patch, &old), &*new, "{}\n{}", program, patch);
        }
    });
}

/// Returns a patch in Codex's form, with enough context to make every place unique. `choices` says which of the
/// optional lines it has.
fn codex_patch(old: &str, new: &str, mut radius: usize, choices: &[bool]) -> String {
    let lines = |text: &str| -> Vec<String> {
        text.strip_suffix('\n').unwrap_or(text).split('\n').map(str::to_owned).collect()
    };
    let (old, new) = (lines(old), lines(new));
    let ops = similar::capture_diff_slices(similar::Algorithm::Myers, &old, &new);
    loop {
        let groups = similar::group_diff_ops(ops.clone(), radius);
        if let Some(hunks) = codex_hunks(&mut choices.iter().cycle(), &old, &new, &groups) {
            return format!("*** Begin Patch\n*** Update File: old\n{hunks}*** End Patch\n");
        }
        radius = radius * 2 + 1;
    }
}

/// Returns the hunks of `groups`; `None` if the place of one is not unique.
fn codex_hunks(
    choices: &mut dyn Iterator<Item = &bool>,
    old: &[String],
    new: &[String],
    groups: &[Vec<similar::DiffOp>],
) -> Option<String> {
    let is_chosen = |choice: Option<&bool>| choice.is_some_and(|choice| *choice);
    let mut text = String::new();
    let mut floor = 0;
    for group in groups {
        let first = group.first()?.old_range().start;
        let past = group.last()?.old_range().end;
        let places = old.windows((past - first).max(1)).enumerate().skip(floor);
        // The kind of line break does not distinguish places.
        let bare = |line: &String| line.trim_end_matches('\r').to_owned();
        let wanted: Vec<String> = old[first..past].iter().map(bare).collect();
        let is_there = |lines: &[String]| lines.iter().map(bare).eq(wanted.iter().cloned());
        let is_certain = places.filter(|(_, lines)| is_there(lines)).count() == 1;
        if first == past || !is_certain {
            return None;
        }
        // A unique line somewhere before may be used as the header.
        let header = (floor..first).find(|&at| {
            let line = old[at].trim();
            let is_name = line.starts_with(|c: char| c.is_ascii_alphabetic());
            is_name && old.iter().filter(|other| other.trim() == line).count() == 1
        });
        text.push_str("@@");
        if let Some(at) = header.filter(|_| is_chosen(choices.next())) {
            text.push_str(&format!(" {}", old[at].trim()));
        }
        text.push('\n');
        for op in group {
            for change in op.iter_changes(old, new) {
                let sign = match change.tag() {
                    similar::ChangeTag::Equal => ' ',
                    similar::ChangeTag::Delete => '-',
                    similar::ChangeTag::Insert => '+',
                };
                text.push_str(&format!("{sign}{}\n", change.value()));
            }
        }
        if past == old.len() && is_chosen(choices.next()) {
            text.push_str("*** End of File\n");
        }
        floor = past;
    }
    Some(text)
}

#[test]
fn codexs_sections_give_the_new_text() {
    let choices = vec(any::<bool>(), 1..8);
    proptest!(config(600), |((ends, old, new) in pair(), radius in 0..4_usize, choices in choices)| {
        // The form cannot express that a final line break is added or removed.
        let is_sayable = old.ends_with('\n') == new.ends_with('\n') && !old.is_empty() && !new.is_empty();
        // Without context a hunk does not show the line endings, nor does a line without one.
        let least_context = if matches!(ends, Ends::Lf) { 0 } else { 3 };
        prop_assume!(old != new && is_sayable && (least_context == 0 || old.contains('\n')));
        let patch = codex_patch(&old, &new, radius.max(least_context), &choices);
        prop_assert_eq!(applied(&patch, &old), new, "{}", patch);
    });
}

#[test]
fn hunks_find_their_place_when_lines_were_put_before_them() {
    // Every line is unique, so that there is one right place.
    let old: String = (0..50).map(|line| format!("line {line}\n")).collect();
    proptest!(config(300), |(at in 0..50, shift in 1..30_usize)| {
        let new = old.replacen(&format!("line {at}\n"), "😀\n", 1);
        let patch = similar::TextDiff::from_lines(&old, &new).unified_diff().header("old", "old").to_string();
        let before = "other\n".repeat(shift);
        let patch = parse(&patch).expect("read");
        let shifted = format!("{before}{old}");
        let mut read = |_: &symd_base::RelPath| Ok(Some(FileToPatch::Text(shifted.clone())));
        let plan = plan(&patch, PatchOptions::default(), &mut read).expect("found");
        let PatchOperation::Update { edits, .. } = &plan.operations[0] else { panic!("an update") };
        prop_assert_eq!(edits.apply(&shifted).expect("inside"), format!("{before}{new}"));
        prop_assert_eq!(plan.inexact_hunks[0].offset, i64::try_from(shift).expect("small"));
    });
}

/// 1,000 hunks over 100 files of 5,000 lines, none at the line it names; for measurements with `--nocapture`.
#[test]
fn many_hunks_over_many_files() {
    let text: String = (0..5_000)
        .map(|line| if line % 3 == 0 { "}\n".to_owned() } else { format!("line {line}\n") })
        .collect();
    let mut patch = String::new();
    for file in 0..100 {
        patch.push_str(&format!("--- a/f{file}\n+++ b/f{file}\n"));
        for hunk in 0..10 {
            let at = hunk * 450 + 30;
            let (one, two) = (at + 1, at + 2);
            patch.push_str(&format!(
                "@@ -{},3 +{},3 @@\n }}\n-line {one}\n+new\n line {two}\n",
                at + 100,
                at + 100
            ));
        }
    }
    let started = std::time::Instant::now();
    let parsed = parse(&patch).expect("read");
    let read_after = started.elapsed();
    let plan = plan(&parsed, PatchOptions::default(), &mut |_| Ok(Some(FileToPatch::Text(text.clone()))))
        .expect("planned");
    println!("read in {read_after:?}, planned in {:?}", started.elapsed() - read_after);
    assert_eq!((plan.operations.len(), plan.inexact_hunks.len()), (100, 1_000));
}
