//! The cli_agent contract: a JSON envelope, risk levels, approval of everything that is not read-only.

mod answer;
mod edits;
mod envelope;
mod fetch;
mod list;
mod read;
mod search;
mod terminal;

use super::{ApprovalDefault, Toolset};
use crate::spellings::{AbsolutePaths, AcceptedSpellings, Coercion};

/// The maximum number of bytes that a tool accepts or returns as content: the contract's 10 MB.
const MAX_CONTENT_BYTES: usize = 10 << 20;

/// The maximum number of entries that an answer lists.
const MAX_RESULTS: usize = 1000;

/// The cli_agent toolset, its tools in the contract's order.
pub static CLI_AGENT: Toolset = Toolset {
    name: "cli_agent",
    instructions: "Paths are relative to the working directory, lines count from 1. Every answer is a JSON object: \
        success, output, files_affected, execution_time_ms, metadata and, on failure, error with a code and a \
        suggestion. The user is asked before files are changed, commands run or pages fetched.",
    asks_for: ApprovalDefault::Changes,
    refuse: envelope::refuse,
    disabled: |_, _| None,
    spells: AcceptedSpellings {
        paths: &["path", "base_path"],
        absolute: AbsolutePaths::RelativizeOrPass,
        coercion: Coercion::Pass,
        ..AcceptedSpellings::NONE
    },
    tools: &[
        edits::CREATE_FILE,
        read::READ_FILE,
        edits::REPLACE_STRING_IN_FILE,
        list::LIST_DIR,
        search::FILE_SEARCH,
        search::GREP_SEARCH,
        terminal::RUN_IN_TERMINAL,
        terminal::TERMINAL_LAST_COMMAND,
        edits::CREATE_DIRECTORY,
        fetch::FETCH_WEBPAGE,
    ],
};
