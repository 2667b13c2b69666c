//! Reads what Gradle says of scripts: where one failed, and which error its compiler found.

use std::sync::LazyLock;

use regex::Regex;

use super::{BuildProblem, BuildTool, OutputPlace};

/// Returns the place in `Build file '/p/build.gradle' line: 12`.
pub(super) fn script_place(line: &str) -> Option<OutputPlace> {
    static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:Build file|Settings file|Initialization script|Script|Precompiled script plugin) '(?P<path>[^']+)'(?: line: (?P<line>\d+))?").ok()
    });
    let found = PLACE.as_ref()?.captures(line.trim())?;
    let line = found.name("line").and_then(|line| line.as_str().parse().ok());
    Some(OutputPlace { path: found["path"].to_owned(), line, column: None })
}

/// Returns the error of a script in the lines of what went wrong; `place` is the script's.
pub(super) fn script_error(block: &[&str], place: Option<&OutputPlace>) -> Option<BuildProblem> {
    kotlin_error(block, place).or_else(|| groovy_error(block))
}

/// Reads the error of a Kotlin script: `Line 12:     foo()`, and beneath it `^ Unresolved reference: foo`.
fn kotlin_error(block: &[&str], place: Option<&OutputPlace>) -> Option<BuildProblem> {
    let found = block.windows(2).filter_map(|pair| {
        let number =
            pair[0].trim_start().strip_prefix("Line ")?.split(':').next()?.trim().parse::<usize>().ok()?;
        Some((number, pair[1].trim().strip_prefix('^')?.trim()))
    });
    let found: Vec<(usize, &str)> = found.collect();
    // Gradle lists the script's warnings among them.
    let error = found.iter().find(|(_, message)| !message.contains(" is deprecated")).or(found.first())?;
    let place = OutputPlace { path: place?.path.clone(), line: Some(error.0), column: None };
    Some(BuildProblem::error(BuildTool::Gradle, error.1).at(Some(place)))
}

/// Reads the error of a Groovy script: `build file '/p/build.gradle': 12: unexpected token: } @ line 12, column 1.`
fn groovy_error(block: &[&str]) -> Option<BuildProblem> {
    static ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:build file|settings file|script|initialization script) '(?P<path>[^']+)': (?P<l>\d+): (?P<m>.*?)(?: @ line \d+, column (?P<c>\d+)\.)?$").ok()
    });
    let found = block.iter().find_map(|line| ERROR.as_ref()?.captures(line.trim()))?;
    let column = found.name("c").and_then(|column| column.as_str().parse().ok());
    let place = OutputPlace { path: found["path"].to_owned(), line: found["l"].parse().ok(), column };
    Some(BuildProblem::error(BuildTool::Gradle, &found["m"]).at(Some(place)))
}
