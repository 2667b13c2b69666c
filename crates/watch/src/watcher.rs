//! The watch thread: the only owner of the backend and of what is known of the tree. Events say where to
//! look; what is told is what is found there. Invariant: notices go out in an order in which each one was
//! true when it was told, and a barrier goes out after all that it waited for.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::Notice;
use super::backend::{Backend, Event, WatchId};
use super::barrier::Barriers;
use super::counters::Tally;
use super::crawl::Visit;
use super::sweep::Snapshot;
use super::tree::{Tree, WatchPurpose};
use super::writes::Written;
use symd_base::RelPath;
use symd_vfs::{EntryKind, Ignore, Root, TEMPORARY_PREFIX, VfsError};

/// Paths in one batch: enough to make a hand-over cheap, few enough that parsing starts at once.
const BATCH_PATHS: usize = 1_000;
/// Asked-for rescans that wait at most; when more are asked for, everything is rescanned instead.
const MAX_RESCANS: usize = 256;

/// Where notices go. It may block; then events gather in the kernel, and what overflows is rescanned.
pub(super) type Sink = Box<dyn FnMut(Vec<Notice>) -> ControlFlow<()> + Send>;

/// What other threads ask of the watch thread.
#[derive(Debug, Default)]
pub(super) struct Requests(Mutex<RequestState>);

#[derive(Debug, Default)]
struct RequestState {
    stop: bool,
    rescans: BTreeSet<RelPath>,
}

impl Requests {
    pub(super) fn stop(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).stop = true;
    }

    pub(super) fn rescan(&self, directory: &RelPath) {
        let rescans = &mut self.0.lock().unwrap_or_else(PoisonError::into_inner).rescans;
        rescans.insert(directory.clone());
        if rescans.len() > MAX_RESCANS {
            *rescans = BTreeSet::from([RelPath::root()]);
        }
    }

    fn is_stopped(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).stop
    }

    pub(super) fn take_rescans(&self) -> BTreeSet<RelPath> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).rescans)
    }
}

/// The thread's state.
pub(super) struct Watcher {
    pub(super) root: Arc<Root>,
    pub(super) ignore: Arc<Ignore>,
    pub(super) backend: Box<dyn Backend>,
    pub(super) tree: Tree,
    pub(super) tally: Arc<Tally>,
    /// Directories that could not be looked into for a reason that may pass without an event.
    pub(super) failing: BTreeSet<RelPath>,
    /// Names in directories at which something changed and could not be looked at.
    unlooked: BTreeSet<(RelPath, String)>,
    /// What is to be told before the next barrier.
    pub(super) written: Written,
    barriers: Arc<Barriers>,
    requests: Arc<Requests>,
    sink: Sink,
    batch: Vec<Notice>,
    batch_paths: usize,
    /// Directories to be listed again with all beneath, before the next barrier.
    pub(super) due: BTreeSet<RelPath>,
    /// Nobody listens any more, or there is no root.
    over: bool,
}

impl Watcher {
    pub(super) fn new(
        (root, ignore): (Arc<Root>, Arc<Ignore>),
        backend: Box<dyn Backend>,
        (barriers, requests, tally): (Arc<Barriers>, Arc<Requests>, Arc<Tally>),
        sink: Sink,
    ) -> Watcher {
        Watcher {
            root,
            ignore,
            backend,
            tree: Tree::default(),
            tally,
            failing: BTreeSet::new(),
            unlooked: BTreeSet::new(),
            written: Written::default(),
            barriers,
            requests,
            sink,
            batch: Vec::new(),
            batch_paths: 0,
            due: BTreeSet::new(),
            over: false,
        }
    }

    /// Crawls, then follows events until it is stopped, nobody listens, or the root is gone.
    pub(super) fn run(&mut self) {
        self.crawl(&RelPath::root(), Visit::Anyway, Visit::Anyway);
        self.tell(Notice::Crawled);
        self.flush();
        let mut events = Vec::new();
        while !self.is_over() {
            if let Err(error) = self.backend.wait(&mut events) {
                tracing::error!(%error, "the watcher broke down");
                self.root_gone();
                return;
            }
            self.tally.events.add(events.len());
            // One sweep serves all barriers read together: each was asked for before it.
            let mut swept = false;
            for event in events.drain(..) {
                if self.over {
                    return;
                }
                self.handle(event, &mut swept);
            }
            self.due.append(&mut self.requests.take_rescans());
            self.settle();
            if self.barriers.files().is_none() {
                for number in self.barriers.take_all() {
                    self.arrive(number, &mut swept);
                }
            }
            self.flush();
        }
    }

    fn handle(&mut self, event: Event, swept: &mut bool) {
        match event {
            Event::Written { watch, name } => self.note_written(watch, name),
            Event::Entry { watch, name } => self.look_everywhere(watch, &name, Visit::IfNew),
            // A directory that is back is the one we stand in: only that it is told again has those looked at again that
            // were missed in it, or found in the one that had its name.
            Event::Renamed { watch, name } => self.look_everywhere(watch, &name, Visit::Anyway),
            Event::Attributes(watch) => {
                // Those of any other directory are an event of its parent too.
                if self.tree.watch_of(&RelPath::root()) == Some(watch) {
                    self.crawl(&RelPath::root(), Visit::IfNew, Visit::IfNew);
                }
            }
            Event::Moved(watch) => {
                if self.tree.watch_of(&RelPath::root()) == Some(watch) {
                    self.root_gone();
                }
            }
            Event::Ended(watch) => {
                for place in self.tree.ended(watch) {
                    let WatchPurpose::Directory(path) = place else { continue };
                    match path.parent() {
                        None => self.root_gone(),
                        Some(parent) => self.look(&parent, path.file_name()),
                    }
                }
                self.count_directories();
            }
            Event::Unnamed => self.tally.unnamed.one(),
            Event::RootMoved => self.check_root(),
            Event::Overflow => {
                self.tally.overflows.one();
                self.recover();
            }
            Event::Barrier(number, file) => {
                self.arrive(number, swept);
                if let Some(files) = self.barriers.files() {
                    files.remove(&file);
                }
            }
        }
    }

    /// Looks at `name` wherever `watch` stands.
    fn look_everywhere(&mut self, watch: WatchId, name: &str, known: Visit) {
        self.written.forget(watch, name);
        for place in self.tree.places(watch) {
            match place {
                WatchPurpose::Directory(directory) => self.look_again(&directory, name, known),
                WatchPurpose::GitInfo(work_tree) if name == "exclude" || name == "info" => {
                    self.due.insert(work_tree);
                }
                WatchPurpose::GitInfo(_) => {}
            }
        }
    }

    /// Tells what is at `name` in `directory` now.
    pub(super) fn look(&mut self, directory: &RelPath, name: &str) {
        self.look_again(directory, name, Visit::IfNew);
    }

    /// The same; `known_directory` says what becomes of a directory in which we stand already.
    fn look_again(&mut self, directory: &RelPath, name: &str, known_directory: Visit) {
        // Staged for an edit: gone before anybody could look, and no part of the project.
        if name.starts_with(TEMPORARY_PREFIX) {
            return;
        }
        let path = directory.join(name);
        let found = self.root.stat_link(&path).map(|(kind, _)| kind);
        if self.ignore.is_changed_by(directory, name, found.is_ok()) {
            self.due.insert(directory.clone());
            return;
        }
        let Some(known) = self.tree.get(directory) else { return };
        let rules = known.rules.clone();
        let left_out = |kind| self.ignore.leaves_out(&rules, &path, kind);
        match found {
            Ok(EntryKind::Directory) if !left_out(EntryKind::Directory) => {
                self.crawl(&path, known_directory, known_directory);
            }
            Ok(EntryKind::File) => {
                let left_out = left_out(EntryKind::File);
                // A directory that could not be looked into may have stood here: the next sweep must not look for it.
                if self.tree.contains(&path) || self.failing.contains(&path) {
                    self.leave(&path);
                    self.tell(Notice::Removed(path.clone()));
                }
                if !left_out && self.batch.last() != Some(&Notice::Changed(path.clone())) {
                    self.tell(Notice::Changed(path));
                }
            }
            // It stands in a directory we may not search just now: whoever reads it will see.
            Err(VfsError::Io { source, .. }) if !left_out(EntryKind::File) => {
                // A change of permissions is an event; that there are descriptors again is none.
                if source.kind() != std::io::ErrorKind::PermissionDenied {
                    self.unlooked.insert((directory.clone(), name.to_owned()));
                }
                self.tell(Notice::Changed(path));
            }
            Ok(EntryKind::Directory) => self.gone(&path),
            Ok(kind @ (EntryKind::Link | EntryKind::Other)) => {
                let count = if kind == EntryKind::Link { &self.tally.links } else { &self.tally.special };
                count.one();
                self.gone(&path);
            }
            Err(_) if left_out(EntryKind::File) && !self.tree.contains(&path) => {}
            Err(_) => self.gone(&path),
        }
    }

    fn gone(&mut self, path: &RelPath) {
        self.leave(path);
        self.tell(Notice::Removed(path.clone()));
    }

    /// Ends everything that stands in `directory` and beneath.
    pub(super) fn leave(&mut self, directory: &RelPath) {
        for watch in self.tree.remove(directory) {
            self.backend.unwatch(watch);
        }
        self.ignore.forget(directory);
        self.failing.retain(|path| !path.is_within(directory));
        self.count_directories();
    }

    /// A barrier has come: tells what only looking finds out, then the barrier.
    fn arrive(&mut self, number: u64, swept: &mut bool) {
        if !self.barriers.arrived(number) && self.barriers.files().is_some() {
            return;
        }
        self.tell_written();
        self.settle();
        if !*swept {
            *swept = true;
            self.sweep();
            self.settle();
            self.check_root();
        }
        if self.over {
            return;
        }
        self.tally.barriers.one();
        self.tell(Notice::Barrier(number));
        self.flush();
    }

    /// Events were lost: everything is listed again. What was lost with them are the barriers since.
    fn recover(&mut self) {
        // All that was written until now is told by the listings, whose watches tell every write again.
        self.written = Written::default();
        self.due.insert(RelPath::root());
        self.settle();
        let without_file = self.barriers.reissue();
        if !without_file.is_empty() {
            // No event will come for these. They were asked for before a rescan that begins now.
            self.due.insert(RelPath::root());
            self.settle();
            without_file.into_iter().for_each(|number| self.tell(Notice::Barrier(number)));
        }
        self.flush();
    }

    /// Lists again what is due.
    fn settle(&mut self) {
        // Rescanning may find that more is due, but only beneath what it rescans.
        while let Some(directory) = self.due.pop_first() {
            self.due.retain(|other| !other.is_within(&directory));
            if directory.is_root() || self.tree.contains(&directory) {
                self.tally.rescans.one();
                self.crawl(&directory, Visit::Anyway, Visit::Anyway);
            }
        }
    }

    /// Looks at everything that sends no events.
    fn sweep(&mut self) {
        for (directory, name) in std::mem::take(&mut self.unlooked) {
            self.look(&directory, &name);
        }
        for path in std::mem::take(&mut self.failing) {
            if path.parent().is_none_or(|parent| self.tree.contains(&parent)) {
                self.crawl(&path, Visit::Anyway, Visit::IfNew);
            }
        }
        let polled = self.tree.polled();
        if polled.is_empty() {
            return;
        }
        self.tally.sweeps.one();
        for path in polled {
            if !self.tree.contains(&path) {
                continue;
            }
            let listed = self.root.open_directory_itself(&path).and_then(|directory| {
                let (entries, _) = self.root.list(&path, &directory)?;
                Ok(Snapshot::take(directory.as_fd(), &entries))
            });
            let Ok(now) = listed else {
                self.crawl(&path, Visit::IfNew, Visit::IfNew);
                continue;
            };
            let changed = self.tree.replace_snapshot(&path, now);
            for name in changed {
                self.look_again(&path, &name, Visit::Anyway);
            }
        }
    }

    /// Whether the root's path still leads to the directory we hold.
    fn check_root(&mut self) {
        use rustix::io::Errno;
        let ours = rustix::fs::fstat(self.root.as_fd());
        match (ours, rustix::fs::lstat(self.root.path())) {
            (Ok(ours), Ok(named)) if (ours.st_dev, ours.st_ino) == (named.st_dev, named.st_ino) => {}
            (Ok(_), Ok(_)) | (_, Err(Errno::NOENT | Errno::NOTDIR)) => self.root_gone(),
            // An ancestor may not be searched just now; the descriptor still serves.
            _ => {}
        }
    }

    fn root_gone(&mut self) {
        if !self.over {
            self.tell(Notice::RootGone);
            self.flush();
            self.over = true;
        }
    }

    /// Adds a notice to the batch.
    pub(super) fn tell(&mut self, notice: Notice) {
        self.batch_paths += match &notice {
            Notice::Listed { files, directories, .. } => 1 + files.len() + directories.len(),
            _ => 1,
        };
        self.batch.push(notice);
        if self.batch_paths >= BATCH_PATHS {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.batch_paths = 0;
        let batch = std::mem::take(&mut self.batch);
        if !batch.is_empty() && !self.over && (self.sink)(batch).is_break() {
            self.over = true;
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.over || self.requests.is_stopped()
    }

    pub(super) fn count_directories(&self) {
        self.tally.watched.set(self.tree.watched_count());
        self.tally.polled.set(self.tree.polled_count());
        self.tally.failing.set(self.failing.len());
    }

    pub(super) fn absolute(&self, path: &RelPath) -> PathBuf {
        if path.is_root() { self.root.path().to_owned() } else { self.root.path().join(path.as_str()) }
    }
}
