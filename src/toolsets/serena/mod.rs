//! The serena contract: 0-based lines, JSON text with Python's separators, its own error texts.

pub mod answer;
mod edits;
pub mod files;
pub mod json;
mod references;
mod rename;
pub mod search;
pub mod symbols;

#[cfg(test)]
mod tests;

use std::time::Duration;

use super::outlined::ask_outlined;
use super::risk::plain_refusal;
use super::{AsksFor, Call, Running, Tool, Toolset, ask};
use crate::ops::server_outlines::Patience;

/// How long language servers are waited for that must outline files: the contract has no word for "not yet".
const PATIENCE: Patience = Patience::Long(Duration::from_secs(60));

/// Serena's tools as of 25 December 2025, as far as they stand.
pub static SERENA: Toolset = Toolset {
    name: "serena",
    instructions: "These are Serena's tools, answered by symd: line numbers are 0-based, paths are relative to the \
        project root. Prefer get_symbols_overview and find_symbol to reading whole files; every answer reflects every \
        file change that was finished before the call.",
    asks_for: AsksFor::BeyondProject,
    refuse: plain_refusal,
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
    ],
};

fn get_symbols_overview(call: Call<'_>) -> Running<'_> {
    let chars = call.project.max_answer_chars;
    ask_outlined(call, PATIENCE, move |view, arguments, _, gaps| {
        symbols::get_symbols_overview(view, arguments, chars, gaps)
    })
}

fn find_symbol(call: Call<'_>) -> Running<'_> {
    let chars = call.project.max_answer_chars;
    ask_outlined(call, PATIENCE, move |view, arguments, cancel, gaps| {
        symbols::find(view, arguments, chars, cancel, gaps)
    })
}

fn list_dir(call: Call<'_>) -> Running<'_> {
    let chars = call.project.max_answer_chars;
    ask(call, move |view, arguments, cancel| {
        view.tree(|tree| files::run_list_dir(tree, arguments, chars, cancel))
    })
}

fn find_file(call: Call<'_>) -> Running<'_> {
    let chars = call.project.max_answer_chars;
    ask(call, move |view, arguments, cancel| {
        view.tree(|tree| files::run_find_file(tree, arguments, chars, cancel))
    })
}

fn read_file(call: Call<'_>) -> Running<'_> {
    let chars = call.project.max_answer_chars;
    ask(call, move |view, arguments, _| view.tree(|tree| files::run_read_file(tree, arguments, chars)))
}

fn search_for_pattern(call: Call<'_>) -> Running<'_> {
    let chars = call.project.max_answer_chars;
    ask(call, move |view, arguments, cancel| {
        view.tree(|tree| search::run_search_for_pattern(tree, arguments, chars, cancel))
    })
}
