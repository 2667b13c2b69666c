//! The directory where a project's journals lie: `pending` while an edit is under way, `N.edit` once it is committed,
//! `N.cut` where recovery could not put everything back. Invariant: only who holds the lock looks or writes here.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::entry::{Entry, Journal};
use crate::base::state::{self, StateError, durable};

/// The number of an operation, unique in its project, rising with time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OperationId(pub u64);

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What `pending` is.
#[derive(Debug)]
pub(super) enum Pending {
    /// No edit was under way.
    Nothing,
    /// The machine went down while the journal was written: nothing had been changed yet.
    Torn,
    /// An edit was cut short.
    Whole(Journal),
}

#[derive(Debug)]
pub(super) struct Store {
    directory: PathBuf,
    /// Bytes that committed entries may take.
    limit: u64,
    /// Headers read so far: entries never change. Those that fell out are dropped at the next look.
    known: Mutex<BTreeMap<OperationId, Arc<Entry>>>,
    /// How many bytes committed entries take, as far as anybody asked: a look at each after every edit would make edits
    /// slower the longer the history is.
    sizes: Mutex<BTreeMap<OperationId, u64>>,
}

const COMMITTED: &str = "edit";
const CUT_SHORT: &str = "cut";

impl Store {
    pub(super) fn open(directory: &Path, limit: u64) -> Result<Store, StateError> {
        state::private_dir(directory)?;
        Ok(Store { directory: directory.to_owned(), limit, known: Mutex::default(), sizes: Mutex::default() })
    }

    /// Keeps every other process from editing this project until the file is dropped.
    pub(super) fn lock(&self) -> Result<File, StateError> {
        durable::lock(&self.directory.join("lock"))
    }

    /// The number that the next operation gets.
    pub(super) fn next_id(&self) -> Result<OperationId, StateError> {
        let names = durable::names(&self.directory)?;
        let ids = |extension| names.iter().filter_map(move |name| id_of(name, extension));
        let last = ids(COMMITTED).chain(ids(CUT_SHORT)).max();
        Ok(OperationId(last.map_or(1, |id| id.0 + 1)))
    }

    /// Writes the journal of an edit that is about to be made.
    pub(super) fn begin(&self, journal: &Journal) -> Result<(), StateError> {
        let path = self.pending_path();
        let head = journal.head().map_err(|source| StateError::Io {
            what: "cannot write",
            path: path.clone(),
            source,
        })?;
        let old = journal.old.iter().flatten().map(|bytes| bytes.as_slice());
        durable::write(&path, &std::iter::once(head.as_slice()).chain(old).collect::<Vec<_>>())
    }

    /// Makes the edit under way history: it happened as soon as the name has changed.
    pub(super) fn commit(&self, id: OperationId) -> Result<(), StateError> {
        durable::rename(&self.pending_path(), &self.path(id, COMMITTED))
    }

    /// Waits until names here are on the disk.
    pub(super) fn sync(&self) -> Result<(), StateError> {
        durable::sync_directory(&self.directory)
    }

    pub(super) fn pending(&self) -> Result<Pending, StateError> {
        let path = self.pending_path();
        let Some(file) = durable::open(&path)? else { return Ok(Pending::Nothing) };
        Ok(read_from(&path, file)?.map_or(Pending::Torn, Pending::Whole))
    }

    /// Forgets the edit under way, which has left nothing behind.
    pub(super) fn drop_pending(&self) -> Result<(), StateError> {
        durable::remove(&self.pending_path())?;
        self.sync()
    }

    /// Keeps the journal of the edit under way for its user, who has to say what shall become of it.
    pub(super) fn set_aside(&self, id: OperationId) -> Result<(), StateError> {
        durable::rename(&self.pending_path(), &self.path(id, CUT_SHORT))?;
        self.sync()
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

    /// Every committed operation, oldest first. Damaged entries are left out.
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
            let read = Entry::read(std::io::BufReader::new(file));
            let read = read.map_err(|source| StateError::Io { what: "cannot read", path, source })?;
            present.extend(read.map(|entry| (id, Arc::new(entry))));
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
        let mut known = self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sizes = BTreeMap::new();
        let mut room = self.limit;
        for (age, id) in self.ids(COMMITTED)?.into_iter().rev().enumerate() {
            let path = self.path(id, COMMITTED);
            let size = known.remove(&id).unwrap_or_else(|| path.metadata().map_or(0, |meta| meta.len()));
            sizes.insert(id, size);
            match room.checked_sub(size) {
                Some(rest) => room = rest,
                None if age == 0 => room = 0,
                None => {
                    // What is older than one that does not fit goes too: undo has no gaps.
                    room = 0;
                    durable::remove(&path)?;
                }
            }
        }
        *known = sizes;
        Ok(())
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
