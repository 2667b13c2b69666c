//! Finds the line that reads like an error where no known form marks one. The answer says that it is a guess.

use std::sync::LazyLock;

use regex::Regex;

use super::parse::{is_closing, outcome_of, task_of};
use super::{BuildProblem, BuildTool};

/// What is said of a line that was found so.
const DOUBT: &str = "No form that is known marks this as an error: it is the first line that reads like one.";

/// What is said of the last line of a program.
const LAST: &str =
    "No line reads like an error: this is the last one that the task wrote before a program of it failed.";

/// A line that is an error by what stands at its start. One form: build_release_log2.txt of
/// <https://github.com/algosal/AGSPay-Android-Full-Taxation>.
static MARKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^\s*(?:(?:Uncaught |Unhandled )?(?:[\w$.]+\.)?[A-Z][\w$]*(?:Error|Exception): \S|(?:npm ERR!|✖|✘|❌|✗) *\S|(?:error|ERROR|fatal|FATAL)(?:\[\w+\])?[: ] *\S|\S+(?:\(\d+,\d+\)|:\d+(?::\d+)?)?: (?:fatal )?error\b)",
    )
    .ok()
});

/// A sentence in which something failed.
static FAILURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:not found|no such file|cannot|can't|could not|couldn't|unable to|failed to|failed with|is not recognized|permission denied|access is denied|unrecognized|unsupported|does not exist|doesn't exist|undefined (?:reference|symbol)|out of memory|timed out|unknown|unexpected|invalid|illegal|missing)\b",
    )
    .ok()
});

/// What is no error, whatever it says.
static HARMLESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^\s*(?:w:|warn|note:|info\b|debug\b|at |> (?:task|transform|configure)|file or directory '|could not execute \[report |skipping |caching |resolve mutations )|\bwarnings?\b|deprecated|up-to-date|could not be reused|\b0 errors?\b|^\[incubating\]|^\s*(?:build cache is|caching has|task has failed|task has not|successfully started|starting process)",
    )
    .ok()
});

/// Returns the line that reads most like an error. `has_program_failed`: a program that the build started failed, so any sentence of its task
/// may be the reason, or else its last line. `task` is the one that failed, if a report names it.
pub(super) fn read(lines: &[String], task: Option<&str>, has_program_failed: bool) -> Option<BuildProblem> {
    let (marked, failure, harmless) = (MARKED.as_ref()?, FAILURE.as_ref()?, HARMLESS.as_ref()?);
    let marked_failed = || lines.iter().find(|line| line.ends_with(" FAILED")).and_then(|line| task_of(line));
    let failed = task.or_else(marked_failed);
    let of_task = failed.map_or(Vec::new(), |task| written_by(lines, task));
    let to = lines.iter().position(|line| line.starts_with("FAILURE: ")).unwrap_or(lines.len());
    let all: Vec<&str> = lines[..to].iter().map(String::as_str).collect();
    let first = |of: &[&str], pattern: &Regex| {
        of.iter()
            .find(|line| pattern.is_match(line) && !harmless.is_match(line))
            .map(|line| (*line).to_owned())
    };
    let is_told = |line: &&&str| !line.trim().is_empty() && !harmless.is_match(line);
    let reads = first(&of_task, marked)
        .or_else(|| first(&of_task, failure).filter(|_| has_program_failed))
        .or_else(|| first(&all, marked).filter(|_| failed.is_none()));
    let last = || of_task.iter().rfind(is_told).filter(|_| has_program_failed).map(|line| (*line).to_owned());
    let (line, doubt) = match reads {
        Some(line) => (line, DOUBT),
        None => (last()?, LAST),
    };
    let problem = BuildProblem::error(BuildTool::Other, format!("{}\n{doubt}", line.trim()));
    Some(problem.in_task(failed.map(str::to_owned)))
}

/// Returns what a task wrote: the lines behind each of its headers.
fn written_by<'l>(lines: &'l [String], task: &str) -> Vec<&'l str> {
    let mut is_of_task = false;
    let mut written = Vec::new();
    for line in lines {
        if let Some(name) = task_of(line) {
            is_of_task = name == task;
        } else if outcome_of(line).is_some() || is_closing(line) {
            is_of_task = false;
        } else if is_of_task {
            written.push(line.as_str());
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use symd_base::Cancel;

    use super::super::{BuildProblem, parse_build};

    /// Returns the errors that are guesses.
    fn guesses(text: &str) -> Vec<BuildProblem> {
        let problems = parse_build(text, &Cancel::new()).unwrap().problems;
        problems
            .into_iter()
            .filter(|problem| problem.message.contains('\n') && problem.message.contains(" reads like "))
            .collect()
    }

    fn report(task: &str) -> String {
        format!(
            "* What went wrong:\nExecution failed for task '{task}'.\n> Process 'command 'node'' finished with non-zero exit value 1\n\n"
        )
    }

    #[test]
    fn what_gradle_says_at_the_end_is_of_no_task() {
        for closing in [
            "1 actionable task: 1 executed",
            "17 actionable tasks: 16 executed, 1 up-to-date",
            "Deprecated Gradle features were used in this build, making it incompatible with Gradle 9.0.",
            "[Incubating] Problems report is available at: file:///ci/problems.html",
            "For more on this, please refer to https://docs.gradle.org in the Gradle documentation.",
        ] {
            let text = report(":app:gen") + "BUILD FAILED in 3s\n> Task :app:gen FAILED\n";
            assert_eq!(guesses(&format!("{text}{closing}\n")), [], "{closing}");
            // A line of the task's before it is found.
            let told = guesses(&format!("{text}the till is open\n{closing}\n"));
            assert_eq!(told[0].headline(), "the till is open", "{closing}");
        }
    }

    #[test]
    fn the_guess_is_of_the_task_whose_program_failed() {
        let tasks = "> Task :app:lint FAILED\nTill is read\n> Task :app:gen FAILED\nthe till is open\n\n";
        let found =
            guesses(&format!("{tasks}FAILURE: Build completed with 2 failures.\n\n{}", report(":app:gen")));
        assert_eq!(
            (found[0].headline(), found[0].tasks.as_slice()),
            ("the till is open", [":app:gen".to_owned()].as_slice())
        );
    }

    #[test]
    fn what_tasks_wrote_that_succeeded_is_no_guess() {
        let tasks = "> Task :app:check\nTypeError: till is not a function\n> Task :app:gen FAILED\n\n";
        assert_eq!(
            guesses(&format!("{tasks}FAILURE: Build failed with an exception.\n\n{}", report(":app:gen"))),
            []
        );
        // It is not known which task failed.
        let found = guesses("> Task :app:check\nTypeError: till is not a function\nBUILD FAILED in 1s\n");
        assert_eq!(found[0].headline(), "TypeError: till is not a function");
        assert!(found[0].tasks.is_empty());
    }

    #[test]
    fn a_count_of_warnings_is_no_error() {
        let tasks = "> Task :app:gen FAILED\n✖ 3 problems (0 errors, 3 warnings)\nthe till is open\n\n";
        let found =
            guesses(&format!("{tasks}FAILURE: Build failed with an exception.\n\n{}", report(":app:gen")));
        assert_eq!(found[0].headline(), "the till is open");
    }
}
