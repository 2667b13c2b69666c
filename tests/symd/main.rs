//! Tests that drive the real program, all in one binary. No sleeps: they wait for answers, for processes to
//! end, for files' locks.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "tests, their helpers included"
)]

mod approvals;
mod approvals_cli;
mod approvals_elsewhere;
mod approvals_mcp;
mod approvals_stage;
mod approvals_word;
mod cache;
mod cli_agent;
mod code_map;
mod edit_agent;
mod edit_bodies;
mod edit_crash;
mod edit_daemon_kill;
mod edit_damage;
mod edit_delete;
mod edit_hostile;
mod edit_kill;
mod edit_oracle;
mod edit_random_calls;
mod edit_refusals;
mod edit_support;
mod edit_texts;
mod edit_tools;
mod edit_undo;
mod explore_tools;
mod fetch_tls;
mod file_tools_hostile;
mod find_cli;
mod foreign_symbols;
mod hard_links;
mod heir_doubts;
mod help_agents;
mod hostile_files;
mod hostile_units;
mod impact_tools;
mod install;
mod language_table;
mod last_words;
mod layers;
mod lsp_kills;
mod lsp_life;
mod lsp_misbehave;
mod lsp_stage;
mod names;
mod nasty_files;
mod native_listed;
mod one_daemon;
mod opened;
mod override_tools;
mod parse_workers;
mod patch_git;
mod projects;
mod real_servers;
mod reference_tools;
mod rename_family;
mod rename_following;
mod rename_lies;
mod rename_python;
mod rename_real;
mod rename_stage;
mod rename_syntax;
mod rename_texts;
mod schemas;
mod search_limits;
mod serve_bad_input;
mod serve_cli;
mod serve_life;
mod serve_mcp;
mod serve_slow;
mod server_edits;
mod server_tools;
mod servers;
mod shell_commands;
mod shell_kills;
mod shell_stage;
mod shell_terminals;
mod short_of;
mod spelled_arguments;
mod support;
mod symbol_tools;
mod tool_forms;
mod trust;
mod two_toolsets;
mod type_names;
mod unfinished_writes;
mod unread_files;
mod unsaved;
