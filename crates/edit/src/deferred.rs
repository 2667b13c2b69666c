//! Deferred work after an edit: frees the files that it replaced, and syncs its history entry to the disk.
//! Runs on a thread of its own, which ends with the editor after all work is done. The tree is consistent
//! without it: the journal in its slot is on the disk until the next edit overwrites it.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use symd_base::state::durable;

/// Capacity of the queue of deferred work, in edits. When it is full, the next edit waits.
const WAITING: usize = 64;

/// Period without edits after which entries are synced: syncing between edits would slow them down.
const QUIET: Duration = Duration::from_secs(1);

/// Maximum number of entries that wait for a sync.
const MANY: usize = 64;

/// The deferred work of one edit.
#[derive(Debug)]
pub(super) struct DeferredItem {
    /// Replaced files, kept open until this is dropped.
    pub(super) replaced: Vec<OwnedFd>,
    /// Path of the history entry.
    pub(super) entry: PathBuf,
}

#[derive(Debug)]
pub(super) struct DeferredWork {
    directory: PathBuf,
    /// Started by the first edit.
    thread: Mutex<Option<(SyncSender<DeferredItem>, JoinHandle<()>)>>,
}

impl DeferredWork {
    /// Creates the queue for entries in `directory`.
    pub(super) fn new(directory: &Path) -> DeferredWork {
        DeferredWork { directory: directory.to_owned(), thread: Mutex::default() }
    }

    pub(super) fn enqueue(&self, rest: DeferredItem) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            *thread = self.start();
        }
        let refused = match &*thread {
            Some((sender, _)) => sender.send(rest).err().map(|error| error.0),
            None => Some(rest),
        };
        // Without a thread the work is done here.
        if let Some(rest) = refused {
            drop(rest.replaced);
            sync_entries(&[rest.entry], &self.directory);
        }
    }

    fn start(&self) -> Option<(SyncSender<DeferredItem>, JoinHandle<()>)> {
        let (sender, rests) = sync_channel(WAITING);
        let directory = self.directory.clone();
        let thread = std::thread::Builder::new().name("symd-history".to_owned());
        Some((sender, thread.spawn(move || work(&rests, &directory)).ok()?))
    }
}

impl Drop for DeferredWork {
    fn drop(&mut self) {
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some((sender, thread)) = thread.take() {
            drop(sender);
            let _ = thread.join();
        }
    }
}

fn work(rests: &Receiver<DeferredItem>, directory: &Path) {
    while let Ok(first) = rests.recv() {
        let mut entries = vec![first.entry];
        drop(first.replaced);
        let mut goes_on = true;
        while entries.len() < MANY {
            match rests.recv_timeout(QUIET) {
                Ok(rest) => {
                    drop(rest.replaced);
                    entries.push(rest.entry);
                }
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    goes_on = false;
                    break;
                }
            }
        }
        sync_entries(&entries, directory);
        if !goes_on {
            return;
        }
    }
}

/// Syncs entries to the disk, except those that were removed from the history meanwhile.
fn sync_entries(entries: &[PathBuf], directory: &Path) {
    let brought = entries.iter().try_for_each(|entry| durable::sync_file(entry));
    if let Err(error) = brought.and_then(|()| durable::sync_directory(directory)) {
        tracing::warn!(%error, "cannot sync the history to the disk");
    }
}
