//! The directory where a project's journals lie: in `slot`, or in `pending` if it is long, while an edit is under way;
//! `N.edit` once it is committed; `N.cut` where recovery could not put everything back. Invariant: only who holds the lock
//! changes anything here.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::entry::{Entry, Journal};
use super::ledger::Ledger;
use super::slot::Slot;
use crate::base::state::{self, StateError, durable};

/// The number of an operation, unique in its project, rising with time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OperationId(pub u64);

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// An edit that was under way.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) journal: Journal,
    pub(super) place: Place,
}

/// Where the journal of an edit under way lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Slot,
    File,
}

#[derive(Debug)]
pub(super) struct Store {
    directory: PathBuf,
    slot: Slot,
    /// Bytes that committed entries may take.
    limit: u64,
    /// Headers read so far: entries never change. Those that fell out are dropped at the next look.
    known: Mutex<BTreeMap<OperationId, Arc<Entry>>>,
    ledger: Mutex<Ledger>,
}

const COMMITTED: &str = "edit";
const CUT_SHORT: &str = "cut";

impl Store {
    pub(super) fn open(directory: &Path, limit: u64) -> Result<Store, StateError> {
        state::private_dir(directory)?;
        Ok(Store {
            directory: directory.to_owned(),
            slot: Slot::new(directory),
            limit,
            known: Mutex::default(),
            ledger: Mutex::new(Ledger::new()),
        })
    }

    /// Where it lies.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Keeps every other process from editing this project until the file is dropped.
    pub(super) fn lock(&self) -> Result<File, StateError> {
        let path = self.directory.join("lock");
        let lock = durable::lock(&path)?;
        self.ledger().take(&lock, &path)?;
        Ok(lock)
    }

    /// A number that no operation has had.
    pub(super) fn next_id(&self, lock: &File) -> Result<OperationId, StateError> {
        self.with_committed(|_| ())?;
        self.ledger().next(lock).map_err(|source| self.failed("cannot write", source))
    }

    /// Writes the journal of an edit that is about to be made, and waits for the disk.
    pub(super) fn begin(&self, journal: &Journal) -> Result<Place, StateError> {
        self.ledger().is_clean = false;
        let head = self.head(journal)?;
        let parts = journal.parts(&head);
        if Slot::has_room(&parts) {
            self.slot.write(&parts)?;
            return Ok(Place::Slot);
        }
        durable::write(&self.pending_path(), &parts)?;
        Ok(Place::File)
    }

    /// Makes the edit under way history: it has happened as soon as its entry is whole. The entry's path.
    pub(super) fn commit(&self, journal: &Journal, place: Place) -> Result<PathBuf, StateError> {
        let path = self.path(journal.entry.id, COMMITTED);
        let head = self.head(journal)?;
        let parts = journal.parts(&head);
        match place {
            Place::File => durable::rename(&self.pending_path(), &path)?,
            Place::Slot => match durable::create(&path, &parts) {
                // Numbers are given once: it was cut short while it was written.
                Err(_) if path.exists() && self.read_at(&path)?.is_none() => {
                    durable::remove(&path)?;
                    durable::create(&path, &parts)?;
                }
                created => created?,
            },
        }
        let size = parts.iter().map(|part| part.len() as u64).sum();
        let mut ledger = self.ledger();
        // In the slot there may be one more, of an edit before a long one.
        ledger.is_clean = place == Place::Slot;
        if let Some(committed) = &mut ledger.committed {
            committed.insert(journal.entry.id, size);
        }
        Ok(path)
    }

    /// The edit that was under way when somebody was ended: not committed, not put back.
    pub(super) fn pending(&self) -> Result<Option<Pending>, StateError> {
        if self.ledger().is_clean {
            return Ok(None);
        }
        let path = self.pending_path();
        if let Some(file) = durable::open(&path)? {
            if let Some(journal) = read_from(&path, file)? {
                return Ok(Some(Pending { journal, place: Place::File }));
            }
            // The machine went down while it was written: nothing had been changed yet.
            durable::remove(&path)?;
            self.sync()?;
        }
        if let Some(file) = self.slot.open()?
            && let Some(journal) = read_from(self.slot.path(), file)?
            && !self.is_settled(journal.entry.id)?
        {
            return Ok(Some(Pending { journal, place: Place::Slot }));
        }
        self.ledger().is_clean = true;
        Ok(None)
    }

    /// Waits until names here are on the disk.
    pub(super) fn sync(&self) -> Result<(), StateError> {
        durable::sync_directory(&self.directory)
    }

    /// Whether the edit whose journal is in the slot came to its end: it stays there until the next one.
    fn is_settled(&self, id: OperationId) -> Result<bool, StateError> {
        let later = self.ids(COMMITTED)?.last().is_some_and(|last| *last > id);
        let cut_short = self.ids(CUT_SHORT)?.last().is_some_and(|last| *last >= id);
        Ok(later || cut_short || self.read(id)?.is_some())
    }

    /// Forgets the edit under way, which has left nothing behind.
    pub(super) fn drop_pending(&self, place: Place) -> Result<(), StateError> {
        match place {
            Place::Slot => self.slot.clear()?,
            Place::File => {
                durable::remove(&self.pending_path())?;
                self.sync()?;
            }
        }
        self.ledger().is_clean = place == Place::Slot;
        Ok(())
    }

    /// Keeps `journal`, which is what is left of the edit under way, for its user, who has to say what shall become of it.
    pub(super) fn set_aside(&self, journal: &Journal, place: Place) -> Result<(), StateError> {
        let head = self.head(journal)?;
        durable::write(&self.path(journal.entry.id, CUT_SHORT), &journal.parts(&head))?;
        self.drop_pending(place)
    }

    /// Operations that were cut short and could not be put back whole.
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

    /// Every committed operation, oldest first. Entries that are damaged, or another version's, are left out.
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
            match Entry::read(std::io::BufReader::new(file)) {
                Ok(read) => present.extend(read.map(|entry| (id, Arc::new(entry)))),
                Err(source) if source.kind() == std::io::ErrorKind::InvalidData => {}
                Err(source) => return Err(StateError::Io { what: "cannot read", path, source }),
            }
        }
        *known = present;
        Ok(known.values().cloned().collect())
    }

    /// A committed operation with its old bytes.
    pub(super) fn read(&self, id: OperationId) -> Result<Option<Journal>, StateError> {
        self.read_at(&self.path(id, COMMITTED))
    }

    /// Lets the oldest operations fall out until the rest fits the limit. The newest stays, however large.
    pub(super) fn prune(&self) -> Result<(), StateError> {
        for id in self.with_committed(|committed| beyond(committed, self.limit))? {
            durable::remove(&self.path(id, COMMITTED))?;
            self.with_committed(|committed| committed.remove(&id))?;
        }
        Ok(())
    }

    /// What `look` makes of the bytes of each committed operation.
    fn with_committed<T>(
        &self,
        look: impl FnOnce(&mut BTreeMap<OperationId, u64>) -> T,
    ) -> Result<T, StateError> {
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

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
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

/// The operations that do not fit `limit` bytes. What is older than one that does not fit goes too: undo has no gaps.
fn beyond(committed: &BTreeMap<OperationId, u64>, limit: u64) -> Vec<OperationId> {
    let mut room = limit;
    let newest_first = committed.iter().rev().enumerate();
    let fits = newest_first.take_while(|(age, (_, size))| {
        let rest = room.checked_sub(**size);
        room = rest.unwrap_or(0);
        rest.is_some() || *age == 0
    });
    let fitting = fits.count();
    committed.keys().rev().skip(fitting).copied().collect()
}

/// The operation that a file of that name is of.
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
