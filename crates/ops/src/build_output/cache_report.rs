//! Reads Gradle's report of what keeps the configuration cache from being used.
//!
//! Form: <https://github.com/google/horologist/issues/2406>, without its number <https://github.com/spring-io/spring-javaformat/issues/461>.

use std::sync::LazyLock;

use regex::Regex;

use super::blocks::Block;
use super::{BuildProblem, BuildTool, OutputPlace};

/// Maximum number of lines of a report.
const MAX_LINES: usize = 400;

/// Whether a line begins a report: `1 problem was found storing the configuration cache.`
pub(super) fn begins(line: &str) -> bool {
    static REPORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"^\s*(?:Configuration cache problems found in this build\. )?(?:\d+ )?problems? (?:was|were) found (?:storing|reusing|calculating) the configuration cache",
        )
        .ok()
    });
    REPORT.as_ref().is_some_and(|report| report.is_match(line))
}

/// Reads the report that begins at line `at`, if one does: "- Task `:app:x` of type `T`: why", "- Build file 'build.gradle': line 12: why".
pub(super) fn read(lines: &[String], at: usize) -> Option<Block> {
    static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^- (?:Build file|Settings file|Script|Plugin|Class) ['`](?P<path>[^'`]+)['`]: (?:line (?P<line>\d+): )?(?P<m>.*)$").ok()
    });
    if !begins(&lines[at]) {
        return None;
    }
    let mut problems = Vec::new();
    let mut next = at + 1;
    while next < lines.len() && next - at < MAX_LINES {
        let line = lines[next].as_str();
        let Some(message) = line.strip_prefix("- ") else {
            if line.starts_with("* ") || line.starts_with("BUILD ") || line.starts_with("> Task ") {
                break;
            }
            next += 1;
            continue;
        };
        let found = PLACE.as_ref().and_then(|place| place.captures(line));
        let place = found.as_ref().and_then(|found| {
            let line = found.name("line")?.as_str().parse().ok();
            Some(OutputPlace { path: found["path"].to_owned(), line, column: None })
        });
        let task = message.strip_prefix("Task `").and_then(|rest| rest.split('`').next()).map(str::to_owned);
        // Without a line the place is no more than what the message is about: "Plugin 'kotlin-android'".
        let behind_place = found.as_ref().filter(|_| place.is_some()).and_then(|found| found.name("m"));
        let message = behind_place.map_or(message, |found| found.as_str());
        problems.push(BuildProblem::error(BuildTool::ConfigurationCache, message).at(place).in_task(task));
        next += 1;
    }
    Some(Block { problems, next })
}
