//! No watching at all: every directory is polled when a barrier asks. For systems and limits that leave
//! nothing else.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use super::backend::{Backend, Event, Refused, WatchId};
use super::inotify::clear;

/// The backend that refuses every watch.
pub(super) struct Poll {
    pub(super) wake: Arc<OwnedFd>,
}

impl Backend for Poll {
    fn watch(&mut self, _: BorrowedFd<'_>, _: &Path) -> Result<WatchId, Refused> {
        Err(Refused::Exhausted)
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
