//! The journal of an interrupted edit, damaged before the next start: truncated, with flipped bits, with
//! swapped blocks. Afterwards the tree is entirely old or entirely new, or nothing is touched and every file
//! that the edit changed is named. 2,000 rounds, seeded; for more:
//! `SYMD_TEST_DAMAGES=20000 cargo test --test symd damage`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use symd::edit::{Editor, Hook, Options, Plan, PlanStep, Resolution, Step};

use super::edit_support::*;

const ROUNDS: u64 = 2_000;

/// Sizes that lead to a journal in the slot, and to one with a file of its own.
const LENGTHS: [usize; 2] = [6_000, 90_000];

fn tree(length: usize) -> Project {
    let project = Project::in_memory();
    for number in 0..5 {
        project.write(&format!("src/f{number}"), format!("old {number} {}\n", "x".repeat(length / 5)));
    }
    project.write("moved", "old moved\n");
    project.write("deleted", "old deleted\n");
    project
}

/// A plan with changed, created, moved and deleted files.
fn plan(project: &Project) -> Plan {
    let mut steps: Vec<PlanStep> =
        (0..5).map(|number| project.text(&format!("src/f{number}"), vec![edit(0, 3, "new")])).collect();
    steps.extend([
        create("made/deep/file", "new\n"),
        project.rename("moved", "made/moved"),
        project.delete("deleted"),
    ]);
    Plan::new(steps)
}

/// A tree and symd's own files as they were at some step: what a process leaves behind that is killed there.
struct Moment {
    step: Step,
    scratch: tempfile::TempDir,
}

fn moments(length: usize) -> (Things, Things, Vec<Moment>) {
    let project = tree(length);
    let old = project.things();
    let moments = Arc::new(Mutex::new(Vec::new()));
    let (seen, scratch) = (Arc::clone(&moments), project.scratch.path().to_owned());
    let editor = project.hooked(Hook::new(move |step| {
        let copy = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())?;
        copy_tree(&scratch, copy.path());
        seen.lock().unwrap().push(Moment { step, scratch: copy });
        Ok(())
    }));
    editor.apply(&plan(&project), by("whole")).unwrap();
    let new = project.things();
    drop(editor);
    (old, new, Arc::into_inner(moments).unwrap().into_inner().unwrap())
}

fn copy_tree(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            std::fs::set_permissions(&target, entry.metadata().unwrap().permissions()).unwrap();
            copy_tree(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Returns the path of the journal of the edit in progress: a long one has a file of its own.
fn journal(state: &Path) -> Option<PathBuf> {
    ["pending", "slot"].map(|name| state.join(name)).into_iter().find(|path| path.exists())
}

fn damage(bytes: &mut Vec<u8>, random: &mut fastrand::Rng) {
    // The length that was written, without the unused rest.
    let written = bytes.iter().rposition(|&byte| byte != 0).map_or(1, |last| last + 1);
    match random.u8(..4) {
        0 => bytes.truncate(random.usize(..=written)),
        1 => {
            for _ in 0..random.usize(1..9) {
                bytes[random.usize(..written)] ^= 1 << random.u8(..8);
            }
        }
        2 => {
            let block = [16, 512, 4096][random.usize(..3)].min(bytes.len() / 2);
            let place = |random: &mut fastrand::Rng| random.usize(..=(bytes.len() / block - 1)) * block;
            let (one, other) = (place(random), place(random));
            for at in 0..block {
                bytes.swap(one + at, other + at);
            }
        }
        _ => {
            let start = random.usize(..written);
            let end = (start + random.usize(1..5000)).min(bytes.len());
            bytes[start..end]
                .iter_mut()
                .for_each(|byte| *byte = if start.is_multiple_of(2) { 0 } else { random.u8(..) });
        }
    }
}

/// Returns the files that differ between `old` and `new`.
fn changed<'t>(old: &'t Things, new: &'t Things) -> impl Iterator<Item = &'t PathBuf> {
    let is_file = |things: &Things, path: &Path| matches!(things.get(path), Some(Thing::File { .. }));
    let paths = old.keys().chain(new.keys()).filter(|path| old.get(*path) != new.get(*path));
    paths.filter(move |path| is_file(old, path) || is_file(new, path))
}

/// Returns the tree without files that were staged for the edit.
fn unstaged(things: &Things) -> Things {
    let is_staged = |path: &Path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(symd::vfs::TEMPORARY_PREFIX))
    };
    things
        .iter()
        .filter(|(path, _)| !is_staged(path))
        .map(|(path, thing)| (path.clone(), thing.clone()))
        .collect()
}

#[test]
fn a_damaged_journal_leaves_no_third_state() {
    let rounds: u64 = std::env::var("SYMD_TEST_DAMAGES").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let cases = LENGTHS.map(moments);
    let mut counts = [0; 3];
    for seed in 0..rounds {
        let mut random = fastrand::Rng::with_seed(seed);
        let (old, new, moments) = &cases[random.usize(..2)];
        // Every second time a moment while files are being changed.
        let half: Vec<&Moment> = moments.iter().filter(|moment| moment.step == Step::Changed).collect();
        let moment = if random.bool() {
            half[random.usize(..half.len())]
        } else {
            &moments[random.usize(..moments.len())]
        };
        let project =
            Project { scratch: tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap() };
        copy_tree(moment.scratch.path(), project.scratch.path());
        let found = project.things();
        let about = format!("seed {seed}: {:?}", moment.step);
        // Mostly the journal, sometimes the lock file beside it.
        let Some(path) =
            journal(&project.state()).filter(|_| random.u8(..8) > 0).or(Some(project.state().join("lock")))
        else {
            continue;
        };
        let mut bytes = std::fs::read(&path).unwrap();
        if !bytes.is_empty() {
            damage(&mut bytes, &mut random);
        }
        std::fs::write(&path, bytes).unwrap();
        let opened =
            Editor::open(Arc::new(symd::vfs::Root::open(&project.root()).unwrap()), &project.state());
        let things = project.things();
        let (editor, recovered) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                // It may look like the journal of another version.
                let error = error.to_string();
                assert!(error.contains("another version of symd wrote it"), "{about}: {error}");
                assert_eq!(things, found, "{about}");
                changed(old, new)
                    .for_each(|path| assert!(error.contains(path.to_str().unwrap()), "{about}: {error}"));
                continue;
            }
        };
        if things == *old {
            counts[0] += 1;
        } else if things == *new {
            counts[1] += 1;
        } else {
            counts[2] += 1;
            assert_eq!(things, found, "{about}: neither old nor new, and touched");
            let named: BTreeSet<PathBuf> = recovered
                .operations
                .iter()
                .flat_map(|operation| &operation.left)
                .map(|left| PathBuf::from(left.path.as_str()))
                .collect();
            changed(old, new).for_each(|path| {
                assert!(named.contains(path), "{about}: {} is not named: {recovered:?}", path.display());
            });
            // Reported at every start until the user has resolved it.
            drop(editor);
            let (editor, again) = project.open();
            assert_eq!(again.operations.len(), 1, "{about}");
            assert_eq!(project.things(), found, "{about}");
            let id = again.operations[0].id;
            let refused = editor.resolve(id, Resolution::PutBack, by("resolve")).unwrap_err().to_string();
            assert!(refused.contains("its old content is lost"), "{refused}");
            assert_eq!(project.things(), found, "{about}");
            editor.resolve(id, Resolution::Keep, by("resolve")).unwrap();
            assert_eq!(project.things(), unstaged(&found), "{about}");
            assert!(project.open().1.operations.is_empty(), "{about}");
            continue;
        }
        assert!(
            recovered.operations.iter().all(|operation| operation.left.is_empty()),
            "{about}: {recovered:?}"
        );
        assert_eq!(project.unfinished(), Vec::<String>::new(), "{about}");
        // Editing continues from there.
        editor.apply(&Plan::new(vec![create("next", "")]), by("next")).unwrap();
    }
    println!("{rounds} rounds: old {}, new {}, untouched and named {}", counts[0], counts[1], counts[2]);
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}: one of the ways was not tried");
}

#[test]
fn where_nothing_can_be_read_any_more_that_is_said() {
    let (_, _, moments) = moments(LENGTHS[0]);
    let half = moments.iter().filter(|moment| moment.step == Step::Changed).nth(2).unwrap();
    let project = Project { scratch: tempfile::tempdir().unwrap() };
    copy_tree(half.scratch.path(), project.scratch.path());
    for name in ["slot", "lock"] {
        let path = project.state().join(name);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.iter_mut().skip(100).step_by(50).for_each(|byte| *byte ^= 255);
        std::fs::write(&path, bytes).unwrap();
    }
    let (editor, recovered) = project.open_with(Options::default());
    assert!(recovered.is_unreadable);
    assert!(
        recovered.messages()[0].starts_with("the journal of edits is damaged: if an edit had been cut short")
    );
    editor.apply(&Plan::new(vec![create("next", "")]), by("next")).unwrap();
    drop(editor);
    assert!(!project.open().1.is_unreadable);
}
