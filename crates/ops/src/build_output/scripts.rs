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

/// Returns the errors of a script in the lines of what went wrong; `place` is the script's.
pub(super) fn script_errors(block: &[&str], place: Option<&OutputPlace>) -> Vec<BuildProblem> {
    let of_kotlin = kotlin_errors(block, place);
    if of_kotlin.is_empty() { groovy_error(block).into_iter().collect() } else { of_kotlin }
}

/// Reads the errors of a Kotlin script: `Line 12:     foo()`, and beneath it `^ Unresolved reference: foo`.
fn kotlin_errors(block: &[&str], place: Option<&OutputPlace>) -> Vec<BuildProblem> {
    let found = block.windows(2).filter_map(|pair| {
        let number =
            pair[0].trim_start().strip_prefix("Line ")?.split(':').next()?.trim().parse::<usize>().ok()?;
        Some((number, pair[1].trim().strip_prefix('^')?.trim()))
    });
    let found: Vec<(usize, &str)> = found.collect();
    // Gradle lists the script's warnings among them.
    let is_error = |one: &&(usize, &str)| !one.1.contains(" is deprecated");
    let errors: Vec<&(usize, &str)> = found.iter().filter(is_error).collect();
    let errors = if errors.is_empty() { found.iter().take(1).collect() } else { errors };
    let Some(place) = place else { return Vec::new() };
    let problem = |(line, message): &(usize, &str)| {
        let place = OutputPlace { path: place.path.clone(), line: Some(*line), column: None };
        BuildProblem::error(BuildTool::Gradle, *message).at(Some(place))
    };
    errors.into_iter().map(problem).collect()
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
