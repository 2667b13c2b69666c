//! Reads what Flutter advises in a box: `│ [!] Your project requires a newer version of the Kotlin Gradle plugin. │`. It sums up what
//! Gradle said, and is all that is left of it where that was not printed.
//!
//! Form: <https://github.com/flutter/flutter/issues/144454>.

use super::blocks::Block;
use super::{BuildProblem, BuildTool};

/// Reads the advice that begins at line `at`, if one does.
pub(super) fn read(lines: &[String], at: usize) -> Option<Block> {
    let first = in_box(&lines[at])?.strip_prefix("[!] ")?;
    let further: Vec<&str> = lines[at + 1..].iter().map_while(|line| in_box(line)).collect();
    let next = at + 1 + further.len();
    let message: Vec<&str> = std::iter::once(first).chain(further).collect();
    Some(Block { problems: vec![BuildProblem::error(BuildTool::Flutter, message.join("\n"))], next })
}

fn in_box(line: &str) -> Option<&str> {
    Some(line.trim().strip_prefix('│')?.trim_end_matches('│').trim())
}
