//! Outlines that were let go of, since the cache has them: read back when a question needs one, and made again when the cache has lost
//! it. Invariant: what is read back is what was let go of, or nothing, and then the questions that met it are told.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::mpsc;

use super::event::Event;
use super::scan::MAX_PARSED_BYTES;
use super::shared_outlines::SharedByContent;
use symd_base::state::UnnamedFile;
use symd_base::{Cancel, ContentHash, RelPath, text};
use symd_index::cache::{Cache, Key};
use symd_index::{EntryOutline, FileEntry, OutlineReader};
use symd_parse::{Attempt, Parsers};
use symd_syntax::{Grammar, Outline};
use symd_vfs::Files;

/// Number of files that are remembered as lost. A question that meets more is told of the last ones.
const MAX_LOST: usize = 1024;

/// What files' outlines are made of: those in memory, those in the cache, and the files.
#[derive(Debug)]
pub(super) struct StoredOutlines {
    files: Arc<dyn Files>,
    cache: Option<Arc<Cache>>,
    /// Keeps what of the index need not be in memory, where there is a cache.
    pub(super) file: Option<Arc<UnnamedFile>>,
    parsers: Parsers,
    cancel: Cancel,
    /// The outlines that are in memory.
    pub(super) shared: SharedByContent<Outline>,
    /// Bytes of what was read back, or made again, since what was read was let go of last.
    read_back: AtomicUsize,
    /// Number of outlines that were made again and are not stored.
    remade: AtomicUsize,
    lost: Mutex<LostOutlines>,
    /// Tells the engine that there is something for it to do, once it runs …
    events: OnceLock<(mpsc::WeakSender<Event>, usize)>,
    /// … and only once until it did.
    is_told: AtomicBool,
}

/// Files whose outline could not be read back.
#[derive(Debug, Default)]
struct LostOutlines {
    /// The last ones.
    paths: VecDeque<RelPath>,
    /// How many there were.
    count: usize,
    /// Those that are still to be scanned.
    unscanned: BTreeSet<RelPath>,
}

impl StoredOutlines {
    pub(super) fn new(
        files: Arc<dyn Files>,
        cache: Option<Arc<Cache>>,
        parsers: Parsers,
        cancel: Cancel,
    ) -> StoredOutlines {
        StoredOutlines {
            files,
            file: cache.as_ref().map(|cache| cache.unnamed_file()),
            cache,
            parsers,
            cancel,
            shared: SharedByContent::default(),
            read_back: AtomicUsize::new(0),
            remade: AtomicUsize::new(0),
            lost: Mutex::default(),
            events: OnceLock::new(),
            is_told: AtomicBool::new(false),
        }
    }

    /// Sets the channel that wakes the engine when outlines were lost or made again, or when more than `limit` bytes were read back.
    pub(super) fn tell(&self, events: mpsc::WeakSender<Event>, limit: usize) {
        let _ = self.events.set((events, limit));
    }

    /// Returns the outline of bytes of which a file of the index or of the cache was made.
    pub(super) fn known(&self, key: Key) -> Option<EntryOutline> {
        if let Some(outline) = self.shared.get(key) {
            return Some(outline.into());
        }
        let outline = self.cache.as_ref()?.get(key)?;
        Some(self.shared.share(key, Arc::new(outline)).into())
    }

    /// Whether the outline of an entry is in memory and need not be: it can be read back.
    pub(super) fn can_let_go(&self, file: &FileEntry) -> bool {
        let key = file.key().filter(|_| file.grammar().is_some());
        let is_stored = |key| self.cache.as_ref().is_some_and(|cache| cache.has(key));
        file.file_outline().is_some_and(|outline| outline.in_memory().is_some()) && key.is_some_and(is_stored)
    }

    /// Whether the outline of an entry is in memory, or stored and not found damaged.
    pub(super) fn is_readable(&self, file: &FileEntry) -> bool {
        let is_in_memory = file.file_outline().is_some_and(|outline| outline.in_memory().is_some());
        is_in_memory || file.key().is_some_and(|key| self.cache.as_ref().is_some_and(|cache| cache.has(key)))
    }

    /// Frees what is kept of outlines that are not in memory any more, and what is not needed any more on disk. May block.
    pub(super) fn sweep(&self) {
        self.shared.sweep();
        self.file.iter().for_each(|file| file.free_dropped());
    }

    /// Returns how many bytes were read back and not let go of, about: entries that were replaced meanwhile count until
    /// [`StoredOutlines::forget_read`].
    pub(super) fn read_bytes(&self) -> usize {
        self.read_back.load(Ordering::Relaxed)
    }

    /// Notes that so many bytes were let go of that had been read back.
    pub(super) fn let_go(&self, bytes: usize) {
        let less = |read: usize| Some(read.saturating_sub(bytes));
        let _ = self.read_back.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// Begins to count anew: every file was looked at.
    pub(super) fn forget_read(&self) {
        self.read_back.store(0, Ordering::Relaxed);
    }

    /// Allows the next wake-up: the engine is about to handle all that was noted.
    pub(super) fn allow_wake(&self) {
        self.is_told.store(false, Ordering::Relaxed);
    }

    /// Returns how many outlines were made again since the last call: the cache has lost them.
    pub(super) fn take_remade(&self) -> usize {
        self.remade.swap(0, Ordering::Relaxed)
    }

    /// Returns the number of outlines that were lost so far.
    pub(super) fn lost_count(&self) -> usize {
        self.locked().count
    }

    /// Returns the files whose outlines were lost since there were `count`.
    pub(super) fn lost_since(&self, count: usize) -> Vec<RelPath> {
        let lost = self.locked();
        let new = (lost.count.saturating_sub(count)).min(lost.paths.len());
        lost.paths.range(lost.paths.len() - new..).cloned().collect()
    }

    /// Returns the files that were lost and are to be scanned.
    pub(super) fn take_unscanned(&self) -> BTreeSet<RelPath> {
        std::mem::take(&mut self.locked().unscanned)
    }

    fn lose(&self, path: &RelPath) {
        let mut lost = self.locked();
        lost.count += 1;
        lost.paths.push_back(path.clone());
        if lost.paths.len() > MAX_LOST {
            lost.paths.pop_front();
        }
        lost.unscanned.insert(path.clone());
        drop(lost);
        tracing::warn!(%path, "its symbols cannot be read back: the cache lost them, and the file was changed; it is read again");
    }

    fn wake(&self) {
        let Some((events, limit)) = self.events.get() else { return };
        let is_due = self.read_bytes() > *limit
            || self.remade.load(Ordering::Relaxed) > 0
            || !self.locked().unscanned.is_empty();
        if is_due
            && !self.is_told.swap(true, Ordering::Relaxed)
            && events.upgrade().is_none_or(|events| events.try_send(Event::OutlinesRead).is_err())
        {
            // The queue is full: the next one tells, or any other event, after which the engine looks too.
            self.is_told.store(false, Ordering::Relaxed);
        }
    }

    fn locked(&self) -> MutexGuard<'_, LostOutlines> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Parses the file again, if it still has the bytes of `key`.
    fn remake(&self, key: Key, path: &RelPath) -> Option<Outline> {
        let grammar = Grammar::all().find(|grammar| grammar.fingerprint() == key.fingerprint)?;
        let bytes = self.files.read_no_follow(path, MAX_PARSED_BYTES).ok()?.bytes;
        if ContentHash::of(&bytes) != key.content {
            return None;
        }
        let (text, _) = text::decode(bytes).ok()?;
        match self.parsers.outline_of_file(grammar, &text, key.content, &self.cancel).ok()? {
            Attempt::Parsed(outline) => Some(outline),
            Attempt::SetAside(_) => None,
        }
    }
}

impl OutlineReader for StoredOutlines {
    fn read_back(&self, key: Key, rows: usize, path: &RelPath) -> Option<Arc<Outline>> {
        let is_whole = |outline: &Outline| outline.rows.len() == rows;
        if let Some(outline) = self.shared.get(key).filter(|outline| is_whole(outline)) {
            return Some(outline);
        }
        let stored = self.cache.as_ref().and_then(|cache| cache.get(key)).filter(is_whole);
        let outline = stored.or_else(|| {
            let remade = self.remake(key, path).filter(is_whole)?;
            self.remade.fetch_add(1, Ordering::Relaxed);
            Some(remade)
        });
        let Some(outline) = outline else {
            self.lose(path);
            self.wake();
            return None;
        };
        self.read_back.fetch_add(outline.memory(), Ordering::Relaxed);
        self.wake();
        Some(self.shared.share(key, Arc::new(outline)))
    }
}
