//! One pack: an immutable file of many outlines. Header, index, payloads; every part under a checksum.
//!
//! ```text
//! magic 8 | version u32 | count u32 | checksum of the index 16 | index: count × 48 | payloads
//! index entry: content hash 16 | fingerprint u64 | offset u64 | checksum u64 | length u32 | zero u32
//! ```
//! Numbers are little endian; index entries ascend by key; offsets count from the start of the file.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Key, codec};
use crate::fields::Fields;
use symd_base::ContentHash;
use symd_base::state::{self, StateError};
use symd_syntax::Outline;

const MAGIC: &[u8; 8] = b"symdpack";
/// Incremented when this layout or that of the codec changes.
const VERSION: u32 = 3;
const HEADER: usize = 32;
const ENTRY: usize = 48;
/// symd writes no pack with more entries; a header with a higher count is damaged.
const MAX_ENTRIES: usize = 10_000_000;

/// An open pack.
#[derive(Clone, Debug)]
pub(super) struct Pack {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    file: Arc<File>,
    index: Arc<[(Key, OutlineRange)]>,
}

/// What a new pack gets under a key.
#[derive(Debug)]
pub(super) enum Payload<'a> {
    Outline(Arc<Outline>),
    Bytes(&'a [u8]),
    /// What other packs have under the key.
    Packed(&'a [Pack]),
}

impl Payload<'_> {
    /// Returns its bytes; `None` if it is damaged in every other pack that has it.
    pub(super) fn bytes(&self, key: Key) -> Option<Vec<u8>> {
        match self {
            Payload::Outline(outline) => Some(codec::encode(outline)),
            Payload::Bytes(bytes) => Some(bytes.to_vec()),
            // Of two entries the later one was written because the other was damaged, or could not be read then.
            Payload::Packed(packs) => packs.iter().rev().find_map(|pack| pack.read(pack.find(key)?)),
        }
    }
}

/// The position of an outline in its pack.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutlineRange {
    offset: u64,
    length: u32,
    checksum: u64,
}

impl Pack {
    /// Opens and checks a pack; `None` when it is damaged, of another version, or does not belong to this
    /// user alone.
    pub(super) fn open(path: &Path) -> Option<Pack> {
        let file = state::open_private(path)?;
        let bytes = file.metadata().ok()?.len();
        let mut header = [0; HEADER];
        file.read_exact_at(&mut header, 0).ok()?;
        let mut fields = Fields(&header);
        if fields.array()? != *MAGIC || fields.u32()? != VERSION {
            return None;
        }
        let count = fields.u32()? as usize;
        let checksum = fields.hash()?;
        if count > MAX_ENTRIES {
            return None;
        }
        let index_bytes = count * ENTRY;
        if bytes < (HEADER + index_bytes) as u64 {
            return None;
        }
        let mut index = vec![0; index_bytes];
        file.read_exact_at(&mut index, HEADER as u64).ok()?;
        if ContentHash::of(&index) != checksum {
            return None;
        }
        let index: Arc<[(Key, OutlineRange)]> =
            index.chunks_exact(ENTRY).map(entry).collect::<Option<_>>()?;
        let inside = |place: &OutlineRange| {
            place.offset.checked_add(u64::from(place.length)).is_some_and(|end| end <= bytes)
        };
        if !index.iter().all(|(_, place)| inside(place)) {
            return None;
        }
        Some(Pack { path: path.to_owned(), bytes, file: Arc::new(file), index })
    }

    /// Returns the pack on a disk that fails every read: no page of a process begins at zero, so the system answers `EIO` there.
    #[cfg(test)]
    #[allow(clippy::disallowed_methods)]
    pub(super) fn on_failing_disk(&self) -> Pack {
        let file = Arc::new(File::open("/proc/self/mem").expect("opened"));
        let index = self.index.iter().map(|&(key, place)| (key, OutlineRange { offset: 0, ..place }));
        Pack { file, index: index.collect(), ..self.clone() }
    }

    pub(super) fn find(&self, key: Key) -> Option<OutlineRange> {
        self.index.binary_search_by_key(&key, |&(key, _)| key).ok().map(|at| self.index[at].1)
    }

    /// Reads the bytes at a position; `None` when they are not those that were written.
    pub(super) fn read(&self, place: OutlineRange) -> Option<Vec<u8>> {
        let mut bytes = vec![0; place.length as usize];
        self.file.read_exact_at(&mut bytes, place.offset).ok()?;
        (checksum(&bytes) == place.checksum).then_some(bytes)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = Key> {
        self.index.iter().map(|&(key, _)| key)
    }

    /// Returns the number of bytes under a key.
    pub(super) fn size_of(&self, key: Key) -> Option<u64> {
        Some(u64::from(self.find(key)?.length))
    }

    /// Iterates over the keys, each with the number of its bytes.
    pub(super) fn sizes(&self) -> impl Iterator<Item = (Key, u64)> {
        self.index.iter().map(|&(key, range)| (key, u64::from(range.length)))
    }
}

/// Writes a pack of `entries` to `path` ([`write`]), and opens it.
pub(super) fn create(
    path: PathBuf,
    entries: impl ExactSizeIterator<Item = (Key, Option<Vec<u8>>)>,
) -> Result<Pack, StateError> {
    write(&path, entries)?;
    Pack::open(&path).ok_or_else(|| StateError::Io {
        what: "cannot read back",
        path,
        source: std::io::Error::from(std::io::ErrorKind::InvalidData),
    })
}

/// Writes a pack of `entries`, which ascend by key, to `path`; those without bytes are left out. One entry at a time is in memory: all
/// of them may be larger than what the daemon may take.
pub(super) fn write(
    path: &Path,
    entries: impl ExactSizeIterator<Item = (Key, Option<Vec<u8>>)>,
) -> Result<(), StateError> {
    state::replace_file_with(path, |file| {
        let mut index = Vec::with_capacity(entries.len() * ENTRY);
        let mut offset = (HEADER + entries.len() * ENTRY) as u64;
        file.seek(SeekFrom::Start(offset))?;
        let mut payloads = BufWriter::new(&mut *file);
        for (key, bytes) in entries {
            let Some(bytes) = bytes else { continue };
            index.extend(key.content.0);
            index.extend(key.fingerprint.to_le_bytes());
            index.extend(offset.to_le_bytes());
            index.extend(checksum(&bytes).to_le_bytes());
            index.extend(u32::try_from(bytes.len()).unwrap_or(0).to_le_bytes());
            index.extend([0; 4]);
            offset += bytes.len() as u64;
            payloads.write_all(&bytes)?;
        }
        payloads.flush()?;
        drop(payloads);
        let mut header = Vec::with_capacity(HEADER + index.len());
        header.extend(MAGIC);
        header.extend(VERSION.to_le_bytes());
        header.extend(u32::try_from(index.len() / ENTRY).unwrap_or(0).to_le_bytes());
        header.extend(ContentHash::of(&index).0);
        header.extend(index);
        file.write_all_at(&header, 0)
    })
}

/// Returns the size in bytes of a pack of entries of these lengths.
pub(super) fn size_of_pack(lengths: impl Iterator<Item = usize>) -> u64 {
    lengths.map(|length| (ENTRY + length) as u64).sum::<u64>() + HEADER as u64
}

fn entry(bytes: &[u8]) -> Option<(Key, OutlineRange)> {
    let mut fields = Fields(bytes);
    let content = fields.hash()?;
    let fingerprint = fields.u64()?;
    let offset = fields.u64()?;
    let checksum = fields.u64()?;
    let length = fields.u32()?;
    Some((Key { content, fingerprint }, OutlineRange { offset, length, checksum }))
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut cut = [0; 8];
    cut.copy_from_slice(&ContentHash::of(bytes).0[..8]);
    u64::from_le_bytes(cut)
}
