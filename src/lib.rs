//! symd: one daemon per project that keeps every symbol indexed, fresh to the last finished write, and
//! answers agents, people and editors from that one state. ARCHITECTURE.md shows the layers; a module
//! uses only modules of the rows before it.

pub mod cli;
pub mod ops;
#[cfg(any(test, feature = "fuzzing"))]
#[allow(clippy::unwrap_used, reason = "it is for tests")]
pub mod properties;
pub mod serve;
pub mod toolsets;
pub use symd_base as base;
pub use symd_config as config;
pub use symd_edit as edit;
pub use symd_engine as engine;
pub use symd_index as index;
pub use symd_install as install;
pub use symd_lsp as lsp;
pub use symd_parse as parse;
pub use symd_resolve as resolve;
pub use symd_syntax as syntax;
pub use symd_vfs as vfs;
pub use symd_watch as watch;
