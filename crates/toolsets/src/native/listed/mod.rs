//! What clients are shown of native: few tools with few parameters each, and instructions that direct. All other tools and
//! parameters go on being understood. Invariant: within [`MOST_TOOLS`] and [`MOST_CHARACTERS`] (a test holds it), since a
//! model reads all of it before its first question.

mod aliases;
mod instructions;
mod schema;

use super::NATIVE;
use crate::listing::{Listing, Shows};

pub(super) use aliases::{ALIASES, NAMES};
pub(super) use instructions::FULL as FULL_INSTRUCTIONS;

/// The most tools that `native` lists.
pub const MOST_TOOLS: usize = 16;

/// The most characters of their names, descriptions, schemas and annotations together.
pub const MOST_CHARACTERS: usize = 16_000;

/// The most characters of a listing's instructions.
pub const MOST_INSTRUCTIONS: usize = 1_500;

/// The most tools of the profile `debugging`, and their characters.
pub const MOST_OF_DEBUGGING: (usize, usize) = (22, 22_000);

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

/// The same without what coding agents have themselves: text search and plain text edits; they read and list files, too.
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

/// `native`, and what helps to find the cause of a fault: the lines that a stack trace names, and what was edited last.
const DEBUGGING: [&str; 17] = [
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

/// What takes the place of `native` where the client's configuration says so.
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
