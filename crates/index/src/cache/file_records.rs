//! The states of a project's files when their outlines were made, so that a restart reads only files whose state
//! differs. Invariant: a record is used only if an unchanged state says that the bytes are unchanged; a damaged or foreign file
//! of records is as none.
//!
//! ```text
//! magic 8 | version u32 | count u32 | checksum of the rest 16 | wall i64 | since start i64 | start u128 | records
//! record: path length u16 | path | size, mtime, ctime, inode, device, links 6 × 8 | content hash 16 | fingerprint u64
//! ```
//! Numbers are little endian; records ascend by path.

use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::Key;
use super::pack::Fields;
use symd_base::state::{self, StateError};
use symd_base::{ContentHash, ContentHasher, RelPath};
use symd_sys::clock::ClockReading;
use symd_vfs::Stat;

const MAGIC: &[u8; 8] = b"symdfile";
/// Incremented when this layout changes.
const VERSION: u32 = 1;
const HEADER: usize = 32;
/// symd writes no larger file: about a million records.
const MAX_BYTES: u64 = 256 << 20;
/// Bytes that are written at once, about.
const PIECE: usize = 64 << 10;
/// Nanoseconds that a file's last change must be older than its record: a change in the same tick of the file system's
/// clock would leave the state as it was.
const SETTLED: i64 = 2_000_000_000;

/// The records of one project, as they are in the file: with a piece of memory for each path they would take twice as much.
#[derive(Debug, PartialEq, Eq)]
pub struct FileRecords {
    bytes: Vec<u8>,
    /// Where each record begins.
    starts: Vec<u32>,
}

/// A file, its state, and the key of the outline that its bytes had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRecord {
    pub path: RelPath,
    pub stat: Stat,
    pub key: Key,
}

impl FileRecords {
    /// Reads the records at `path`. Returns `None` if there are none, they are damaged, or the wall clock was set back since
    /// they were made: a change after that may have given a file the time that it had.
    pub fn read(path: &Path, now: &ClockReading) -> Option<FileRecords> {
        let (made, records) = decode(state::read_private(path, MAX_BYTES).ok()??)?;
        (!now.was_set_back_since(&made)).then_some(records)
    }

    /// Writes records of files, which must ascend by path, to `path`. Leaves out files that changed just before `now`. Writes
    /// piece by piece, so that memory never holds all of them.
    pub fn write(
        path: &Path,
        now: &ClockReading,
        records: impl IntoIterator<Item = FileRecord>,
    ) -> Result<(), StateError> {
        state::replace_file_with(path, |file| {
            file.seek(SeekFrom::Start(HEADER as u64))?;
            let mut hasher = ContentHasher::default();
            let count = encode_each(now, records, |bytes| {
                hasher.update(bytes);
                file.write_all(bytes)
            })?;
            file.write_all_at(&header(count, hasher.finish()), 0)
        })
    }

    /// Returns the key of the outline of the file at `path`, if its state is the recorded one.
    pub fn key(&self, path: &RelPath, stat: &Stat) -> Option<Key> {
        let path_at = |start: &u32| path_of(&mut self.behind(*start)).unwrap_or_default();
        let at = self.starts.binary_search_by(|start| path_at(start).cmp(path.as_str())).ok()?;
        record(&mut self.behind(self.starts[at]))
            .filter(|record| record.stat == *stat)
            .map(|record| record.key)
    }

    /// Returns the bytes from `start` on.
    fn behind(&self, start: u32) -> Fields<'_> {
        Fields(self.bytes.get(start as usize..).unwrap_or_default())
    }
}

/// Whether an unchanged state says, from `now` on, that the bytes are unchanged.
fn is_settled(stat: &Stat, now: &ClockReading) -> bool {
    stat.ctime > 0 && stat.ctime <= now.wall.saturating_sub(SETTLED)
}

/// Encodes everything behind the header, and writes it in pieces. Returns the number of records.
fn encode_each(
    now: &ClockReading,
    records: impl IntoIterator<Item = FileRecord>,
    mut write: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<u32> {
    let mut piece = Vec::with_capacity(PIECE);
    piece.extend(now.wall.to_le_bytes());
    piece.extend(now.since_start.to_le_bytes());
    piece.extend(now.start.to_le_bytes());
    let mut count = 0_u32;
    for FileRecord { path, stat, key } in records {
        let Some(length) = u16::try_from(path.as_str().len()).ok().filter(|_| is_settled(&stat, now)) else {
            continue;
        };
        piece.extend(length.to_le_bytes());
        piece.extend(path.as_str().as_bytes());
        piece.extend(stat.size.to_le_bytes());
        piece.extend(stat.mtime.to_le_bytes());
        piece.extend(stat.ctime.to_le_bytes());
        piece.extend(stat.inode.to_le_bytes());
        piece.extend(stat.device.to_le_bytes());
        piece.extend(stat.links.to_le_bytes());
        piece.extend(key.content.0);
        piece.extend(key.fingerprint.to_le_bytes());
        count += 1;
        if piece.len() >= PIECE {
            write(&piece)?;
            piece.clear();
        }
    }
    write(&piece)?;
    Ok(count)
}

/// Returns the header of a file with this number of records and this hash of everything behind it.
fn header(count: u32, rest: ContentHash) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(rest.0);
    bytes
}

/// Returns the records, and the clocks when they were made.
fn decode(bytes: Vec<u8>) -> Option<(ClockReading, FileRecords)> {
    let mut fields = Fields(&bytes);
    if fields.take::<8>()? != *MAGIC || u32::from_le_bytes(fields.take()?) != VERSION {
        return None;
    }
    let count = u32::from_le_bytes(fields.take()?);
    let checksum: [u8; 16] = fields.take()?;
    if ContentHash::of(fields.0).0 != checksum {
        return None;
    }
    let made = ClockReading {
        wall: i64::from_le_bytes(fields.take()?),
        since_start: i64::from_le_bytes(fields.take()?),
        start: u128::from_le_bytes(fields.take()?),
    };
    // The count is not trusted for memory: each record takes bytes.
    let (mut starts, mut last) = (Vec::new(), None);
    for _ in 0..count {
        starts.push(u32::try_from(bytes.len() - fields.0.len()).ok()?);
        let FileRecord { path, .. } = record(&mut fields)?;
        if last.is_some_and(|last| last >= path) {
            return None;
        }
        last = Some(path);
    }
    let is_whole = fields.0.is_empty();
    is_whole.then_some((made, FileRecords { bytes, starts }))
}

/// Takes a path from the front.
fn path_of<'a>(fields: &mut Fields<'a>) -> Option<&'a str> {
    let length = usize::from(u16::from_le_bytes(fields.take()?));
    let (path, rest) = fields.0.split_at_checked(length)?;
    fields.0 = rest;
    std::str::from_utf8(path).ok()
}

/// Takes a record from the front; `None` if its path is not written as paths are.
fn record(fields: &mut Fields<'_>) -> Option<FileRecord> {
    let text = path_of(fields)?;
    Some(FileRecord {
        path: RelPath::new(text).ok().filter(|path| path.as_str() == text)?,
        stat: Stat {
            size: u64::from_le_bytes(fields.take()?),
            mtime: i64::from_le_bytes(fields.take()?),
            ctime: i64::from_le_bytes(fields.take()?),
            inode: u64::from_le_bytes(fields.take()?),
            device: u64::from_le_bytes(fields.take()?),
            links: u64::from_le_bytes(fields.take()?),
        },
        key: Key { content: ContentHash(fields.take()?), fingerprint: u64::from_le_bytes(fields.take()?) },
    })
}

/// Returns the file of `count` records that `rest` holds.
fn sealed(count: u32, rest: &[u8]) -> Vec<u8> {
    [&header(count, ContentHash::of(rest)), rest].concat()
}

/// Returns a file of records.
fn encode(now: &ClockReading, records: impl IntoIterator<Item = FileRecord>) -> Vec<u8> {
    let mut rest = Vec::new();
    let count = encode_each(now, records, |bytes| {
        rest.extend_from_slice(bytes);
        Ok(())
    });
    sealed(count.unwrap_or(0), &rest)
}

/// Checks that bytes are rejected, or hold records that are the same once they are encoded: the bytes as they are, and
/// behind a header that fits them.
pub(super) fn property(bytes: &[u8]) {
    for count in 0..4 {
        check(sealed(count, bytes.get(HEADER..).unwrap_or(bytes)));
    }
    check(bytes.to_owned());
}

#[allow(clippy::unwrap_used, reason = "it is for tests")]
fn check(bytes: Vec<u8>) {
    let Some((made, records)) = decode(bytes) else { return };
    let late = ClockReading { wall: i64::MAX, ..made };
    let settled: Vec<FileRecord> =
        all(&records).into_iter().filter(|record| is_settled(&record.stat, &late)).collect();
    let (_, again) = decode(encode(&late, settled.clone())).unwrap();
    assert_eq!(all(&again), settled);
    assert!(settled.iter().all(|record| again.key(&record.path, &record.stat) == Some(record.key)));
}

fn all(records: &FileRecords) -> Vec<FileRecord> {
    records.starts.iter().filter_map(|start| record(&mut records.behind(*start))).collect()
}

/// Returns a file of records.
pub(super) fn seed() -> Vec<u8> {
    let made = ClockReading { wall: 10_000_000_000, since_start: 5, start: 7 };
    let record = |(at, path): (u64, &str)| {
        let stat = Stat { size: 30, mtime: 1_000, ctime: 2_000, inode: at, device: 2, links: 1 };
        let key = Key { content: ContentHash::of(path.as_bytes()), fingerprint: at };
        Some(FileRecord { path: RelPath::new(path).ok()?, stat, key })
    };
    encode(&made, (1..).zip(["a.py", "a/größe.py", "b/c/d.kt"]).filter_map(record))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn at(wall: i64) -> ClockReading {
        ClockReading { wall: wall * SECOND, since_start: wall * SECOND, start: 1 }
    }

    fn record(path: &str, ctime: i64) -> FileRecord {
        FileRecord {
            path: RelPath::new(path).expect("a path"),
            stat: Stat { size: 1, mtime: 5, ctime, inode: 6, device: 7, links: 1 },
            key: Key { content: ContentHash::of(path.as_bytes()), fingerprint: 9 },
        }
    }

    #[test]
    fn only_an_unchanged_state_has_a_key() {
        let scratch = tempfile::tempdir().expect("scratch");
        let path = scratch.path().join("0.files");
        let old = record("b.py", 90 * SECOND);
        let fresh = record("a.py", 98 * SECOND + 1);
        FileRecords::write(&path, &at(100), [fresh.clone(), old.clone()]).expect("written");
        let records = FileRecords::read(&path, &at(101)).expect("records");
        assert_eq!(records.key(&old.path, &old.stat), Some(old.key));
        assert_eq!(records.key(&fresh.path, &fresh.stat), None, "it changed just before");
        let others = [
            Stat { size: 2, ..old.stat },
            Stat { mtime: 6, ..old.stat },
            Stat { ctime: old.stat.ctime + 1, ..old.stat },
            Stat { inode: 8, ..old.stat },
            Stat { device: 8, ..old.stat },
        ];
        for other in others {
            assert_eq!(records.key(&old.path, &other), None, "{other:?}");
        }
        assert_eq!(FileRecords::read(&path, &at(99)), None, "the clock was set back");
        assert!(FileRecords::read(&path, &ClockReading { start: 2, ..at(100) }).is_some());
    }

    #[test]
    fn many_records_are_read_as_they_were_written() {
        let scratch = tempfile::tempdir().expect("scratch");
        let path = scratch.path().join("0.files");
        let records: Vec<FileRecord> = (0..6_000)
            .map(|number| record(&format!("a/directory/file_{number:05}.py"), 7 + number))
            .collect();
        FileRecords::write(&path, &at(100), records.clone()).expect("written");
        assert!(path.metadata().expect("there").len() > 8 * PIECE as u64);
        assert_eq!(FileRecords::read(&path, &at(100)).map(|read| all(&read)), Some(records));
    }

    #[test]
    fn damaged_records_are_none() {
        let seed = seed();
        assert!(decode(seed.clone()).is_some());
        for cut in 0..seed.len() {
            assert!(decode(seed[..cut].to_owned()).is_none(), "{cut}");
        }
        for at in 0..seed.len() {
            let mut damaged = seed.clone();
            damaged[at] ^= 1;
            let changed = decode(damaged);
            // The count is no part of what the checksum covers, but must fit.
            assert!(changed.is_none(), "byte {at}");
        }
    }
}
