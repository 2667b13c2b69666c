//! Which workers live, busy ones included: for status. Does not end any.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::Pid;
use symd_sys::processes;

/// The workers that live, in the order of their starts. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct LivingWorkers(Arc<Mutex<Vec<Pid>>>);

/// The memory of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerMemory {
    /// The id of its process.
    pub pid: i32,
    /// Its resident memory in bytes.
    pub resident_bytes: u64,
}

/// Counts a worker as living until dropped.
#[derive(Debug)]
pub(super) struct LivingWorker(LivingWorkers, Pid);

impl LivingWorkers {
    pub(super) fn add(&self, pid: Pid) -> LivingWorker {
        self.lock().push(pid);
        LivingWorker(self.clone(), pid)
    }

    /// Returns the memory of each.
    pub(super) fn memory(&self) -> Vec<WorkerMemory> {
        let living = self.lock().clone();
        let memory = |pid: &Pid| {
            let resident_bytes = processes::by_pid(*pid)?.resident_bytes();
            Some(WorkerMemory { pid: pid.as_raw_nonzero().get(), resident_bytes })
        };
        living.iter().filter_map(memory).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Pid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LivingWorker {
    fn drop(&mut self) {
        self.0.lock().retain(|pid| *pid != self.1);
    }
}
