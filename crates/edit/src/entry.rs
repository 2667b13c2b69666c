//! The journal of one edit, which later is its history entry: the originator, the changes of each file, and
//! the old bytes. On disk: a magic number, the header's length, its hash, the header (JSON), then the old
//! bytes of each file that had some, in the header's order. Every part is validated, so that a truncated
//! journal is never taken for a complete one: the header by its hash, the old bytes by the hash of their
//! file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::change::{Change, Changes, FileChange};
use super::plan::Originator;
use super::put_back::UnrestoredFile;
use super::store::OperationId;
use symd_base::{ContentHash, RelPath};
use symd_vfs::{Meta, PermissionSource, TEMPORARY_PREFIX};

/// The first bytes; the digit is the version of the format.
const MAGIC: &[u8; 8] = b"symdedt1";

/// The common prefix of all versions.
const FAMILY: &[u8] = b"symdedt";

/// Length of magic number, header length and header hash, in bytes.
const PREFACE_BYTES: usize = 8 + 8 + 16;

/// Maximum length of a valid header: a million files need one of this size.
const MAX_HEADER_BYTES: u64 = 1 << 28;

/// The kind of a history entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    /// An ordinary edit.
    Edit,
    /// An edit of notes beside the project's content: undone by its number only.
    Aside,
    /// The inverse of an edit.
    Undo { of: OperationId },
    /// An undone edit, applied again.
    Redo { of: OperationId },
    /// Files put back that a crash had left.
    Recovery,
    /// The changes of an edit in texts that were closed and not saved, made in their files.
    Finish { of: OperationId },
}

/// The header of a journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) id: OperationId,
    /// Milliseconds since 1970.
    pub(super) time: u64,
    pub(super) who: String,
    pub(super) tool: String,
    pub(super) title: String,
    pub(super) kind: Kind,
    pub(super) records: Vec<Record>,
    /// Directories that the edit created, outermost first.
    pub(super) made: Vec<RelPath>,
    /// Directories that it removed, innermost first.
    pub(super) cleared: Vec<RelPath>,
    /// Files whose old bytes are lost because the journal was damaged.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) lost: BTreeSet<RelPath>,
    /// The state of each file after an edit that failed and that an editor did not take back; empty for all others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) conflict: BTreeMap<RelPath, String>,
}

/// A header with its length on disk, after which the old bytes of files begin.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) entry: Entry,
    length: u64,
}

/// The change of one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Record {
    Content {
        path: RelPath,
        before: Option<Old>,
        after: Option<ContentHash>,
        /// The name of the staged file next to it.
        temporary: String,
        /// Whether the new file keeps the permissions of the old one.
        kept: bool,
        /// Whether an editor's unsaved text was changed, and not the file.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        in_editor: bool,
        /// Whether an editor that has the file open was to change its text before the file.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        asked: bool,
    },
    Move {
        from: RelPath,
        to: RelPath,
        hash: ContentHash,
    },
}

/// A file before the edit.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Old {
    pub(super) hash: ContentHash,
    pub(super) length: u64,
    pub(super) meta: Meta,
}

/// An entry with the old bytes of each record that has some, in the same order as the records.
#[derive(Clone, Debug)]
pub(super) struct Journal {
    pub(super) entry: Entry,
    pub(super) old: Vec<Option<Arc<Vec<u8>>>>,
}

impl Journal {
    /// Returns the journal for `changes`; editors are asked to change `asked` first.
    pub(super) fn of(
        id: OperationId,
        changes: &Changes,
        (by, kind): (Originator, Kind),
        asked: &BTreeSet<RelPath>,
    ) -> Journal {
        let token = fastrand::u64(..);
        let recorded = changes.list.iter().enumerate().map(|(number, change)| match change {
            Change::Content { path, before, after } => {
                let old = before.as_ref().map(|file| Old {
                    hash: file.hash,
                    length: file.bytes.len() as u64,
                    meta: file.meta,
                });
                let kept =
                    after.as_ref().is_some_and(|file| file.like == PermissionSource::File(path.clone()));
                let record = Record::Content {
                    path: path.clone(),
                    before: old,
                    after: after.as_ref().map(|file| file.hash),
                    temporary: format!("{TEMPORARY_PREFIX}{token:016x}-{number}"),
                    kept,
                    in_editor: before.as_ref().is_some_and(|file| file.in_editor),
                    asked: before.is_some() && asked.contains(path),
                };
                (record, before.as_ref().map(|file| Arc::clone(&file.bytes)))
            }
            Change::Move { from, to, file } => {
                (Record::Move { from: from.clone(), to: to.clone(), hash: file.hash }, None)
            }
        });
        let (records, old) = recorded.unzip();
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let entry = Entry {
            id,
            time: u64::try_from(time).unwrap_or(u64::MAX),
            who: by.who,
            tool: by.tool,
            title: by.title,
            kind,
            records,
            made: changes.make.clone(),
            cleared: changes.clear.clone(),
            lost: BTreeSet::new(),
            conflict: BTreeMap::new(),
        };
        Journal { entry, old }
    }

    /// Returns the bytes that precede the old bytes.
    pub(super) fn head(&self) -> io::Result<Vec<u8>> {
        let header = serde_json::to_vec(&self.entry)?;
        let mut head = Vec::with_capacity(PREFACE_BYTES + header.len());
        head.extend_from_slice(MAGIC);
        head.extend_from_slice(&(header.len() as u64).to_le_bytes());
        head.extend_from_slice(&ContentHash::of(&header).0);
        head.extend_from_slice(&header);
        Ok(head)
    }

    /// Returns all parts to be written: `head`, from [`Journal::head`], and the old bytes.
    pub(super) fn parts<'j>(&'j self, head: &'j [u8]) -> Vec<&'j [u8]> {
        std::iter::once(head).chain(self.old.iter().flatten().map(|bytes| bytes.as_slice())).collect()
    }

    /// Returns the journal reduced to the records that concern one of `paths`: the others are settled.
    pub(super) fn about(&self, paths: &BTreeSet<&RelPath>) -> Journal {
        let pairs = self.entry.records.iter().zip(&self.old).filter(|(record, _)| match record {
            Record::Content { path, .. } => paths.contains(path),
            Record::Move { from, to, .. } => paths.contains(from) || paths.contains(to),
        });
        let (records, old) = pairs.map(|(record, old)| (record.clone(), old.clone())).unzip();
        Journal { entry: Entry { records, ..self.entry.clone() }, old }
    }

    /// Returns the journal with the files under the names that they have `now`, where these are others.
    pub(super) fn renamed(mut self, now: &BTreeMap<RelPath, RelPath>) -> Journal {
        for record in &mut self.entry.records {
            if let Record::Content { path, .. } = record
                && let Some(now) = now.get(path)
            {
                *path = now.clone();
            }
        }
        self
    }

    /// Returns the journal with the records of `other`, which are of other files.
    pub(super) fn with(mut self, other: Journal) -> Journal {
        self.entry.records.extend(other.entry.records);
        self.entry.lost.extend(other.entry.lost);
        self.old.extend(other.old);
        self
    }

    /// Reads a whole journal; `None` if it is truncated or damaged.
    pub(super) fn read(mut file: impl Read) -> io::Result<Option<Journal>> {
        let Some(head) = Head::read(&mut file)? else { return Ok(None) };
        let journal = Journal::read_old_bytes(head.entry, file)?;
        Ok(journal.entry.lost_of(&journal.old).is_empty().then_some(journal))
    }

    /// Returns the journal of `head` with those old bytes that are still intact in a damaged `file`.
    pub(super) fn salvaged(head: Head, mut file: impl Read) -> io::Result<Journal> {
        io::copy(&mut file.by_ref().take(head.length), &mut io::sink())?;
        let mut journal = Journal::read_old_bytes(head.entry, file)?;
        let lost = journal.entry.lost_of(&journal.old);
        journal.entry.lost.extend(lost);
        Ok(journal)
    }

    /// Reads the journal of `entry`, whose old bytes are in `file`; omits damaged ones.
    fn read_old_bytes(entry: Entry, mut file: impl Read) -> io::Result<Journal> {
        let mut old = Vec::with_capacity(entry.records.len());
        for record in &entry.records {
            let Some((_, before)) = entry.kept(record) else {
                old.push(None);
                continue;
            };
            let mut bytes = Vec::new();
            file.by_ref().take(before.length).read_to_end(&mut bytes)?;
            let is_whole = ContentHash::of(&bytes) == before.hash;
            old.push(is_whole.then(|| Arc::new(bytes)));
        }
        Ok(Journal { entry, old })
    }
}

/// An error, because a journal treated as damaged would be dropped, although its edit may be half applied.
fn other_version() -> io::Error {
    let why = "another version of symd wrote it; run that version once, so that it finishes its edit";
    io::Error::new(io::ErrorKind::InvalidData, why)
}

impl Head {
    /// Reads only the header; `None` if it is truncated or damaged. An error if another version of symd wrote
    /// it.
    pub(super) fn read(mut file: impl Read) -> io::Result<Option<Head>> {
        let mut preface = Vec::new();
        file.by_ref().take(PREFACE_BYTES as u64).read_to_end(&mut preface)?;
        let Some((magic, rest)) = preface.split_first_chunk::<8>() else { return Ok(None) };
        let Some((length, hash)) = rest.split_first_chunk::<8>() else { return Ok(None) };
        let length = u64::from_le_bytes(*length);
        if magic != MAGIC && magic.starts_with(FAMILY) {
            return Err(other_version());
        }
        if magic != MAGIC || length > MAX_HEADER_BYTES {
            return Ok(None);
        }
        let mut header = Vec::new();
        file.take(length).read_to_end(&mut header)?;
        // A header length beyond the end of the file is damage too: a journal without old bytes ends with its
        // header.
        if header.len() as u64 != length || ContentHash::of(&header).0.as_slice() != hash {
            return Ok(None);
        }
        // The header is intact but not readable, so another version of symd wrote it.
        let entry = serde_json::from_slice(&header).map_err(|_| other_version())?;
        Ok(Some(Head { entry, length: PREFACE_BYTES as u64 + length }))
    }
}

impl Record {
    /// Whether the record is of an editor's text: nothing of it is on the disk.
    pub(super) fn is_in_editor(&self) -> bool {
        matches!(self, Record::Content { in_editor: true, .. })
    }
}

/// The state of a file of which no editor kept anything.
const AS_BEFORE: &str = "is as it was before the edit";

impl Entry {
    /// Records that the edit failed and editors did not take their parts back. `kept` is the state of each file that is not
    /// as it was.
    pub(super) fn set_conflict(&mut self, kept: &BTreeMap<RelPath, String>) {
        let state = |file: FileChange| {
            let state = kept.get(&file.path).map_or(AS_BEFORE, String::as_str);
            (file.path, state.to_owned())
        };
        self.conflict = self.files().into_iter().map(state).collect();
    }

    /// Whether an editor kept its part of the failed edit in `path`.
    pub(super) fn is_kept_in_editor(&self, path: &RelPath) -> bool {
        self.conflict.get(path).is_some_and(|state| state != AS_BEFORE)
    }

    /// Returns the files of which editors were to change their texts.
    pub(super) fn in_editors(&self) -> Vec<RelPath> {
        let path = |record: &Record| match record {
            Record::Content { path, in_editor, asked, .. } => (*in_editor || *asked).then(|| path.clone()),
            Record::Move { .. } => None,
        };
        self.records.iter().filter_map(path).collect()
    }

    /// Returns the files of an edit that an editor did not take back, each with its state then; empty for all others.
    pub(super) fn conflict(&self) -> Vec<UnrestoredFile> {
        let file =
            |(path, state): (&RelPath, &String)| UnrestoredFile { path: path.clone(), reason: state.clone() };
        self.conflict.iter().map(file).collect()
    }

    /// Returns the file of `record` whose old bytes the journal contains.
    fn kept<'r>(&self, record: &'r Record) -> Option<(&'r RelPath, &'r Old)> {
        match record {
            Record::Content { path, before: Some(before), .. } if !self.lost.contains(path) => {
                Some((path, before))
            }
            _ => None,
        }
    }

    /// Returns the files whose old bytes should be in `old` but are missing.
    fn lost_of(&self, old: &[Option<Arc<Vec<u8>>>]) -> BTreeSet<RelPath> {
        let pairs = self.records.iter().zip(old).filter(|(_, old)| old.is_none());
        pairs.filter_map(|(record, _)| self.kept(record)).map(|(path, _)| path.clone()).collect()
    }

    /// Returns the originator of the edit.
    pub(super) fn by(&self) -> Originator {
        Originator { who: self.who.clone(), tool: self.tool.clone(), title: self.title.clone() }
    }

    /// Returns the change of each file, by path.
    pub(super) fn files(&self) -> Vec<FileChange> {
        let mut files = Vec::new();
        for record in &self.records {
            match record {
                Record::Content { path, before, after, .. } => files.push(FileChange {
                    path: path.clone(),
                    before: before.map(|old| old.hash),
                    after: *after,
                }),
                Record::Move { from, to, hash } => {
                    files.push(FileChange { path: from.clone(), before: Some(*hash), after: None });
                    files.push(FileChange { path: to.clone(), before: None, after: Some(*hash) });
                }
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    }
}
