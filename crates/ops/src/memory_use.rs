//! Where the memory of a daemon, and of the processes that it runs, is.

use super::Project;
use symd_engine::EngineMemory;
use symd_lsp::ServerStatus;

/// The memory that serving a project takes.
#[derive(Clone, Debug)]
pub struct MemoryUse {
    pub engine: EngineMemory,
    /// The vectors of past solutions, in bytes; `None` while they are in use.
    pub vectors: Option<usize>,
    /// The resident memory of all language servers, in bytes.
    pub servers: u64,
}

impl Project {
    /// Returns where its memory is; `servers` is what [`Project::server_status`] has returned. Reads /proc, so it must not
    /// be called on the runtime's own threads.
    pub fn memory_use(&self, servers: &[ServerStatus]) -> MemoryUse {
        MemoryUse {
            engine: self.engine.memory(),
            vectors: self.solutions.store().memory(),
            servers: servers.iter().filter_map(|server| server.memory_bytes).sum(),
        }
    }
}
