//! Finds the lines with which Gradle says why a build failed: beneath `* What went wrong:`, or without that head.

use super::blocks::Block;
use super::causes::is_summary;
use super::joined_lines::is_head;
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
            || ["> Task ", "> Run with --", "> Get more help at "].iter().any(|start| line.starts_with(start))
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
    let is_inner = || {
        lines[first].starts_with([' ', '\t'])
            && is_marked(&lines[first])
            && !is_code_frame(bare(&lines[first]))
            && !is_head(lines[first].trim_start())
    };
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
    while block.len() < MAX_LINES
        && block.iter().rfind(|line| !line.trim().is_empty()).is_some_and(|last| is_course(bare(last)))
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

/// Returns line `at` if it may be a reason without a mark: it begins like a sentence, and is neither a task, an outcome nor a message of
/// another tool.
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
    // An apostrophe quotes nothing.
    let quotes = |line: &str| line.split_whitespace().any(|word| word.starts_with('\''));
    let names_task = line.ends_with('.') && quotes(line) && line.starts_with(char::is_uppercase);
    names_task
        && lines.get(at + 1).is_some_and(|next| {
            let is_progress = ["> Task ", "> Configure "].iter().any(|start| next.starts_with(start));
            is_marked(next) && !is_progress
        })
}

/// Whether a text is a line of code as tests show it: `12 |   expect(x)`.
fn is_code_frame(text: &str) -> bool {
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
    after.len() < text.len() && after.trim_start().starts_with('|')
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

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn reasons_without_marks_are_bounded() {
        let text = "Could not resolve all files.\n".repeat(3 * MAX_LINES);
        assert_eq!(headless(&lines(&text), 0).unwrap().next, MAX_LINES);
    }

    #[test]
    fn what_is_no_reason() {
        // An apostrophe quotes nothing.
        assert!(
            headless(&lines("I can't build the app.\n> e: /p/A.kt:3:5 Unresolved reference 'x'."), 0)
                .is_none()
        );
        assert!(headless(&lines("A problem was found with task ':a'.\n> No till"), 0).is_some());
        // A test's code frame.
        assert!(headless(&lines("    > 12 |   expect(x)"), 0).is_none());
        assert!(headless(&lines("    > No till is open"), 0).is_some());
    }
}
