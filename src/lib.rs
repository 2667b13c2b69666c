//! symd: one daemon per project that keeps every symbol indexed, up to date with the last finished write, and
//! answers agents, people and editors from that one state. ARCHITECTURE.md shows the layers, each a crate in
//! `crates/` that uses only crates of the rows before its own; this crate re-exports them without their
//! prefix.

pub mod cli;
#[cfg(any(test, feature = "fuzzing"))]
#[allow(clippy::unwrap_used, reason = "it is for tests")]
pub mod properties;

pub use symd_base as base;
pub use symd_config as config;
pub use symd_docsearch as docsearch;
pub use symd_edit as edit;
pub use symd_engine as engine;
pub use symd_fetch as fetch;
pub use symd_files as files;
pub use symd_git as git;
pub use symd_ide as ide;
pub use symd_index as index;
pub use symd_install as install;
pub use symd_knowledge as knowledge;
pub use symd_lsp as lsp;
pub use symd_ops as ops;
pub use symd_parse as parse;
pub use symd_resolve as resolve;
pub use symd_rewrite as rewrite;
pub use symd_rpc as rpc;
pub use symd_serve as serve;
pub use symd_shell as shell;
pub use symd_syntax as syntax;
pub use symd_sys as sys;
pub use symd_toolsets as toolsets;
pub use symd_types as types;
pub use symd_vfs as vfs;
pub use symd_watch as watch;
