//! symd: one daemon per project that keeps every symbol indexed, fresh to the last finished write, and
//! answers agents, people and editors from that one state. ARCHITECTURE.md shows the layers; a module
//! uses only modules of the rows before it.

pub mod cli;
pub mod edit;
pub mod engine;
pub mod index;
pub mod install;
pub mod lsp;
pub mod ops;
pub mod parse;
#[cfg(any(test, feature = "fuzzing"))]
#[allow(clippy::unwrap_used, reason = "it is for tests")]
pub mod properties;
pub mod resolve;
pub mod serve;
pub mod syntax;
pub mod toolsets;
pub mod watch;
pub use symd_base as base;
pub use symd_config as config;
pub use symd_vfs as vfs;
