//! Patches: parses and plans unified diffs and the Begin/End Patch form. Nothing is written: the result is a
//! list of operations for the edit engine. Invariant: a hunk is applied where its context occurs, and only if
//! that place is unique; otherwise the whole patch is rejected.

mod envelope;
mod hunks;
mod names;
mod parsed;
mod place;
mod plan;
#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;
mod text;
mod unified;

pub use hunks::{HunkError, InexactHunk};
pub use parsed::{FilePatch, Hunk, HunkLine, HunkLineKind, Patch, PatchParseError};
pub use place::Tolerance;
pub use plan::{FileToPatch, PatchOperation, PatchOptions, PatchPlan, PlanError, ReadFile, plan};

/// Parses a patch in either form.
pub fn parse(patch: &str) -> Result<Patch, PatchParseError> {
    let lines = text::patch_lines(patch);
    match envelope::bounds(&lines)? {
        Some(inner) if !envelope::is_unified(&lines[inner.clone()]) => envelope::parse(&lines, inner),
        Some(inner) => unified::parse(&lines, inner),
        None => unified::parse(&lines, 0..lines.len()),
    }
}
