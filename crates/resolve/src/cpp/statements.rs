//! The part of a statement before a place.

use super::super::binders::floor;

/// How far back a statement's first word is searched, in bytes.
const MAX_BACK: usize = 600;

/// Returns the text before byte `at`, as far back as a statement may begin.
pub(super) fn near(text: &str, at: usize) -> &str {
    &text[floor(text, at.saturating_sub(MAX_BACK))..at]
}

/// Returns what stands before byte `at` of the statement that holds it: behind the last `;`, `{` or `}`.
pub(super) fn statement_before(text: &str, at: usize) -> &str {
    let near = near(text, at);
    &near[near.rfind([';', '{', '}']).map_or(0, |end| end + 1)..]
}
