//! The property of stored indexes that must hold whatever the file contains. See `symd::properties`.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use super::format::{HEADER, IndexPart, header};
use super::{StoredEntry, StoredExtent, StoredIndex, write};
use crate::cache::Key;
use crate::entry_outline::OutlineReader;
use crate::fields::Fields;
use crate::file::{Content, FileEntry, Origin};
use crate::index_state::IndexState;
use symd_base::{Cancel, ContentHash, RelPath};
use symd_syntax::{Grammar, Outline, outline};
use symd_sys::clock::ClockReading;
use symd_vfs::Stat;

const MADE: ClockReading = ClockReading { wall: 10_000_000_000, since_start: 5, start: 7 };

/// A cache that has nothing.
#[derive(Debug)]
struct NoOutlines;

impl OutlineReader for NoOutlines {
    fn read_back(&self, _: Key, _: usize, _: &RelPath) -> Option<Arc<Outline>> {
        None
    }
}

/// Checks that a file is rejected, or holds an index all of which can be read, or is lost: the bytes as they are, and with hashes that fit them.
pub fn stored_index(bytes: &[u8]) {
    check(bytes);
    if let Some(sealed) = sealed(bytes) {
        check(&sealed);
    }
}

fn check(bytes: &[u8]) {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("0.index");
    std::fs::write(&path, bytes).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    for spilled_bytes in [0, usize::MAX] {
        check_file(&path, spilled_bytes);
    }
}

fn check_file(path: &Path, spilled_bytes: usize) {
    let reader: Arc<dyn OutlineReader> = Arc::new(NoOutlines);
    let late = ClockReading { wall: i64::MAX, ..MADE };
    let read = StoredIndex::read_beyond(spilled_bytes, path, &late, &reader, |_| true);
    let Some(StoredIndex { entries, table }) = read else { return };
    let mut state = IndexState::default();
    state.adopt_stored(table);
    let mut all = entries.0.clone();
    for stored in &all {
        stored.entry.imports();
        stored.entry.may_hold_hash(7);
    }
    assert!(state.put_stored(&mut all).is_empty());
    let snapshot = state.snapshot();
    for live in &snapshot.segments {
        let postings =
            live.segment.all().chain(live.segment.exact("a")).chain(live.segment.containing("a").flatten());
        for (file, row) in postings.flat_map(|postings| live.living(postings)) {
            assert!(row < file.symbol_count());
        }
    }
    let again = path.with_extension("again");
    if write(&again, &late, &snapshot, |_| true).unwrap() != StoredExtent::Nothing {
        let read = StoredIndex::read(&again, &late, &reader, |_| true).unwrap();
        let mut near = 0;
        for StoredEntry { entry, .. } in &read.entries.0 {
            let before = entries.find(&entry.path, &mut near).unwrap();
            let of = |entry: &FileEntry| (entry.key(), entry.stat(), entry.symbol_count());
            assert_eq!(of(entry), of(&before.entry));
        }
    }
}

/// Returns the bytes with the hashes that they should have, if there is a directory.
fn sealed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut rest = Fields(bytes.get(..HEADER)?);
    rest.take(12)?;
    let (length, offset) = (rest.u32()?, usize::try_from(rest.u64()?).ok()?);
    let end = offset.checked_add(length as usize)?;
    let mut directory = Fields(bytes.get(offset..end)?).directory()?;
    let mut next = HEADER;
    let mut seal = |part: &mut IndexPart| {
        let end = next.checked_add(part.length as usize)?;
        part.hash = ContentHash::of(bytes.get(next..end)?);
        next = end;
        Some(())
    };
    for group in &mut directory.groups {
        [&mut group.records, &mut group.imports, &mut group.words].into_iter().try_for_each(&mut seal)?;
    }
    seal(&mut directory.table.head)?;
    seal(&mut directory.table.lists)?;
    let encoded = directory.encode();
    Some([&header(&encoded, offset as u64), bytes.get(HEADER..offset)?, &encoded].concat())
}

/// Returns a stored index to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("0.index");
    let mut state = IndexState::default();
    for (number, (path, grammar, text)) in (1..).zip([
        ("a.py", "python", "import b\nclass A:\n    def f(self): pass\n"),
        ("a/größe.py", "python", "# nothing\n"),
        ("b/c/d.kt", "kotlin", "package b\nclass A { fun f() = 1 }\n"),
    ]) {
        let grammar = Grammar::named(grammar).unwrap();
        let parsed = Arc::new(outline(grammar, text, &Cancel::new()).unwrap());
        let stat = Stat { size: 30, mtime: 1_000, ctime: 2_000, inode: number, device: 2, links: 1 };
        let (origin, hash) = (Origin::Grammar(grammar), ContentHash::of(text.as_bytes()));
        let content = Content::Code { origin, hash, stat, outline: parsed.into() };
        state.put(Arc::new(FileEntry { path: RelPath::new(path).unwrap(), content }));
    }
    state.adopt(state.plan_whole().build());
    assert_eq!(write(&path, &MADE, &state.snapshot(), |_| true).unwrap(), StoredExtent::Whole);
    vec![std::fs::read(&path).unwrap()]
}
