//! Reads what tools say in several lines.

use super::BuildProblem;
use super::{agp_messages, cache_report, exceptions, failed_tests, flutter_advice, linker, reasons, studio};

/// Problems that several lines report.
pub(super) struct Block {
    pub(super) problems: Vec<BuildProblem>,
    /// The first line after it.
    pub(super) next: usize,
}

/// Reads the block that begins at line `at`, if one does; `has_report` if Gradle's report of what went wrong is in the text: then sentences
/// like its own elsewhere are remarks.
pub(super) fn read(lines: &[String], at: usize, has_report: bool) -> Option<Block> {
    let of_agp = || {
        let problem = agp_messages::message(&lines[at])?;
        Some(Block { problems: vec![problem], next: at + 1 })
    };
    reasons::went_wrong(lines, at)
        .or_else(|| cache_report::read(lines, at))
        .or_else(of_agp)
        .or_else(|| flutter_advice::read(lines, at))
        .or_else(|| linker::read(lines, at))
        .or_else(|| studio::read(lines, at))
        .or_else(|| if has_report { None } else { reasons::headless(lines, at) })
        .or_else(|| exceptions::chain(lines, at))
        .or_else(|| failed_tests::read(lines, at))
}
