//! The serena contract: 0-based lines, JSON text with Python's separators, and error texts of its own.

pub mod answer;
mod check;
mod config;
mod edits;
pub mod files;
pub mod json;
mod memories;
mod modes;
mod projects;
mod prompts;
mod references;
mod rename;
pub mod search;
mod servers;
mod shell;
pub mod symbols;

#[cfg(test)]
mod tests;

use std::time::Duration;

pub use modes::{MODES, Mode, Modes};

use super::connection_tools::{ConnectionTool, needs_connection};
use super::outline_questions::ask_outlined;
use super::risk::plain_refusal;
use super::{ApprovalDefault, Call, CallRefusal, RefusalReason, ReplyFuture, Tool, Toolset, ask, ask_long};
use crate::spellings::{AbsolutePaths, AcceptedSpellings, Coercion};
use symd_ops::server_outlines::OutlineWait;
use symd_ops::view_tree::ViewTree;

/// How long to wait for language servers that must outline files: the contract has no term for "not yet".
const PATIENCE: OutlineWait = OutlineWait::Long(Duration::from_secs(60));

/// Serena's tools as of 25 December 2025.
pub static SERENA: Toolset = Toolset {
    name: "serena",
    instructions: "These are Serena's tools, answered by symd: line numbers are 0-based, paths are relative to the \
        project root. Prefer get_symbols_overview and find_symbol to reading whole files; every answer reflects every \
        file change that was finished before the call. initial_instructions says more.",
    asks_for: ApprovalDefault::BeyondProject,
    refuse: |not_run| match not_run.why {
        RefusalReason::NoProject => plain_refusal(&CallRefusal {
            message: format!(
                "No active project. {}; or call activate_project with the name or path of a registered project",
                not_run.message
            ),
            ..not_run.clone()
        }),
        _ => plain_refusal(not_run),
    },
    check: check::check,
    spells: AcceptedSpellings {
        paths: &["relative_path"],
        absolute: AbsolutePaths::Pass,
        coercion: Coercion::Pass,
        ..AcceptedSpellings::NONE
    },
    tools: &[
        Tool::read_only(
            "get_symbols_overview",
            "Symbols overview",
            symbols::OVERVIEW_DESCRIPTION,
            symbols::overview_schema,
            get_symbols_overview,
        ),
        Tool::read_only(
            "find_symbol",
            "Find symbol",
            symbols::FIND_DESCRIPTION,
            symbols::find_schema,
            find_symbol,
        ),
        Tool::read_only(
            "find_referencing_symbols",
            "Find references",
            references::DESCRIPTION,
            references::references_schema,
            references::find_referencing_symbols,
        ),
        rename::RENAME_SYMBOL,
        Tool::read_only("list_dir", "List directory", files::LIST_DIR, files::list_dir_schema, list_dir),
        Tool::read_only("find_file", "Find file", files::FIND_FILE, files::find_file_schema, find_file),
        Tool::read_only("read_file", "Read file", files::READ_FILE, files::read_file_schema, read_file),
        Tool::read_only(
            "search_for_pattern",
            "Search for pattern",
            search::SEARCH_FOR_PATTERN,
            search::search_for_pattern_schema,
            search_for_pattern,
        ),
        edits::CREATE_TEXT_FILE,
        edits::REPLACE_CONTENT,
        edits::DELETE_LINES,
        edits::REPLACE_LINES,
        edits::INSERT_AT_LINE,
        edits::REPLACE_SYMBOL_BODY,
        edits::INSERT_AFTER_SYMBOL,
        edits::INSERT_BEFORE_SYMBOL,
        memories::WRITE_MEMORY,
        memories::READ_MEMORY,
        memories::LIST_MEMORIES,
        memories::DELETE_MEMORY,
        memories::RENAME_MEMORY,
        memories::EDIT_MEMORY,
        Tool::read_only(
            "activate_project",
            "Activate project",
            projects::ACTIVATE_PROJECT,
            projects::activate_project_schema,
            needs_connection,
        ),
        Tool::changing(
            "remove_project",
            "Remove project",
            projects::REMOVE_PROJECT,
            projects::remove_project_schema,
            needs_connection,
        ),
        Tool::read_only(
            "switch_modes",
            "Switch modes",
            modes::SWITCH_MODES,
            modes::switch_modes_schema,
            needs_connection,
        ),
        Tool::read_only(
            "get_current_config",
            "Current configuration",
            config::GET_CURRENT_CONFIG,
            prompts::no_parameters,
            needs_connection,
        ),
        Tool::read_only(
            "initial_instructions",
            "Initial instructions",
            config::INITIAL_INSTRUCTIONS,
            prompts::no_parameters,
            needs_connection,
        ),
        prompts::CHECK_ONBOARDING_PERFORMED,
        prompts::ONBOARDING,
        prompts::THINK_ABOUT_COLLECTED_INFORMATION,
        prompts::THINK_ABOUT_TASK_ADHERENCE,
        prompts::THINK_ABOUT_WHETHER_YOU_ARE_DONE,
        prompts::PREPARE_FOR_NEW_CONVERSATION,
        prompts::SUMMARIZE_CHANGES,
        servers::RESTART_LANGUAGE_SERVER,
        shell::EXECUTE_SHELL_COMMAND,
    ],
};

/// The connection tools among them, which also run without a project.
pub(super) const ABOUT_CONNECTION: [(&str, ConnectionTool); 5] = [
    ("activate_project", projects::activate_project),
    ("remove_project", projects::remove_project),
    ("switch_modes", modes::switch_modes),
    ("get_current_config", config::get_current_config),
    ("initial_instructions", config::initial_instructions),
];

fn get_symbols_overview(call: Call<'_>) -> ReplyFuture<'_> {
    let chars = call.project.max_answer_chars;
    ask_outlined(call, PATIENCE, move |view, arguments, _, gaps| {
        symbols::get_symbols_overview(view, arguments, chars, gaps)
    })
}

fn find_symbol(call: Call<'_>) -> ReplyFuture<'_> {
    let chars = call.project.max_answer_chars;
    ask_outlined(call, PATIENCE, move |view, arguments, cancel, gaps| {
        symbols::find(view, arguments, chars, cancel, gaps)
    })
}

fn list_dir(call: Call<'_>) -> ReplyFuture<'_> {
    let chars = call.project.max_answer_chars;
    ask(call, move |view, arguments, cancel| {
        view.tree(|tree| files::run_list_dir(tree, arguments, chars, cancel))
    })
}

fn find_file(call: Call<'_>) -> ReplyFuture<'_> {
    let chars = call.project.max_answer_chars;
    ask(call, move |view, arguments, cancel| {
        view.tree(|tree| files::run_find_file(tree, arguments, chars, cancel))
    })
}

fn read_file(call: Call<'_>) -> ReplyFuture<'_> {
    let chars = call.project.max_answer_chars;
    ask(call, move |view, arguments, _| view.tree(|tree| files::run_read_file(tree, arguments, chars)))
}

fn search_for_pattern(call: Call<'_>) -> ReplyFuture<'_> {
    let chars = call.project.max_answer_chars;
    ask_long(call, move |view, arguments, cancel| {
        view.tree(|tree| search::run_search_for_pattern(tree, arguments, chars, cancel))
    })
}
