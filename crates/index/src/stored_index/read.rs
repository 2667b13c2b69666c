//! Reads a stored index: everything but imports, filters of words and long lists of rows, which stay on disk.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use super::format::{FileGroup, FileRecord, HEADER, IndexDirectory, IndexPart, MAGIC, TableParts, VERSION};
use super::{StoredEntries, StoredEntry, StoredIndex, StoredTable};
use crate::entry_outline::{EntryOutline, OutlineReader};
use crate::fields::Fields;
use crate::file::{Content, FileEntry, Origin};
use crate::index_state::SegmentThresholds;
use crate::outline_summaries::{OutlineSummaries, OutlineSummary};
use crate::postings::PackedPostings;
use crate::segment::Segment;
use crate::spilled_bytes::SpilledBytes;
use symd_base::state::{self, KeptBytes};
use symd_base::{ContentHash, cores};
use symd_syntax::Grammar;
use symd_sys::clock::ClockReading;

/// The grammars by their fingerprints.
type Grammars = HashMap<u64, Grammar>;

/// A part and where it begins.
#[derive(Clone, Copy, Debug)]
struct LocatedPart {
    offset: u64,
    part: IndexPart,
}

/// Where the parts of a group begin.
#[derive(Clone, Copy, Debug)]
struct LocatedGroup {
    files: u32,
    records: LocatedPart,
    imports: LocatedPart,
    words: LocatedPart,
}

/// A file of a group, with the number of its rows: an entry whose grammar is not there any more has none.
type FileWithRows = (Arc<FileEntry>, u32);

impl StoredIndex {
    /// Reads the index stored at `path`. `reader` reads outlines by their keys. An entry that `may_be_used` rejects matches no file, so that
    /// its file is parsed again. Returns `None` if no index is stored or the stored one is damaged, and if the wall clock was set back since:
    /// then a file that has changed may have its old modification time.
    pub fn read(
        path: &Path,
        now: &ClockReading,
        reader: &Arc<dyn OutlineReader>,
        may_be_used: impl Fn(&FileEntry) -> bool + Sync,
    ) -> Option<StoredIndex> {
        let spilled_bytes = SegmentThresholds::default().spilled_bytes;
        StoredIndex::read_beyond(spilled_bytes, path, now, reader, may_be_used)
    }

    /// Like [`StoredIndex::read`], and leaves lists of at least so many bytes on disk.
    pub(crate) fn read_beyond(
        spilled_bytes: usize,
        path: &Path,
        now: &ClockReading,
        reader: &Arc<dyn OutlineReader>,
        may_be_used: impl Fn(&FileEntry) -> bool + Sync,
    ) -> Option<StoredIndex> {
        let file = Arc::new(state::open_private(path)?);
        let (directory, end) = directory(&file)?;
        if now.was_set_back_since(&directory.made) {
            return None;
        }
        let mut next = HEADER as u64;
        let mut place = |part: IndexPart| {
            let offset = next;
            next += u64::from(part.length);
            LocatedPart { offset, part }
        };
        let mut places = |FileGroup { files, records, imports, words }: &FileGroup| LocatedGroup {
            files: *files,
            records: place(*records),
            imports: place(*imports),
            words: place(*words),
        };
        let groups: Vec<LocatedGroup> = directory.groups.iter().map(&mut places).collect();
        let (head, lists) = (place(directory.table.head), place(directory.table.lists));
        if next != end {
            return None;
        }
        let grammars: Grammars = Grammar::all().map(|grammar| (grammar.fingerprint(), grammar)).collect();
        let make = |record: FileRecord, summary| {
            let entry = entry(record, summary, &grammars);
            if may_be_used(&entry) { entry } else { FileEntry { content: Content::Unread, ..entry } }
        };
        let read = cores::parallel_map(&groups, 1, |places| read_group(&file, places, reader, make));
        let files: Vec<FileWithRows> =
            read.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
        if !files.is_sorted_by(|(one, _), (other, _)| one.path < other.path) {
            return None;
        }
        let segment = read_table(&file, &directory.table, (head, lists), spilled_bytes)?;
        let with_rows = files.iter().filter(|(_, rows)| *rows > 0).map(|(file, _)| file.clone()).collect();
        let mut numbers = 0..;
        let stored = |(entry, rows): FileWithRows| StoredEntry {
            entry,
            in_table: if rows > 0 { numbers.next() } else { None },
        };
        let entries = StoredEntries(files.into_iter().map(stored).collect());
        Some(StoredIndex { entries, table: StoredTable { segment, files: with_rows } })
    }
}

/// Returns the directory of a file, and where it begins: everything else is before it.
fn directory(file: &File) -> Option<(IndexDirectory, u64)> {
    let mut header = [0; HEADER];
    file.read_exact_at(&mut header, 0).ok()?;
    let mut header = Fields(&header);
    if header.take(MAGIC.len())? != MAGIC || header.u32()? != VERSION {
        return None;
    }
    let (length, offset, hash) = (header.u32()?, header.u64()?, header.hash()?);
    // Before memory is taken for it.
    if offset.checked_add(length.into())? != file.metadata().ok()?.len() {
        return None;
    }
    let bytes = read(file, LocatedPart { offset, part: IndexPart { length, hash } })?;
    Some((Fields(&bytes).directory()?, offset))
}

/// Returns the bytes of a part; `None` if they are not those that were written.
fn read(file: &File, LocatedPart { offset, part }: LocatedPart) -> Option<Vec<u8>> {
    let mut bytes = vec![0; part.length as usize];
    file.read_exact_at(&mut bytes, offset).ok()?;
    (ContentHash::of(&bytes) == part.hash).then_some(bytes)
}

/// Returns the bytes of a part, which are left on disk.
fn kept(file: &Arc<File>, LocatedPart { offset, part }: LocatedPart) -> SpilledBytes {
    SpilledBytes::kept(KeptBytes::in_file(file.clone(), offset, part.length as usize, part.hash))
}

fn read_group(
    file: &Arc<File>,
    places: &LocatedGroup,
    reader: &Arc<dyn OutlineReader>,
    make: impl Fn(FileRecord, OutlineSummary) -> FileEntry,
) -> Option<Vec<FileWithRows>> {
    let bytes = read(file, places.records)?;
    let mut rest = Fields(&bytes);
    // The count is not trusted for memory: each record takes bytes.
    let (mut records, mut known) = (Vec::new(), Vec::new());
    for _ in 0..places.files {
        let record = rest.record()?;
        known.push(record.known);
        records.push(record);
    }
    let ends = |end: fn(&FileRecord) -> u32, place: LocatedPart| {
        records.is_sorted_by_key(end) && records.last().map_or(0, end) == place.part.length
    };
    let is_sound = rest.0.is_empty()
        && ends(|record| record.known.imports_end, places.imports)
        && ends(|record| record.known.words_end, places.words);
    if !is_sound {
        return None;
    }
    let (imports, words) = (kept(file, places.imports), kept(file, places.words));
    let summaries = OutlineSummaries::of_known(known, imports, words, reader.clone());
    let entries = records.into_iter().zip(summaries);
    let with_rows = |(record, summary): (FileRecord, OutlineSummary)| {
        let rows = record.known.rows;
        (Arc::new(make(record, summary)), rows)
    };
    Some(entries.map(with_rows).collect())
}

fn entry(record: FileRecord, summary: OutlineSummary, grammars: &Grammars) -> FileEntry {
    let FileRecord { path, stat, known } = record;
    let code = |grammar: &Grammar| Content::Code {
        origin: Origin::Grammar(*grammar),
        hash: known.key.content,
        stat,
        outline: EntryOutline::stored(summary),
    };
    // Of an older grammar: it is that of no file.
    let content = grammars.get(&known.key.fingerprint).map_or(Content::Unread, code);
    FileEntry { path, content }
}

fn read_table(
    file: &Arc<File>,
    table: &TableParts,
    (head, lists): (LocatedPart, LocatedPart),
    spilled_bytes: usize,
) -> Option<Segment> {
    let bytes = read(file, head)?;
    let (mut rest, names) = (Fields(&bytes), table.names as usize);
    let arena = rest.take(table.arena as usize)?.to_vec();
    let (starts, list_starts) = (rest.numbers(names.checked_add(1)?)?, rest.numbers(names + 1)?);
    let checksums = rest.numbers(names)?;
    if !rest.0.is_empty() {
        return None;
    }
    let length = lists.part.length as usize;
    let bytes = match length < spilled_bytes {
        true => SpilledBytes::new(read(file, lists)?, None),
        false => kept(file, lists),
    };
    let rows = usize::try_from(table.rows).ok()?;
    let postings = PackedPostings::of_stored(list_starts, checksums, (bytes, length), rows)?;
    Segment::of_stored(arena, starts, postings)
}
