//! Polling only: every directory is examined when a barrier is requested. For systems and limits that leave
//! no other way.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use super::backend::{Backend, Event, WatchId, WatchRefusal};
use super::inotify::clear;

/// The backend that refuses every watch, so that every directory is polled.
pub(super) struct Poll {
    pub(super) wake: Arc<OwnedFd>,
}

impl Backend for Poll {
    fn watch(&mut self, _: BorrowedFd<'_>, _: &Path) -> Result<WatchId, WatchRefusal> {
        Err(WatchRefusal::Exhausted)
    }

    fn unwatch(&mut self, _: WatchId) {}

    fn wait(&mut self, _: &mut Vec<Event>) -> io::Result<()> {
        match rustix::event::poll(&mut [PollFd::new(&*self.wake, PollFlags::IN)], None) {
            Ok(_) | Err(Errno::INTR) => {
                clear(&self.wake);
                Ok(())
            }
            Err(other) => Err(other.into()),
        }
    }
}
