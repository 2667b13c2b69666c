//! The maximum length of an answer, and the failures that all tools of the contract share. Invariant: an
//! answer that omits lines says how many, and how to narrow the request.

use crate::arguments::ArgumentError;
use crate::{Outcome, Reply};
use symd_base::path::PathError;
use symd_files::tree::{FileOpError, LocateError};

use super::paths::invalid;

/// Returns the failure of a missing or invalid argument.
pub(super) fn bad_argument(problem: ArgumentError) -> Reply {
    invalid(problem)
}

/// Returns a failure for which the contract has no text.
pub(super) fn error(problem: impl std::fmt::Display) -> Reply {
    Reply::failed(format!("Error: {problem}"))
}

/// Returns the failure of a project that is not ready.
pub(super) fn not_ready(problem: impl std::fmt::Display) -> Reply {
    Reply { outcome: Outcome::NotReady, ..error(problem) }
}

/// Whether the named file or directory does not exist.
pub(super) fn is_missing(problem: &FileOpError) -> bool {
    matches!(problem, FileOpError::Locate(LocateError::Missing(_)))
}

/// Whether a path leads out of the project, by its text or by a link.
pub(super) fn is_outside(problem: &FileOpError) -> bool {
    use symd_vfs::VfsError;
    matches!(
        problem,
        FileOpError::Locate(
            LocateError::Outside(_) | LocateError::Path(PathError::Outside(_) | PathError::Absolute(_))
        ) | FileOpError::Vfs(VfsError::Outside { .. })
    )
}

/// Formats `head` and as many `lines` as fit into `most` characters; `hint` is added if some do not fit.
pub(super) fn bounded<L: AsRef<str>>(head: String, lines: &[L], most: usize, hint: &str) -> String {
    let mut text = head;
    let mut left = most.saturating_sub(text.chars().count());
    for (shown, line) in lines.iter().enumerate() {
        let line = line.as_ref();
        let cost = 1 + line.chars().count();
        if cost > left {
            let rest = lines.len() - shown;
            text.push_str(&format!("\n[{rest} more lines left out: {hint}]"));
            return text;
        }
        left -= cost;
        text.push('\n');
        text.push_str(line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn what_does_not_fit_is_said() {
        let lines = ["äöü", "b", "c"];
        assert_eq!(bounded("h".to_owned(), &lines, 9, "less"), "h\näöü\nb\nc");
        assert_eq!(bounded("h".to_owned(), &lines, 8, "less"), "h\näöü\nb\n[1 more lines left out: less]");
        assert_eq!(bounded("h".to_owned(), &lines, 0, "less"), "h\n[3 more lines left out: less]");
    }
}
