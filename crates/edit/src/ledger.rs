//! What the one who holds the project's lock knows of the directory of journals without looking at it: a look at hundreds
//! of names before and after every edit would make edits slower the longer the history is. The lock file says who held the
//! lock last. Invariant: what is remembered is used only where nobody else held the lock since; no number is given twice.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::store::OperationId;
use symd_base::ContentHash;
use symd_base::state::StateError;

/// Who held the lock, the last number it knew of, and the first bytes of the hash of both: what is damaged says nothing.
const LOCK_BYTES: usize = PROVEN_BYTES + 8;

const PROVEN_BYTES: usize = 24;

/// What is remembered.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Tells this editor from every other.
    token: u128,
    /// Bytes of each committed operation; `None` until they were looked up.
    pub(super) committed: Option<BTreeMap<OperationId, u64>>,
    /// The last number given.
    last: u64,
    /// Nothing was left over when the lock was last held.
    pub(super) is_clean: bool,
}

impl Ledger {
    pub(super) fn new() -> Ledger {
        Ledger { token: fastrand::u128(..), ..Ledger::default() }
    }

    /// Takes the lock over: what is remembered is forgotten if somebody else held it.
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
            *self = Ledger { token: self.token, last: last.max(self.last), ..Ledger::default() };
            self.write(lock).map_err(|source| failed("cannot write", source))?;
        }
        Ok(())
    }

    /// Remembers what lies here; `last`: the highest number of all.
    pub(super) fn found(&mut self, committed: BTreeMap<OperationId, u64>, last: Option<OperationId>) {
        self.committed = Some(committed);
        self.last = self.last.max(last.map_or(0, |id| id.0));
    }

    /// Gives a number.
    pub(super) fn next(&mut self, lock: &File) -> std::io::Result<OperationId> {
        self.last += 1;
        self.write(lock)?;
        Ok(OperationId(self.last))
    }

    fn write(&self, lock: &File) -> std::io::Result<()> {
        let mut bytes = [self.token.to_le_bytes().as_slice(), &self.last.to_le_bytes()].concat();
        bytes.extend(proof(&bytes));
        lock.write_all_at(&bytes, 0)
    }
}

fn proof(bytes: &[u8]) -> [u8; 8] {
    let mut proof = [0; 8];
    proof.copy_from_slice(&ContentHash::of(bytes).0[..8]);
    proof
}
