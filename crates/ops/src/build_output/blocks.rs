//! Reads what Gradle says in several lines: `* What went wrong`, problems of the configuration cache, failed tests.

use std::sync::LazyLock;

use regex::Regex;

use super::messages::begun;
use super::{BuildProblem, BuildSeverity, BuildTool, OutputPlace};

/// Maximum number of lines of a block.
const MAX_LINES: usize = 400;

/// Maximum number of lines of a message that are kept.
const MAX_KEPT: usize = 14;

/// Problems that several lines report.
pub(super) struct Block {
    pub(super) problems: Vec<BuildProblem>,
    /// The first line after it.
    pub(super) next: usize,
}

/// Reads the block that begins at line `at`, if one does.
pub(super) fn read(lines: &[String], at: usize) -> Option<Block> {
    let line = lines[at].as_str();
    if line.starts_with("* Where:") || line.starts_with("* What went wrong:") {
        return Some(went_wrong(lines, at));
    }
    if is_cache_report(line) {
        return Some(cache_problems(lines, at));
    }
    if line.ends_with(" FAILED") && line.contains(" > ") && !line.starts_with("> ") {
        return Some(failed_test(lines, at));
    }
    None
}

/// `* Where:` names a script and a line, `* What went wrong:` what failed, and beneath it, indented, why.
fn went_wrong(lines: &[String], at: usize) -> Block {
    let mut next = at;
    let mut place = None;
    if lines[next].starts_with("* Where:") {
        next += 1;
        while next < lines.len() && !lines[next].starts_with("* ") {
            place = place.or_else(|| script_place(&lines[next]));
            next += 1;
        }
        if lines.get(next).is_none_or(|line| !line.starts_with("* What went wrong:")) {
            return Block { problems: Vec::new(), next: next.max(at + 1) };
        }
    }
    let first = next + 1;
    next = first;
    let ends = |line: &str| {
        line.starts_with("* ")
            || line.starts_with("BUILD ")
            || line.starts_with("====")
            || line.starts_with("> Task ")
            || is_numbered(line)
    };
    while next < lines.len() && next - first < MAX_LINES && !ends(&lines[next]) {
        next += 1;
    }
    if let Some(report) = (first..next).find(|&at| is_cache_report(&lines[at])) {
        let Block { problems, .. } = cache_problems(&lines[..next], report);
        if !problems.is_empty() {
            return Block { problems, next };
        }
    }
    let block: Vec<&str> = lines[first..next]
        .iter()
        .map(|line| line.trim_end())
        .filter(|line| !line.trim().is_empty())
        .collect();
    Block { problems: of_block(&block, place), next }
}

/// Whether a line begins the next of several failures: `2: Task failed with an exception.`
fn is_numbered(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    digits.len() < line.len() && digits.starts_with(": Task failed with an exception")
}

/// Returns the problems of a block: the compilers' own lines in it, or what Gradle itself has to say.
fn of_block(block: &[&str], place: Option<OutputPlace>) -> Vec<BuildProblem> {
    let mut problems = Vec::new();
    let mut rest: Vec<&str> = Vec::new();
    for line in block {
        let bare = line.trim_start_matches(['>', ' ', '|']);
        match begun(bare)
            .filter(|begun| begun.problem.tool != BuildTool::Kotlinc || begun.problem.place.is_some())
        {
            Some(begun) => problems.push(begun.problem),
            None => rest.push(line),
        }
    }
    if let Some(inner) = script_error(block, place.as_ref()) {
        problems.push(inner);
        return problems;
    }
    let Some(task) = rest.first() else { return problems };
    let task = task_in(task);
    // The deepest line says what really failed; the ones above it, in whose course.
    let deepest = rest.iter().rfind(|line| line.trim_start().starts_with("> "));
    let headline = match (is_specific(&rest), deepest) {
        (Some(line), _) => line.trim_start_matches(['>', ' ']).to_owned(),
        (None, Some(line)) => line.trim_start_matches(['>', ' ']).to_owned(),
        (None, None) => rest[0].trim().to_owned(),
    };
    let mut message = headline.clone();
    for line in rest.iter().take(MAX_KEPT) {
        if line.trim_start_matches(['>', ' ']) != headline {
            message.push('\n');
            message.push_str(line);
        }
    }
    problems.push(BuildProblem {
        tool: tool_of(&message),
        severity: BuildSeverity::Error,
        place: place.filter(|_| problems.is_empty()),
        message,
        tasks: task.into_iter().collect(),
        times: 1,
    });
    problems
}

/// Returns the line that names the thing which failed, where a line beneath it only says how.
fn is_specific<'l>(block: &[&'l str]) -> Option<&'l str> {
    const STARTS: [&str; 12] = [
        "Could not find ",
        "Could not resolve ",
        "Cannot find a version of",
        "No matching variant of",
        "No matching configuration of",
        "Manifest merger failed",
        "Plugin [id:",
        "Duplicate class",
        "Cannot choose between",
        "Could not get resource",
        "Unsupported class file major version",
        "Inconsistent JVM-target compatibility",
    ];
    let named = |line: &&&str| {
        let bare = line.trim_start_matches(['>', ' ']);
        // All files of a configuration, or a task's dependencies: the line beneath says which.
        STARTS.iter().any(|start| bare.starts_with(start)) && !bare.starts_with("Could not resolve all")
    };
    block.iter().find(named).copied()
}

fn tool_of(message: &str) -> BuildTool {
    const DEPENDENCIES: [&str; 10] = [
        "Could not find ",
        "Could not resolve ",
        "Cannot find a version of",
        "No matching variant",
        "No matching configuration",
        "Could not get resource",
        "Could not GET",
        "Could not HEAD",
        "Duplicate class",
        "Cannot choose between",
    ];
    let has = |text: &str| message.contains(text);
    if DEPENDENCIES.iter().any(|start| has(start)) {
        BuildTool::Dependencies
    } else if has("onfiguration cache") {
        BuildTool::ConfigurationCache
    } else if has("Manifest merger") {
        BuildTool::Manifest
    } else if has("Compose Compiler") {
        BuildTool::Compose
    } else if has("Lint found errors") {
        BuildTool::Lint
    } else if has("failing tests") {
        BuildTool::Test
    } else if has("R8") || has("com.android.tools.r8") {
        BuildTool::R8
    } else if has("esource linking failed") || has("esource compilation failed") {
        BuildTool::Aapt
    } else if has("[ksp]") || has("kspDebugKotlin") || has("kspKotlin") {
        BuildTool::Ksp
    } else if has("KaptExecution") || has("kapt") {
        BuildTool::Kapt
    } else {
        BuildTool::Gradle
    }
}

fn task_in(line: &str) -> Option<String> {
    let (_, after) = line.split_once("task '")?;
    after.split('\'').next().map(str::to_owned)
}

/// Returns the place in `Build file '/p/build.gradle' line: 12`.
fn script_place(line: &str) -> Option<OutputPlace> {
    static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:Build file|Settings file|Initialization script|Script|Precompiled script plugin) '(?P<path>[^']+)'(?: line: (?P<line>\d+))?").ok()
    });
    let found = PLACE.as_ref()?.captures(line.trim())?;
    let line = found.name("line").and_then(|line| line.as_str().parse().ok());
    Some(OutputPlace { path: found["path"].to_owned(), line, column: None })
}

/// Reads the error of a Kotlin script: `Line 12:     foo()`, and beneath it `^ Unresolved reference: foo`.
fn script_error(block: &[&str], place: Option<&OutputPlace>) -> Option<BuildProblem> {
    let at = block.iter().position(|line| line.trim_start().starts_with("Line "))?;
    let number = block[at].trim_start().strip_prefix("Line ")?.split(':').next()?.trim().parse().ok()?;
    let message = block.get(at + 1)?.trim().strip_prefix('^')?.trim();
    let path = place?.path.clone();
    Some(BuildProblem {
        tool: BuildTool::Gradle,
        severity: BuildSeverity::Error,
        place: Some(OutputPlace { path, line: Some(number), column: None }),
        message: message.to_owned(),
        tasks: Vec::new(),
        times: 1,
    })
}

fn is_cache_report(line: &str) -> bool {
    static REPORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"^\d+ problems? (?:was|were) found (?:storing|reusing|calculating) the configuration cache",
        )
        .ok()
    });
    REPORT.as_ref().is_some_and(|report| report.is_match(line))
}

/// `- Task `:app:x` of type `T`: why`, `- Build file 'build.gradle': line 12: why`.
fn cache_problems(lines: &[String], at: usize) -> Block {
    static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^- (?:Build file|Settings file|Script|Plugin|Class) ['`](?P<path>[^'`]+)['`]: (?:line (?P<line>\d+): )?(?P<m>.*)$").ok()
    });
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
        problems.push(BuildProblem {
            tool: BuildTool::ConfigurationCache,
            severity: BuildSeverity::Error,
            place,
            message: found.map_or_else(|| message.to_owned(), |found| found["m"].to_owned()),
            tasks: task.into_iter().collect(),
            times: 1,
        });
        next += 1;
    }
    Block { problems, next }
}

/// `CartTest > sells FAILED`, and beneath it `java.lang.AssertionError at CartTest.kt:12`.
fn failed_test(lines: &[String], at: usize) -> Block {
    static PLACE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\bat (?:\S+\()?(?P<path>[\w.-]+\.(?:kt|java)):(?P<line>\d+)").ok());
    let name = lines[at].trim_end_matches(" FAILED").trim();
    let mut message = format!("{name} failed");
    let mut place = None;
    let mut next = at + 1;
    while next < lines.len() && next - at < MAX_KEPT && lines[next].starts_with(' ') {
        let line = lines[next].trim();
        if next == at + 1 {
            message = format!("{message}: {line}");
        }
        // The first frame of the test's own file.
        let test = name.split([' ', '[']).next().unwrap_or(name);
        let found = PLACE.as_ref().and_then(|place| place.captures(line));
        place = place.or_else(|| {
            let found = found.filter(|found| {
                let stem = found["path"].split('.').next().unwrap_or_default().to_owned();
                test.rsplit('.').next() == Some(&stem) || next == at + 1
            })?;
            let number = found["line"].parse().ok();
            Some(OutputPlace { path: found["path"].to_owned(), line: number, column: None })
        });
        next += 1;
    }
    let problem = BuildProblem {
        tool: BuildTool::Test,
        severity: BuildSeverity::Error,
        place,
        message,
        tasks: Vec::new(),
        times: 1,
    };
    Block { problems: vec![problem], next }
}
