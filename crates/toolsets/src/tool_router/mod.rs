//! The tool_router contract: strict schemas, compact JSON answers, patches, shell and PTY sessions.

mod answer;
mod arguments;
mod files;
mod patch;
mod pty;
mod shell;

use super::risk::plain_refusal;
use super::{ApprovalDefault, Toolset};
use crate::spellings::{AbsolutePaths, AcceptedSpellings, Coercion};

/// The tool_router toolset.
pub static TOOL_ROUTER: Toolset = Toolset {
    name: "tool_router",
    instructions: "These are tool_router's tools, answered by symd. Paths are relative to the project root and stay inside it. \
        Unknown parameters are refused; missing ones take the schema's defaults. Change files by apply_patch_freeform \
        (*** Begin Patch, *** Update File: path, @@, lines that begin with ' ', '-' or '+', *** End Patch) or by \
        apply_patch_json (a unified diff): context must match the file, and a patch is applied whole or not at all. Every \
        answer reflects every file change that was finished before the call.",
    asks_for: ApprovalDefault::Changes,
    refuse: plain_refusal,
    disabled: |_, _| None,
    spells: AcceptedSpellings {
        paths: &["path"],
        absolute: AbsolutePaths::Pass,
        coercion: Coercion::Pass,
        ..AcceptedSpellings::NONE
    },
    tools: &[
        files::LIST_DIR,
        files::READ_FILE,
        files::GREP_FILES,
        patch::APPLY_PATCH_JSON,
        patch::APPLY_PATCH_FREEFORM,
        shell::SHELL,
        pty::EXEC_COMMAND,
        pty::WRITE_STDIN,
    ],
};
