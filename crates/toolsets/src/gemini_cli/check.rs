//! Validates a call before the user is asked to approve it.

use super::{edits, shell};
use crate::{Proposed, Reply};

pub(super) fn check(proposed: &Proposed<'_>) -> Result<(), Reply> {
    match proposed.tool {
        "write_file" => edits::Writing::read(proposed).map(drop),
        "replace" => edits::Replacing::read(proposed).map(drop),
        "run_shell_command" => shell::RunShellCommand::read(proposed).map(drop),
        _ => Ok(()),
    }
}
