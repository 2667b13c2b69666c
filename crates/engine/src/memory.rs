//! What the daemon's memory consists of, as far as it is counted.

use super::Engine;
use symd_index::IndexMemory;
use symd_parse::WorkerMemory;
use symd_sys::memory::{self, ProcessMemory};

/// The memory of an engine; sizes in bytes. Not counted are what questions take while they run, the watcher, and what the
/// allocator keeps for the next use.
#[derive(Clone, Debug)]
pub struct EngineMemory {
    /// The whole process; `None` if the system does not say.
    pub process: Option<ProcessMemory>,
    /// The index, with what threads keep of its pieces on disk.
    pub index: IndexMemory,
    /// What of the whole the daemon means not to exceed, without pages of files.
    pub ceiling: u64,
    /// How many times it let go of something to stay below.
    pub times_let_go: u64,
    /// What parses and the texts that searches have read may take together.
    pub caches_limit: usize,
    /// Parses that are kept for the next question.
    pub parses: usize,
    /// What questions have found out about Kotlin files.
    pub kotlin_types: usize,
    /// Parses that are to be written to the disk.
    pub unwritten_parses: usize,
    /// Texts: those that editors have not saved, and while files are unread, those that searches have read.
    pub texts: usize,
    /// The processes that parse.
    pub workers: Vec<WorkerMemory>,
}

impl Engine {
    /// Returns what its memory consists of. Reads /proc, so it must not be called on the runtime's own threads.
    pub fn memory(&self) -> EngineMemory {
        let mut index = self.status.borrow().memory;
        index.outlines += symd_index::kept_piece_bytes();
        EngineMemory {
            process: memory::own(),
            index,
            ceiling: self.ceiling.bytes(),
            times_let_go: self.ceiling.times(),
            caches_limit: self.caches.budget.limit(),
            parses: self.caches.parses.memory(),
            kotlin_types: self.caches.kotlin.memory() + self.caches.operators.memory(),
            unwritten_parses: self.parsers.unwritten_parses(),
            texts: self.unsaved.memory() + self.caches.searches.memory(),
            workers: self.parsers.worker_memory(),
        }
    }
}
