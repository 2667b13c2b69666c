//! Writes an index, group by group, so that memory never holds what all files have.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use super::format::{FileGroup, GROUP, HEADER, IndexDirectory, IndexPart, TableParts, header, push_record};
use crate::entry_outline::EntryOutline;
use crate::file::FileEntry;
use crate::outline_summaries::GatheredOutlines;
use crate::postings;
use crate::segment::Segment;
use crate::snapshot::Snapshot;
use symd_base::state::{self, StateError};
use symd_sys::clock::ClockReading;
use symd_vfs::Stat;

/// Nanoseconds that a file's last change must be older than its record: a change in the same tick of the file system's
/// clock would leave the state as it was.
const SETTLED: i64 = 2_000_000_000;

/// What was stored of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredExtent {
    /// All files that may be stored.
    Whole,
    /// Those but files that changed just before.
    WithoutNewest,
    /// Nothing, since something of the index that is on disk is lost. What was stored before is still there.
    Nothing,
}

/// Writes the index to `path`: files for which `may_be_stored` returns `true`, unless they changed just before `now`. Slow.
pub fn write(
    path: &Path,
    now: &ClockReading,
    snapshot: &Snapshot,
    may_be_stored: impl Fn(&FileEntry) -> bool,
) -> Result<StoredExtent, StateError> {
    let loose = snapshot.table_of_loose();
    let is_in_table = |file: &FileEntry| !loose.unreadable.iter().any(|one| one.path == file.path);
    let is_stored = |file: &FileEntry| {
        file.grammar().is_some()
            && file.path.as_str().len() <= usize::from(u16::MAX)
            && is_in_table(file)
            && may_be_stored(file)
    };
    let mut files: Vec<&Arc<FileEntry>> = snapshot.files.iter().filter(|file| is_stored(file)).collect();
    let count = files.len();
    files.retain(|file| file.stat().is_some_and(|stat| is_settled(&stat, now)));
    let all = if files.len() == count { StoredExtent::Whole } else { StoredExtent::WithoutNewest };
    let Some(table) = snapshot.table_over(&files, loose) else { return Ok(StoredExtent::Nothing) };
    let mut is_whole = true;
    let written = state::replace_file_with(path, |file| {
        is_whole = write_parts(file, now, &files, &table)?;
        // What is there stays: it is older, and as right as it was.
        if is_whole { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
    });
    if is_whole { written.map(|()| all) } else { Ok(StoredExtent::Nothing) }
}

/// Whether an unchanged state says, from `now` on, that the bytes are unchanged.
fn is_settled(stat: &Stat, now: &ClockReading) -> bool {
    stat.ctime > 0 && stat.ctime <= now.wall.saturating_sub(SETTLED)
}

/// Returns whether everything could be written.
fn write_parts(
    file: &mut File,
    now: &ClockReading,
    files: &[&Arc<FileEntry>],
    table: &Segment,
) -> io::Result<bool> {
    let mut offset = HEADER as u64;
    file.seek(SeekFrom::Start(offset))?;
    let mut write = |bytes: &[u8]| {
        let part = IndexPart::of(bytes).ok_or(io::ErrorKind::FileTooLarge)?;
        file.write_all(bytes)?;
        offset += bytes.len() as u64;
        Ok::<_, io::Error>(part)
    };
    let (mut groups, mut records) = (Vec::new(), Vec::new());
    for group in files.chunks(GROUP) {
        let Some(outlines) = gathered(group) else { return Ok(false) };
        records.clear();
        for (file, known) in group.iter().zip(&outlines.known) {
            push_record(&mut records, &file.path, &file.stat().unwrap_or_default(), known);
        }
        groups.push(FileGroup {
            files: u32::try_from(group.len()).unwrap_or(u32::MAX),
            records: write(&records)?,
            imports: write(&outlines.imports)?,
            words: write(&outlines.words)?,
        });
    }
    let Some((list_starts, lists)) = table.postings().list_bytes() else { return Ok(false) };
    let (arena, starts) = table.name_bytes();
    let mut head = arena.to_vec();
    let mut push = |number: u32| head.extend(number.to_le_bytes());
    starts.iter().chain(list_starts).copied().for_each(&mut push);
    postings::checksums(list_starts, lists).for_each(push);
    let size = |size: usize| u32::try_from(size).map_err(|_| io::ErrorKind::FileTooLarge);
    let table = TableParts {
        names: size(starts.len() - 1)?,
        arena: size(arena.len())?,
        rows: table.row_count() as u64,
        head: write(&head)?,
        lists: write(lists)?,
    };
    let directory = IndexDirectory { made: *now, groups, table }.encode();
    write(&directory)?;
    file.write_all_at(&header(&directory, offset - directory.len() as u64), 0)?;
    Ok(true)
}

/// Returns what is known of the outlines of files, in their order; `None` if it is lost of one of them.
fn gathered(files: &[&Arc<FileEntry>]) -> Option<GatheredOutlines> {
    let mut gathered = GatheredOutlines::default();
    for file in files {
        match file.file_outline()? {
            EntryOutline::Resident(outline) => gathered.add(file.key()?, outline),
            stored @ EntryOutline::Stored(_) => {
                let is_known = stored.summary().is_some_and(|summary| gathered.add_summary(summary));
                if !is_known {
                    let outline = file.outline_once()?;
                    gathered.add(file.key()?, &outline);
                }
            }
        }
    }
    Some(gathered)
}
