//! The directory of a project's journals: `slot`, or `pending` for a long journal, while an edit is in
//! progress; `N.edit` once it is committed; `N.cut` if recovery could not put everything back. Invariant:
//! only the holder of the lock changes anything here.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::entry::{Entry, Head, Journal};
use super::head_copy::{HeadCopy, Stored, is_nothing};
use super::in_place_journal::InPlaceJournal;
use super::lock_cache::{CommittedSizes, LockCache};
use symd_base::state::{self, StateError, durable};

/// The number of an operation, unique in its project and increasing with time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OperationId(pub u64);

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The state that earlier edits left.
#[derive(Debug)]
pub(super) enum Leftover {
    /// Nothing: all edits were completed.
    Nothing,
    /// An edit was in progress.
    Pending(Box<Pending>),
    /// Neither the journal nor its head can be read: an unknown edit may have been in progress.
    Unreadable,
}

/// An edit that was in progress. Its journal may have lost old bytes ([`Entry::lost`]).
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) journal: Journal,
    pub(super) place: JournalLocation,
    /// Whether the stored journal is damaged, and this one was reconstructed from its remains.
    pub(super) is_salvaged: bool,
}

/// The location of the journal of an edit in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JournalLocation {
    Slot,
    File,
}

#[derive(Debug)]
pub(super) struct Store {
    directory: PathBuf,
    slot: InPlaceJournal,
    second_head: HeadCopy,
    /// Maximum total size of committed entries, in bytes.
    limit: u64,
    /// Headers read so far: entries never change. Those that were pruned are dropped at the next read.
    known: Mutex<BTreeMap<OperationId, Arc<Entry>>>,
    ledger: Mutex<LockCache>,
}

const LOCK: &str = "lock";
const COMMITTED: &str = "edit";
const CUT_SHORT: &str = "cut";

impl Store {
    pub(super) fn open(directory: &Path, limit: u64) -> Result<Store, StateError> {
        state::private_dir(directory)?;
        Ok(Store {
            directory: directory.to_owned(),
            slot: InPlaceJournal::new(directory),
            second_head: HeadCopy::new(directory.join(LOCK)),
            limit,
            known: Mutex::default(),
            ledger: Mutex::new(LockCache::new()),
        })
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Prevents every other process from editing this project until the file is dropped.
    pub(super) fn lock(&self) -> Result<File, StateError> {
        let path = self.directory.join(LOCK);
        let lock = durable::lock(&path)?;
        self.ledger().take(&lock, &path)?;
        Ok(lock)
    }

    /// Returns a number that no operation has had. [`Store::begin`] records it.
    pub(super) fn next_id(&self) -> Result<OperationId, StateError> {
        self.with_committed(|_| ())?;
        Ok(self.ledger().next())
    }

    /// Writes the journal of an edit that is about to be applied, and waits for the disk.
    pub(super) fn begin(&self, journal: &Journal, lock: &File) -> Result<JournalLocation, StateError> {
        let record = {
            let mut ledger = self.ledger();
            ledger.is_clean = false;
            ledger.record()
        };
        let head = self.head(journal)?;
        self.second_head.write(lock, record, &head)?;
        let parts = journal.parts(&head);
        if InPlaceJournal::has_room(&parts) {
            self.slot.write(&parts)?;
            return Ok(JournalLocation::Slot);
        }
        durable::write(&self.pending_path(), &parts)?;
        Ok(JournalLocation::File)
    }

    /// Commits the edit in progress to the history, which is done as soon as its entry is complete. Returns
    /// the entry's path.
    pub(super) fn commit(&self, journal: &Journal, place: JournalLocation) -> Result<PathBuf, StateError> {
        let path = self.path(journal.entry.id, COMMITTED);
        let head = self.head(journal)?;
        let parts = journal.parts(&head);
        match place {
            JournalLocation::File => durable::rename(&self.pending_path(), &path)?,
            JournalLocation::Slot => match durable::create(&path, &parts) {
                // Numbers are unique, so the existing file is a partially written entry.
                Err(_) if path.exists() && self.read_at(&path)?.is_none() => {
                    durable::remove(&path)?;
                    durable::create(&path, &parts)?;
                }
                created => created?,
            },
        }
        let size = parts.iter().map(|part| part.len() as u64).sum();
        let mut ledger = self.ledger();
        // After a long edit the slot may still contain the journal of an earlier edit.
        ledger.is_clean = place == JournalLocation::Slot;
        if let Some(committed) = &mut ledger.committed {
            committed.insert(journal.entry.id, size);
        }
        Ok(path)
    }

    /// Returns the edit that was in progress when its process ended, neither committed nor put back.
    pub(super) fn left(&self) -> Result<Leftover, StateError> {
        if self.ledger().is_clean {
            return Ok(Leftover::Nothing);
        }
        let long = self.read_journal(&self.pending_path())?;
        let (place, path, lying) = match long {
            Stored::Absent => {
                (JournalLocation::Slot, self.slot.path().to_owned(), self.read_journal(self.slot.path())?)
            }
            long => (JournalLocation::File, self.pending_path(), long),
        };
        let left = match lying {
            // A long journal's file is renamed at the commit, so an existing one was not committed.
            Stored::Intact(journal)
                if place == JournalLocation::File || !self.is_settled(journal.entry.id)? =>
            {
                Leftover::Pending(Box::new(Pending { journal, place, is_salvaged: false }))
            }
            Stored::Intact(_) => Leftover::Nothing,
            Stored::Absent | Stored::Damaged => {
                let is_damaged = matches!(lying, Stored::Damaged);
                self.salvaged(place, &path, is_damaged)?
            }
        };
        if matches!(left, Leftover::Nothing | Leftover::Unreadable) {
            if place == JournalLocation::File {
                durable::remove(&path)?;
                self.sync()?;
            }
            self.ledger().is_clean = true;
        }
        Ok(left)
    }

    /// Reconstructs the edit whose journal at `path` is missing or damaged. It may also have been cut short
    /// while the journal was written, before anything was changed.
    fn salvaged(
        &self,
        place: JournalLocation,
        path: &Path,
        is_damaged: bool,
    ) -> Result<Leftover, StateError> {
        match self.second_head.read()? {
            Stored::Intact(head) if !self.is_settled(head.entry.id)? => {
                let journal = match durable::open(path)? {
                    Some(file) => Journal::salvaged(head, std::io::BufReader::new(file)),
                    None => Journal::salvaged(head, std::io::empty()),
                };
                let journal = journal.map_err(|source| self.failed("cannot read", source))?;
                Ok(Leftover::Pending(Box::new(Pending { journal, place, is_salvaged: true })))
            }
            Stored::Damaged if is_damaged => {
                self.second_head.clear()?;
                self.slot.clear()?;
                Ok(Leftover::Unreadable)
            }
            _ => Ok(Leftover::Nothing),
        }
    }

    /// Reads the journal at `path`.
    fn read_journal(&self, path: &Path) -> Result<Stored<Journal>, StateError> {
        let Some(file) = durable::open(path)? else { return Ok(Stored::Absent) };
        // An empty file of a long journal was cut short. The slot in contrast is created with its full
        // length, so zeros mean that it has no journal.
        let is_nothing = path == self.slot.path() && is_nothing(&file, 0);
        Ok(match read_from(path, file).map_err(|error| self.naming_files(error))? {
            Some(journal) => Stored::Intact(journal),
            None if is_nothing => Stored::Absent,
            None => Stored::Damaged,
        })
    }

    /// Extends the error about a journal of another version by the files that the edit concerns, if the
    /// second head is readable: the journal may as well be damaged, so nothing is touched.
    fn naming_files(&self, error: StateError) -> StateError {
        let StateError::Io { what, path, source } = error else { return error };
        let named = match self.second_head.read() {
            Ok(Stored::Intact(head)) if source.kind() == std::io::ErrorKind::InvalidData => {
                head.entry.files().iter().map(|file| file.path.to_string()).collect::<Vec<_>>().join(", ")
            }
            _ => return StateError::Io { what, path, source },
        };
        let source = std::io::Error::new(
            std::io::ErrorKind::InvalidData,
            format!("{source}; the edit concerns {named}; none of these was touched"),
        );
        StateError::Io { what, path, source }
    }

    /// Waits until the names in this directory are on the disk.
    pub(super) fn sync(&self) -> Result<(), StateError> {
        durable::sync_directory(&self.directory)
    }

    /// Reports whether the edit whose journal is in the slot was completed: the journal stays there until the
    /// next edit.
    fn is_settled(&self, id: OperationId) -> Result<bool, StateError> {
        let later = self.ids(COMMITTED)?.last().is_some_and(|last| *last > id);
        let cut_short = self.ids(CUT_SHORT)?.last().is_some_and(|last| *last >= id);
        Ok(later || cut_short || self.read(id)?.is_some())
    }

    /// Erases the journal of the edit in progress, which left nothing behind.
    pub(super) fn drop_pending(&self, place: JournalLocation) -> Result<(), StateError> {
        self.second_head.clear()?;
        match place {
            JournalLocation::Slot => self.slot.clear()?,
            JournalLocation::File => {
                durable::remove(&self.pending_path())?;
                self.sync()?;
            }
        }
        self.ledger().is_clean = place == JournalLocation::Slot;
        Ok(())
    }

    /// Erases what is left of the journal of operation `id`, if anything is.
    pub(super) fn drop_pending_of(&self, id: OperationId) -> Result<(), StateError> {
        let is_it =
            |stored: Stored<Journal>| matches!(stored, Stored::Intact(journal) if journal.entry.id == id);
        if is_it(self.read_journal(&self.pending_path())?) {
            return self.drop_pending(JournalLocation::File);
        }
        let is_head = matches!(self.second_head.read()?, Stored::Intact(head) if head.entry.id == id);
        // The head outlives a journal that is damaged.
        if is_head && self.pending_path().exists() {
            return self.drop_pending(JournalLocation::File);
        }
        if is_head || is_it(self.read_journal(self.slot.path())?) {
            return self.drop_pending(JournalLocation::Slot);
        }
        Ok(())
    }

    /// Keeps `journal`, the rest of the edit in progress, until the user decides how to resolve it.
    pub(super) fn set_aside(&self, journal: &Journal, place: JournalLocation) -> Result<(), StateError> {
        self.keep_cut_short(journal)?;
        self.drop_pending(place)
    }

    /// Keeps `journal` until the user decides how to resolve it.
    pub(super) fn keep_cut_short(&self, journal: &Journal) -> Result<(), StateError> {
        let head = self.head(journal)?;
        durable::write(&self.path(journal.entry.id, CUT_SHORT), &journal.parts(&head))
    }

    /// Returns the operations that were cut short and could not be put back completely.
    pub(super) fn cut_short(&self) -> Result<Vec<OperationId>, StateError> {
        self.ids(CUT_SHORT)
    }

    pub(super) fn read_cut_short(&self, id: OperationId) -> Result<Option<Journal>, StateError> {
        self.read_at(&self.path(id, CUT_SHORT))
    }

    pub(super) fn drop_cut_short(&self, id: OperationId) -> Result<(), StateError> {
        durable::remove(&self.path(id, CUT_SHORT))?;
        self.sync()
    }

    /// Returns every committed operation, oldest first. Omits entries that are damaged or were written by
    /// another version.
    pub(super) fn entries(&self) -> Result<Vec<Arc<Entry>>, StateError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut present = BTreeMap::new();
        for id in self.ids(COMMITTED)? {
            if let Some(entry) = known.remove(&id) {
                present.insert(id, entry);
                continue;
            }
            let path = self.path(id, COMMITTED);
            let Some(file) = durable::open(&path)? else { continue };
            match Head::read(std::io::BufReader::new(file)) {
                Ok(read) => present.extend(read.map(|head| (id, Arc::new(head.entry)))),
                Err(source) if source.kind() == std::io::ErrorKind::InvalidData => {}
                Err(source) => return Err(StateError::Io { what: "cannot read", path, source }),
            }
        }
        *known = present;
        Ok(known.values().cloned().collect())
    }

    /// Reads a committed operation with its old bytes.
    pub(super) fn read(&self, id: OperationId) -> Result<Option<Journal>, StateError> {
        self.read_at(&self.path(id, COMMITTED))
    }

    /// Removes the oldest operations until the rest fits the limit. The newest stays, however large.
    pub(super) fn prune(&self) -> Result<(), StateError> {
        for id in self.with_committed(|committed| committed.beyond(self.limit))? {
            durable::remove(&self.path(id, COMMITTED))?;
            self.with_committed(|committed| committed.remove(id))?;
        }
        Ok(())
    }

    /// Calls `look` with the sizes of the committed operations.
    fn with_committed<T>(&self, look: impl FnOnce(&mut CommittedSizes) -> T) -> Result<T, StateError> {
        let mut ledger = self.ledger();
        if ledger.committed.is_none() {
            let size = |id: OperationId| self.path(id, COMMITTED).metadata().map_or(0, |meta| meta.len());
            let committed: BTreeMap<OperationId, u64> =
                self.ids(COMMITTED)?.into_iter().map(|id| (id, size(id))).collect();
            let last = committed.keys().chain(&self.ids(CUT_SHORT)?).max().copied();
            ledger.found(committed, last);
        }
        Ok(look(ledger.committed.get_or_insert_default()))
    }

    fn ledger(&self) -> MutexGuard<'_, LockCache> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn head(&self, journal: &Journal) -> Result<Vec<u8>, StateError> {
        journal.head().map_err(|source| self.failed("cannot write", source))
    }

    fn failed(&self, what: &'static str, source: std::io::Error) -> StateError {
        StateError::Io { what, path: self.directory.clone(), source }
    }

    fn read_at(&self, path: &Path) -> Result<Option<Journal>, StateError> {
        durable::open(path)?.map_or(Ok(None), |file| read_from(path, file))
    }

    fn ids(&self, extension: &str) -> Result<Vec<OperationId>, StateError> {
        let names = durable::names(&self.directory)?;
        let mut ids: Vec<OperationId> = names.iter().filter_map(|name| id_of(name, extension)).collect();
        ids.sort_unstable();
        Ok(ids)
    }

    fn path(&self, id: OperationId, extension: &str) -> PathBuf {
        self.directory.join(format!("{id}.{extension}"))
    }

    fn pending_path(&self) -> PathBuf {
        self.directory.join("pending")
    }
}

/// Returns the number of the operation to which a file of this name belongs.
fn id_of(name: &str, extension: &str) -> Option<OperationId> {
    name.strip_suffix(extension)?.strip_suffix('.')?.parse().ok().map(OperationId)
}

fn read_from(path: &Path, file: File) -> Result<Option<Journal>, StateError> {
    Journal::read(std::io::BufReader::new(file)).map_err(|source| StateError::Io {
        what: "cannot read",
        path: path.to_owned(),
        source,
    })
}
