//! Validates a call before the user is asked to approve it, and answers in the contract's envelope: its
//! `Validate`.

use super::envelope::format_refusal;
use super::{edits, fetch, terminal};
use crate::{PendingCall, Reply};

pub(super) fn check(proposed: &PendingCall<'_>) -> Result<(), Reply> {
    let arguments = proposed.arguments;
    match proposed.tool {
        "create_file" => edits::CreateArgs::read(arguments).map(drop),
        "replace_string_in_file" => edits::ReplaceArgs::read(arguments).map(drop),
        "create_directory" => edits::directory(arguments).map(drop),
        "run_in_terminal" => terminal::RunInTerminal::read(arguments).map(drop),
        "fetch_webpage" => fetch::FetchArgs::read(arguments).map(drop),
        _ => Ok(()),
    }
    .map_err(format_refusal)
}
