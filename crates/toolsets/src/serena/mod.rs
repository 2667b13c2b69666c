//! The serena contract: 0-based lines, JSON text with Python's separators, and error texts of its own.

pub mod answer;
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

use super::risk::plain_refusal;
use super::{ApprovalDefault, CallRefusal, RefusalReason, Toolset};
use crate::spellings::{AbsolutePaths, AcceptedSpellings, Coercion};

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
    disabled: modes::refusal,
    spells: AcceptedSpellings {
        paths: &["relative_path"],
        absolute: AbsolutePaths::Pass,
        coercion: Coercion::Pass,
        ..AcceptedSpellings::NONE
    },
    tools: &[
        symbols::GET_SYMBOLS_OVERVIEW,
        symbols::FIND_SYMBOL,
        references::FIND_REFERENCING_SYMBOLS,
        rename::RENAME_SYMBOL,
        files::LIST_DIR,
        files::FIND_FILE,
        files::READ_FILE,
        search::SEARCH_FOR_PATTERN,
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
        projects::ACTIVATE_PROJECT,
        projects::REMOVE_PROJECT,
        modes::SWITCH_MODES,
        config::GET_CURRENT_CONFIG,
        config::INITIAL_INSTRUCTIONS,
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
