//! Reads the problems of a build's output, in the order in which they are reported, each once: several variants and
//! modules report the same.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::blocks::{self, Block};
use super::causes::is_summary;
use super::lines::plain_lines;
use super::messages::{BegunProblem, begun, ends_message, is_caret};
use super::{BuildProblem, BuildSeverity, BuildTool, failed_tasks, likely_errors, proguard, unmarked};
use symd_base::Cancel;
use symd_base::cancel::Cancelled;

/// Maximum number of further lines of a message.
const MAX_FURTHER: usize = 12;

/// How Kotlin's compiler begins an error.
const KOTLIN_ERROR: &str = "e: ";

/// Maximum number of different problems.
const MAX_PROBLEMS: usize = 5_000;

/// How a build ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildOutcome {
    Failed,
    Succeeded,
    /// The output does not say.
    Unknown,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct ParsedBuild {
    /// In the order in which they were first reported.
    pub problems: Vec<BuildProblem>,
    pub outcome: BuildOutcome,
}

/// Reads a build's output.
pub fn parse_build(text: &str, cancel: &Cancel) -> Result<ParsedBuild, Cancelled> {
    let lines = plain_lines(text);
    let has_report = lines.iter().any(|line| line.starts_with("* What went wrong:"));
    let mut problems = Problems::default();
    let mut task = String::new();
    let mut outcome = BuildOutcome::Unknown;
    // Whether a task was named behind a build that succeeded.
    let mut has_begun_anew = false;
    let mut at = 0;
    while at < lines.len() {
        if at % 1_024 == 0 {
            cancel.check()?;
        }
        let line = lines[at].as_str();
        // Another build began that did not end. What has neither a task nor a place is the error output of the first one, which some
        // write behind it.
        if outcome == BuildOutcome::Succeeded
            && line.starts_with(KOTLIN_ERROR)
            && (has_begun_anew || begun(line).is_some_and(|begun| begun.problem.place.is_some()))
        {
            outcome = BuildOutcome::Unknown;
        }
        if let Some(name) = task_of(line) {
            has_begun_anew = outcome == BuildOutcome::Succeeded;
            name.clone_into(&mut task);
            // Some outputs end there.
            outcome = if line.ends_with(" FAILED") { BuildOutcome::Failed } else { outcome };
            at += 1;
        } else if let Some(ended) = outcome_of(line) {
            outcome = if outcome == BuildOutcome::Failed { outcome } else { ended };
            has_begun_anew = false;
            at += 1;
        } else if let Some(Block { problems: found, next }) = blocks::read(&lines, at, has_report) {
            for mut problem in found {
                if problem.tasks.is_empty() && !task.is_empty() && problem.place.is_some() {
                    problem.tasks.push(task.clone());
                }
                problems.add(problem);
            }
            at = next;
        } else if let Some(BegunProblem { mut problem, continues }) = begun_in(line) {
            let further = if continues { further_lines(&lines, at + 1) } else { 0 };
            problem.message = message(&problem.message, &lines[at + 1..=at + further]);
            if !task.is_empty() {
                problem.tasks.push(task.clone());
            }
            // ktlint writes like Kotlin's compiler, without its mark.
            let is_of_compiler = line.starts_with(KOTLIN_ERROR);
            if problem.tool == BuildTool::Kotlinc && !is_of_compiler && is_style_check(&task) {
                problem.tool = BuildTool::Style;
            }
            if !problem.message.is_empty() {
                problems.add(problem);
            }
            at += 1 + further;
        } else {
            at += 1;
        }
    }
    raise_warnings(&mut problems.list);
    proguard::judge(&mut problems.list, outcome);
    let errors = || problems.list.iter().filter(|problem| problem.severity == BuildSeverity::Error);
    let is_cause =
        |problem: &BuildProblem| problem.tool != BuildTool::Flutter && !is_summary(problem.headline());
    if outcome != BuildOutcome::Succeeded && !errors().any(is_cause) {
        let is_failed = errors().next().is_some();
        unmarked::read(&lines, is_failed).into_iter().for_each(|problem| problems.add(problem));
    }
    let errors = || problems.list.iter().filter(|problem| problem.severity == BuildSeverity::Error);
    if outcome == BuildOutcome::Failed && !errors().any(is_cause) {
        let of_program = errors().find(|problem| problem.message.contains("non-zero exit value"));
        let task = of_program.and_then(|problem| problem.tasks.first());
        let guess = likely_errors::read(&lines, task.map(String::as_str), of_program.is_some());
        guess.into_iter().for_each(|problem| problems.add(problem));
    }
    if outcome == BuildOutcome::Failed
        && !problems.list.iter().any(|problem| problem.severity == BuildSeverity::Error)
    {
        failed_tasks::read(&lines).into_iter().for_each(|problem| problems.add(problem));
    }
    Ok(ParsedBuild { problems: problems.list, outcome })
}

/// Reads the message that a line begins; mail and Markdown quote and indent lines.
fn begun_in(line: &str) -> Option<BegunProblem> {
    let bare = line.trim_start_matches(['>', ' ', '\t']);
    let in_bare = || if bare.len() < line.len() { begun(bare) } else { None };
    begun(line).or_else(in_bare)
}

/// Returns the task of Gradle's `> Task :app:compileKotlin FAILED`.
pub(super) fn task_of(line: &str) -> Option<&str> {
    let modern = line.strip_prefix("> Task ").or_else(|| line.strip_prefix("> Configure project "));
    // Before Gradle 4: `:app:compileKotlin`, `:app:compileKotlin UP-TO-DATE`.
    let old = || {
        let (task, state) = line.split_once(' ').unwrap_or((line, "FAILED"));
        let is_path = task.len() > 1
            && task.starts_with(':')
            && task.chars().all(|c| c.is_alphanumeric() || "_-:".contains(c));
        (is_path && state.chars().all(|c| c.is_ascii_uppercase() || c == '-')).then_some(task)
    };
    modern.and_then(|rest| rest.split(' ').next()).or_else(old)
}

/// Whether a task checks how code is written; its project may be named after such a tool.
fn is_style_check(task: &str) -> bool {
    let task = task.rsplit(':').next().unwrap_or_default().to_lowercase();
    ["ktlint", "detekt", "spotless"].iter().any(|tool| task.contains(tool))
}

pub(super) fn outcome_of(line: &str) -> Option<BuildOutcome> {
    let is = |start: &str| line.starts_with(start);
    if is("BUILD SUCCESSFUL") || is("[INFO] BUILD SUCCESS") {
        Some(BuildOutcome::Succeeded)
    } else if is("BUILD FAILED") || is("FAILURE: ") || is("[INFO] BUILD FAILURE") {
        Some(BuildOutcome::Failed)
    } else {
        None
    }
}

/// Whether Gradle says a line at the end of a build, on its standard output: it is of no task.
pub(super) fn is_closing(line: &str) -> bool {
    const STARTS: [&str; 3] =
        ["Deprecated Gradle features", "[Incubating] Problems report", "For more on this, please refer"];
    let behind_count = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_count = behind_count.len() < line.len() && behind_count.starts_with(" actionable task");
    is_count || STARTS.iter().any(|start| line.starts_with(start))
}

/// Returns how many of the lines from `first` on belong to the message before them.
fn further_lines(lines: &[String], first: usize) -> usize {
    let after = lines[first.min(lines.len())..].iter();
    let further = after.take(MAX_FURTHER).take_while(|line| !ends_message(line)).count();
    // What processors of annotations write behind an empty line: KSP's the type that is missing, Dagger where something is asked for
    // (<https://github.com/google/dagger/issues/4383>).
    let Some([empty, behind @ ..]) = lines.get(first + further..) else { return further };
    if !empty.trim().is_empty() {
        return further;
    }
    let is_within = |line: &&String| line.starts_with(' ') && !ends_message(line);
    let indented = |lines: &[String]| lines.iter().take(MAX_FURTHER).take_while(is_within).count();
    match behind {
        [head, trace @ ..] if head == "Dependency trace:" => further + 2 + indented(trace),
        _ => {
            let count = indented(behind);
            let is_asked =
                |line: &String| [" is injected at", " is requested at"].iter().any(|end| line.ends_with(end));
            if behind[..count].iter().any(is_asked) { further + 1 + count } else { further }
        }
    }
}

/// Makes errors of the warnings for which a compiler stopped.
fn raise_warnings(problems: &mut [BuildProblem]) {
    let is_stop = |problem: &&BuildProblem| {
        problem.severity == BuildSeverity::Error
            && problem.headline().contains("warnings found and -Werror specified")
    };
    let stopped: Vec<Vec<String>> = problems.iter().filter(is_stop).map(|stop| stop.tasks.clone()).collect();
    if stopped.is_empty() {
        return;
    }
    let tasks = stopped.concat();
    for problem in problems {
        let is_of_compiler =
            matches!(problem.tool, BuildTool::Kotlinc | BuildTool::Javac | BuildTool::Compose);
        let is_of_task = tasks.is_empty() || problem.tasks.iter().any(|task| tasks.contains(task));
        if is_of_compiler && is_of_task && problem.place.is_some() {
            problem.severity = BuildSeverity::Error;
        }
    }
}

/// Returns a message with its further lines, without the source and its mark: that is shown from the project.
fn message(first: &str, further: &[String]) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for line in further {
        if is_caret(line) {
            // The line of source before it.
            kept.pop();
        } else if !line.trim().is_empty() {
            kept.push(line.trim_end());
        }
    }
    let further = kept.into_iter().map(|line| format!("\n{line}")).collect::<String>();
    format!("{first}{further}").trim().to_owned()
}

/// The problems so far, by what makes them equal.
#[derive(Default)]
struct Problems {
    list: Vec<BuildProblem>,
    known: BTreeMap<(String, Option<usize>, String, BuildSeverity), usize>,
    /// The first of each place, by path, line, column and the first line of its message.
    at_place: BTreeMap<(String, usize, Option<usize>, String, BuildSeverity), usize>,
}

impl Problems {
    fn add(&mut self, problem: BuildProblem) {
        let path = problem.place.as_ref().map_or(String::new(), |place| place.path.replace('\\', "/"));
        let line = problem.place.as_ref().and_then(|place| place.line);
        let column = problem.place.as_ref().and_then(|place| place.column);
        let at_place =
            line.map(|line| (path.clone(), line, column, problem.headline().to_owned(), problem.severity));
        let key = (path, line, what(&problem), problem.severity);
        // A summary repeats the first line of a message alone.
        let is_whole = problem.message.len() > problem.headline().len();
        let repeated = at_place.as_ref().filter(|_| !is_whole).and_then(|place| self.at_place.get(place));
        match self.known.get(&key).or(repeated).copied() {
            Some(at) => {
                let known = &mut self.list[at];
                known.times += problem.times;
                for task in problem.tasks {
                    if !known.tasks.contains(&task) {
                        known.tasks.push(task);
                    }
                }
            }
            None if self.list.len() < MAX_PROBLEMS => {
                self.known.insert(key, self.list.len());
                if let Some(place) = at_place {
                    self.at_place.entry(place).or_insert(self.list.len());
                }
                self.list.push(problem);
            }
            None => {}
        }
    }
}

/// Returns what makes the messages of equal problems equal: other tasks meet the same one, and modules have names for each variant.
fn what(problem: &BuildProblem) -> String {
    static MODULE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"<\w+_(?:debug|release)>").ok());
    let is_of_chain = matches!(problem.tool, BuildTool::Dependencies | BuildTool::Gradle);
    let message = match is_of_chain && problem.place.is_none() && !is_summary(problem.headline()) {
        true => problem.headline(),
        false => &problem.message,
    };
    // Gradle indents what it repeats.
    let message = message.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    MODULE.as_ref().map_or_else(|| message.clone(), |module| module.replace_all(&message, "<>").into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_test_printed_is_no_outcome() {
        let read = |text: &str| parse_build(text, &Cancel::new()).unwrap();
        let printed =
            read("> Task :app:test\n    > Task :till FAILED\n    BUILD FAILED in 1s\nBUILD SUCCESSFUL in 9s");
        assert_eq!((printed.outcome, printed.problems.len()), (BuildOutcome::Succeeded, 0));
        let indented = read("    > Task :till FAILED\n    BUILD FAILED in 1s");
        assert_eq!(indented.outcome, BuildOutcome::Failed);
    }

    #[test]
    fn what_dagger_misses_is_told_with_what_asks_for_it() {
        let head = "/p/Till_HiltComponents.java:15: error: [Dagger/MissingBinding] a.Stock cannot be provided without an @Provides-annotated method.\n";
        let source =
            "  public abstract static class SingletonC implements Till_GeneratedInjector,\n          ^\n";
        let text = format!(
            "{head}{source}  \n      a.Stock is injected at\n          [a.SingletonC] a.Till(stock)\n1 error\n"
        );
        let read = parse_build(&text, &Cancel::new()).unwrap();
        let said: Vec<&str> = read.problems[0].message.lines().skip(1).map(str::trim).collect();
        assert_eq!(
            (read.problems.len(), said),
            (1, vec!["a.Stock is injected at", "[a.SingletonC] a.Till(stock)"])
        );
        // Gradle repeats it in its report, where some versions leave out what follows.
        let indented: String = text.lines().map(|line| format!("  {line}\n")).collect();
        for repeated in [indented, format!("  {head}")] {
            let read = parse_build(&format!("{text}\n{repeated}"), &Cancel::new()).unwrap();
            assert_eq!((read.problems.len(), read.problems[0].times), (1, 2), "{repeated}");
        }
        let other = format!("{head}{source}\n      printed\n1 error\n");
        assert_eq!(parse_build(&other, &Cancel::new()).unwrap().problems[0].message.lines().count(), 1);
    }

    #[test]
    fn mavens_summary_repeats_what_was_said() {
        let messages = |text: &str| -> Vec<String> {
            let read = parse_build(text, &Cancel::new()).unwrap();
            read.problems.into_iter().map(|problem| problem.message).collect()
        };
        let symbol = "[ERROR] /p/A.java:[8,16] cannot find symbol\n";
        let repeated = "[ERROR]   symbol:   variable till\n";
        assert_eq!(
            messages(&format!("{symbol}  symbol:   variable till\n[INFO] 1 error\n{symbol}{repeated}")),
            ["cannot find symbol\n  symbol:   variable till"]
        );
        // A missing dependency is told beneath the goal.
        let missing = "[ERROR] Failed to execute goal on project core: Could not resolve dependencies for project shop:core:jar:1.0\n[ERROR] dependency: \
                       shop:till:jar:2.0 (compile)\n[ERROR] \tCould not find artifact shop:till:jar:2.0 in central (https://repo.example)\n";
        assert_eq!(
            messages(missing)[1],
            "Could not find artifact shop:till:jar:2.0 in central (https://repo.example)"
        );
    }

    #[test]
    fn a_message_ends_where_the_build_says_how_it_ended() {
        for end in ["Target //core:core failed to build", "** BUILD FAILED **"] {
            let text = format!("A.kt:3:5: error: unresolved reference: x\n    x()\n    ^\n{end}\nmore\n");
            let read = parse_build(&text, &Cancel::new()).unwrap();
            assert_eq!(read.problems[0].message, "unresolved reference: x");
        }
        // The Android Gradle plugin prints ninja's output, and again in its report.
        let error = "/p/till.cpp:10:5: error: no till\n";
        let text = format!(
            "C/C++: {error}C/C++:     till();\nC/C++:     ^\nC/C++: 1 error generated.\n\n  {error}      till();\n      ^\n  1 error generated.\n"
        );
        let read = parse_build(&text, &Cancel::new()).unwrap();
        assert_eq!((read.problems.len(), read.problems[0].message.as_str()), (1, "no till"));
    }

    #[test]
    fn a_module_named_after_a_style_tool_is_compiled() {
        let tool = |text: &str| parse_build(text, &Cancel::new()).unwrap().problems[0].tool;
        let error = "e: file:///p/A.kt:3:5 Unresolved reference 'x'.";
        assert_eq!(tool(&format!("> Task :detekt-rules:compileKotlin FAILED\n{error}")), BuildTool::Kotlinc);
        assert_eq!(tool(&format!("> Task :app:detekt FAILED\n{error}")), BuildTool::Kotlinc);
        let check = "> Task :app:ktlintMainSourceSetCheck FAILED\nfile:///p/A.kt:3:5 Missing newline";
        assert_eq!(tool(check), BuildTool::Style);
    }

    #[test]
    fn an_error_behind_a_success_is_of_another_build() {
        let outcome = |text: &str| parse_build(text, &Cancel::new()).unwrap().outcome;
        let first = "e: Daemon compilation failed: till\nBUILD SUCCESSFUL in 9s\n";
        assert_eq!(outcome(first), BuildOutcome::Succeeded);
        let second = format!("{first}> Task :app:compileKotlin\ne: Till is not supported\n");
        assert_eq!(outcome(&second), BuildOutcome::Unknown);
        assert_eq!(outcome(&format!("{second}BUILD SUCCESSFUL in 2s\n")), BuildOutcome::Succeeded);
        let placed = format!("{first}e: file:///p/A.kt:3:5 Unresolved reference 'x'.\n");
        assert_eq!(outcome(&placed), BuildOutcome::Unknown);
        // The error output of the build, behind its standard output.
        let errors =
            "BUILD SUCCESSFUL in 9s\n1 actionable task: 1 executed\ne: Daemon compilation failed: till\n";
        assert_eq!(outcome(&format!("> Task :app:compileKotlin\n\n{errors}")), BuildOutcome::Succeeded);
    }
}
