//! The hidden `symd tether`: it becomes a program that ends with the thread that started it, even if that thread's process
//! was killed by SIGKILL. For programs that run for a moment and start nothing.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use crate::child_end::CANNOT_RUN;
use crate::{life_line, processes};

/// The name of the hidden subcommand.
pub const NAME: &str = "tether";

/// Executes the program that the arguments after [`NAME`] name: the process that starts it, the program, its arguments.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let [parent, program, arguments @ ..] = arguments else { return ExitCode::from(CANNOT_RUN) };
    let parent = parent.to_str().and_then(|number| number.parse::<i32>().ok()).and_then(processes::id);
    if parent.is_some_and(|parent| life_line::end_with_parent(parent).is_ok()) {
        // Returns only if it fails. The signal outlives the execution.
        let _ = Command::new(program).args(arguments).exec();
    }
    ExitCode::from(CANNOT_RUN)
}
