//! Finds the lines with which Gradle says why a build failed: beneath `* What went wrong:`, or without that head.

use super::blocks::Block;
use super::causes::is_summary;
use super::messages::begun;
use super::parse::{outcome_of, task_of};
use super::reason_chain::{is_marked, of_block};
use super::scripts::script_place;
use super::{BuildProblem, OutputPlace, cache_report};

/// Maximum number of lines of a block.
const MAX_LINES: usize = 400;

/// `* Where:` names a script and a line, `* What went wrong:` what failed, and beneath it, indented, why.
pub(super) fn went_wrong(lines: &[String], at: usize) -> Option<Block> {
    let is_where = lines[at].starts_with("* Where:");
    if !is_where && !lines[at].starts_with("* What went wrong:") {
        return None;
    }
    let mut next = at;
    let mut place = None;
    if is_where {
        next += 1;
        while next < lines.len() && !lines[next].starts_with("* ") {
            place = place.or_else(|| script_place(&lines[next]));
            next += 1;
        }
        if lines.get(next).is_none_or(|line| !line.starts_with("* What went wrong:")) {
            return Some(Block { problems: Vec::new(), next: next.max(at + 1) });
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
    let report = (first..next).find(|&at| cache_report::begins(&lines[at]));
    if let Some(Block { problems, .. }) = report.and_then(|report| cache_report::read(&lines[..next], report))
        && !problems.is_empty()
    {
        return Some(Block { problems, next });
    }
    Some(Block { problems: problems(&lines[first..next], place), next })
}

/// Reads what went wrong where its head was not pasted: `Execution failed for task ':app:x'.`, the reasons indented beneath it.
/// The script and its line may stand before it: `Build file '/p/build.gradle' line: 12`.
pub(super) fn headless(lines: &[String], at: usize) -> Option<Block> {
    let place = script_place(&lines[at]);
    let mut first = at;
    if place.is_some() {
        first = (at + 1..lines.len().min(at + 3)).find(|next| !lines[*next].trim().is_empty())?;
    }
    // Quotes are marked at the margin: what stood above an indented mark was not pasted.
    let is_inner = || lines[first].starts_with([' ', '\t']) && is_marked(&lines[first]);
    if !is_reason(bare(&lines[first])) && !has_reason_beneath(lines, first) && !is_inner() {
        return None;
    }
    let mut next = first + 1;
    while lines.get(next).is_some_and(|line| next - first < MAX_LINES && is_inside(line)) {
        next += 1;
    }
    let mut block: Vec<String> =
        lines[first..next].iter().map(|line| without_studio(line).to_owned()).collect();
    // Android Studio's window shows reasons without marks.
    let is_course = |last: &str| is_summary(last) || last.starts_with("Could not resolve all ");
    while block.iter().rfind(|line| !line.trim().is_empty()).is_some_and(|last| is_course(bare(last)))
        && let Some(reason) = unmarked_reason(lines, next)
        && (is_reason(reason) || !lines[next - 1].trim().is_empty())
    {
        block.push(format!("> {reason}"));
        next += 1;
    }
    Some(Block { problems: problems(&block, place), next })
}

fn problems(block: &[String], place: Option<OutputPlace>) -> Vec<BuildProblem> {
    let lines = block.iter().map(|line| line.trim_end()).filter(|line| !line.trim().is_empty());
    of_block(&lines.collect::<Vec<_>>(), place)
}

/// Whether a line belongs to the block that began without a head.
fn is_inside(line: &str) -> bool {
    let inner = line.trim_start_matches(['>', ' ', '\t', '|']);
    (line.is_empty() || line.starts_with(['>', ' ', '\t', '|']))
        && !["at ", "Caused by: ", "Error:(", "* "].iter().any(|start| inner.starts_with(start))
        && !line.starts_with("> Task ")
}

/// Returns the reason at line `at` that has no mark before it: no blank line or another tool's message is one.
fn unmarked_reason(lines: &[String], at: usize) -> Option<&str> {
    let line = lines.get(at).filter(|line| {
        line.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '\'')
            && begun(line).is_none()
            && outcome_of(line).is_none()
            && task_of(line).is_none()
    })?;
    Some(line)
}

/// Whether a sentence that names something has its reason in the next line: `A problem was found with the configuration of task ':a'.`
/// and beneath it `> File …`. Source: <https://github.com/klinker24/talon-for-twitter-android/issues/151>.
fn has_reason_beneath(lines: &[String], at: usize) -> bool {
    let line = lines[at].trim_end();
    let names_task = line.ends_with('.') && line.contains('\'') && line.starts_with(char::is_uppercase);
    names_task
        && lines.get(at + 1).is_some_and(|next| {
            let is_progress = ["> Task ", "> Configure "].iter().any(|start| next.starts_with(start));
            is_marked(next) && !is_progress
        })
}

/// Returns a line without what Android Studio and IntelliJ write before a message of Gradle's.
fn without_studio(line: &str) -> &str {
    let line = line.strip_prefix("Error:").unwrap_or(line);
    line.strip_prefix("Gradle: ").unwrap_or(line)
}

/// Returns a line without the marks before it.
fn bare(line: &str) -> &str {
    without_studio(line.trim_start_matches(['>', ' ', '\t', '|'])).trim_start()
}

/// Whether a line is one with which Gradle says why it failed.
pub(super) fn is_reason(line: &str) -> bool {
    const STARTS: [&str; 31] = [
        "Execution failed for task '",
        "A problem occurred evaluating ",
        "A problem occurred configuring ",
        "A failure occurred while executing ",
        "Could not resolve all ",
        "Could not resolve project :",
        "Build was configured to prefer settings repositories ",
        "Dependency requires at least JVM runtime version ",
        "Dependency resolution is looking for a library ",
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
