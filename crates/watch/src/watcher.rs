//! The watch thread: the only owner of the backend and of the known tree. Events say where to look; notices
//! report what is found there. Invariant: notices are sent in an order in which each was true when it was
//! sent, and a barrier is sent after everything that it waited for.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};

use super::Notice;
use super::backend::{Backend, Event, WatchId};
use super::barrier::Barriers;
use super::counters::AtomicCounters;
use super::crawl::Visit;
use super::quiet::Quiet;
use super::sweep::Snapshot;
use super::tree::{Tree, WatchPurpose};
use super::writes::Written;
use symd_base::RelPath;
use symd_vfs::{EntryKind, Ignore, Root, TEMPORARY_PREFIX, VfsError};

/// Paths in one batch: enough to make the transfer cheap, few enough that parsing starts at once.
const BATCH_PATHS: usize = 1_000;
/// Limit of pending requests for rescans; beyond it, everything is rescanned instead.
const MAX_RESCANS: usize = 256;

/// Receiver of the notices. It may block; then events accumulate in the kernel, and an overflow leads to a
/// rescan.
pub(super) type Sink = Box<dyn FnMut(Vec<Notice>) -> ControlFlow<()> + Send>;

/// Requests of other threads to the watch thread.
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

    pub(super) fn has_rescans(&self) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).rescans.is_empty()
    }

    fn is_stopped(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).stop
    }

    pub(super) fn take_rescans(&self) -> BTreeSet<RelPath> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).rescans)
    }
}

/// State of the watch thread.
pub(super) struct Watcher {
    pub(super) root: Arc<Root>,
    pub(super) ignore: Arc<Ignore>,
    /// Locked while directories are opened on several threads.
    pub(super) backend: Mutex<Box<dyn Backend>>,
    pub(super) tree: Tree,
    pub(super) tally: Arc<AtomicCounters>,
    /// Directories that could not be read for a reason that may pass without an event.
    pub(super) failing: BTreeSet<RelPath>,
    /// Directories and names of entries that changed and could not be examined.
    unexamined: BTreeSet<(RelPath, String)>,
    /// Writes to report before the next barrier.
    pub(super) written: Written,
    barriers: Arc<Barriers>,
    requests: Arc<Requests>,
    sink: Sink,
    batch: Vec<Notice>,
    batch_paths: usize,
    /// Directories to be listed again with everything beneath them, before the next barrier.
    pub(super) due: BTreeSet<RelPath>,
    /// Whether the sink has ended the thread, or the root is gone.
    over: bool,
    /// Told when everything that was read from the system has been reported.
    quiet: Option<Arc<Quiet>>,
    /// Whether the states of files are told with the listing of a new directory.
    pub(super) takes_states: bool,
}

impl Watcher {
    pub(super) fn new(
        (root, ignore): (Arc<Root>, Arc<Ignore>),
        backend: Box<dyn Backend>,
        (barriers, requests, tally): (Arc<Barriers>, Arc<Requests>, Arc<AtomicCounters>),
        sink: Sink,
    ) -> Watcher {
        Watcher {
            root,
            ignore,
            backend: Mutex::new(backend),
            tree: Tree::default(),
            tally,
            failing: BTreeSet::new(),
            unexamined: BTreeSet::new(),
            written: Written::default(),
            barriers,
            requests,
            sink,
            batch: Vec::new(),
            batch_paths: 0,
            due: BTreeSet::new(),
            over: false,
            quiet: None,
            takes_states: false,
        }
    }

    /// Returns the watcher, set to tell `quiet` when it has nothing in hand.
    pub(super) fn telling(self, quiet: Option<Arc<Quiet>>) -> Watcher {
        Watcher { quiet, ..self }
    }

    /// Returns the watcher, set to tell the states of files during the first crawl.
    pub(super) fn taking_states(self, takes_states: bool) -> Watcher {
        Watcher { takes_states, ..self }
    }

    /// Crawls, then follows events until the thread is stopped, the sink ends it, or the root is gone.
    pub(super) fn run(&mut self) {
        self.crawl(&RelPath::root(), Visit::Anyway, Visit::Anyway);
        self.takes_states = false;
        self.report(Notice::Crawled);
        self.flush();
        self.tell_quiet();
        let mut events = Vec::new();
        while !self.is_over() {
            if let Err(error) = self.backend().wait(&mut events) {
                tracing::error!(%error, "the watcher failed; the project is no longer watched");
                self.root_gone();
                return;
            }
            self.tally.events.add(events.len());
            // One sweep serves all barriers read together: each was requested before it.
            let mut swept = false;
            for event in events.drain(..) {
                if self.over {
                    return;
                }
                self.handle(event, &mut swept);
            }
            self.due.append(&mut self.requests.take_rescans());
            self.rescan_due();
            if self.barriers.files().is_none() {
                for number in self.barriers.take_all() {
                    self.handle_barrier(number, &mut swept);
                }
            }
            self.flush();
            self.tell_quiet();
        }
    }

    /// Tells that everything in hand has been reported, and whether something is left that only a barrier examines.
    fn tell_quiet(&mut self) {
        let is_settled = self.written.is_settled()
            && self.unexamined.is_empty()
            && self.failing.is_empty()
            && self.due.is_empty()
            && self.tree.polled_count() == 0
            && !self.over;
        if let Some(quiet) = &self.quiet {
            quiet.end(is_settled);
        }
    }

    fn handle(&mut self, event: Event, swept: &mut bool) {
        match event {
            Event::Written { watch, name } => self.note_written(watch, name),
            Event::Entry { watch, name } => self.examine_all_places(watch, &name, Visit::IfNew),
            // A directory that has its name again is one that is known already; listing it again is the only
            // way to re-read files in it that were missed meanwhile, or read from the directory that had its
            // name.
            Event::Renamed { watch, name } => self.examine_all_places(watch, &name, Visit::Anyway),
            Event::Attributes(watch) => {
                // For any other directory, this is an event of its parent too.
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
                for place in self.tree.remove_watch(watch) {
                    let WatchPurpose::Directory(path) = place else { continue };
                    match path.parent() {
                        None => self.root_gone(),
                        Some(parent) => self.examine(&parent, path.file_name()),
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
                self.handle_barrier(number, swept);
                if let Some(files) = self.barriers.files() {
                    files.remove(&file);
                }
            }
        }
    }

    /// Examines `name` in every place of `watch`.
    fn examine_all_places(&mut self, watch: WatchId, name: &str, known: Visit) {
        self.written.forget(watch, name);
        for place in self.tree.places(watch) {
            match place {
                WatchPurpose::Directory(directory) => self.examine_with(&directory, name, known),
                WatchPurpose::GitInfo(work_tree) if name == "exclude" || name == "info" => {
                    self.due.insert(work_tree);
                }
                WatchPurpose::GitInfo(_) => {}
            }
        }
    }

    /// Reports what `name` in `directory` is now.
    pub(super) fn examine(&mut self, directory: &RelPath, name: &str) {
        self.examine_with(directory, name, Visit::IfNew);
    }

    /// Like [`Watcher::examine`]; `known_directory` says what happens to a directory that is known already.
    fn examine_with(&mut self, directory: &RelPath, name: &str, known_directory: Visit) {
        // Staged by an edit: usually gone already, and not part of the project.
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
        let left_out = |kind| self.ignore.ignores(&rules, &path, kind);
        match found {
            Ok(EntryKind::Directory) if !left_out(EntryKind::Directory) => {
                self.crawl(&path, known_directory, known_directory);
            }
            Ok(EntryKind::File) => {
                let left_out = left_out(EntryKind::File);
                // A directory that could not be read may have been here: the next sweep must not try it
                // again.
                if self.tree.contains(&path) || self.failing.contains(&path) {
                    self.leave(&path);
                    self.report(Notice::Removed(path.clone()));
                }
                if !left_out && self.batch.last() != Some(&Notice::Changed(path.clone())) {
                    self.report(Notice::Changed(path));
                }
            }
            // The directory cannot be searched at present: the reader of the file will find out.
            Err(VfsError::Io { source, .. }) if !left_out(EntryKind::File) => {
                // A change of permissions is an event; descriptors becoming available again is not.
                if source.kind() != std::io::ErrorKind::PermissionDenied {
                    self.unexamined.insert((directory.clone(), name.to_owned()));
                }
                self.report(Notice::Changed(path));
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
        self.report(Notice::Removed(path.clone()));
    }

    /// Removes the watches and rules of `directory` and everything beneath it.
    pub(super) fn leave(&mut self, directory: &RelPath) {
        for watch in self.tree.remove(directory) {
            self.backend().unwatch(watch);
        }
        self.ignore.forget(directory);
        self.failing.retain(|path| !path.is_within(directory));
        self.count_directories();
    }

    /// Handles a barrier: reports what can be found only by examination, then the barrier.
    fn handle_barrier(&mut self, number: u64, swept: &mut bool) {
        if !self.barriers.complete(number) && self.barriers.files().is_some() {
            return;
        }
        self.tell_written();
        self.rescan_due();
        if !*swept {
            *swept = true;
            self.sweep();
            self.rescan_due();
            self.check_root();
        }
        if self.over {
            return;
        }
        self.tally.barriers.one();
        self.report(Notice::Barrier(number));
        self.flush();
    }

    /// Handles lost events: lists everything again. The barriers since may be lost too and are reissued.
    fn recover(&mut self) {
        // The listings report everything written until now, and their watches report every write again.
        self.written = Written::default();
        self.due.insert(RelPath::root());
        self.rescan_due();
        let without_file = self.barriers.reissue();
        if !without_file.is_empty() {
            // No event will come for these. They were requested before the rescan that begins now.
            self.due.insert(RelPath::root());
            self.rescan_due();
            without_file.into_iter().for_each(|number| self.report(Notice::Barrier(number)));
        }
        self.flush();
    }

    /// Lists the directories that are due.
    fn rescan_due(&mut self) {
        // Rescanning may add directories, but only beneath those that it rescans.
        while let Some(directory) = self.due.pop_first() {
            self.due.retain(|other| !other.is_within(&directory));
            if directory.is_root() || self.tree.contains(&directory) {
                self.tally.rescans.one();
                self.crawl(&directory, Visit::Anyway, Visit::Anyway);
            }
        }
    }

    /// Examines everything that sends no events.
    fn sweep(&mut self) {
        for (directory, name) in std::mem::take(&mut self.unexamined) {
            self.examine(&directory, &name);
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
            let listed = self.root.open_directory_no_follow(&path).and_then(|directory| {
                let (entries, _) = self.root.list_opened(&path, &directory)?;
                Ok(Snapshot::take(directory.as_fd(), &entries))
            });
            let Ok(now) = listed else {
                self.crawl(&path, Visit::IfNew, Visit::IfNew);
                continue;
            };
            let changed = self.tree.replace_snapshot(&path, now);
            for name in changed {
                self.examine_with(&path, &name, Visit::Anyway);
            }
        }
    }

    /// Checks that the root's path still leads to the open directory, and ends the watch if not.
    fn check_root(&mut self) {
        use rustix::io::Errno;
        let ours = rustix::fs::fstat(self.root.as_fd());
        match (ours, rustix::fs::lstat(self.root.path())) {
            (Ok(ours), Ok(named)) if (ours.st_dev, ours.st_ino) == (named.st_dev, named.st_ino) => {}
            (Ok(_), Ok(_)) | (_, Err(Errno::NOENT | Errno::NOTDIR)) => self.root_gone(),
            // An ancestor may not be searchable at present; the descriptor still works.
            _ => {}
        }
    }

    fn root_gone(&mut self) {
        if !self.over {
            self.report(Notice::RootGone);
            self.flush();
            self.over = true;
        }
    }

    /// Adds a notice to the batch.
    pub(super) fn report(&mut self, notice: Notice) {
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

    pub(super) fn backend(&mut self) -> &mut dyn Backend {
        self.backend.get_mut().unwrap_or_else(PoisonError::into_inner).as_mut()
    }
}
