//! What is stored of an index answers as the index did, whatever of its files has changed meanwhile, and whatever has happened to the
//! stored bytes.
#![allow(clippy::disallowed_methods)]

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::model::{PATTERNS, Stored as Outlines, entry, let_go, naive, state, with_stat};
use crate::stored_index::{StoredEntries, StoredEntry, StoredExtent, StoredIndex, write};
use crate::tables::assert_tables;
use crate::{FileEntry, IndexState, Locals, OutlineReader, Query, SegmentThresholds, Snapshot};
use symd_base::{Cancel, RelPath};
use symd_syntax::{Imports, Matching, NamePattern, name_hash};
use symd_sys::clock::ClockReading;
use symd_vfs::Stat;

const SECOND: i64 = 1_000_000_000;

fn at(wall: i64) -> ClockReading {
    ClockReading { wall: wall * SECOND, since_start: wall * SECOND, start: 1 }
}

/// An index on disk, and what finds its outlines.
struct OnDisk {
    _scratch: tempfile::TempDir,
    path: PathBuf,
    stored: Arc<Outlines>,
    index: Arc<Snapshot>,
}

impl OnDisk {
    /// Stores an index that has changed so often. Some of its files changed just before.
    fn of(random: &mut fastrand::Rng, changes: usize) -> OnDisk {
        let mut state = state(random, changes);
        let files: Vec<Arc<FileEntry>> = state.within(&RelPath::root()).cloned().collect();
        for (inode, file) in (1..).zip(&files).filter(|(inode, _)| inode % 7 > 0) {
            let stat = Stat { ctime: 2 * SECOND, mtime: random.i64(..), inode, ..Stat::default() };
            state.put(with_stat(file, stat));
        }
        let index = state.snapshot();
        let stored = Outlines::default();
        let outlines =
            index.files.iter().filter_map(|file| Some((file.key()?, file.outline_once().expect("there"))));
        stored.0.lock().expect("sound").extend(outlines);
        let scratch = tempfile::tempdir().expect("scratch");
        let path = scratch.path().join("0.index");
        assert_ne!(write(&path, &at(100), &index, |_| true).expect("written"), StoredExtent::Nothing);
        OnDisk { _scratch: scratch, path, stored: Arc::new(stored), index }
    }

    fn read(&self, spilled_bytes: usize) -> Option<StoredIndex> {
        StoredIndex::read_beyond(spilled_bytes, &self.path, &at(101), &self.reader(), |_| true)
    }

    fn reader(&self) -> Arc<dyn OutlineReader> {
        self.stored.clone()
    }
}

/// Returns what was stored of a file, if it is in the state that it was in.
fn unchanged(entries: &StoredEntries, path: &RelPath, stat: &Stat) -> Option<StoredEntry> {
    // Wherever the search begins, it finds the same.
    let mut near = fastrand::usize(..=entries.count() + 1);
    entries.find(path, &mut near).filter(|stored| stored.entry.stat() == Some(*stat)).cloned()
}

/// Returns the rows that all patterns match.
fn found(snapshot: &Snapshot) -> Vec<Vec<(String, usize)>> {
    let queries = PATTERNS.iter().flat_map(|pattern| {
        [Matching::Exact, Matching::Substring].map(|matching| {
            Query::in_project(NamePattern::parse(pattern, matching).expect(pattern), Locals::Included)
        })
    });
    let hits = |query: Query| snapshot.find(&query, &Cancel::new()).expect("not cancelled");
    queries
        .map(|query| hits(query).into_iter().map(|hit| (hit.file.path.to_string(), hit.row)).collect())
        .collect()
}

#[test]
fn a_restart_finds_what_a_scan_of_everything_finds() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut taken = 0;
    for changes in [1, 5, 20, 60, 120, 200, 300, 300] {
        let on_disk = OnDisk::of(&mut random, changes);
        let StoredIndex { entries, table } = on_disk.read(random.usize(..2) * 1_000).expect("sound");
        let limits =
            SegmentThresholds { loose_rows: 40, loose_files: 6, segments: 3, ..SegmentThresholds::default() };
        let mut state = IndexState::with_limits(limits);
        state.adopt_stored(table);
        let mut files: Vec<Arc<FileEntry>> = on_disk.index.files.iter().cloned().collect();
        random.shuffle(&mut files);
        let mut under_way = None;
        for file in files {
            let recorded = file.stat().and_then(|stat| unchanged(&entries, &file.path, &stat));
            assert_eq!(recorded.is_some(), file.stat().is_some_and(|stat| stat.ctime > 0));
            match (random.u8(..10), recorded) {
                (0, _) => continue,
                (1, _) | (_, None) => state.put(file),
                (2, Some(_)) => state.put(Arc::new(FileEntry {
                    path: file.path.clone(),
                    ..FileEntry::clone(&entry(&mut random))
                })),
                (_, Some(recorded)) => {
                    let has_rows = recorded.entry.symbol_count() > 0;
                    let known = state.file(&file.path).cloned();
                    let mut found = vec![recorded];
                    let rejected = state.put_stored(&mut found);
                    assert_eq!((found.is_empty(), rejected.len()), (known.is_some(), known.iter().len()));
                    let now = state.file(&file.path).expect("put");
                    assert!(Arc::ptr_eq(now, known.as_ref().unwrap_or_else(|| &found[0].entry)));
                    taken += usize::from(has_rows && !found.is_empty());
                }
            }
            match random.u8(..8) {
                0 => drop(state.remove(&entry(&mut random).path)),
                1 => let_go(&mut state, &on_disk.stored, &RelPath::root(), || random.bool()),
                2 if under_way.is_none() => under_way = state.plan_while_growing().map(|plan| plan.build()),
                3 => under_way.take().into_iter().for_each(|built| state.adopt(built)),
                _ => {}
            }
            if random.u8(..10) == 0 {
                assert_tables(&state.snapshot());
            }
        }
        let check = |state: &mut IndexState| {
            let snapshot = state.snapshot();
            assert_tables(&snapshot);
            for text in PATTERNS {
                let pattern = NamePattern::parse(text, Matching::Substring).expect(text);
                let query = Query::in_project(pattern, Locals::Included);
                let hits = snapshot.find(&query, &Cancel::new()).expect("not cancelled");
                let hits: Vec<_> = hits.iter().map(|hit| (hit.file.path.to_string(), hit.row)).collect();
                assert_eq!(hits, naive(&snapshot, text, &query), "{text}");
            }
        };
        check(&mut state);
        state.await_no_files();
        check(&mut state);
        state.adopt(state.plan_whole().build());
        assert_eq!(state.segment_count(), 1);
        check(&mut state);
    }
    assert!(taken > 50, "{taken} files with symbols were as they were");
}

#[test]
fn a_stored_table_that_comes_while_another_one_is_made_stays() {
    let on_disk = OnDisk::of(&mut fastrand::Rng::with_seed(2), 120);
    let StoredIndex { entries, table } = on_disk.read(0).expect("sound");
    let (recorded, others): (Vec<_>, Vec<_>) =
        on_disk.index.files.iter().partition(|file| {
            file.stat().is_some_and(|stat| unchanged(&entries, &file.path, &stat).is_some())
        });
    let mut state = IndexState::default();
    let (first, last) = others.split_at(others.len() / 2);
    first.iter().for_each(|file| state.put(Arc::clone(file)));
    state.adopt(state.plan_whole().build());
    last.iter().for_each(|file| state.put(Arc::clone(file)));
    let whole = state.plan_whole();
    state.adopt_stored(table);
    let stored = |file: &&Arc<FileEntry>| unchanged(&entries, &file.path, &file.stat()?);
    let mut found: Vec<StoredEntry> = recorded.iter().filter_map(stored).collect();
    assert_eq!(found.len(), recorded.len());
    assert!(state.put_stored(&mut found).is_empty());
    state.adopt(whole.build());
    state.await_no_files();
    assert_tables(&state.snapshot());
    assert_eq!((state.symbol_count(), state.segment_count()), (on_disk.index.symbols, 2));
}

/// What is known of a file without its outline, and which of some words it holds.
#[derive(PartialEq)]
struct KnownFile {
    symbols: usize,
    has_errors: bool,
    hides_types: bool,
    imports: Option<Imports>,
    words: Vec<&'static str>,
}

impl KnownFile {
    fn of(file: &FileEntry) -> KnownFile {
        let mut words = vec!["f", "A", "x", "nowhere"];
        words.retain(|word| file.holds_hash(name_hash(word.as_bytes())));
        let imports = file.imports().map(|imports| imports.into_owned());
        let (has_errors, hides_types) = (file.has_errors(), file.hides_types());
        KnownFile { symbols: file.symbol_count(), has_errors, hides_types, imports, words }
    }
}

/// Returns an index of what was stored.
fn restarted(StoredIndex { entries, table }: StoredIndex, index: &Snapshot) -> Arc<Snapshot> {
    let mut state = IndexState::default();
    state.adopt_stored(table);
    let mut found = Vec::new();
    for file in index.files.iter() {
        match file.stat().and_then(|stat| unchanged(&entries, &file.path, &stat)) {
            Some(stored) => found.push(stored),
            None => state.put(file.clone()),
        }
    }
    assert!(state.put_stored(&mut found).is_empty());
    state.await_no_files();
    state.snapshot()
}

/// What an index tells of all files, and finds.
#[derive(PartialEq)]
struct Answers {
    files: Vec<KnownFile>,
    found: Vec<Vec<(String, usize)>>,
    lines: Vec<String>,
}

impl Answers {
    fn of(snapshot: &Snapshot) -> Answers {
        let files = snapshot.files.iter().map(|file| KnownFile::of(file)).collect();
        Answers { files, found: found(snapshot), lines: snapshot.describe().collect() }
    }
}

#[test]
fn a_damaged_byte_costs_what_it_was_part_of() {
    let mut random = fastrand::Rng::with_seed(3);
    let on_disk = OnDisk::of(&mut random, 14);
    let sound = std::fs::read(&on_disk.path).expect("read");
    let write = |bytes: &[u8]| std::fs::write(&on_disk.path, bytes).expect("written");
    let expected = Answers::of(&on_disk.index);
    let mut lost_later = 0;
    for damaged_at in 0..sound.len() {
        let mut damaged = sound.clone();
        damaged[damaged_at] ^= 1 << random.u8(..8);
        write(&damaged);
        for spilled_bytes in [0, usize::MAX] {
            let Some(read) = on_disk.read(spilled_bytes) else { continue };
            lost_later += 1;
            let answers = Answers::of(&restarted(read, &on_disk.index));
            assert!(answers == expected, "byte {damaged_at}");
        }
    }
    assert!(lost_later > 10, "{lost_later}");
    for length in 0..sound.len() {
        write(&sound[..length]);
        assert!(on_disk.read(0).is_none(), "cut to {length}");
    }
    write(&[&*sound, b"x"].concat());
    assert!(on_disk.read(0).is_none(), "with a byte more");
    write(&sound);
    assert!(on_disk.read(0).is_some());
}

#[test]
fn a_file_that_is_damaged_under_a_running_daemon_costs_reading_outlines() {
    type Damage = fn(&Path);
    let cut: Damage =
        |path| std::fs::File::options().write(true).open(path).expect("opened").set_len(0).expect("cut");
    let overwrite: Damage = |path| {
        let file = std::fs::File::options().write(true).open(path).expect("opened");
        let length = usize::try_from(file.metadata().expect("there").len()).expect("small");
        file.write_all_at(&vec![7; length], 0).expect("written");
    };
    for damage in [cut, overwrite] {
        let on_disk = OnDisk::of(&mut fastrand::Rng::with_seed(5), 200);
        let read = on_disk.read(0).expect("sound");
        let index = restarted(read, &on_disk.index);
        damage(&on_disk.path);
        // On this thread nothing of it was read before.
        assert!(Answers::of(&index) == Answers::of(&on_disk.index));
        // What is lost is not stored.
        assert_eq!(
            write(&on_disk.path, &at(100), &index, |_| true).expect("no error"),
            StoredExtent::Nothing
        );
    }
}

#[test]
fn only_an_unchanged_state_is_as_it_was() {
    let on_disk = OnDisk::of(&mut fastrand::Rng::with_seed(1), 60);
    let entries = on_disk.read(0).expect("sound").entries;
    let files: Vec<&Arc<FileEntry>> = on_disk.index.files.iter().collect();
    let settled = files.iter().find(|file| file.stat().is_some_and(|stat| stat.ctime > 0)).expect("one");
    let (path, stat) = (&settled.path, settled.stat().expect("a state"));
    let recorded = unchanged(&entries, path, &stat).expect("unchanged");
    assert_eq!((recorded.entry.key(), recorded.entry.stat()), (settled.key(), Some(stat)));
    let others = [
        Stat { size: 2, ..stat },
        Stat { mtime: 6, ..stat },
        Stat { ctime: stat.ctime + 1, ..stat },
        Stat { inode: 8_000, ..stat },
        Stat { device: 8, ..stat },
        Stat { links: 8, ..stat },
    ];
    for other in others {
        assert!(unchanged(&entries, path, &other).is_none(), "{other:?}");
    }
    let later = |clock: ClockReading| StoredIndex::read(&on_disk.path, &clock, &on_disk.reader(), |_| true);
    assert!(later(at(99)).is_none(), "the clock was set back");
    assert!(later(ClockReading { start: 2, ..at(100) }).is_some());
    // What changed just before is left out.
    let is_settled = |file: &FileEntry| file.stat().is_some_and(|stat| stat.ctime > 0);
    assert_eq!(
        write(&on_disk.path, &at(4), &on_disk.index, is_settled).expect("written"),
        StoredExtent::Whole
    );
    assert_eq!(later(at(100)).expect("sound").entries.count(), entries.count());
    let just_before = ClockReading { wall: 4 * SECOND - 1, ..at(4) };
    let stored = write(&on_disk.path, &just_before, &on_disk.index, is_settled);
    assert_eq!(stored.expect("written"), StoredExtent::WithoutNewest);
    assert_eq!(later(at(100)).expect("sound").entries.count(), 0);
}
