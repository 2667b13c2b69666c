//! Tests that drive the real program, all in one binary. No sleeps: they wait for answers, for processes to
//! end, for files' locks.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "tests, their helpers included"
)]

mod cache;
mod find_cli;
mod foreign_symbols;
mod hostile_files;
mod install;
mod language_table;
mod layers;
mod lsp_kills;
mod lsp_life;
mod lsp_misbehave;
mod lsp_stage;
mod real_servers;
mod reference_tools;
mod serve_bad_input;
mod serve_cli;
mod serve_life;
mod serve_mcp;
mod serve_slow;
mod server_tools;
mod servers;
mod support;
mod symbol_tools;
mod trust;
