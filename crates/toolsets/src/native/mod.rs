//! symd's own contract: compact text with 1-based lines, for models and people.

mod answer;
mod batch;
mod diagnostics;
mod directory;
mod edits;
mod explore;
pub mod files;
mod grouped;
mod impact;
mod listings;
mod places;
mod reference_text;
mod references;
mod relations;
mod rename;
mod render;
pub mod search;
mod server_edit_text;
mod server_edits;
mod server_tools;
mod status;
pub mod symbols;
mod tree;
mod users_text;

#[cfg(test)]
mod tests;

pub use listings::{LISTINGS, MAX_CHARACTERS, MAX_INSTRUCTIONS, MAX_OF_DEBUGGING, MAX_TOOLS, PROFILES};

use serde_json::{Map, Value};

pub(super) use batch::symbol_names;

use super::outline_questions::ask_outlined;
use super::risk::plain_refusal;
use super::{ApprovalDefault, Call, ReplyFuture, Tool, Toolset, ask, ask_long};
use crate::spellings::{AbsolutePaths, AcceptedSpellings, Coercion};
use symd_ops::server_outlines::OutlineWait;
use symd_ops::view_tree::ViewTree;

/// symd's own contract, with all its tools; [`LISTINGS`] selects those that clients are shown.
pub static NATIVE: Toolset = Toolset {
    name: "native",
    instructions: listings::FULL_INSTRUCTIONS,
    asks_for: ApprovalDefault::BeyondProject,
    refuse: plain_refusal,
    check: edits::check,
    spells: AcceptedSpellings {
        paths: &["relative_path", "path"],
        absolute: AbsolutePaths::RelativizeOrReject,
        coercion: Coercion::Coerce,
        names: &listings::NAMES,
        aliases: &listings::ALIASES,
    },
    tools: &[
        Tool::read_only(
            "find_symbol",
            "Find symbol",
            symbols::FIND_DESCRIPTION,
            symbols::find_schema,
            find_symbol,
        ),
        Tool::read_only(
            "get_symbols_overview",
            "Outline of a file",
            symbols::OVERVIEW_DESCRIPTION,
            symbols::overview_schema,
            get_symbols_overview,
        ),
        Tool::read_only(
            "find_referencing_symbols",
            "Find references",
            references::DESCRIPTION,
            references::references_schema,
            references::find_referencing_symbols,
        ),
        Tool::read_only(
            "find_callers",
            "Find callers",
            relations::CALLERS,
            relations::calls_schema,
            relations::find_callers,
        ),
        Tool::read_only(
            "find_callees",
            "Find callees",
            relations::CALLEES,
            relations::calls_schema,
            relations::find_callees,
        ),
        Tool::read_only(
            "explore",
            "Explore",
            explore::DESCRIPTION,
            explore::explore_schema,
            explore::explore,
        ),
        Tool::read_only("impact", "Impact", impact::DESCRIPTION, impact::impact_schema, impact::impact),
        Tool::read_only(
            "find_definition",
            "Go to definition",
            places::DEFINITION,
            places::definition_schema,
            places::find_definition,
        ),
        Tool::read_only(
            "find_implementations",
            "Find implementations",
            places::IMPLEMENTATIONS,
            places::implementations_schema,
            places::find_implementations,
        ),
        Tool::read_only(
            "type_hierarchy",
            "Type hierarchy",
            relations::TYPES,
            relations::types_schema,
            relations::type_hierarchy,
        ),
        Tool::read_only("hover", "Hover", places::HOVER, places::hover_schema, places::show_hover),
        Tool::read_only(
            "diagnostics",
            "Diagnostics",
            diagnostics::DIAGNOSTICS,
            diagnostics::diagnostics_schema,
            diagnostics::show_diagnostics,
        ),
        Tool::read_only(
            "list_code_actions",
            "List code actions",
            diagnostics::CODE_ACTIONS,
            diagnostics::code_actions_schema,
            diagnostics::list_code_actions,
        ),
        rename::RENAME_SYMBOL,
        server_edits::FORMAT,
        server_edits::APPLY_CODE_ACTION,
        Tool::read_only(
            "search_for_pattern",
            "Search text",
            search::SEARCH_FOR_PATTERN,
            search::search_for_pattern_schema,
            search_for_pattern,
        ),
        Tool::read_only("read_file", "Read file", files::READ_FILE, files::read_file_schema, read_file),
        Tool::read_only("list_dir", "List directory", files::LIST_DIR, files::list_dir_schema, list_dir),
        Tool::read_only("find_file", "Find file", files::FIND_FILE, files::find_file_schema, find_file),
        status::STATUS,
        edits::REPLACE_SYMBOL_BODY,
        edits::INSERT_BEFORE_SYMBOL,
        edits::INSERT_AFTER_SYMBOL,
        edits::SAFE_DELETE,
        edits::CREATE_TEXT_FILE,
        edits::REPLACE_CONTENT,
        edits::DELETE_LINES,
        edits::REPLACE_LINES,
        edits::INSERT_AT_LINE,
        edits::APPLY_PATCH,
        edits::UNDO,
        edits::REDO,
        edits::HISTORY,
        edits::RESOLVE_EDIT,
    ],
};

fn find_symbol(call: Call<'_>) -> ReplyFuture<'_> {
    let client = call.client.clone();
    ask_outlined(call, OutlineWait::Brief, move |view, arguments, cancel, gaps| {
        let one = |arguments: &Map<String, Value>| symbols::find(view, arguments, &client, cancel, gaps);
        batch::answer_each_sync(arguments, "name_path_pattern", one)
    })
}

fn get_symbols_overview(call: Call<'_>) -> ReplyFuture<'_> {
    let client = call.client.clone();
    ask_outlined(call, OutlineWait::Brief, move |view, arguments, cancel, gaps| {
        symbols::get_symbols_overview(view, arguments, &client, cancel, gaps)
    })
}

fn search_for_pattern(call: Call<'_>) -> ReplyFuture<'_> {
    ask_long(call, |view, arguments, cancel| {
        view.tree(|tree| search::run_search_for_pattern(tree, arguments, &view.snapshot.unlisted, cancel))
    })
}

fn read_file(call: Call<'_>) -> ReplyFuture<'_> {
    let client = call.client.clone();
    ask(call, move |view, arguments, _| view.tree(|tree| files::run_read_file(tree, arguments, &client)))
}

fn list_dir(call: Call<'_>) -> ReplyFuture<'_> {
    ask(call, |view, arguments, cancel| view.tree(|tree| files::run_list_dir(tree, arguments, cancel)))
}

fn find_file(call: Call<'_>) -> ReplyFuture<'_> {
    ask(call, |view, arguments, cancel| view.tree(|tree| files::run_find_file(tree, arguments, cancel)))
}
