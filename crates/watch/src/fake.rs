//! A watcher without a thread or a file system, for tests of code that consumes notices: the test determines
//! which notices come, in which order, and when a barrier arrives, or that it never does. Not behind a
//! feature, since it is used by another crate's tests: cargo would build every crate above twice for it.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::backend::Waker;
use super::barrier::Barriers;
use super::counters::AtomicCounters;
use super::watcher::{Requests, Sink};
use super::{Notice, Watch};
use symd_base::RelPath;

/// The test's end of a fake watcher. Requested barriers are held until the test releases them.
pub struct FakeHandle {
    barriers: Arc<Barriers>,
    requests: Arc<Requests>,
    bell: Arc<RequestSignal>,
    sink: Mutex<Sink>,
}

/// Signals that something was requested.
#[derive(Default)]
struct RequestSignal {
    rung: Mutex<bool>,
    ringing: Condvar,
}

impl Waker for Arc<RequestSignal> {
    fn wake(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.ringing.notify_all();
    }
}

impl Watch {
    /// Creates a watcher that does nothing by itself.
    pub fn fake(sink: impl FnMut(Vec<Notice>) -> ControlFlow<()> + Send + 'static) -> (Watch, FakeHandle) {
        let (barriers, requests) = (Arc::new(Barriers::new(None)), Arc::new(Requests::default()));
        let bell = Arc::new(RequestSignal::default());
        let handle = FakeHandle {
            barriers: Arc::clone(&barriers),
            requests: Arc::clone(&requests),
            bell: Arc::clone(&bell),
            sink: Mutex::new(Box::new(sink)),
        };
        let watch = Watch {
            barriers,
            requests,
            tally: Arc::new(AtomicCounters::default()),
            waker: Box::new(bell),
            quiet: None,
            ended: Arc::new(AtomicBool::new(false)),
            thread: None,
        };
        (watch, handle)
    }
}

impl FakeHandle {
    /// Passes `notices` to the sink as one batch, on the calling thread.
    pub fn tell(&self, notices: Vec<Notice>) -> ControlFlow<()> {
        (self.sink.lock().unwrap_or_else(PoisonError::into_inner))(notices)
    }

    /// Returns the barriers requested since the last call, if any.
    pub fn take_asked(&self) -> Vec<u64> {
        self.barriers.take_all()
    }

    /// Waits until at least one barrier has been requested and returns all requested so far, in order. Panics
    /// when none is requested within `deadline`.
    pub fn asked(&self, deadline: Duration) -> Vec<u64> {
        loop {
            let numbers = self.barriers.take_all();
            if !numbers.is_empty() {
                return numbers;
            }
            let rung = self.bell.rung.lock().unwrap_or_else(PoisonError::into_inner);
            let (mut rung, late) = self
                .bell
                .ringing
                .wait_timeout_while(rung, deadline, |rung| !*rung)
                .unwrap_or_else(PoisonError::into_inner);
            assert!(!late.timed_out(), "no barrier was asked for");
            *rung = false;
        }
    }

    /// Lets the barriers requested so far, or else the next ones, arrive in order.
    pub fn arrive(&self, deadline: Duration) -> ControlFlow<()> {
        self.tell(self.asked(deadline).into_iter().map(Notice::Barrier).collect())
    }

    /// Returns the rescans requested since the last call.
    pub fn rescans(&self) -> Vec<RelPath> {
        self.requests.take_rescans().into_iter().collect()
    }
}
