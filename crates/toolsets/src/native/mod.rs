//! symd's own contract: compact text with 1-based lines, for models and people.

mod answer;
mod batch;
mod build_output;
mod diagnostics;
mod directory;
mod editor;
mod edits;
mod explore;
pub mod files;
mod grouped;
mod impact;
mod investigate;
mod joined;
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
mod solutions;
mod stack_trace;
mod status;
pub mod symbols;
mod tree;
pub mod untold_texts;
mod users_text;

#[cfg(test)]
mod tests;

pub(crate) use editor::NOTHING_SHOWN;
pub use listings::{LISTINGS, MAX_CHARACTERS, MAX_INSTRUCTIONS, MAX_OF_DEBUGGING, MAX_TOOLS, PROFILES};

pub(super) use batch::symbol_names;

use super::risk::plain_refusal;
use super::{ApprovalDefault, Toolset};
use crate::spellings::{AbsolutePaths, AcceptedSpellings, Coercion};

/// symd's own contract, with all its tools; [`LISTINGS`] selects those that clients are shown.
pub static NATIVE: Toolset = Toolset {
    name: "native",
    instructions: listings::FULL_INSTRUCTIONS,
    asks_for: ApprovalDefault::BeyondProject,
    refuse: plain_refusal,
    disabled: |_, _| None,
    spells: AcceptedSpellings {
        paths: &["relative_path", "path"],
        absolute: AbsolutePaths::RelativizeOrReject,
        coercion: Coercion::Coerce,
        names: &listings::NAMES,
        aliases: &listings::ALIASES,
    },
    tools: &[
        symbols::FIND_SYMBOL,
        symbols::GET_SYMBOLS_OVERVIEW,
        references::FIND_REFERENCING_SYMBOLS,
        relations::FIND_CALLERS,
        relations::FIND_CALLEES,
        explore::EXPLORE,
        impact::IMPACT,
        places::FIND_DEFINITION,
        places::FIND_IMPLEMENTATIONS,
        relations::TYPE_HIERARCHY,
        places::HOVER,
        diagnostics::DIAGNOSTICS,
        diagnostics::LIST_CODE_ACTIONS,
        rename::RENAME_SYMBOL,
        server_edits::FORMAT,
        server_edits::APPLY_CODE_ACTION,
        search::SEARCH_FOR_PATTERN,
        files::READ_FILE,
        files::LIST_DIR,
        files::FIND_FILE,
        status::STATUS,
        editor::EDITOR_CONTEXT,
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
        edits::FINISH_EDIT,
        solutions::RECORD_SOLUTION,
        stack_trace::RESOLVE_STACK_TRACE,
        build_output::EXPLAIN_BUILD_OUTPUT,
        investigate::INVESTIGATE,
    ],
};
