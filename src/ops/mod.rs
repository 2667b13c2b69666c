//! What symd can do, one file per capability: typed parameters in, typed results out, no JSON.

/// A project that is being served: what every op works on.
#[derive(Debug)]
pub struct Project {
    /// Placeholder until the engine lands.
    pub engine: crate::engine::Engine,
}
