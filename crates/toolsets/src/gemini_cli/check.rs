//! Validates a call before the user is asked to approve it.

use super::{edits, shell};
use crate::{PendingCall, Reply};

pub(super) fn check(proposed: &PendingCall<'_>) -> Result<(), Reply> {
    match proposed.tool {
        "write_file" => edits::WriteArgs::read(proposed).map(drop),
        "replace" => edits::ReplaceArgs::read(proposed).map(drop),
        "run_shell_command" => shell::RunShellCommand::read(proposed).map(drop),
        _ => Ok(()),
    }
}
