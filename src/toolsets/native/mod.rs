//! symd's own contract: compact text with 1-based lines, made for models and people.

mod answer;
pub mod files;
mod render;
pub mod search;
mod status;
pub mod symbols;
mod tree;

#[cfg(test)]
mod tests;

use super::{Call, Running, Tool, Toolset, ask};

/// The toolset of a client that asks for none.
pub static NATIVE: Toolset = Toolset {
    name: "native",
    instructions: "symd keeps every symbol of this project indexed, fresh to the last finished write. To get to know a \
        file use get_symbols_overview; to find a class, function or variable anywhere use find_symbol with a name path \
        (`name`, `Class/method`, `/top_level`), with include_body for its source; search_for_pattern searches text. \
        Lines are 1-based, paths relative to the project root. The last line of an answer says what was counted, how \
        the answer was made, at which index revision, and whether it is complete; when something was left out it says \
        how to ask for less.",
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
    ],
};

fn find_symbol(call: Call<'_>) -> Running<'_> {
    ask(call, symbols::find)
}

fn get_symbols_overview(call: Call<'_>) -> Running<'_> {
    ask(call, |view, arguments, _| symbols::get_symbols_overview(view, arguments))
}

fn search_for_pattern(call: Call<'_>) -> Running<'_> {
    ask(call, |view, arguments, cancel| {
        view.tree(|tree| search::run_search_for_pattern(tree, arguments, cancel))
    })
}

fn read_file(call: Call<'_>) -> Running<'_> {
    ask(call, |view, arguments, _| view.tree(|tree| files::run_read_file(tree, arguments)))
}

fn list_dir(call: Call<'_>) -> Running<'_> {
    ask(call, |view, arguments, cancel| view.tree(|tree| files::run_list_dir(tree, arguments, cancel)))
}

fn find_file(call: Call<'_>) -> Running<'_> {
    ask(call, |view, arguments, cancel| view.tree(|tree| files::run_find_file(tree, arguments, cancel)))
}
