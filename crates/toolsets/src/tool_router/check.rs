//! Validates a call before the user is asked to approve it.

use super::{patch, pty, shell};
use crate::{PendingCall, Reply};

pub(super) fn check(proposed: &PendingCall<'_>) -> Result<(), Reply> {
    let arguments = proposed.arguments;
    match proposed.tool {
        "apply_patch_json" | "apply_patch_freeform" => patch::read(arguments).map(drop),
        "shell" => shell::ShellCall::read(arguments).map(drop),
        "exec_command" => pty::StartArgs::read(arguments).map(drop),
        "write_stdin" => pty::TypeArgs::read(arguments).map(drop),
        _ => Ok(()),
    }
}
