//! Reads what Gradle says in several lines: `* What went wrong`, problems of the configuration cache, failed tests.

use std::sync::LazyLock;

use regex::Regex;

use super::messages::begun;
use super::{BuildProblem, BuildSeverity, BuildTool, OutputPlace};
use super::{agp_json, exceptions, studio};

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
    if let Some(problem) = agp_json::message(line) {
        return Some(Block { problems: vec![problem], next: at + 1 });
    }
    if let Some(block) = studio::read(lines, at).or_else(|| headless(lines, at)) {
        return Some(block);
    }
    if let Some(chain) = exceptions::chain(lines, at) {
        return Some(chain);
    }
    if matches!(line, "[ERROR] Failures:" | "[ERROR] Errors:") {
        return Some(surefire(lines, at));
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

/// Reads what went wrong where its head was not pasted: `Execution failed for task ':app:x'.`, the reasons indented beneath it.
/// The script and its line may stand before it: `Build file '/p/build.gradle' line: 12`.
fn headless(lines: &[String], at: usize) -> Option<Block> {
    let place = script_place(&lines[at]);
    let mut first = at;
    if place.is_some() {
        first = (at + 1..lines.len().min(at + 3)).find(|next| !lines[*next].trim().is_empty())?;
    }
    if !is_reason(bare(&lines[first])) {
        return None;
    }
    let mut next = first + 1;
    while let Some(line) = lines.get(next) {
        let inner = line.trim_start_matches(['>', ' ', '\t', '|']);
        let is_inside = line.is_empty() || line.starts_with(['>', ' ', '\t', '|']);
        let ends = next - first >= MAX_LINES
            || !is_inside
            || inner.starts_with("at ")
            || inner.starts_with("Caused by: ")
            || inner.starts_with("Error:(")
            || line.starts_with("> Task ")
            || inner.starts_with("* ");
        if ends {
            break;
        }
        next += 1;
    }
    let block: Vec<&str> = lines[first..next]
        .iter()
        .map(|line| line.trim_start_matches("Error:").trim_end())
        .filter(|line| !line.trim().is_empty())
        .collect();
    Some(Block { problems: of_block(&block, place), next })
}

/// Returns a line without the marks before it.
fn bare(line: &str) -> &str {
    let line = line.trim_start_matches(['>', ' ', '\t', '|']);
    line.strip_prefix("Error:").map_or(line, str::trim_start)
}

/// Whether a line is one with which Gradle says why it failed.
fn is_reason(line: &str) -> bool {
    const STARTS: [&str; 27] = [
        "Execution failed for task '",
        "A problem occurred evaluating ",
        "A problem occurred configuring ",
        "A failure occurred while executing ",
        "Could not resolve all ",
        "Could not determine the dependencies of task ",
        "Could not create task ",
        "Could not find method ",
        "Could not find property ",
        "Could not set unknown property ",
        "Could not get unknown property ",
        "Could not compile build file ",
        "Could not compile settings file ",
        "Could not open cp_",
        "Could not open settings generic class cache ",
        "Cannot find a version of '",
        "No matching variant of ",
        "No matching configuration of ",
        "Error resolving plugin [",
        "Plugin [id: ",
        "Failed to apply plugin ",
        "Failed to transform artifact '",
        "Failed to transform file '",
        "Failed to transform '",
        "SDK location not found",
        "Unsupported class file major version ",
        "Minimum supported Gradle version ",
    ];
    // A module has a group: what else was not found is no reason to fail.
    let module = line.strip_prefix("Could not resolve ").or_else(|| line.strip_prefix("Could not find "));
    let is_module = module.is_some_and(|rest| {
        let name = rest.split_whitespace().next().unwrap_or_default().trim_end_matches('.');
        name.split(':').filter(|part| !part.is_empty()).count() >= 2 && !name.contains('/')
    });
    let is_about_metadata = line.ends_with(" found when checking AAR metadata:");
    is_module || is_about_metadata || STARTS.iter().any(|start| line.starts_with(start))
}

/// Whether a line begins the next of several failures: `2: Task failed with an exception.`
fn is_numbered(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    digits.len() < line.len() && digits.starts_with(": Task failed with an exception")
}

/// Returns the problems of a block: the compilers' own lines in it, or what Gradle itself has to say.
fn of_block(block: &[&str], place: Option<OutputPlace>) -> Vec<BuildProblem> {
    // A reason that begins in the next line.
    let joined: Vec<String> = block
        .iter()
        .enumerate()
        .filter(|(at, line)| *at + 1 == block.len() || line.trim() != ">")
        .map(|(at, line)| match at.checked_sub(1).map(|before| block[before]) {
            Some(mark) if mark.trim() == ">" => format!("{}> {}", &mark[..mark.len() - 1], line.trim_start()),
            _ => (*line).to_owned(),
        })
        .collect();
    let block: Vec<&str> = joined.iter().map(String::as_str).collect();
    let mut problems = Vec::new();
    let mut rest: Vec<&str> = Vec::new();
    for line in &block {
        let bare = line.trim_start_matches(['>', ' ', '|']);
        let says_more = |problem: &BuildProblem| {
            let is_whole = problem.tool == BuildTool::Manifest && problem.place.is_none();
            !is_whole && (problem.tool != BuildTool::Kotlinc || problem.place.is_some())
        };
        match begun(bare).filter(|begun| says_more(&begun.problem)) {
            Some(begun) => problems.push(begun.problem),
            None => rest.push(line),
        }
    }
    if let Some(inner) = script_error(&block, place.as_ref()).or_else(|| groovy_error(&block)) {
        problems.push(inner);
        return problems;
    }
    let Some(task) = rest.first() else { return problems };
    let task = task_in(task);
    // The deepest line says what really failed; the ones above it, in whose course.
    let deepest = rest.iter().rfind(|line| line.trim_start().starts_with("> "));
    // What only announces the next line.
    let announces = |line: &&&str| line.ends_with(" raised by workers:") || line.ends_with("startup failed:");
    let announced = rest.iter().position(|line| announces(&line));
    let deepest = announced.and_then(|at| rest.get(at + 1)).or(deepest);
    let headline = match is_specific(&rest).or(deepest.copied()) {
        Some(line) => line.trim_start_matches(['>', ' ']).to_owned(),
        None => rest[0].trim().to_owned(),
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
    let is_about_script = has("Could not find method ") || has("Could not find property ");
    if !is_about_script && DEPENDENCIES.iter().any(|start| has(start)) {
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

/// Reads the error of a Groovy script: `build file '/p/build.gradle': 12: unexpected token: } @ line 12, column 1.`
fn groovy_error(block: &[&str]) -> Option<BuildProblem> {
    static ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:build file|settings file|script|initialization script) '(?P<path>[^']+)': (?P<l>\d+): (?P<m>.*?)(?: @ line \d+, column (?P<c>\d+)\.)?$").ok()
    });
    let found = block.iter().find_map(|line| ERROR.as_ref()?.captures(line.trim()))?;
    let column = found.name("c").and_then(|column| column.as_str().parse().ok());
    Some(BuildProblem {
        tool: BuildTool::Gradle,
        severity: BuildSeverity::Error,
        place: Some(OutputPlace { path: found["path"].to_owned(), line: found["l"].parse().ok(), column }),
        message: found["m"].to_owned(),
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

/// Maven's list of failed tests: `[ERROR] Failures:`, beneath it `[ERROR]   CartTest.sells:12 expected: <1> but was: <2>`.
fn surefire(lines: &[String], at: usize) -> Block {
    let tests = lines[at + 1..].iter().map_while(|line| line.strip_prefix("[ERROR]   "));
    let problems: Vec<BuildProblem> = tests
        .map(|test| BuildProblem {
            tool: BuildTool::Test,
            severity: BuildSeverity::Error,
            // It names the class, and not the file.
            place: None,
            message: test.trim().to_owned(),
            tasks: Vec::new(),
            times: 1,
        })
        .collect();
    let next = at + 1 + problems.len();
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
