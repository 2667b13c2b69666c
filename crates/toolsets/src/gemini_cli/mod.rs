//! The gemini_cli contract: absolute paths inside the root, plain texts.

mod ansi;
mod answer;
mod edits;
mod list_directory;
mod paths;
mod read_file;
mod search;
mod shell;

use super::risk::plain_refusal;
use super::{ApprovalDefault, Toolset};
use crate::spellings::{AbsolutePaths, AcceptedSpellings, Coercion};

/// The gemini_cli toolset.
pub static GEMINI_CLI: Toolset = Toolset {
    name: "gemini_cli",
    instructions: "These are Gemini CLI's file and shell tools, answered by symd. File paths are absolute and lie inside \
        the project root. Find files with glob, text with search_file_content; read a file before you change it. replace \
        needs old_string word for word, with enough lines around it to be the only one; write_file takes a whole file. \
        Every answer reflects every file change that was finished before the call.",
    asks_for: ApprovalDefault::BeyondProject,
    refuse: plain_refusal,
    disabled: |_, _| None,
    spells: AcceptedSpellings {
        paths: &["absolute_path", "file_path", "path"],
        absolute: AbsolutePaths::Pass,
        coercion: Coercion::Pass,
        ..AcceptedSpellings::NONE
    },
    tools: &[
        list_directory::LIST_DIRECTORY,
        read_file::READ_FILE,
        edits::WRITE_FILE,
        edits::REPLACE,
        search::SEARCH_FILE_CONTENT,
        search::GLOB,
        shell::RUN_SHELL_COMMAND,
    ],
};
