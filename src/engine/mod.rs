//! The one owner of mutable state (placeholder signatures, replaced by the engine's own commit).

use std::path::Path;

use serde::Serialize;

/// A running engine. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Engine;

/// Why an engine did not start.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The root cannot be opened.
    #[error("cannot open the project root {path}: {source}")]
    Root {
        /// Which root.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// What `symd status` shows about the index, watcher and cache.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EngineStatus {
    /// The index revision: grows with every change taken in.
    pub revision: u64,
    /// Files in the index.
    pub files: usize,
    /// Symbols in the index.
    pub symbols: usize,
}

impl Engine {
    /// Starts watching and indexing `root`; returns at once, the first crawl goes on in the background.
    pub fn start(_root: &Path, _runtime_dir: &Path, _cache_dir: &Path) -> Result<Engine, EngineError> {
        Ok(Engine)
    }

    /// A look at the engine's state, without waiting for anything.
    pub fn status(&self) -> EngineStatus {
        EngineStatus::default()
    }

    /// Waits until everything that was written before this call is in the index, the first crawl included.
    pub async fn settled(&self) -> Result<EngineStatus, EngineError> {
        Ok(EngineStatus::default())
    }

    /// Stops watching and writes what the cache has not got yet.
    pub async fn shutdown(&self) {}
}
