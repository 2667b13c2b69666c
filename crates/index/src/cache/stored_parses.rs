//! What texts were parsed to beside their outlines (trees, locals), on disk, by content and task, so that a question parses nothing
//! that an earlier one has. The bytes are those that a parse worker answers with. Invariant: what is read back is what was
//! added, or nothing; the caller validates it against the text, as it validates a worker's answer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::SystemTime;

use super::pack::{self, Pack, Payload};
use super::{Key, PARSES_EXTENSION, paths_with};
use symd_base::state::{self, StateError};

/// Bytes of parses that are kept until they are written; beyond them parses are made again when they are needed.
const MAX_UNWRITTEN: usize = 16 << 20;
/// Bytes of all packs; the oldest one goes first.
const MAX_BYTES: u64 = 192 << 20;

/// The parses of one repository. Shared by threads.
#[derive(Debug)]
pub struct StoredParses {
    directory: PathBuf,
    /// The oldest one first.
    packs: RwLock<Arc<[Pack]>>,
    unwritten: Mutex<Unwritten>,
    /// Held while packs are written.
    writing: Mutex<()>,
}

#[derive(Debug, Default)]
struct Unwritten {
    parses: BTreeMap<Key, Vec<u8>>,
    bytes: usize,
}

impl StoredParses {
    /// Opens those in `directory`, creating it if needed. Packs that cannot be used are left alone.
    pub fn open(directory: &Path) -> Result<StoredParses, StateError> {
        state::private_dir(directory)?;
        let paths = paths_with(&[PARSES_EXTENSION], directory)?;
        let packs: Vec<Pack> = paths.iter().filter_map(|path| Pack::open(path)).collect();
        Ok(StoredParses {
            directory: directory.to_owned(),
            packs: RwLock::new(packs.into()),
            unwritten: Mutex::default(),
            writing: Mutex::default(),
        })
    }

    /// Returns the bytes that were added under a key.
    pub fn get(&self, key: Key) -> Option<Vec<u8>> {
        let unwritten = self.unwritten().parses.get(&key).cloned();
        unwritten.or_else(|| self.packs().iter().rev().find_map(|pack| pack.read(pack.find(key)?)))
    }

    /// Whether there is something under a key.
    pub fn contains(&self, key: Key) -> bool {
        self.unwritten().parses.contains_key(&key) || self.packs().iter().any(|pack| pack.find(key).is_some())
    }

    /// Keeps what a text was parsed to, until the next [`StoredParses::write`] in memory.
    pub fn add(&self, key: Key, bytes: &[u8]) {
        let mut unwritten = self.unwritten();
        if unwritten.bytes + bytes.len() <= MAX_UNWRITTEN
            && unwritten.parses.insert(key, bytes.to_owned()).is_none()
        {
            unwritten.bytes += bytes.len();
        }
    }

    /// Whether more can be added before the oldest ones go, and while what is in memory cannot be written.
    pub fn has_room(&self) -> bool {
        let unwritten = self.unwritten_bytes();
        let packs: u64 = self.packs().iter().map(|pack| pack.bytes).sum();
        unwritten < MAX_UNWRITTEN / 2 && packs + (unwritten as u64) < MAX_BYTES
    }

    /// Returns how many bytes are in memory until they are written.
    pub fn unwritten_bytes(&self) -> usize {
        self.unwritten().bytes
    }

    /// Writes what was added, if that is at least `worth` bytes. The newest packs are merged with it while they are not larger, so
    /// that there are few packs, and each parse is written a few times at most.
    pub fn write(&self, worth: usize) -> Result<(), StateError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let unwritten = {
            let unwritten = self.unwritten();
            if unwritten.bytes == 0 || unwritten.bytes < worth {
                return Ok(());
            }
            unwritten.parses.clone()
        };
        let old = self.packs();
        let mut merged: BTreeMap<Key, Payload<'_>> =
            unwritten.iter().map(|(key, bytes)| (*key, Payload::Bytes(bytes))).collect();
        let mut size = pack::size_of_pack(unwritten.values().map(Vec::len));
        let (mut packs, mut outdated) = (old.to_vec(), Vec::new());
        for pack in old.iter().rev().take_while(|pack| {
            let is_merged = pack.bytes <= size;
            size += if is_merged { pack.bytes } else { 0 };
            is_merged
        }) {
            for key in pack.keys() {
                merged.entry(key).or_insert(Payload::Packed(&old));
            }
            packs.pop();
            outdated.push(pack.path.clone());
        }
        packs.push(self.write_pack(&merged)?);
        let mut bytes: u64 = packs.iter().map(|pack| pack.bytes).sum();
        while bytes > MAX_BYTES && packs.len() > 1 {
            let oldest = packs.remove(0);
            bytes -= oldest.bytes;
            outdated.push(oldest.path);
        }
        *self.packs.write().unwrap_or_else(PoisonError::into_inner) = packs.into();
        self.forget(unwritten.keys());
        // Another daemon may still have them open; it continues to read from its descriptors.
        outdated.iter().try_for_each(|path| state::remove_file(path))
    }

    /// Forgets parses in memory that a pack has by now.
    fn forget<'k>(&self, written: impl Iterator<Item = &'k Key>) {
        let mut unwritten = self.unwritten();
        for key in written {
            if let Some(bytes) = unwritten.parses.remove(key) {
                unwritten.bytes -= bytes.len();
            }
        }
    }

    fn write_pack(&self, parses: &BTreeMap<Key, Payload<'_>>) -> Result<Pack, StateError> {
        // Packs are listed in the order of their names.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let name = format!("{now:032x}-{:04x}.{PARSES_EXTENSION}", fastrand::u16(..));
        let path = self.directory.join(name);
        pack::create(path, parses.iter().map(|(key, payload)| (*key, payload.bytes(*key))))
    }

    fn packs(&self) -> Arc<[Pack]> {
        self.packs.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn unwritten(&self) -> MutexGuard<'_, Unwritten> {
        self.unwritten.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "they damage packs")]
mod tests {
    use super::*;
    use symd_base::ContentHash;

    fn key(number: u16) -> Key {
        let mut content = [0; 16];
        content[..2].copy_from_slice(&number.to_be_bytes());
        Key { content: ContentHash(content), fingerprint: 7 }
    }

    fn bytes(number: u16) -> Vec<u8> {
        number.to_le_bytes().repeat(usize::from(number % 50) + 1)
    }

    #[test]
    fn what_was_added_is_found_before_and_after_it_is_written_and_after_a_restart() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().join("parses");
        let parses = StoredParses::open(&directory).unwrap();
        for number in 0..600 {
            parses.add(key(number), &bytes(number));
            assert_eq!(parses.get(key(number)), Some(bytes(number)));
            if number % 7 == 0 {
                parses.write(0).unwrap();
            }
        }
        let found = |parses: &StoredParses, until: u16| {
            (0..600).all(|number| parses.get(key(number)) == (number < until).then(|| bytes(number)))
        };
        assert!(found(&parses, 600));
        // The last four were not written.
        assert!(found(&StoredParses::open(&directory).unwrap(), 596));
        parses.write(usize::MAX).unwrap();
        assert!(found(&StoredParses::open(&directory).unwrap(), 596), "too few to be worth it");
        parses.write(0).unwrap();
        let reopened = StoredParses::open(&directory).unwrap();
        assert!(found(&reopened, 600) && reopened.contains(key(599)) && !reopened.contains(key(600)));
        let packs = paths_with(&[PARSES_EXTENSION], &directory).unwrap();
        assert!(packs.len() < 12, "{packs:?}");
    }

    #[test]
    fn a_damaged_pack_is_a_miss() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().join("parses");
        let parses = StoredParses::open(&directory).unwrap();
        parses.add(key(1), b"a tree");
        parses.write(0).unwrap();
        let pack = paths_with(&[PARSES_EXTENSION], &directory).unwrap().remove(0);
        let mut damaged = std::fs::read(&pack).unwrap();
        *damaged.last_mut().unwrap() ^= 1;
        std::fs::write(&pack, damaged).unwrap();
        assert_eq!(StoredParses::open(&directory).unwrap().get(key(1)), None);
        std::fs::write(&pack, b"no pack").unwrap();
        assert_eq!(StoredParses::open(&directory).unwrap().get(key(1)), None);
    }

    #[test]
    fn what_is_not_written_is_bounded() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().join("parses");
        let parses = StoredParses::open(&directory).unwrap();
        let large = vec![7; MAX_UNWRITTEN / 3];
        for number in 0..5 {
            parses.add(key(number), &large);
        }
        let kept = (0..5).filter(|number| parses.contains(key(*number))).count();
        assert_eq!((kept, parses.has_room()), (3, false));
        parses.write(0).unwrap();
        assert!(parses.has_room());
        parses.add(key(4), &large);
        assert!(parses.contains(key(0)) && parses.contains(key(4)) && !parses.contains(key(3)));
    }
}
