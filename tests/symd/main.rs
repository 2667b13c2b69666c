//! Tests that drive the real program, all in one binary. No sleeps: they wait for answers, for processes to
//! end, for files' locks.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "tests, their helpers included"
)]

mod cache;
mod edit_agent;
mod edit_crash;
mod edit_daemon_kill;
mod edit_hostile;
mod edit_kill;
mod edit_refusals;
mod edit_support;
mod edit_texts;
mod edit_tools;
mod edit_undo;
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
mod rename_lies;
mod rename_real;
mod rename_stage;
mod rename_syntax;
mod rename_texts;
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
