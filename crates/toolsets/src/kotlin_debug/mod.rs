//! The kotlin_debug contract: tools of an assistant that looks for the cause of an error. Every answer is an
//! envelope, and comes within two seconds.

mod answer;
mod callers;
mod context;
mod envelope;
mod read;
mod similar;
mod user_context;
mod web_search;

use super::{ApprovalDefault, Toolset};
use crate::spellings::{AbsolutePaths, AcceptedSpellings, Coercion};

/// The kotlin_debug toolset, its tools in the contract's order.
pub static KOTLIN_DEBUG: Toolset = Toolset {
    name: "kotlin_debug",
    instructions: "Paths are relative to the workspace root, lines count from 1. Every answer is a JSON object: \
        success, and data or error with a code and a message. Every tool answers within 2 seconds.",
    asks_for: ApprovalDefault::BeyondProject,
    refuse: envelope::refuse,
    disabled: |_, _| None,
    spells: AcceptedSpellings {
        paths: &["filePath"],
        absolute: AbsolutePaths::RelativizeOrPass,
        coercion: Coercion::Pass,
        ..AcceptedSpellings::NONE
    },
    tools: &[
        read::READ_FILE,
        web_search::WEB_SEARCH_WIKI,
        context::GET_CODE_CONTEXT,
        callers::FIND_CALLERS_OF_FUNCTION,
        similar::VECTOR_SEARCH_DB,
        user_context::GET_USER_ERROR_CONTEXT,
    ],
};
