//! The user's approvals file: used only if it belongs to the user alone, changed under a lock, replaced
//! whole. Invariant: a file that another user could have written, or that has any mistake, decides nothing.

use std::path::{Path, PathBuf};

use super::{Approvals, parse};
use symd_base::state::{self, StateError, durable};

/// Maximum size of an approvals file in bytes. A longer file is not used.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// Why approvals cannot be used or changed.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalsError {
    /// A file that cannot be read, or does not belong to the user alone.
    #[error(transparent)]
    State(#[from] StateError),
    /// A text with a mistake.
    #[error("{file}, line {line}: {what}")]
    Wrong {
        /// The file's name for display.
        file: String,
        /// 1-based.
        line: usize,
        /// What is wrong there.
        what: String,
    },
    /// A rule to be changed that does not exist.
    #[error("there is no rule {0}; `symd approvals list` shows them")]
    NoRule(u64),
}

/// Returns the path of the user's file in the configuration directory `config`.
pub fn user_file(config: &Path) -> PathBuf {
    config.join("approvals.toml")
}

/// Parses the bytes of `file`.
pub fn parse_bytes(file: &str, bytes: &[u8]) -> Result<Approvals, ApprovalsError> {
    // Replacing bytes that are not UTF-8 would yield characters that TOML rejects outside of strings and
    // comments, but that would change the meaning inside of them; so such bytes are an error.
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

/// Reads the user's file; there are no decisions when it does not exist.
pub fn read(path: &Path) -> Result<Approvals, ApprovalsError> {
    match state::read_private(path, MAX_FILE_BYTES)? {
        Some(bytes) => parse_bytes(&path.display().to_string(), &bytes),
        None => Ok(Approvals::default()),
    }
}

/// Changes the user's file and waits until it is on the disk. Blocks while another process changes it.
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
