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
mod hostile_files;
mod layers;
mod serve_bad_input;
mod serve_cli;
mod serve_life;
mod serve_mcp;
mod serve_slow;
mod support;
mod symbol_tools;
