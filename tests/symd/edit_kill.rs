//! Eight clients edit, undo and redo in one tree at once, and the process is killed at some moment:
//! afterwards the journal is empty, and undoing everything that was committed restores the first tree byte
//! for byte. 50 kills here; for more: `SYMD_TEST_KILLS=500 cargo test --test symd edit_kill`.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use symd::base::{ContentHash, TextEdits};
use symd::edit::{EditError, Editor, Hook, Options, Plan, PlanStep, UndoTarget};
use symd::vfs::VfsError;

use super::edit_support::*;

const CHILD: &str = "SYMD_TEST_EDIT_KILL";
const CLIENTS: u64 = 8;
/// Maximum number of steps and answers of all clients together before the kill: about 200 operations.
const MOMENTS: usize = 1_600;

#[test]
fn killed_at_any_moment_the_tree_is_a_prefix_of_what_was_committed() {
    let kills: u64 = std::env::var("SYMD_TEST_KILLS").map_or(50, |kills| kills.parse().unwrap());
    let mut cut_short = 0;
    for seed in 0..kills {
        let mut random = fastrand::Rng::with_seed(seed);
        let project = Project::in_memory();
        for number in 0..12 {
            project.write(&format!("d{}/f{number}", number % 3), random_bytes(&mut random));
        }
        let first = project.things();
        let moments_before = random.usize(..MOMENTS);
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "edit_kill::clients", "--ignored", "--quiet", "--nocapture"])
            .env(CHILD, project.scratch.path())
            .env("SYMD_TEST_EDIT_SEED", seed.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The child writes one `.` for each step of an edit, and one `!` for each answered operation.
        let mut moments = std::io::BufReader::new(child.stderr.take().unwrap()).bytes().map(Result::unwrap);
        let answers_in = |moments: &mut dyn Iterator<Item = u8>| moments.filter(|byte| *byte == b'!').count();
        let before = answers_in(&mut moments.by_ref().take(moments_before));
        child.kill().unwrap();
        child.wait().unwrap();
        // Operations that were answered between our last read and the kill also count.
        let answered = before + answers_in(&mut moments);
        let (editor, recovered) = project.open();
        cut_short += recovered.operations.len();
        assert!(
            recovered.operations.iter().all(|operation| operation.left.is_empty()),
            "seed {seed}: {recovered:?}"
        );
        assert_eq!(project.unfinished(), Vec::<String>::new());
        let committed = editor.history(usize::MAX).unwrap();
        // An answered operation is committed; each client may have one more without an answer.
        assert!(
            (answered..=answered + 8).contains(&committed.len()),
            "seed {seed}: {answered}, {}",
            committed.len()
        );
        for file in &committed.first().map_or(Vec::new(), |operation| operation.files.clone()) {
            let now = std::fs::read(project.root().join(file.path.as_str())).ok();
            assert_eq!(
                file.after,
                now.map(|bytes| ContentHash::of(&bytes)),
                "seed {seed}: the last operation stands"
            );
        }
        while editor.undo(UndoTarget::Last, by("undo")).is_ok() {}
        assert_eq!(project.things(), first, "seed {seed}");
    }
    assert!(cut_short > 0, "no kill hit an edit under way: this tests nothing");
}

#[test]
#[ignore = "started by the test above, as a process of its own"]
fn clients() {
    let Some(scratch) = std::env::var_os(CHILD) else { return };
    let scratch = Path::new(&scratch);
    let seed: u64 = std::env::var("SYMD_TEST_EDIT_SEED").unwrap().parse().unwrap();
    let project = scratch.join("project");
    let hook = Hook::new(|_| std::io::stderr().write_all(b"."));
    let options = Options { hook, ..Options::default() };
    let editor = Arc::new(open(&project, &scratch.join("state/edits"), options).0);
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (editor, project) = (Arc::clone(&editor), &project);
            scope.spawn(move || {
                client_of(&editor, project, fastrand::Rng::with_seed(seed * CLIENTS + client))
            });
        }
    });
}

/// Edits until the process is killed, and reports each edit.
fn client_of(editor: &Editor, project: &Path, mut random: fastrand::Rng) {
    loop {
        let plan = |random: &mut fastrand::Rng| {
            Plan::new((0..random.usize(1..5)).filter_map(|_| step(project, random)).collect())
        };
        let done = match random.u8(..12) {
            0 => editor.undo(UndoTarget::Last, by("undo")),
            1 => editor.redo(by("redo")),
            _ => editor.apply(&plan(&mut random), by("client")),
        };
        match done {
            Ok(done) if done.id.is_some() => std::io::stderr().write_all(b"!").unwrap(),
            Ok(_) => {}
            // Planned on text that another client changed meanwhile, or with overlapping changes.
            Err(EditError::Conflict { .. } | EditError::Text { .. } | EditError::InvalidBytes { .. }) => {}
            Err(EditError::StaleOffsets { .. } | EditError::File(VfsError::Exists { .. })) => {}
            // Nothing to undo, or to redo.
            Err(EditError::NoOperation(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn step(project: &Path, random: &mut fastrand::Rng) -> Option<PlanStep> {
    let name = |random: &mut fastrand::Rng| format!("d{}/f{}", random.u8(..3), random.u8(..12));
    let path = name(random);
    let Ok(bytes) = std::fs::read(project.join(&path)) else {
        return Some(create(&path, random_bytes(random)));
    };
    let base = ContentHash::of(&bytes);
    match random.u8(..8) {
        0 => Some(PlanStep::Delete { path: rel(&path), base }),
        1 => Some(PlanStep::Rename { from: rel(&path), to: rel(&name(random)), base }),
        2 => Some(create(&format!("new{}/{}", random.u8(..4), random.u16(..)), random_bytes(random))),
        _ => {
            let (text, _) = symd::base::text::decode(bytes).ok()?;
            Some(PlanStep::Text { path: rel(&path), base, edits: edits(&text, random) })
        }
    }
}

/// Returns changes of some ranges of `text`, each to another length: if two such lists were applied to one
/// text, or one of them to another text, the test would notice.
fn edits(text: &str, random: &mut fastrand::Rng) -> TextEdits {
    let mut places: Vec<usize> = (0..2 * random.usize(1..4)).map(|_| random.usize(..=text.len())).collect();
    places.iter_mut().for_each(|place| *place = text.floor_char_boundary(*place));
    places.sort_unstable();
    places.dedup();
    let new = ["", "x\r\n", "\u{e4}", "\u{1F600}\n"];
    let changes = places.chunks_exact(2).map(|pair| edit(pair[0], pair[1], new[random.usize(..new.len())]));
    let mut changes: Vec<_> = changes.collect();
    if changes.is_empty() {
        changes.push(edit(0, 0, "x\r\n"));
    }
    TextEdits::new(changes).unwrap()
}
