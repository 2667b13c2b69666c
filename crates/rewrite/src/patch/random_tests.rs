//! apply(diff(a, b), a) == b, for random texts and the diffs of real tools.
#![allow(clippy::disallowed_methods, reason = "the diffs are of files in a scratch folder")]

use std::process::Command;

use fastrand::Rng;

use super::*;

/// The line endings of a random text.
#[derive(Clone, Copy, Debug)]
enum Ends {
    Lf,
    CrLf,
    Mixed,
}

fn line(rng: &mut Rng) -> String {
    // Few different lines, so that they repeat; some look like lines of a diff.
    let lines = [
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
    let line = lines[rng.usize(..lines.len())];
    if rng.u8(..4) == 0 { format!("{line}{}", rng.u8(..20)) } else { line.to_owned() }
}

fn ending(rng: &mut Rng, ends: Ends) -> &'static str {
    match ends {
        Ends::Lf => "\n",
        Ends::CrLf => "\r\n",
        Ends::Mixed => ["\n", "\r\n"][rng.usize(..2)],
    }
}

/// Returns a text and a changed version of it.
fn pair(rng: &mut Rng, ends: Ends) -> (String, String) {
    let count = rng.usize(..60);
    let old: Vec<String> = (0..count).map(|_| line(rng) + ending(rng, ends)).collect();
    let mut new = old.clone();
    for _ in 0..rng.usize(1..6) {
        let at = rng.usize(..=new.len());
        match rng.u8(..3) {
            0 if at < new.len() => drop(new.remove(at)),
            1 if at < new.len() => new[at] = line(rng) + ending(rng, ends),
            _ => new.insert(at, line(rng) + ending(rng, ends)),
        }
    }
    let mut joined = |lines: Vec<String>| {
        let mut text = lines.concat();
        if rng.u8(..3) == 0 {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    };
    (joined(old), joined(new))
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
    for seed in 0..600 {
        let mut rng = Rng::with_seed(seed);
        let ends = [Ends::Lf, Ends::CrLf, Ends::Mixed][rng.usize(..3)];
        let (old, new) = pair(&mut rng, ends);
        if old == new {
            continue;
        }
        // Without context a hunk does not show the line endings.
        let context = if matches!(ends, Ends::Lf) { rng.usize(..4) } else { 3 };
        let diff = similar::TextDiff::from_lines(&old, &new);
        let patch = diff.unified_diff().context_radius(context).header("old", "old").to_string();
        assert_eq!(applied(&patch, &old), new, "seed {seed}\n{patch}");
    }
}

#[test]
fn diffs_of_diff_and_git_give_the_new_text() {
    let folder = tempfile::tempdir().expect("made");
    for seed in 0..150 {
        let mut rng = Rng::with_seed(10_000 + seed);
        let ends = [Ends::Lf, Ends::CrLf, Ends::Mixed][rng.usize(..3)];
        let (old, new) = pair(&mut rng, ends);
        if old == new {
            continue;
        }
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
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            let patch = String::from_utf8(output.stdout).expect("UTF-8");
            assert_eq!(applied(&patch, &old), new, "{program}, seed {seed}\n{patch}");
        }
    }
}

/// Returns a patch in Codex's form, with enough context to make every place unique.
fn codex_patch(rng: &mut Rng, old: &str, new: &str, least_context: usize) -> String {
    let lines = |text: &str| -> Vec<String> {
        text.strip_suffix('\n').unwrap_or(text).split('\n').map(str::to_owned).collect()
    };
    let (old, new) = (lines(old), lines(new));
    let ops = similar::capture_diff_slices(similar::Algorithm::Myers, &old, &new);
    let mut radius = rng.usize(least_context..4);
    loop {
        let groups = similar::group_diff_ops(ops.clone(), radius);
        if let Some(hunks) = codex_hunks(rng, &old, &new, &groups) {
            return format!("*** Begin Patch\n*** Update File: old\n{hunks}*** End Patch\n");
        }
        radius = radius * 2 + 1;
    }
}

/// Returns the hunks of `groups`; `None` if the place of one is not unique.
fn codex_hunks(
    rng: &mut Rng,
    old: &[String],
    new: &[String],
    groups: &[Vec<similar::DiffOp>],
) -> Option<String> {
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
        if let Some(at) = header.filter(|_| rng.bool()) {
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
        if past == old.len() && rng.bool() {
            text.push_str("*** End of File\n");
        }
        floor = past;
    }
    Some(text)
}

#[test]
fn codexs_sections_give_the_new_text() {
    let mut tried = 0;
    for seed in 0..1_200 {
        let mut rng = Rng::with_seed(30_000 + seed);
        let ends = [Ends::Lf, Ends::CrLf, Ends::Mixed][rng.usize(..3)];
        let (old, new) = pair(&mut rng, ends);
        // The form cannot express that a final line break is added or removed.
        let is_sayable = old.ends_with('\n') == new.ends_with('\n') && !old.is_empty() && !new.is_empty();
        if old == new || !is_sayable {
            continue;
        }
        // Without context a hunk does not show the line endings, nor does a line without one.
        let least_context = if matches!(ends, Ends::Lf) { 0 } else { 3 };
        if least_context > 0 && !old.contains('\n') {
            continue;
        }
        let patch = codex_patch(&mut rng, &old, &new, least_context);
        tried += 1;
        assert_eq!(applied(&patch, &old), new, "seed {seed}\n{patch}");
    }
    assert!(tried > 400, "{tried}");
}

#[test]
fn hunks_find_their_place_when_lines_were_put_before_them() {
    for seed in 0..300 {
        let mut rng = Rng::with_seed(20_000 + seed);
        // Every line is unique, so that there is one right place.
        let old: String = (0..50).map(|line| format!("line {line}\n")).collect();
        let at = rng.usize(..50);
        let new = old.replacen(&format!("line {at}\n"), "😀\n", 1);
        let patch = similar::TextDiff::from_lines(&old, &new).unified_diff().header("old", "old").to_string();
        let shift = rng.usize(1..30);
        let before = "other\n".repeat(shift);
        let patch = parse(&patch).expect("read");
        let shifted = format!("{before}{old}");
        let mut read = |_: &symd_base::RelPath| Ok(Some(FileToPatch::Text(shifted.clone())));
        let plan = plan(&patch, PatchOptions::default(), &mut read).expect("found");
        let PatchOperation::Update { edits, .. } = &plan.operations[0] else { panic!("an update") };
        assert_eq!(edits.apply(&shifted).expect("inside"), format!("{before}{new}"), "seed {seed}");
        assert_eq!(plan.inexact_hunks[0].offset, i64::try_from(shift).expect("small"));
    }
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
