//! Compares `Snapshot::find` with a scan of every row of every file by an independent matcher.

use crate::entry_memory::EntryMemory;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::cache::Key;
use crate::tables::{assert_tables, cut_unnamed_file};
use crate::{
    Content, FileEntry, Hit, IndexState, Locals, Origin, OutlineReader, OutlineSummaries, Query, Scope,
    SegmentThresholds, Snapshot,
};
use symd_base::state::UnnamedFile;
use symd_base::{Cancel, ContentHash, RelPath};
use symd_syntax::{Grammar, Matching, NamePattern, Outline, outline};
use symd_vfs::Stat;

const DIRECTORIES: [&str; 5] = ["", "a/", "a-b/", "a/b/", "z.py/"];
const NAMES: [&str; 9] = ["A", "b", "ab", "bab", "größe", "`a/b`", "`b[0]`", "`ab[1]`", "`A/f`"];
pub(super) const PATTERNS: [&str; 28] = [
    "A", "b", "ab", "bab", "größe", "f", "A/f", "/A", "/f", "/A/f", "A/", "A/b/f", "b[0]", "b[1]", "A[1]/f",
    "A/f[2]", "/b[0]", "ab[1]", "a/b", "/a/b", "a/b[0]", "ö", "B", "missing", "A/A", "x", "A/f/a", "ab/f",
];

pub(super) fn entry(random: &mut fastrand::Rng) -> Arc<FileEntry> {
    let directory = DIRECTORIES[random.usize(..DIRECTORIES.len())];
    let path = RelPath::new(&format!("{directory}{}", random.u8(..12))).expect("valid");
    if random.u8(..6) == 0 {
        return Arc::new(FileEntry { path, content: Content::Plain });
    }
    let (grammar, text) = if random.bool() { ("python", python(random)) } else { ("kotlin", kotlin(random)) };
    let grammar = Grammar::named(grammar).expect("is there");
    let outline = Arc::new(outline(grammar, &text, &Cancel::new()).expect("not cancelled"));
    let (hash, stat) = (ContentHash::of(text.as_bytes()), Stat::default());
    Arc::new(FileEntry {
        path,
        content: Content::Code { origin: Origin::Grammar(grammar), hash, stat, outline: outline.into() },
    })
}

fn python(random: &mut fastrand::Rng) -> String {
    let mut text = String::new();
    for _ in 0..random.usize(..5) {
        let (name, inner) = (NAMES[random.usize(..5)], NAMES[random.usize(..5)]);
        text += &match random.u8(..3) {
            0 => {
                format!("class {name}:\n    def f(self, a): x = a\n    def f(self): pass\n    {inner} = 1\n")
            }
            1 => format!("def {name}(a, b): {inner} = a\n"),
            _ => format!("{name} = 1\n"),
        };
    }
    text
}

fn kotlin(random: &mut fastrand::Rng) -> String {
    let mut text = String::new();
    for _ in 0..random.usize(..5) {
        let (name, inner) = (NAMES[random.usize(..NAMES.len())], NAMES[random.usize(..NAMES.len())]);
        text += &format!("class {name} {{ class {inner} {{ fun f() = 1 }}\n val x = 1\n fun f() = 2 }}\n");
        text += &format!("fun {inner}() = 1\nfun {inner}(a: Int) = 1\n");
    }
    text
}

/// Outlines that were let go of.
#[derive(Debug, Default)]
pub(super) struct Stored(pub(super) Mutex<BTreeMap<Key, Arc<Outline>>>);

impl OutlineReader for Stored {
    fn read_back(&self, key: Key, rows: usize, _: &RelPath) -> Option<Arc<Outline>> {
        self.0.lock().expect("sound").get(&key).filter(|outline| outline.rows.len() == rows).cloned()
    }
}

/// Lets go of outlines of some files, which may have read them back.
fn let_some_go(state: &mut IndexState, stored: &Arc<Stored>, random: &mut fastrand::Rng) {
    let from = entry(random).path.clone();
    let_go(state, stored, &from, || random.bool());
}

/// Lets go of outlines of those files that are not loose, from a path on, for which `is_chosen` returns `true`.
pub(super) fn let_go(
    state: &mut IndexState,
    stored: &Arc<Stored>,
    from: &RelPath,
    is_chosen: impl FnMut() -> bool,
) {
    let_go_to(state, (stored, stored.clone()), from, is_chosen);
}

/// Like [`let_go`], with a reader of its own.
fn let_go_to(
    state: &mut IndexState,
    (stored, reader): (&Arc<Stored>, Arc<dyn OutlineReader>),
    from: &RelPath,
    mut is_chosen: impl FnMut() -> bool,
) {
    let snapshot = state.snapshot();
    let some: Vec<_> = snapshot.not_loose_from(from).filter(|_| is_chosen()).collect();
    let summary = |file: &Arc<FileEntry>| file.file_outline().and_then(|outline| outline.summary().cloned());
    let resident = some.iter().filter(|file| summary(file).is_none());
    let resident: Vec<(Key, Arc<Outline>)> =
        resident.map(|file| (file.key().expect("parsed"), file.outline().expect("there").clone())).collect();
    stored.0.lock().expect("sound").extend(resident.iter().cloned());
    let mut new = OutlineSummaries::summarize(&resident, reader, None).into_iter();
    let mut without = |file: &&Arc<FileEntry>| {
        let summary = summary(file).or_else(|| new.next()).expect("one for each");
        (Arc::clone(file), file.without_outline(summary).expect("parsed"))
    };
    state.let_go(some.iter().map(&mut without).collect());
}

/// Touches a file, if there is one at a random path: its bytes stay, its state is another.
fn touch_one(state: &mut IndexState, random: &mut fastrand::Rng) {
    let path = entry(random).path.clone();
    if let Some(file) = state.file(&path) {
        let touched = with_stat(file, Stat { mtime: random.i64(..), ..Stat::default() });
        state.put(touched);
    }
}

/// Returns the same file in another state.
pub(super) fn with_stat(file: &FileEntry, now: Stat) -> Arc<FileEntry> {
    let mut entry = file.clone();
    if let Content::Code { stat, .. } = &mut entry.content {
        *stat = now;
    }
    Arc::new(entry)
}

/// Returns a state with loose files, touched files, several tables, dead rows and outlines that were let go of, built while it changed.
pub(super) fn state(random: &mut fastrand::Rng, changes: usize) -> IndexState {
    let stored = Arc::new(Stored::default());
    let limits = SegmentThresholds {
        loose_rows: 40,
        loose_files: 6,
        segments: 3,
        spilled_bytes: 40,
        ..SegmentThresholds::default()
    };
    let (mut state, mut under_way, mut tables) = (IndexState::with_limits(limits), None, 0);
    if random.bool() {
        state.keep_tables_in(Arc::new(UnnamedFile::new(&std::env::temp_dir())));
    }
    for _ in 0..changes {
        let entry = entry(random);
        match random.u8(..5) {
            0 => drop(state.remove(&entry.path)),
            _ => state.put(entry),
        }
        if random.u8(..10) == 0 {
            let_some_go(&mut state, &stored, random);
        }
        if random.u8(..4) == 0 {
            touch_one(&mut state, random);
        }
        // A table is built while the state continues to change.
        if let Some(built) = under_way.take() {
            if random.u8(..3) == 0 {
                state.adopt(built);
                tables += 1;
            } else {
                under_way = Some(built);
            }
        } else {
            let plan = match random.u8(..9) {
                0 => Some(state.plan_whole()),
                1..5 => state.plan(),
                _ => state.plan_while_growing(),
            };
            under_way = plan.map(|plan| plan.build());
        }
    }
    assert!(changes < 100 || tables > 3, "{tables} tables built");
    assert!(changes < 100 || state.stored_outlines() > 0);
    let mut entries = EntryMemory::default();
    state.within(&RelPath::root()).for_each(|file| entries.add(file));
    assert_eq!(state.memory().outlines, entries.bytes(), "what every change has added is what is there");
    state
}

/// Returns a state whose one table has its rows on disk, and the directory of the file without a name.
fn with_spilled_table(random: &mut fastrand::Rng) -> (tempfile::TempDir, IndexState) {
    let limits = SegmentThresholds { spilled_bytes: 0, ..SegmentThresholds::default() };
    let mut state = IndexState::with_limits(limits);
    let scratch = tempfile::tempdir().expect("scratch");
    state.keep_tables_in(Arc::new(UnnamedFile::new(scratch.path())));
    (0..300).for_each(|_| state.put(entry(random)));
    state.adopt(state.plan_whole().build());
    (scratch, state)
}

/// Whether the pattern matches a row, computed from displayed name paths.
fn is_meant(pattern: &str, matching: Matching, outline: &Outline, row: usize) -> bool {
    let mut chain = Vec::new();
    let mut at = Some(row);
    while let Some(number) = at {
        let row = &outline.rows[number];
        chain.insert(0, (outline.name(row), row.index));
        at = row.parent();
    }
    let (anchored, bare) = (pattern.starts_with('/'), pattern.trim_start_matches('/').trim_end_matches('/'));
    if chain[chain.len() - 1].0 == bare && (!anchored || chain.len() == 1) {
        return true;
    }
    let parts: Vec<&str> = bare.split('/').collect();
    if parts.len() > chain.len() || (anchored && parts.len() != chain.len()) {
        return false;
    }
    let tail = &chain[chain.len() - parts.len()..];
    parts.iter().zip(tail).enumerate().all(|(number, (part, (name, index)))| {
        let (wanted, wanted_index) = match part.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
            Some((wanted, digits)) => (wanted, digits.parse::<u16>().ok()),
            None => (*part, None),
        };
        let is_last = number + 1 == parts.len();
        let fits =
            if is_last && matching == Matching::Substring { name.contains(wanted) } else { *name == wanted };
        fits && wanted_index.is_none_or(|wanted| picks(wanted, *index))
    })
}

/// Whether `[wanted]` selects a row with this `index`: its number plus one, or 0 when no other row has its
/// name, which then counts as the first.
fn picks(wanted: u16, index: u16) -> bool {
    if index == 0 { wanted == 0 } else { index == wanted + 1 }
}

pub(super) fn naive(snapshot: &Snapshot, text: &str, query: &Query) -> Vec<(String, usize)> {
    let mut files: Vec<&Arc<FileEntry>> = snapshot.files.iter().collect();
    files.sort_by_key(|file| file.path.to_string());
    let mut hits = Vec::new();
    for file in files {
        let Some(outline) = file.outline() else { continue };
        let in_scope = match &query.scope {
            Scope::Project => true,
            Scope::Within(path) => file.path == *path || file.path.as_str().starts_with(&format!("{path}/")),
        };
        let mut rows: Vec<usize> = (0..outline.rows.len())
            .filter(|&at| {
                let row = &outline.rows[at];
                in_scope
                    && is_meant(text, query.pattern.matching(), outline, at)
                    && (query.locals == Locals::Included || !row.is_local())
                    && (query.include_kinds.is_empty() || query.include_kinds.contains(&row.kind()))
                    && !query.exclude_kinds.contains(&row.kind())
            })
            .collect();
        rows.sort_by_key(|&at| outline.rows[at].start);
        hits.extend(rows.into_iter().map(|row| (file.path.to_string(), row)));
    }
    hits
}

#[test]
fn finds_what_a_scan_of_everything_finds() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut found = 0;
    for changes in [1, 5, 20, 60, 120, 200, 300] {
        let snapshot = state(&mut random, changes).snapshot();
        assert_tables(&snapshot);
        for text in PATTERNS {
            for matching in [Matching::Exact, Matching::Substring] {
                let kinds = |random: &mut fastrand::Rng| match random.u8(..3) {
                    0 => vec![symd_syntax::SymbolKind::Class, symd_syntax::SymbolKind::Method],
                    _ => Vec::new(),
                };
                let query = Query {
                    pattern: NamePattern::parse(text, matching).expect(text),
                    scope: match random.u8(..4) {
                        0 => Scope::Within(RelPath::new("a").expect("valid")),
                        1 => Scope::Within(RelPath::new("a/b/3").expect("valid")),
                        _ => Scope::Project,
                    },
                    include_kinds: kinds(&mut random),
                    exclude_kinds: kinds(&mut random),
                    locals: if random.bool() { Locals::Included } else { Locals::Excluded },
                };
                let hits = snapshot.find(&query, &Cancel::new()).expect("not cancelled");
                let is_current = |hit: &Hit| {
                    snapshot.files.get(hit.file.path.as_str()).is_some_and(|now| Arc::ptr_eq(now, &hit.file))
                };
                assert!(hits.iter().all(is_current), "a hit in a file as it was: {query:?}");
                let hits: Vec<_> = hits.iter().map(|hit| (hit.file.path.to_string(), hit.row)).collect();
                assert_eq!(hits, naive(&snapshot, text, &query), "{query:?}");
                found += hits.len();
            }
        }
    }
    assert!(found > 1_000, "{found} hits");
}

#[test]
fn tables_over_files_that_are_gone_are_built_anew() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut state = state(&mut random, 300);
    while let Some(plan) = state.plan() {
        state.adopt(plan.build());
    }
    let paths: Vec<RelPath> = state.within(&RelPath::root()).map(|file| file.path.clone()).collect();
    for path in paths {
        state.remove(&path);
    }
    let plan = state.plan().expect("most of the tables' rows are dead");
    state.adopt(plan.build());
    assert!(state.plan().is_none());
    assert_eq!((state.symbol_count(), state.segment_count()), (0, 1));
}

#[test]
fn a_touched_file_is_found_in_its_new_state() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut state = state(&mut random, 300);
    while let Some(plan) = state.plan() {
        state.adopt(plan.build());
    }
    let touched = Stat { mtime: 5, ..Stat::default() };
    let files: Vec<Arc<FileEntry>> = state.within(&RelPath::root()).cloned().collect();
    files.iter().for_each(|file| state.put(with_stat(file, touched)));
    let query = Query::in_project(NamePattern::parse("f", Matching::Exact).expect("valid"), Locals::Included);
    let hits = state.snapshot().find(&query, &Cancel::new()).expect("not cancelled");
    assert!(!hits.is_empty() && hits.iter().all(|hit| hit.file.stat() == Some(touched)));
}

#[test]
fn a_find_reads_no_outline_of_a_touched_file_as_it_was() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut state = state(&mut random, 300);
    state.adopt(state.plan_whole().build());
    let_go(&mut state, &Arc::new(Stored::default()), &RelPath::root(), || true);
    let files: Vec<Arc<FileEntry>> = state.within(&RelPath::root()).cloned().collect();
    files.iter().for_each(|file| state.put(with_stat(file, Stat { mtime: 5, ..Stat::default() })));
    let query = Query::in_project(NamePattern::parse("f", Matching::Exact).expect("valid"), Locals::Included);
    let snapshot = state.snapshot();
    assert!(!snapshot.find(&query, &Cancel::new()).expect("not cancelled").is_empty());
    let has_read = |file: &&Arc<FileEntry>| file.read_bytes().is_some();
    let of_tables = snapshot.segments.iter().flat_map(|live| live.living_files());
    assert_eq!(of_tables.filter(has_read).count(), 0, "nothing would let go of them");
    assert!(snapshot.files.iter().any(|file| has_read(&file)));
}

#[test]
fn only_files_that_a_table_has_in_another_state_are_looked_up_for_hits() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut state = state(&mut random, 300);
    state.adopt(state.plan_whole().build());
    let files: Vec<Arc<FileEntry>> = state.within(&RelPath::root()).cloned().collect();
    let touch = |state: &mut IndexState, file: &FileEntry| {
        state.put(with_stat(file, Stat { mtime: 5, ..Stat::default() }));
    };
    let touched = |state: &mut IndexState| Vec::from_iter(state.snapshot().touched.iter().cloned());
    let (with_symbols, without): (Vec<_>, Vec<_>) = files.iter().partition(|file| file.symbol_count() > 0);
    without.iter().for_each(|file| touch(&mut state, file));
    assert!(!without.is_empty() && touched(&mut state).is_empty(), "no table contains them");
    with_symbols[..3].iter().for_each(|file| touch(&mut state, file));
    let paths = |files: &[&Arc<FileEntry>]| Vec::from_iter(files.iter().map(|file| file.path.clone()));
    assert_eq!(touched(&mut state), paths(&with_symbols[..3]));
    // A table gets the entry that lets go of its outline; it has nothing of a file that is gone.
    let first = &with_symbols[0].path;
    assert!(state.file(first).is_some_and(|file| file.outline().is_some()), "it is in memory");
    let_go(&mut state, &Arc::new(Stored::default()), first, once());
    state.remove(&with_symbols[1].path);
    assert_eq!(touched(&mut state), paths(&with_symbols[2..3]));
    state.adopt(state.plan_whole().build());
    assert!(touched(&mut state).is_empty());
}

/// Returns a function that chooses the first file that it is asked about.
fn once() -> impl FnMut() -> bool {
    let mut is_first = true;
    move || std::mem::take(&mut is_first)
}

#[test]
fn tables_are_merged_without_reading_outlines() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut state = state(&mut random, 300);
    state.adopt(state.plan_whole().build());
    let stored = Arc::new(Stored::default());
    let_go(&mut state, &stored, &RelPath::root(), || true);
    // No outline can be read from here on, but by those that have read it.
    stored.0.lock().expect("sound").clear();
    for _ in 0..3 {
        for _ in 0..20 {
            state.remove(&entry(&mut random).path);
        }
        (0..5).for_each(|_| state.put(entry(&mut random)));
        state.adopt(state.plan_whole().build());
        assert_tables(&state.snapshot());
        assert_eq!(state.segment_count(), 1);
    }
    assert!(state.symbol_count() > 0 && state.stored_outlines() > 0);
}

#[test]
fn a_table_is_built_when_many_files_are_loose_however_many_there_are() {
    let mut random = fastrand::Rng::with_seed(7);
    let (most_loose_files, defaults) = (20, SegmentThresholds::default());
    let limits = SegmentThresholds { loose_rows: 10_000, loose_files: 5, most_loose_files, ..defaults };
    let mut state = IndexState::with_limits(limits);
    let mut put = |state: &mut IndexState, name: String| {
        let mut one = FileEntry::clone(&entry(&mut random));
        while one.symbol_count() == 0 {
            one = FileEntry::clone(&entry(&mut random));
        }
        one.path = RelPath::new(&name).expect("valid");
        state.put(Arc::new(one));
    };
    (0..200).for_each(|number| put(&mut state, format!("a{number}")));
    state.adopt(state.plan_while_growing().expect("all are loose").build());
    (0..20).for_each(|number| put(&mut state, format!("b{number}")));
    assert!(state.plan_while_growing().is_none());
    put(&mut state, "c".to_owned());
    state.adopt(state.plan_while_growing().expect("many are loose").build());
    assert_eq!(state.segment_count(), 2);
    assert_tables(&state.snapshot());
}

#[test]
fn rows_that_the_disk_has_lost_are_found_in_the_outlines() {
    let mut random = fastrand::Rng::with_seed(7);
    let (scratch, mut state) = with_spilled_table(&mut random);
    let found = |state: &mut IndexState| {
        let snapshot = state.snapshot();
        let mut found = Vec::new();
        for (pattern, matching) in
            [("A", Matching::Exact), ("A/f", Matching::Exact), ("b", Matching::Substring)]
        {
            let pattern = NamePattern::parse(pattern, matching).expect("valid");
            let query = Query::in_project(pattern, Locals::Included);
            let hits = snapshot.find(&query, &Cancel::new()).expect("not cancelled");
            found.push(hits.iter().map(|hit| (hit.file.path.clone(), hit.row)).collect::<Vec<_>>());
        }
        found
    };
    let expected = found(&mut state);
    assert!(expected.iter().all(|hits| hits.len() > 3));
    cut_unnamed_file(scratch.path());
    assert!(state.plan().is_none(), "no loss has been met");
    assert_eq!(found(&mut state), expected);
    // A table that is made of it is made of the outlines.
    state.adopt(state.plan().expect("it is lost").build());
    assert_tables(&state.snapshot());
    assert_eq!(found(&mut state), expected);
    // The disk loses what is written again.
    cut_unnamed_file(scratch.path());
    assert_eq!(found(&mut state), expected);
    assert!(state.plan().is_none());
}

/// Raises a flag when an outline is read.
#[derive(Debug)]
struct Cancelling(Arc<Stored>, Cancel, AtomicUsize);

impl OutlineReader for Cancelling {
    fn read_back(&self, key: Key, rows: usize, path: &RelPath) -> Option<Arc<Outline>> {
        self.1.cancel();
        self.2.fetch_add(1, Ordering::Relaxed);
        self.0.read_back(key, rows, path)
    }
}

#[test]
fn a_search_of_lost_rows_keeps_no_outline_without_a_hit_and_can_be_cancelled() {
    let mut random = fastrand::Rng::with_seed(7);
    let (scratch, mut state) = with_spilled_table(&mut random);
    let (stored, flag) = (Arc::new(Stored::default()), Cancel::new());
    let reader = Arc::new(Cancelling(stored.clone(), flag.clone(), AtomicUsize::new(0)));
    let_go_to(&mut state, (&stored, reader.clone()), &RelPath::root(), || true);
    cut_unnamed_file(scratch.path());
    let query =
        Query::in_project(NamePattern::parse("größe", Matching::Exact).expect("valid"), Locals::Included);
    let snapshot = state.snapshot();
    assert!(snapshot.find(&query, &flag).is_err());
    assert_eq!(reader.2.load(Ordering::Relaxed), 1);
    let hits = snapshot.find(&query, &Cancel::new()).expect("not cancelled");
    let mut found: Vec<&RelPath> = hits.iter().map(|hit| &hit.file.path).collect();
    found.dedup();
    let all = snapshot.files.iter().filter(|file| file.symbol_count() > 0).count();
    let read = reader.2.load(Ordering::Relaxed);
    assert!(!found.is_empty() && found.len() < all && read > all, "{} {all} {read}", found.len());
    let mut kept = snapshot.files.iter().filter(|file| file.read_bytes().is_some());
    assert!(kept.all(|file| found.contains(&&file.path)));
}

#[test]
fn a_file_that_a_table_made_of_outlines_leaves_out_is_found_when_it_is_scanned_again() {
    let mut random = fastrand::Rng::with_seed(7);
    let (scratch, mut state) = with_spilled_table(&mut random);
    let scanned: Vec<Arc<FileEntry>> =
        state.within(&RelPath::root()).filter(|file| file.symbol_count() > 0).cloned().collect();
    let stored = Arc::new(Stored::default());
    let_go(&mut state, &stored, &RelPath::root(), || true);
    cut_unnamed_file(scratch.path());
    for lost in scanned.iter().take(3) {
        stored.0.lock().expect("sound").remove(&lost.key().expect("parsed"));
    }
    state.adopt(state.plan_whole().build());
    scanned.iter().for_each(|file| state.put(file.clone()));
    assert_tables(&state.snapshot());
    // They come into the next table.
    state.adopt(state.plan_whole().build());
    assert_tables(&state.snapshot());
    assert_eq!(state.segment_count(), 1);
}
