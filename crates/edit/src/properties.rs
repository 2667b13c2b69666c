//! Properties of journals, for arbitrary bytes on the disk. See `symd::properties`.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::sync::Arc;

use super::change::{Change, Changes, Original, PlannedFile};
use super::entry::{Head, Journal, Kind, Record};
use super::plan::Originator;
use super::store::{Leftover, OperationId, Store};
use symd_base::{ContentHash, RelPath};
use symd_vfs::{Meta, PermissionSource, Stat};

/// Limit of the history in bytes, for these tests.
const LIMIT: u64 = 1 << 20;

/// Asserts that arbitrary bytes are not accepted as a journal, that a written journal is read back, and that
/// it is rejected if any byte is missing or changed.
pub fn journal(bytes: &[u8]) {
    match Journal::read(bytes) {
        Ok(Some(journal)) => assert_whole(&journal),
        Ok(None) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::InvalidData),
    }
    if let Ok(Some(head)) = Head::read(bytes) {
        let salvaged = Journal::salvaged(head, bytes).unwrap();
        assert_whole(&salvaged);
    }
    let Some((at, rest)) = bytes.split_first() else { return };
    let (journal, written) = made_of(rest);
    let read = Journal::read(written.as_slice()).unwrap().unwrap();
    assert_eq!(read.old, journal.old);
    // A position derived from the input, so that all positions are tested.
    let at = usize::from(*at) * written.len() / 256;
    assert!(!matches!(Journal::read(&written[..at]), Ok(Some(_))), "cut at {at}");
    let mut damaged = written.clone();
    damaged[at] ^= 1 << (rest.len() % 8);
    assert!(!matches!(Journal::read(damaged.as_slice()), Ok(Some(_))), "another byte at {at}");
    let head = Head::read(written.as_slice()).unwrap().unwrap();
    let salvaged = Journal::salvaged(head, damaged.as_slice()).unwrap();
    assert_whole(&salvaged);
    assert!(salvaged.entry.lost.len() <= 1, "one byte is of one file: {:?}", salvaged.entry.lost);
}

/// Asserts that the old bytes of each file match their hash.
fn assert_whole(journal: &Journal) {
    assert_eq!(journal.entry.records.len(), journal.old.len());
    for (record, old) in journal.entry.records.iter().zip(&journal.old) {
        match (record, old) {
            (Record::Content { before: Some(before), .. }, Some(old)) => {
                assert!(ContentHash::of(old) == before.hash);
            }
            (Record::Content { path, before: Some(_), .. }, None) => {
                assert!(journal.entry.lost.contains(path))
            }
            (_, old) => assert!(old.is_none()),
        }
    }
}

/// Returns a journal about files whose old bytes are parts of `bytes`, and its encoding.
fn made_of(bytes: &[u8]) -> (Journal, Vec<u8>) {
    let file = |bytes: &[u8]| (Arc::new(bytes.to_vec()), ContentHash::of(bytes));
    let (meta, stat) = (
        Meta { mode: 0o644, uid: 1, gid: 1 },
        Stat { size: 0, mtime: 0, ctime: 0, inode: 0, device: 0, links: 1 },
    );
    let changes = bytes.chunks(1 + bytes.len() / 3).enumerate().map(|(number, part)| {
        let path = RelPath::new(&format!("é{number}")).unwrap();
        let original = |(bytes, hash)| Original { bytes, hash, stat, meta, in_editor: false };
        let wanted =
            |(bytes, hash)| PlannedFile { bytes, hash, like: PermissionSource::Meta(meta), origin: None };
        match number {
            2 => Change::Move { from: path, to: RelPath::new("z").unwrap(), file: original(file(part)) },
            _ => Change::Content {
                path,
                before: Some(original(file(part))),
                after: Some(wanted(file(b"new"))),
            },
        }
    });
    let changes = Changes { list: changes.collect(), make: Vec::new(), clear: Vec::new() };
    let by = Originator {
        who: String::from_utf8_lossy(bytes).into_owned(),
        tool: "t".to_owned(),
        title: String::new(),
    };
    let journal = Journal::of(OperationId(7), &changes, (by, Kind::Edit), &BTreeSet::new());
    let head = journal.head().unwrap();
    let written = journal.parts(&head).concat();
    (journal, written)
}

/// Asserts that for any damage to the journal of the edit in progress the recovered state is that edit, with
/// intact old bytes, or nothing.
pub fn slot(bytes: &[u8]) {
    let [which, at, value, rest @ ..] = bytes else { return };
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path().join("edits");
    let store = Store::open(&directory, LIMIT).unwrap();
    let (journal, _) = made_of(rest);
    let lock = store.lock().unwrap();
    store.begin(&journal, &lock).unwrap();
    drop((store, lock));
    let file = directory.join(["slot", "lock"][usize::from(*which % 2)]);
    let mut lying = std::fs::read(&file).unwrap();
    let length = lying.len().min(2_000);
    match which / 2 % 4 {
        // Unchanged.
        0 => {}
        1 => lying[usize::from(*at) * length / 256] ^= value,
        2 => lying.truncate(usize::from(*at) * length / 256),
        _ => {
            let length = rest.len().min(lying.len());
            lying[..length].copy_from_slice(&rest[..length]);
        }
    }
    std::fs::write(&file, &lying).unwrap();
    let store = Store::open(&directory, LIMIT).unwrap();
    let Ok(lock) = store.lock() else { return };
    let left = store.left();
    drop(lock);
    let Ok(Leftover::Pending(pending)) = left else {
        assert!(which / 2 % 4 != 0, "{left:?}");
        return;
    };
    assert_whole(&pending.journal);
    let files =
        |journal: &Journal| journal.entry.files().into_iter().map(|file| file.path).collect::<BTreeSet<_>>();
    assert_eq!((pending.journal.entry.id, files(&pending.journal)), (journal.entry.id, files(&journal)));
}

/// Initial journals for the fuzzer.
pub fn seeds() -> Vec<Vec<u8>> {
    [&b""[..], b"\x80old bytes", b"a\nb\nc\nd"].map(|bytes| made_of(bytes).1).into()
}

/// Initial damages for the fuzzer.
pub fn slot_seeds() -> Vec<Vec<u8>> {
    (0..8).map(|which| [&[which, 60, 4][..], b"old bytes of some files"].concat()).collect()
}
