//! What is read back is what was written, whatever happened to the files in between.
#![allow(clippy::disallowed_methods)]

use std::os::unix::fs::PermissionsExt;

use super::*;
use symd_syntax::{Imports, Occurrences, Row};

fn key(number: u8) -> Key {
    Key { content: ContentHash([number; 16]), fingerprint: 7 }
}

fn outline(name: &str) -> Arc<Outline> {
    let row = Row {
        start: 0,
        end: 10,
        name_start: 4,
        name_at: 0,
        parent: 0,
        start_line: 0,
        end_line: 0,
        name_line: 0,
        name_len: u16::try_from(name.len()).expect("short"),
        index: 0,
        kind: 12,
        flags: 0,
        head: 7,
        descendants: 0,
    };
    let occurrences = Occurrences { hashes: [5].into(), starts: [0, 1].into(), offsets: [4].into() };
    let imports = Imports::from_packed(&[0, 2, 0, 0, 1, 2, 3]);
    Arc::new(Outline {
        rows: [row].into(),
        names: name.into(),
        occurrences,
        imports,
        has_errors: false,
        hides_types: false,
    })
}

/// Returns what an index has in memory.
fn as_live(outlines: &[(Key, Arc<Outline>)]) -> Vec<(Key, EntryOutline)> {
    outlines.iter().map(|(key, outline)| (*key, outline.clone().into())).collect()
}

/// Creates a cache directory that contains one pack with `key(1)` → "alpha".
fn with_one_pack() -> (tempfile::TempDir, PathBuf) {
    let scratch = tempfile::tempdir().expect("scratch");
    let directory = scratch.path().join("cache");
    let cache = Cache::open(&directory).expect("opened");
    cache.store(&as_live(&[(key(1), outline("alpha"))])).expect("stored");
    let pack = pack_paths(&directory).expect("listed").remove(0);
    (scratch, pack)
}

fn reopened(scratch: &tempfile::TempDir) -> Cache {
    Cache::open(&scratch.path().join("cache")).expect("opened")
}

#[test]
fn an_outline_survives_a_restart() {
    let (scratch, pack) = with_one_pack();
    let cache = reopened(&scratch);
    assert_eq!(cache.get(key(1)).as_ref(), Some(&*outline("alpha")));
    assert_eq!(cache.get(key(2)), None);
    assert_eq!(cache.get(Key { fingerprint: 8, ..key(1) }), None, "another grammar made it");
    assert_eq!(pack.metadata().expect("there").permissions().mode() & 0o777, 0o600);
}

#[test]
fn every_damaged_byte_is_a_miss_or_harmless() {
    let (scratch, pack) = with_one_pack();
    let sound = std::fs::read(&pack).expect("read");
    for at in 0..sound.len() {
        let mut damaged = sound.clone();
        damaged[at] ^= 0x41;
        std::fs::write(&pack, &damaged).expect("written");
        let cache = reopened(&scratch);
        let found = cache.get(key(1));
        assert_eq!(found, None, "byte {at} was changed and nobody noticed");
        assert_eq!(cache.status().damaged, 1, "byte {at}");
    }
    for length in 0..sound.len() {
        std::fs::write(&pack, &sound[..length]).expect("written");
        assert_eq!(reopened(&scratch).get(key(1)), None, "cut to {length} bytes");
    }
}

#[test]
fn what_is_damaged_is_written_anew() {
    let (scratch, pack) = with_one_pack();
    let mut damaged = std::fs::read(&pack).expect("read");
    *damaged.last_mut().expect("not empty") ^= 0x41;
    std::fs::write(&pack, &damaged).expect("written");
    let cache = reopened(&scratch);
    assert_eq!(cache.get(key(1)), None);
    cache.store(&as_live(&[(key(1), outline("alpha"))])).expect("stored");
    assert_eq!(cache.get(key(1)).as_ref(), Some(&*outline("alpha")));
    assert_eq!(reopened(&scratch).get(key(1)).as_ref(), Some(&*outline("alpha")));
}

#[test]
fn files_of_equal_content_share_an_entry() {
    let scratch = tempfile::tempdir().expect("scratch");
    let cache = Cache::open(&scratch.path().join("cache")).expect("opened");
    cache.store(&as_live(&[(key(1), outline("alpha")), (key(1), outline("alpha"))])).expect("stored");
    assert_eq!(cache.status().written, 1);
}

#[test]
fn a_pack_that_others_may_write_or_that_is_a_link_is_foreign() {
    let (scratch, pack) = with_one_pack();
    std::fs::set_permissions(&pack, std::fs::Permissions::from_mode(0o666)).expect("changed");
    assert_eq!(reopened(&scratch).get(key(1)), None);
    std::fs::set_permissions(&pack, std::fs::Permissions::from_mode(0o600)).expect("changed");
    let elsewhere = scratch.path().join("elsewhere.pack");
    std::fs::rename(&pack, &elsewhere).expect("moved");
    std::os::unix::fs::symlink(&elsewhere, &pack).expect("linked");
    assert_eq!(reopened(&scratch).get(key(1)), None);
}

#[test]
fn while_the_index_grows_nothing_stored_is_dropped() {
    let scratch = tempfile::tempdir().expect("scratch");
    let cache = Cache::open(&scratch.path().join("cache")).expect("opened");
    let old: Vec<_> = (0..200_u8).map(|number| (key(number), outline(&format!("name{number}")))).collect();
    // As many packs as are ever kept.
    for number in 1..=MAX_PACKS {
        cache.store(&as_live(&old[..number * 200 / MAX_PACKS])).expect("stored");
    }
    let cache = reopened(&scratch);
    cache.add(&as_live(&[(key(250), outline("grown"))])).expect("added");
    let cache = reopened(&scratch);
    assert!(old.iter().all(|(key, outline)| cache.get(*key).as_ref() == Some(&**outline)));
    assert!(cache.get(key(250)).is_some());
}

#[test]
fn many_packs_become_one_and_lose_nothing() {
    let scratch = tempfile::tempdir().expect("scratch");
    let cache = Cache::open(&scratch.path().join("cache")).expect("opened");
    let mut live = Vec::new();
    for number in 0..20 {
        live.push((key(number), outline(&format!("name{number}"))));
        cache.store(&as_live(&live)).expect("stored");
    }
    assert!(cache.status().packs <= MAX_PACKS);
    let cache = reopened(&scratch);
    for (key, outline) in &live {
        assert_eq!(cache.get(*key).as_ref(), Some(&**outline));
    }
}

#[test]
fn a_damaged_entry_costs_a_merged_pack_nothing_else() {
    let scratch = tempfile::tempdir().expect("scratch");
    let directory = scratch.path().join("cache");
    let cache = Cache::open(&directory).expect("opened");
    for number in 0..8 {
        let known = pack_paths(&directory).expect("listed");
        cache.store(&as_live(&[(key(number), outline("long_enough_to_be_kept"))])).expect("stored");
        let paths = pack_paths(&directory).expect("listed");
        let new = paths.iter().find(|path| !known.contains(path)).expect("written");
        if number == 6 {
            let mut damaged = std::fs::read(new).expect("read");
            *damaged.last_mut().expect("not empty") ^= 0x41;
            std::fs::write(new, damaged).expect("written");
        }
    }
    cache.store(&as_live(&[(key(9), outline("long_enough_to_be_kept"))])).expect("stored");
    let cache = reopened(&scratch);
    assert_eq!((cache.status().packs, cache.status().damaged), (1, 0));
    let found = [9, 7, 6, 5].map(|number| cache.get(key(number)).is_some());
    assert_eq!(found, [true, true, false, true]);
}

#[test]
fn collection_removes_what_was_written_longest_ago() {
    let scratch = tempfile::tempdir().expect("scratch");
    for repository in ["old", "new"] {
        let cache = Cache::open(&scratch.path().join(repository)).expect("opened");
        cache.store(&as_live(&[(key(1), outline("alpha"))])).expect("stored");
    }
    let old = pack_paths(&scratch.path().join("old")).expect("listed").remove(0);
    let long_ago = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    std::fs::File::options().write(true).open(&old).expect("opened").set_modified(long_ago).expect("set");
    let leftover = scratch.path().join("new/0.tmp0");
    std::fs::write(&leftover, "").expect("written");
    std::fs::write(scratch.path().join("new/1.tmp1"), "").expect("written");
    std::fs::File::options()
        .write(true)
        .open(&leftover)
        .expect("opened")
        .set_modified(long_ago)
        .expect("set");
    let report = gc(scratch.path(), 200, None).expect("collected");
    assert_eq!(report.removed, 1);
    assert!(!leftover.exists() && scratch.path().join("new/1.tmp1").exists(), "somebody may be writing it");
    assert!(!old.exists() && pack_paths(&scratch.path().join("new")).expect("listed").len() == 1);
    assert_eq!(gc(&scratch.path().join("missing"), 0, None).expect("nothing to do"), GcReport::default());
}

#[test]
fn collection_never_removes_the_repository_in_use() {
    let scratch = tempfile::tempdir().expect("scratch");
    for repository in ["other", "used"] {
        let cache = Cache::open(&scratch.path().join(repository)).expect("opened");
        cache.store(&as_live(&[(key(1), outline("alpha"))])).expect("stored");
    }
    let kept = KeptCache { directory: &scratch.path().join("used"), root: Path::new("/project") };
    assert_eq!(gc(scratch.path(), 0, Some(kept)).expect("collected").removed, 1);
    let packs = |repository: &str| pack_paths(&scratch.path().join(repository)).expect("listed").len();
    assert_eq!((packs("other"), packs("used")), (0, 1));
}

#[test]
fn a_cache_that_is_kept_takes_no_room_from_the_others() {
    let scratch = tempfile::tempdir().expect("scratch");
    for (repository, outlines) in [("other", 1), ("used", 9)] {
        let cache = Cache::open(&scratch.path().join(repository)).expect("opened");
        let outlines: Vec<_> = (0..outlines).map(|number| (key(number), outline("alpha"))).collect();
        cache.store(&as_live(&outlines)).expect("stored");
    }
    let kept = KeptCache { directory: &scratch.path().join("used"), root: Path::new("/project") };
    let other = pack_paths(&scratch.path().join("other")).expect("listed").remove(0);
    let limit = other.metadata().expect("there").len();
    assert_eq!(gc(scratch.path(), limit, Some(kept)).expect("collected").removed, 0);
    assert_eq!(gc(scratch.path(), limit - 1, Some(kept)).expect("collected").removed, 1);
    assert!(!other.exists());
}

#[test]
fn of_a_cache_that_is_kept_only_what_its_daemon_cannot_use_is_removed() {
    let (scratch, pack) = with_one_pack();
    let cache = reopened(&scratch);
    let (old, parses) = (pack.with_file_name("old.pack"), pack.with_file_name("damaged.parses"));
    let root = Path::new("/project");
    let (index, others) = (cache.index_path(root), cache.index_path(Path::new("/gone")));
    // The fields after the magic: the version, the number of entries.
    for (path, damaged_at) in [(&old, 8), (&parses, 12)] {
        let mut bytes = std::fs::read(&pack).expect("read");
        bytes[damaged_at] += 1;
        std::fs::write(path, bytes).expect("written");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("set");
    }
    [&index, &others].into_iter().for_each(|path| std::fs::write(path, "an index").expect("written"));
    let all = [&old, &parses, &others, &index, &pack];
    for (path, seconds) in all.into_iter().zip(1..) {
        let at = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        std::fs::File::options().write(true).open(path).expect("opened").set_modified(at).expect("set");
    }
    let kept = KeptCache { directory: &scratch.path().join("cache"), root };
    let there = || all.map(|path| path.exists());
    let bytes: u64 = all.iter().map(|path| path.metadata().expect("there").len()).sum();
    for (limit, left) in [
        (bytes, [true, true, true, true, true]),
        (bytes - 1, [false, true, true, true, true]),
        (0, [false, false, false, true, true]),
    ] {
        let report = gc(scratch.path(), limit, Some(kept)).expect("collected");
        assert_eq!(there(), left, "at most {limit}: {report:?}");
    }
    assert_eq!(gc(scratch.path(), 0, None).expect("collected").bytes_after, 0);
    assert_eq!(there(), [false; 5]);
}

#[test]
fn a_pack_that_changes_under_a_running_daemon_costs_its_outlines_and_no_more() {
    let overwrite = |pack: &PathBuf| {
        let zeros = vec![0; usize::try_from(pack.metadata().expect("there").len()).expect("small")];
        std::fs::write(pack, zeros).expect("written");
    };
    let directory_instead = |pack: &PathBuf| {
        std::fs::remove_file(pack).expect("removed");
        std::fs::create_dir(pack).expect("created");
    };
    let truncate = |pack: &PathBuf| std::fs::write(pack, "").expect("written");
    type Change<'a> = &'a dyn Fn(&PathBuf);
    // What was open stays readable when only its name is taken away.
    let cases: [(&str, Change<'_>, bool); 3] = [
        ("truncated", &truncate, false),
        ("overwritten", &overwrite, false),
        ("a directory in its place", &directory_instead, true),
    ];
    for (case, change, is_read) in cases {
        let (scratch, pack) = with_one_pack();
        let running = reopened(&scratch);
        change(&pack);
        assert_eq!(running.get(key(1)).is_some(), is_read, "{case}");
        assert_eq!(running.status().damaged, u64::from(!is_read), "{case}");
        // The daemon parses the text again, and stores what came of it beside a further one.
        let live = [(key(1), outline("alpha")), (key(2), outline("beta"))];
        running.store(&as_live(&live)).expect(case);
        for (number, name) in [(1, "alpha"), (2, "beta")] {
            assert_eq!(running.get(key(number)).as_ref(), Some(&*outline(name)), "{case}");
        }
        let after = reopened(&scratch);
        assert_eq!(after.get(key(2)).as_ref(), Some(&*outline("beta")), "{case}: after a restart");
        assert_eq!(after.get(key(1)).is_some(), !is_read, "{case}: after a restart");
    }
}

#[test]
fn a_pack_on_a_failing_disk_costs_its_outlines_and_no_more() {
    let (scratch, _) = with_one_pack();
    let running = reopened(&scratch);
    running.change_packs(|packs| *packs = packs.iter().map(Pack::on_failing_disk).collect());
    assert_eq!((running.get(key(1)), running.status().damaged), (None, 1));
    running.store(&as_live(&[(key(1), outline("alpha"))])).expect("stored");
    assert_eq!(running.get(key(1)).as_ref(), Some(&*outline("alpha")));
}

#[test]
fn what_another_daemon_writes_is_found_without_a_restart() {
    let (scratch, _) = with_one_pack();
    let (running, other) = (reopened(&scratch), reopened(&scratch));
    assert_eq!(running.get(key(2)), None);
    other.store(&as_live(&[(key(2), outline("beta"))])).expect("stored");
    assert_eq!(running.get(key(2)).as_ref(), Some(&*outline("beta")));
    // What was found is not written again.
    running.store(&as_live(&[(key(2), outline("beta")), (key(3), outline("gamma"))])).expect("stored");
    assert_eq!((running.status().written, running.status().packs), (1, 3));
    assert_eq!(other.get(key(3)).as_ref(), Some(&*outline("gamma")));
}

#[test]
fn a_pack_that_another_thread_has_added_meanwhile_is_searched_too() {
    let (scratch, _) = with_one_pack();
    let (running, other) = (reopened(&scratch), reopened(&scratch));
    // Two threads have searched the packs that were known.
    let seen = running.packs();
    other.store(&as_live(&[(key(2), outline("beta"))])).expect("stored");
    // The first one lists the directory, and then the second one has nothing to list.
    for thread in ["the first", "the second"] {
        let beside = running.packs_beside(&seen);
        let found: Vec<Key> = beside.iter().flat_map(Pack::keys).collect();
        assert_eq!(found, [key(2)], "{thread}");
    }
    assert!(running.packs_beside(&running.packs()).is_empty());
}

#[test]
fn a_merge_keeps_the_sound_one_of_two_entries() {
    let (scratch, first) = with_one_pack();
    let sound = std::fs::read(&first).expect("read");
    let damage = |pack: &PathBuf| {
        let mut damaged = std::fs::read(pack).expect("read");
        *damaged.last_mut().expect("not empty") ^= 0x41;
        std::fs::write(pack, damaged).expect("written");
    };
    // The first entry could not be read for a while, so there is a second one, and that is damaged now.
    damage(&first);
    let cache = reopened(&scratch);
    assert_eq!(cache.get(key(1)), None);
    cache.store(&as_live(&[(key(1), outline("alpha"))])).expect("stored");
    let packs = pack_paths(&scratch.path().join("cache")).expect("listed");
    damage(packs.iter().find(|pack| **pack != first).expect("written"));
    std::fs::write(&first, sound).expect("mended");
    // A merge goes through the packs from the one written last to the first.
    let cache = reopened(&scratch);
    cache.change_packs(|packs| packs.sort_by_key(|pack| pack.path != first));
    let mut live = Vec::new();
    for number in 2..=u8::try_from(MAX_PACKS).expect("few") {
        live.push((key(number), outline("beta")));
        cache.store(&as_live(&live)).expect("stored");
    }
    assert_eq!(cache.status().packs, 1, "merged");
    assert_eq!(cache.get(key(1)).as_ref(), Some(&*outline("alpha")));
}
