//! A cache of facts about the directory of journals, for the holder of the project's lock: listing hundreds
//! of names before and after every edit would make edits slower as the history grows. The lock file records
//! the last holder. Invariants: the cache is used only if nobody else has held the lock since; no number is
//! assigned twice.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::store::OperationId;
use symd_base::ContentHash;
use symd_base::state::StateError;

/// Length of the record in the lock file: token of the last holder, the last number it knew, and the first
/// bytes of the hash of both. A damaged record is ignored.
const LOCK_BYTES: usize = PROVEN_BYTES + 8;

const PROVEN_BYTES: usize = 24;

/// The cache.
#[derive(Debug, Default)]
pub(super) struct LockCache {
    /// Identifies this editor.
    token: u128,
    /// The committed operations; `None` until they are read.
    pub(super) committed: Option<CommittedSizes>,
    /// The last number assigned.
    last: u64,
    /// Whether nothing was left over when the lock was last held.
    pub(super) is_clean: bool,
}

/// The sizes of the committed operations in bytes.
#[derive(Debug, Default)]
pub(super) struct CommittedSizes {
    by_id: BTreeMap<OperationId, u64>,
    total: u64,
}

impl CommittedSizes {
    pub(super) fn insert(&mut self, id: OperationId, size: u64) {
        self.remove(id);
        self.by_id.insert(id, size);
        self.total += size;
    }

    pub(super) fn remove(&mut self, id: OperationId) {
        self.total -= self.by_id.remove(&id).unwrap_or(0);
    }

    /// Returns the operations that do not fit `limit` bytes, newest first; the newest of all fits any limit. All
    /// operations older than one that does not fit are included, so that undo has no gaps.
    pub(super) fn beyond(&self, limit: u64) -> Vec<OperationId> {
        // After nearly every edit, of a history of thousands.
        if self.total <= limit {
            return Vec::new();
        }
        let mut room = limit;
        let newest_first = self.by_id.iter().rev().enumerate();
        let fits = newest_first.take_while(|(age, (_, size))| {
            let rest = room.checked_sub(**size);
            room = rest.unwrap_or(0);
            rest.is_some() || *age == 0
        });
        let fitting = fits.count();
        self.by_id.keys().rev().skip(fitting).copied().collect()
    }
}

impl LockCache {
    pub(super) fn new() -> LockCache {
        LockCache { token: fastrand::u128(..), ..LockCache::default() }
    }

    /// Takes over the lock: clears the cache if another editor held it meanwhile.
    pub(super) fn take(&mut self, lock: &File, path: &Path) -> Result<(), StateError> {
        let failed = |what, source| StateError::Io { what, path: path.to_owned(), source };
        let mut bytes = [0; LOCK_BYTES];
        let read = lock.read_at(&mut bytes, 0).map_err(|source| failed("cannot read", source))?;
        let mut token = [0; 16];
        let mut last = [0; 8];
        if read == LOCK_BYTES && bytes[PROVEN_BYTES..] == proof(&bytes[..PROVEN_BYTES]) {
            token.copy_from_slice(&bytes[..16]);
            last.copy_from_slice(&bytes[16..PROVEN_BYTES]);
        }
        if token != self.token.to_le_bytes() {
            let last = u64::from_le_bytes(last);
            *self = LockCache { token: self.token, last: last.max(self.last), ..LockCache::default() };
            self.write(lock).map_err(|source| failed("cannot write", source))?;
        }
        Ok(())
    }

    /// Fills the cache with the committed operations and their sizes; `last` is the highest number of all
    /// operations.
    pub(super) fn found(&mut self, committed: BTreeMap<OperationId, u64>, last: Option<OperationId>) {
        self.committed = Some(CommittedSizes { total: committed.values().sum(), by_id: committed });
        self.last = self.last.max(last.map_or(0, |id| id.0));
    }

    /// Assigns a number. The caller writes the [`LockCache::record`] before anything that bears the number.
    pub(super) fn next(&mut self) -> OperationId {
        self.last += 1;
        OperationId(self.last)
    }

    /// Returns what the lock file begins with.
    pub(super) fn record(&self) -> Vec<u8> {
        let mut bytes = [self.token.to_le_bytes().as_slice(), &self.last.to_le_bytes()].concat();
        bytes.extend(proof(&bytes));
        bytes
    }

    fn write(&self, lock: &File) -> std::io::Result<()> {
        lock.write_all_at(&self.record(), 0)
    }
}

fn proof(bytes: &[u8]) -> [u8; 8] {
    let mut proof = [0; 8];
    proof.copy_from_slice(&ContentHash::of(bytes).0[..8]);
    proof
}
