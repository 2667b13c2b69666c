//! Outlines on disk, by content hash, so that a restart or another worktree of the same repository parses
//! nothing twice. Invariant: what is read back is what was written, or nothing: a damaged, foreign or
//! outdated file is a miss, never an error and never a wrong answer.

pub mod codec;
mod gc;
mod pack;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "it is for tests")]
pub mod properties;
mod stored_parses;

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::SystemTime;

pub use gc::{GcReport, KeptCache, gc};
pub use stored_parses::StoredParses;

use super::entry_outline::EntryOutline;
use pack::{Pack, Payload};
use symd_base::ContentHash;
use symd_base::state::{self, StateError, UnnamedFile};
use symd_syntax::Outline;

/// More packs than this are merged when the next one is written, since a lookup searches one after the other.
const MAX_PACKS: usize = 8;
/// A merge keeps at most this many times the bytes of live outlines, so that some of other branches' files
/// are kept.
const KEPT_PER_LIVE: u64 = 4;

const PACK_EXTENSION: &str = "pack";
const INDEX_EXTENSION: &str = "index";
const PARSES_EXTENSION: &str = "parses";

/// The key of an outline: the bytes it was created from, and what created it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The hash of the file's bytes.
    pub content: ContentHash,
    /// The fingerprint of the grammar, its queries and the extractor (`syntax::grammar`).
    pub fingerprint: u64,
}

/// The cache of one repository. Shared by pool threads.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    packs: RwLock<Arc<[Pack]>>,
    /// When the directory had changed last, as far as its packs are known.
    listed: Mutex<Option<SystemTime>>,
    /// Keys whose entry in a pack turned out to be unusable, to be written again to another pack.
    unsound: Mutex<BTreeSet<Key>>,
    counters: Counters,
}

#[derive(Debug, Default)]
struct Counters {
    hits: AtomicU64,
    misses: AtomicU64,
    damaged: AtomicU64,
    written: AtomicU64,
}

/// Statistics of the cache for status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct CacheStatus {
    /// Outlines found.
    pub hits: u64,
    /// Outlines not found.
    pub misses: u64,
    /// Files or entries that were damaged or not created by symd; they were left alone.
    pub damaged: u64,
    /// Outlines written by this daemon.
    pub written: u64,
    /// Pack files in use.
    pub packs: usize,
    /// Their size in bytes.
    pub bytes: u64,
}

impl Cache {
    /// Opens the cache in `directory`, creating it if needed. Packs that cannot be used are counted.
    pub fn open(directory: &Path) -> Result<Cache, StateError> {
        state::private_dir(directory)?;
        let (counters, listed) = (Counters::default(), changed_at(directory));
        let mut packs = Vec::new();
        for path in pack_paths(directory)? {
            match Pack::open(&path) {
                Some(pack) => packs.push(pack),
                None => {
                    counters.damaged.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        let packs = RwLock::new(packs.into());
        let (directory, listed, unsound) = (directory.to_owned(), Mutex::new(listed), Mutex::default());
        Ok(Cache { directory, packs, listed, unsound, counters })
    }

    /// Returns the outline stored under `key`.
    pub fn get(&self, key: Key) -> Option<Outline> {
        let mut is_unsound = false;
        let mut find = |packs: &[Pack]| {
            packs.iter().find_map(|pack| {
                let outline = pack.read(pack.find(key)?).and_then(|bytes| codec::decode(&bytes));
                if outline.is_none() {
                    is_unsound = true;
                    self.counters.damaged.fetch_add(1, Ordering::Relaxed);
                }
                outline
            })
        };
        let packs = self.packs();
        // The daemon of another worktree may have written it since.
        let outline = find(&packs).or_else(|| find(&self.packs_beside(&packs)));
        if is_unsound && outline.is_none() {
            self.unsound().insert(key);
        }
        let counter = if outline.is_some() { &self.counters.hits } else { &self.counters.misses };
        counter.fetch_add(1, Ordering::Relaxed);
        outline
    }

    /// Whether the outline of `key` is stored, and was not found damaged.
    pub fn has(&self, key: Key) -> bool {
        self.packs().iter().any(|pack| pack.find(key).is_some()) && !self.unsound().contains(&key)
    }

    /// Writes the outlines of `live` that no pack contains yet and that are in memory; merges the packs when there are many. `live`
    /// is everything that the index contains now.
    pub fn store(&self, live: &[(Key, EntryOutline)]) -> Result<(), StateError> {
        let packs = self.packs();
        if packs.len() < MAX_PACKS {
            return self.add(live);
        }
        let new = self.new_keys(live, &packs);
        if new.is_empty() {
            return Ok(());
        }
        let merged = self.write(&kept(live, &packs))?;
        self.tell_written(&new);
        let old: Vec<PathBuf> = packs.iter().map(|pack| pack.path.clone()).collect();
        self.change_packs(|packs| {
            packs.retain(|pack| !old.contains(&pack.path));
            packs.push(merged);
        });
        // Another daemon may still have them open; it continues to read from its descriptors.
        old.iter().try_for_each(|path| state::remove_file(path))
    }

    /// Like [`Cache::store`], while the index does not contain everything yet: nothing that is stored is dropped for being
    /// absent from `live`.
    pub fn add(&self, live: &[(Key, EntryOutline)]) -> Result<(), StateError> {
        let packs = self.packs();
        let new = self.new_keys(live, &packs);
        if new.is_empty() {
            return Ok(());
        }
        // A map: files of equal content share one outline.
        let payload = |(key, outline): &'_ (Key, EntryOutline)| {
            let outline = outline.in_memory().filter(|_| new.contains(key))?;
            Some((*key, Payload::Outline(outline.clone())))
        };
        let pack = self.write(&live.iter().filter_map(payload).collect())?;
        self.tell_written(&new);
        self.change_packs(|packs| packs.push(pack));
        Ok(())
    }

    /// Returns the keys of the outlines that no pack contains undamaged.
    fn new_keys(&self, live: &[(Key, EntryOutline)], packs: &[Pack]) -> BTreeSet<Key> {
        let unsound = self.unsound();
        let is_new = |key: &Key| unsound.contains(key) || packs.iter().all(|pack| pack.find(*key).is_none());
        let in_memory = live.iter().filter(|(_, outline)| outline.in_memory().is_some());
        in_memory.map(|(key, _)| *key).filter(is_new).collect()
    }

    fn tell_written(&self, keys: &BTreeSet<Key>) {
        self.unsound().retain(|key| !keys.contains(key));
        self.counters.written.fetch_add(keys.len() as u64, Ordering::Relaxed);
    }

    /// Returns the path of the stored index of the project at `root`. Worktrees of one repository share their outlines, but
    /// not the states of their files.
    pub fn index_path(&self, root: &Path) -> PathBuf {
        index_path(&self.directory, root)
    }

    /// Returns a file for what of the index need not be in memory.
    pub fn unnamed_file(&self) -> Arc<UnnamedFile> {
        Arc::new(UnnamedFile::new(&self.directory))
    }

    pub fn status(&self) -> CacheStatus {
        let packs = self.packs();
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        CacheStatus {
            hits: count(&self.counters.hits),
            misses: count(&self.counters.misses),
            damaged: count(&self.counters.damaged),
            written: count(&self.counters.written),
            packs: packs.len(),
            bytes: packs.iter().map(|pack| pack.bytes).sum(),
        }
    }

    fn packs(&self) -> Arc<[Pack]> {
        self.packs.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change_packs(&self, change: impl FnOnce(&mut Vec<Pack>)) {
        let mut packs = self.packs.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = packs.to_vec();
        change(&mut changed);
        *packs = changed.into();
    }

    /// Returns the packs that are there beside those that were `seen`, once those that other daemons have written are added. Cheap if
    /// there are none.
    fn packs_beside(&self, seen: &Arc<[Pack]>) -> Vec<Pack> {
        // Another thread may have added them since, while this one waited for it.
        self.add_new_packs();
        let packs = self.packs();
        if Arc::ptr_eq(&packs, seen) {
            return Vec::new();
        }
        packs.iter().filter(|pack| seen.iter().all(|one| one.path != pack.path)).cloned().collect()
    }

    /// Adds the packs that others have written since the directory was listed last.
    fn add_new_packs(&self) {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        let now = changed_at(&self.directory);
        if now == *listed {
            return;
        }
        *listed = now;
        let known = self.packs();
        let paths = pack_paths(&self.directory).unwrap_or_default();
        let new = paths.into_iter().filter(|path| known.iter().all(|pack| pack.path != *path));
        let mut new: Vec<Pack> = new.filter_map(|path| Pack::open(&path)).collect();
        // One that this daemon has written meanwhile is there already.
        self.change_packs(|packs| {
            new.retain(|one| packs.iter().all(|pack| pack.path != one.path));
            packs.append(&mut new);
        });
    }

    fn unsound(&self) -> MutexGuard<'_, BTreeSet<Key>> {
        self.unsound.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, entries: &BTreeMap<Key, Payload<'_>>) -> Result<Pack, StateError> {
        let path = self.directory.join(format!("{:016x}.{PACK_EXTENSION}", fastrand::u64(..)));
        pack::create(path, entries.iter().map(|(key, payload)| (*key, payload.bytes(*key))))
    }
}

/// Returns the content of a merged pack: everything that is live, then other entries of the old packs, up to a limit.
fn kept<'a>(live: &'a [(Key, EntryOutline)], packs: &'a [Pack]) -> BTreeMap<Key, Payload<'a>> {
    let mut kept = BTreeMap::new();
    let mut live_bytes = 0;
    for (key, outline) in live {
        if let (Entry::Vacant(vacant), Some(outline)) = (kept.entry(*key), outline.in_memory()) {
            live_bytes += outline.memory() as u64;
            vacant.insert(Payload::Outline(outline.clone()));
        }
    }
    // What is not in memory is copied.
    for (key, _) in live {
        if let Entry::Vacant(vacant) = kept.entry(*key)
            && let Some(size) = packs.iter().rev().find_map(|pack| pack.size_of(*key))
        {
            live_bytes += size;
            vacant.insert(Payload::Packed(packs));
        }
    }
    let mut budget = live_bytes * (KEPT_PER_LIVE - 1);
    for (key, size) in packs.iter().rev().flat_map(Pack::sizes) {
        if budget == 0 {
            break;
        }
        if let Entry::Vacant(vacant) = kept.entry(key) {
            budget = budget.saturating_sub(size);
            vacant.insert(Payload::Packed(packs));
        }
    }
    kept
}

/// Returns when a file came or went in a directory for the last time.
fn changed_at(directory: &Path) -> Option<SystemTime> {
    directory.metadata().and_then(|stat| stat.modified()).ok()
}

/// Returns the path of the index of the project at `root` in the cache's directory.
fn index_path(directory: &Path, root: &Path) -> PathBuf {
    let hash = ContentHash::of(root.as_os_str().as_encoded_bytes());
    directory.join(format!("{hash}.{INDEX_EXTENSION}"))
}

/// Returns the paths of the pack files in a directory, in name order.
fn pack_paths(directory: &Path) -> Result<Vec<PathBuf>, StateError> {
    paths_with(&[PACK_EXTENSION], directory)
}

/// Returns the paths of the files in a directory that have one of these extensions, in name order.
fn paths_with(extensions: &[&str], directory: &Path) -> Result<Vec<PathBuf>, StateError> {
    let io = |source| StateError::Io { what: "cannot list", path: directory.to_owned(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.extension().is_some_and(|extension| extensions.iter().any(|one| extension == *one)) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests;
