//! `symd trace`, `symd investigate` and `symd build-errors`: give a tool the text that a person pastes or pipes.

use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::cli::commands::ask;
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};

/// Maximum number of bytes that are read: 10 MB of a log, and some more.
const MAX_BYTES: u64 = 16 << 20;

pub(super) fn run(
    context: &Context,
    tool: &str,
    file: Option<&Path>,
    mut arguments: Value,
) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    let read = match file {
        None => std::io::stdin().take(MAX_BYTES).read_to_end(&mut bytes),
        // The user's own file, wherever it is.
        #[allow(
            clippy::disallowed_methods,
            reason = "named on the user's own command line, not by a project"
        )]
        Some(path) => std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes)),
    };
    read.map_err(|error| Exit::Usage.because(format!("cannot read the text: {error}")))?;
    let text = String::from_utf8_lossy(&bytes);
    arguments["text"] = text.into();
    ask::run(context, tool, arguments)
}
