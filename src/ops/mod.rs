//! What symd can do, one file per capability: typed parameters in, typed results out, no JSON.

pub mod find_file;
pub mod find_symbol;
pub mod glob;
pub mod list_dir;
pub mod outline;
pub mod read_file;
#[cfg(test)]
pub(crate) mod scratch;
pub mod search;
pub mod symbol;
pub mod tree;

use crate::engine::Engine;

/// A project that is being served: what every op works on.
#[derive(Clone, Debug)]
pub struct Project {
    /// Its engine.
    pub engine: Engine,
    /// The most characters of an answer where a contract leaves that to the configuration.
    pub max_answer_chars: usize,
}
