//! Raw inotify: one instance for the tree and the barriers, since one instance delivers events in order. No
//! read or open events are requested. IN_MODIFY is, except for directories that flood ([`super::writes`]).

use std::collections::HashSet;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::event::{EventfdFlags, PollFd, PollFlags};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

use super::backend::{Backend, Event, Waker, WatchId, WatchRefusal, WriteReports};
use super::barrier::Barriers;
use super::quiet::Quiet;
use symd_vfs::Root;

/// Bytes read from the kernel at once: some 2,000 events, so that a burst becomes one batch.
const BUFFER_BYTES: usize = 64 << 10;

/// The inotify instance.
pub(super) struct Inotify {
    instance: Arc<OwnedFd>,
    /// Told when events are taken from the kernel.
    quiet: Option<Arc<Quiet>>,
    wake: Arc<OwnedFd>,
    barriers: Arc<Barriers>,
    barrier_watch: i32,
    /// The watch on the root's parent, which reports that the root was deleted or moved: while the root's
    /// descriptor is open, the kernel sends no IN_DELETE_SELF for it.
    parent: Option<(i32, String)>,
    through: AddWatchBy,
    /// Active watches, counted for `max_watches`.
    standing: HashSet<i32>,
    max_watches: Option<usize>,
    buffer: Box<[MaybeUninit<u8>]>,
}

/// How a directory is passed to inotify_add_watch, which takes no descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddWatchBy {
    /// `/proc/self/fd/N`: exactly the directory that was opened, whatever its name is by now.
    Proc,
    /// The absolute path, where there is no /proc; compared with the descriptor afterwards.
    Path,
}

/// The eventfd that interrupts the poll.
pub(super) struct EventWaker(Arc<OwnedFd>);

impl Waker for EventWaker {
    fn wake(&self) {
        // Fails only when the counter is full; then the thread is about to wake up anyway.
        let _ = rustix::io::write(&*self.0, &1_u64.to_ne_bytes());
    }
}

impl EventWaker {
    pub(super) fn new() -> io::Result<(EventWaker, Arc<OwnedFd>)> {
        let fd = Arc::new(rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        Ok((EventWaker(Arc::clone(&fd)), fd))
    }
}

/// Drains pending wake-up notifications.
pub(super) fn clear(wake: &OwnedFd) {
    let mut count = [0_u8; 8];
    let _ = rustix::io::read(wake, &mut count);
}

/// Returns the events requested for a directory of the tree. Its own deletion and unmounting need not be
/// requested: they end the watch, which is always reported.
fn tree_mask() -> WatchFlags {
    WatchFlags::CREATE
        | WatchFlags::CLOSE_WRITE
        | WatchFlags::MODIFY
        | WatchFlags::MOVED_FROM
        | WatchFlags::MOVED_TO
        | WatchFlags::DELETE
        | WatchFlags::MOVE_SELF
        | WatchFlags::ATTRIB
        | WatchFlags::ONLYDIR
        | WatchFlags::EXCL_UNLINK
}

impl Inotify {
    /// Opens an instance that watches the directory of the barriers and the name of `root` in its parent.
    pub(super) fn new(
        root: &Root,
        barriers: Arc<Barriers>,
        wake: Arc<OwnedFd>,
        max_watches: Option<usize>,
    ) -> io::Result<Inotify> {
        let instance = Arc::new(inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?);
        let quiet = Quiet::new(Arc::clone(&instance), Arc::clone(&barriers), root).map(Arc::new);
        let files = barriers.files().ok_or(Errno::INVAL)?;
        let by_proc = proc_path(files.directory().as_fd());
        let mask = WatchFlags::CREATE | WatchFlags::ONLYDIR;
        let (through, barrier_watch) = match inotify::add_watch(&instance, &by_proc, mask) {
            Ok(watch) => (AddWatchBy::Proc, watch),
            Err(Errno::NOENT) => (AddWatchBy::Path, inotify::add_watch(&instance, files.path(), mask)?),
            Err(other) => return Err(other.into()),
        };
        let mask = WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::ONLYDIR;
        let parent = root.path().parent().zip(root.path().file_name().and_then(|name| name.to_str()));
        // Without this watch (the parent may be unreadable) a barrier still detects that the root is gone.
        let parent = parent.and_then(|(parent, name)| {
            Some((inotify::add_watch(&instance, parent, mask).ok()?, name.to_owned()))
        });
        Ok(Inotify {
            instance,
            quiet,
            wake,
            barriers,
            barrier_watch,
            parent,
            through,
            standing: HashSet::new(),
            max_watches,
            buffer: vec![MaybeUninit::uninit(); BUFFER_BYTES].into_boxed_slice(),
        })
    }

    /// Returns what tells whether all events have been handled.
    pub(super) fn quiet(&self) -> Option<Arc<Quiet>> {
        self.quiet.clone()
    }

    fn read(&mut self, events: &mut Vec<Event>) -> io::Result<()> {
        if let Some(quiet) = &self.quiet {
            quiet.begin();
        }
        let mut reader = inotify::Reader::new(&*self.instance, &mut self.buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => continue,
                Err(other) => return Err(other.into()),
            };
            let (watch, mask) = (event.wd(), event.events());
            let name = event.file_name().map(std::ffi::CStr::to_str);
            if mask.contains(ReadFlags::QUEUE_OVERFLOW) {
                events.push(Event::Overflow);
            } else if watch == self.barrier_watch {
                if let Some(Ok(name)) = name
                    && let Some(files) = self.barriers.files()
                {
                    match files.number(name) {
                        Some(number) => events.push(Event::Barrier(number, name.to_owned())),
                        None => files.remove(name),
                    }
                }
            } else if self.parent.as_ref().is_some_and(|(parent, _)| *parent == watch) {
                let root_name = self.parent.as_ref().map(|(_, root)| root.as_str());
                if matches!(name, Some(Ok(name)) if Some(name) == root_name) {
                    events.push(Event::RootMoved);
                }
            } else {
                if mask.contains(ReadFlags::IGNORED) {
                    self.standing.remove(&watch);
                }
                let watch = WatchId(watch);
                events.extend(match name {
                    // Each event of the kernel reports one kind of change.
                    Some(Ok(name)) if mask.contains(ReadFlags::MODIFY) => {
                        Some(Event::Written { watch, name: name.to_owned() })
                    }
                    Some(Ok(name)) if mask.intersects(ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO) => {
                        Some(Event::Renamed { watch, name: name.to_owned() })
                    }
                    Some(Ok(name)) => Some(Event::Entry { watch, name: name.to_owned() }),
                    Some(Err(_)) => Some(Event::Unnamed),
                    None if mask.contains(ReadFlags::ATTRIB) => Some(Event::Attributes(watch)),
                    None if mask.contains(ReadFlags::MOVE_SELF) => Some(Event::Moved(watch)),
                    None if mask.contains(ReadFlags::IGNORED) => Some(Event::Ended(watch)),
                    None => None,
                });
            }
            // One read per call: a barrier must not wait for events that came after it.
            if reader.is_buffer_empty() {
                return Ok(());
            }
        }
    }
}

fn proc_path(directory: BorrowedFd<'_>) -> String {
    format!("/proc/self/fd/{}", directory.as_raw_fd())
}

impl Backend for Inotify {
    fn watch(&mut self, directory: BorrowedFd<'_>, path: &Path) -> Result<WatchId, WatchRefusal> {
        let added = match self.through {
            AddWatchBy::Proc => inotify::add_watch(&self.instance, proc_path(directory), tree_mask()),
            AddWatchBy::Path => {
                let added = inotify::add_watch(&self.instance, path, tree_mask() | WatchFlags::DONT_FOLLOW);
                let same = |named: rustix::fs::Stat, opened: rustix::fs::Stat| {
                    (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)
                };
                match (rustix::fs::lstat(path), rustix::fs::fstat(directory)) {
                    (Ok(named), Ok(opened)) if same(named, opened) => added,
                    _ => {
                        if let Ok(astray) = added
                            && !self.standing.contains(&astray)
                        {
                            self.unwatch(WatchId(astray));
                        }
                        return Err(WatchRefusal::Vanished);
                    }
                }
            }
        };
        let watch = match added {
            Ok(watch) => watch,
            Err(Errno::NOSPC | Errno::NOMEM) => return Err(WatchRefusal::Exhausted),
            Err(Errno::NOENT | Errno::NOTDIR) => return Err(WatchRefusal::Vanished),
            Err(other) => return Err(WatchRefusal::Failed(other.into())),
        };
        if self.standing.insert(watch) && self.max_watches.is_some_and(|most| self.standing.len() > most) {
            self.unwatch(WatchId(watch));
            return Err(WatchRefusal::Exhausted);
        }
        Ok(WatchId(watch))
    }

    fn unwatch(&mut self, watch: WatchId) {
        self.standing.remove(&watch.0);
        // Fails when the directory is already gone, and its watch with it.
        let _ = inotify::remove_watch(&self.instance, watch.0);
    }

    fn set_write_reports(&mut self, watch: WatchId, directory: BorrowedFd<'_>, writes: WriteReports) {
        // The path could name another directory by now, which would then lose its IN_MODIFY.
        if self.through == AddWatchBy::Path || !self.standing.contains(&watch.0) {
            return;
        }
        let mask = match writes {
            WriteReports::On => tree_mask(),
            WriteReports::Off => tree_mask() - WatchFlags::MODIFY,
        };
        // Replaces the mask of the existing watch; its pending events are kept.
        match inotify::add_watch(&self.instance, proc_path(directory), mask) {
            Ok(found) if found != watch.0 && !self.standing.contains(&found) => {
                let _ = inotify::remove_watch(&self.instance, found);
            }
            // If the call fails, the watch keeps its mask.
            _ => {}
        }
    }

    fn wait(&mut self, events: &mut Vec<Event>) -> io::Result<()> {
        let mut ready =
            [PollFd::new(&*self.instance, PollFlags::IN), PollFd::new(&*self.wake, PollFlags::IN)];
        match rustix::event::poll(&mut ready, None) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(()),
            Err(other) => return Err(other.into()),
        }
        let (told, woken) = (!ready[0].revents().is_empty(), !ready[1].revents().is_empty());
        if woken {
            clear(&self.wake);
        }
        if told { self.read(events) } else { Ok(()) }
    }
}
