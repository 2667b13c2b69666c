//! Validates a call before the user is asked to approve it.

use super::{edits, memories, projects, rename, shell};
use crate::arguments::Arguments;
use crate::{PendingCall, Reply};
use symd_ops::edits::SymbolAction;

pub(super) fn check(proposed: &PendingCall<'_>) -> Result<(), Reply> {
    let arguments = &Arguments::new(proposed.arguments);
    match proposed.tool {
        "create_text_file" => edits::check(edits::create_text_file(arguments)),
        "replace_content" => edits::check(edits::replace_content(arguments)),
        "delete_lines" => edits::check(edits::delete_lines(arguments)),
        "replace_lines" => edits::check(edits::replace_lines(arguments)),
        "insert_at_line" => edits::check(edits::insert_at_line(arguments)),
        "replace_symbol_body" | "insert_after_symbol" | "insert_before_symbol" => {
            edits::check(edits::symbol(arguments, SymbolAction::Replace))
        }
        "rename_symbol" => rename::RenameArgs::read(arguments).map(drop),
        "write_memory" => memories::WriteArgs::read(proposed).map(drop),
        "delete_memory" => memories::name(arguments, "memory_file_name").map(drop),
        "rename_memory" => memories::names(arguments).map(drop),
        "edit_memory" => memories::EditArgs::read(arguments).map(drop),
        "remove_project" => projects::removed(proposed.arguments).map(drop),
        "execute_shell_command" => shell::ExecuteArgs::read(proposed).map(drop),
        _ => Ok(()),
    }
}
