//! The user's file of approvals: read if it is truly the user's alone, changed under a lock, replaced whole. Invariant: a
//! file that another user could have written, or that is wrong anywhere, settles nothing.

use std::path::{Path, PathBuf};

use super::{Approvals, parse};
use symd_base::state::{self, StateError, durable};

/// Bytes of a file of approvals. A longer one is not used.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// Why approvals cannot be used or changed.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalsError {
    /// The file cannot be read, or is not the user's alone.
    #[error(transparent)]
    State(#[from] StateError),
    /// The text is wrong.
    #[error("{file}, line {line}: {what}")]
    Wrong {
        /// The file, as people are told of it.
        file: String,
        /// 1-based.
        line: usize,
        /// What is wrong there.
        what: String,
    },
    /// What was to be changed is not there.
    #[error("there is no rule {0}; `symd approvals list` shows them")]
    NoRule(u64),
}

/// The user's file in the configuration directory `config`.
pub fn user_file(config: &Path) -> PathBuf {
    config.join("approvals.toml")
}

/// What the bytes of `file` settle.
pub fn parse_bytes(file: &str, bytes: &[u8]) -> Result<Approvals, ApprovalsError> {
    // A byte that is not UTF-8 becomes one that TOML refuses outside of strings and comments; inside of them it would
    // change what is meant, so none is let through.
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        ApprovalsError::Wrong { file: file.to_owned(), line, what: "this is not UTF-8".to_owned() }
    })?;
    parse::parse(text).map_err(|parse::Mistake { line, what }| ApprovalsError::Wrong {
        file: file.to_owned(),
        line,
        what,
    })
}

/// Reads the user's file; nothing is settled where there is none.
pub fn read(path: &Path) -> Result<Approvals, ApprovalsError> {
    match state::read_private(path, MAX_FILE_BYTES)? {
        Some(bytes) => parse_bytes(&path.display().to_string(), &bytes),
        None => Ok(Approvals::default()),
    }
}

/// Changes the user's file; the disk has it when this returns. Blocks while another process changes it.
pub fn change<T>(
    path: &Path,
    edit: impl FnOnce(&mut Approvals) -> Result<T, ApprovalsError>,
) -> Result<T, ApprovalsError> {
    let directory = path.parent().unwrap_or(Path::new("."));
    if !directory.is_dir() {
        state::private_dir(directory)?;
    }
    let _changing = durable::lock(&path.with_extension("lock"))?;
    let mut approvals = read(path)?;
    let outcome = edit(&mut approvals)?;
    let fresh = path.with_extension("new");
    durable::write(&fresh, &[approvals.to_text().as_bytes()])?;
    durable::rename(&fresh, path)?;
    durable::sync_directory(directory)?;
    Ok(outcome)
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
