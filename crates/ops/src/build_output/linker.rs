//! Reads which symbols a linker missed: `Undefined symbols for architecture arm64:`, beneath it `"_x", referenced from:`.
//!
//! Form: <https://github.com/JetBrains/kotlin-native/issues/3299>.

use super::blocks::Block;
use super::{BuildProblem, BuildTool};

/// Maximum number of lines that are kept.
const MAX_KEPT: usize = 14;

/// Reads the symbols that the line at `at` announces, if it does.
pub(super) fn read(lines: &[String], at: usize) -> Option<Block> {
    let head = lines[at].trim();
    if !head.starts_with("Undefined symbols") || !head.ends_with(':') {
        return None;
    }
    // Tested first: the lines beneath each of many heads would be collected again.
    let first = lines.get(at + 1).filter(|line| line.starts_with([' ', '\t']))?;
    let symbol = first.trim().split_once(", referenced from")?.0;
    let beneath = lines[at + 1..].iter().take_while(|line| line.starts_with([' ', '\t']));
    let beneath: Vec<&str> = beneath.map(|line| line.trim_end()).collect();
    let further: String = beneath.iter().skip(1).take(MAX_KEPT).map(|line| format!("\n{line}")).collect();
    let problem = BuildProblem::error(BuildTool::Clang, format!("{head} {symbol}{further}"));
    Some(Block { problems: vec![problem], next: at + 1 + beneath.len() })
}
