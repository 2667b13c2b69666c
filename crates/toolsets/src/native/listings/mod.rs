//! The listings of native: few tools with few parameters each, and instructions that direct. All other tools
//! and parameters are still accepted. Invariant: a listing keeps to [`MAX_TOOLS`] and [`MAX_CHARACTERS`] (a
//! test checks that), since a model reads all of it before its first question.

mod aliases;
mod instructions;
mod schema;

use super::NATIVE;
use crate::listing::{Listing, Shows};

pub(super) use aliases::{ALIASES, NAMES};
pub(super) use instructions::FULL as FULL_INSTRUCTIONS;

/// The maximum number of tools that `native` lists.
pub const MAX_TOOLS: usize = 16;

/// The maximum number of characters of their names, descriptions, schemas and annotations together.
pub const MAX_CHARACTERS: usize = 16_000;

/// The maximum number of characters of a listing's instructions.
pub const MAX_INSTRUCTIONS: usize = 1_500;

/// The maximum number of tools of the profile `debugging`, and of their characters.
pub const MAX_OF_DEBUGGING: (usize, usize) = (22, 22_000);

/// The tools of `native`, in the order of work.
const SHORT: [&str; 15] = [
    "overview",
    "find_symbol",
    "explore",
    "references",
    "impact",
    "definition",
    "search",
    "diagnostics",
    "rename",
    "replace_symbol_body",
    "insert_symbol",
    "safe_delete",
    "apply_patch",
    "code_actions",
    "undo",
];

/// The tools of `coding-agent`: those of `native` without text search and plain text edits, which coding
/// agents have themselves, like reading and listing files.
const CODING_AGENT: [&str; 13] = [
    "overview",
    "find_symbol",
    "explore",
    "references",
    "impact",
    "definition",
    "diagnostics",
    "rename",
    "replace_symbol_body",
    "insert_symbol",
    "safe_delete",
    "code_actions",
    "undo",
];

/// The tools of `debugging`: those of `native`, and those that help to find the cause of a fault: they show
/// the lines that a stack trace names, and the last edits.
const DEBUGGING: [&str; 22] = [
    "overview",
    "find_symbol",
    "explore",
    "references",
    "impact",
    "definition",
    "search",
    "diagnostics",
    "rename",
    "replace_symbol_body",
    "insert_symbol",
    "safe_delete",
    "apply_patch",
    "code_actions",
    "undo",
    "read_file",
    "history",
    "editor_context",
    "resolve_stack_trace",
    "explain_build_output",
    "investigate",
    "record_solution",
];

/// The listings of native; the first has its name.
pub static LISTINGS: [Listing; 2] = [
    Listing {
        name: "native",
        toolset: &NATIVE,
        instructions: instructions::NATIVE,
        shows: Shows::Named(&SHORT),
    },
    Listing { name: "native_full", toolset: &NATIVE, instructions: instructions::FULL, shows: Shows::All },
];

/// The profiles: listings that replace `native` where the client's configuration says so.
pub static PROFILES: [Listing; 2] = [
    Listing {
        name: "coding-agent",
        toolset: &NATIVE,
        instructions: instructions::CODING_AGENT,
        shows: Shows::Named(&CODING_AGENT),
    },
    Listing {
        name: "debugging",
        toolset: &NATIVE,
        instructions: instructions::DEBUGGING,
        shows: Shows::Named(&DEBUGGING),
    },
];
