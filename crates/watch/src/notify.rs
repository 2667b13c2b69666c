//! The `notify` crate as a backend, for systems without inotify: slower, since events pass through another
//! thread and name paths instead of directories. Every directory gets a watch of its own; the crate's own
//! recursion loses what is created just after a directory. Kept working on Linux, where it is tested.

use std::collections::HashMap;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use ::notify::event::{AccessKind, AccessMode, EventKind, ModifyKind, RenameMode};
use ::notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::backend::{Backend, Event, Waker, WatchId, WatchRefusal};
use super::barrier::Barriers;

/// Capacity of the event queue between the two threads. When it is full, events are dropped and count as an
/// overflow: notify's thread must not wait for ours, which may be waiting for it.
const QUEUE: usize = 16_384;

/// A watcher of the `notify` crate and the directories that it watches.
pub(super) struct Notify {
    watcher: RecommendedWatcher,
    queue: Receiver<Message>,
    lost: Arc<AtomicBool>,
    barriers: Arc<Barriers>,
    root: PathBuf,
    next: i32,
    by_path: HashMap<PathBuf, ActiveWatch>,
    paths: HashMap<WatchId, PathBuf>,
}

/// One active watch.
struct ActiveWatch {
    watch: WatchId,
    /// Device and inode.
    identity: (u64, u64),
    /// Whether its directory was removed or renamed since: the watch may belong to another one.
    doubtful: bool,
}

enum Message {
    Told(::notify::Event),
    Wake,
}

/// Wakes the watch thread by a message in the queue.
pub(super) struct QueueWaker(SyncSender<Message>);

impl Waker for QueueWaker {
    fn wake(&self) {
        // When the queue is full, the thread has something to wake up for already.
        let _ = self.0.try_send(Message::Wake);
    }
}

impl Notify {
    /// Starts notify's thread, which watches the directory of the barriers.
    pub(super) fn new(root: &Path, barriers: Arc<Barriers>) -> io::Result<(Notify, QueueWaker)> {
        let (send, queue) = sync_channel(QUEUE);
        let lost = Arc::new(AtomicBool::new(false));
        let (told, losing) = (send.clone(), Arc::clone(&lost));
        let handler = move |event: ::notify::Result<::notify::Event>| {
            let sent = match event {
                Ok(event) => told.try_send(Message::Told(event)),
                Err(_) => {
                    losing.store(true, Ordering::Release);
                    told.try_send(Message::Wake)
                }
            };
            if let Err(TrySendError::Full(_)) = sent {
                losing.store(true, Ordering::Release);
            }
        };
        let mut watcher = ::notify::recommended_watcher(handler).map_err(io::Error::other)?;
        if let Some(files) = barriers.files() {
            watcher.watch(files.path(), RecursiveMode::NonRecursive).map_err(io::Error::other)?;
        }
        let notify = Notify {
            watcher,
            queue,
            lost,
            barriers,
            root: root.to_owned(),
            next: 0,
            by_path: HashMap::new(),
            paths: HashMap::new(),
        };
        Ok((notify, QueueWaker(send)))
    }

    fn take(&mut self, told: &::notify::Event, events: &mut Vec<Event>) {
        if told.need_rescan() {
            events.push(Event::Overflow);
        }
        match told.kind {
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => {
                for path in &told.paths {
                    self.doubt(path);
                }
            }
            EventKind::Access(AccessKind::Close(AccessMode::Write))
            | EventKind::Create(_)
            | EventKind::Modify(_)
            | EventKind::Any => {}
            EventKind::Access(_) | EventKind::Other => return,
        }
        // On Linux, both names of a rename have been reported separately before.
        if told.kind == EventKind::Modify(ModifyKind::Name(RenameMode::Both)) && cfg!(target_os = "linux") {
            return;
        }
        // The file was written to and is not closed yet. Other systems do not report the close, so there this
        // event stands in for it.
        let is_open =
            matches!(told.kind, EventKind::Modify(ModifyKind::Data(_))) && cfg!(target_os = "linux");
        for path in &told.paths {
            if *path == self.root {
                events.push(Event::RootMoved);
                events.extend(self.by_path.get(path).map(|standing| Event::Attributes(standing.watch)));
                continue;
            }
            let Some(directory) = path.parent() else { continue };
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
                events.push(Event::Unnamed);
                continue;
            };
            if let Some(files) = self.barriers.files()
                && files.path() == directory
            {
                if let (EventKind::Create(_), Some(number)) = (told.kind, files.number(name)) {
                    events.push(Event::Barrier(number, name.to_owned()));
                }
            } else if let Some(standing) = self.by_path.get(directory) {
                let (watch, name) = (standing.watch, name.to_owned());
                events.push(match told.kind {
                    _ if is_open => Event::Written { watch, name },
                    EventKind::Modify(ModifyKind::Name(_)) => Event::Renamed { watch, name },
                    _ => Event::Entry { watch, name },
                });
            }
        }
    }

    fn doubt(&mut self, moved: &Path) {
        if self.by_path.contains_key(moved) {
            for (path, standing) in &mut self.by_path {
                standing.doubtful |= path.starts_with(moved);
            }
        }
    }
}

impl Backend for Notify {
    fn watch(&mut self, directory: BorrowedFd<'_>, path: &Path) -> Result<WatchId, WatchRefusal> {
        let identity = rustix::fs::fstat(directory).map(|raw| (raw.st_dev, raw.st_ino));
        let identity = identity.map_err(|errno| WatchRefusal::Failed(errno.into()))?;
        if let Some(standing) = self.by_path.get(path) {
            if !standing.doubtful && standing.identity == identity {
                return Ok(standing.watch);
            }
            self.unwatch(standing.watch);
        }
        if let Err(error) = self.watcher.watch(path, RecursiveMode::NonRecursive) {
            return Err(match error.kind {
                ::notify::ErrorKind::MaxFilesWatch => WatchRefusal::Exhausted,
                ::notify::ErrorKind::PathNotFound => WatchRefusal::Vanished,
                ::notify::ErrorKind::Io(source) if source.kind() == io::ErrorKind::NotFound => {
                    WatchRefusal::Vanished
                }
                _ => WatchRefusal::Failed(io::Error::other(error)),
            });
        }
        self.next += 1;
        let watch = WatchId(self.next);
        // The path may name another directory by now than the one opened; in that case an event about it
        // follows.
        self.by_path.insert(path.to_owned(), ActiveWatch { watch, identity, doubtful: false });
        self.paths.insert(watch, path.to_owned());
        Ok(watch)
    }

    fn unwatch(&mut self, watch: WatchId) {
        // Another watch may have this path by now.
        if let Some(path) = self.paths.remove(&watch)
            && self.by_path.get(&path).is_some_and(|standing| standing.watch == watch)
        {
            self.by_path.remove(&path);
            let _ = self.watcher.unwatch(&path);
        }
    }

    fn wait(&mut self, events: &mut Vec<Event>) -> io::Result<()> {
        // Does not fail: the watcher, which holds the other end, lives as long as `self`.
        let first = self.queue.recv().map_err(io::Error::other)?;
        let more: Vec<Message> = self.queue.try_iter().take(QUEUE).collect();
        for message in std::iter::once(first).chain(more) {
            if let Message::Told(told) = message {
                self.take(&told, events);
            }
        }
        if self.lost.swap(false, Ordering::AcqRel) {
            events.push(Event::Overflow);
        }
        Ok(())
    }
}
