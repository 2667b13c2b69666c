//! Reads the lines of what went wrong: what failed, and beneath it, behind a `>`, the reason of each line above. The reason that
//! names the thing leads: the deepest one, unless it only says how.

use super::causes::is_summary;
use super::messages::begun;
use super::scripts::script_errors;
use super::{BuildProblem, BuildTool, OutputPlace};

/// Maximum number of lines of a message that are kept.
const MAX_KEPT: usize = 14;

/// Starts of lines that lead to the next reason and name no cause themselves.
const COURSES: [&str; 15] = [
    "Execution failed for task ",
    "A problem occurred ",
    "A failure occurred while executing ",
    "An exception occurred applying plugin ",
    "Could not determine the dependencies of task ",
    "Could not resolve all ",
    "Could not create task ",
    "Could not create an instance of type ",
    "Could not create plugin of type ",
    "Could not generate a decorated class ",
    "Error while evaluating property ",
    "Failed to apply plugin ",
    "Failed to calculate the value of ",
    "Failed to notify ",
    "Failed to query the value of ",
];

/// Whether a line has a mark of a reason before it. A quoted line with more than one blank behind its mark continues the line above it.
pub(super) fn is_marked(line: &str) -> bool {
    let marked = line.trim_start_matches([' ', '\t', '|']);
    let text = marked.trim_start_matches(['>', ' ', '\t', '|']);
    let marks = &marked[..marked.len() - text.len()];
    let blanks = marks.len() - marks.trim_end_matches([' ', '\t']).len();
    marks.starts_with('>') && blanks <= 1 && !text.is_empty()
}

fn text_of(line: &str) -> &str {
    line.trim_start_matches(['>', ' ', '\t', '|'])
}

/// Returns the problems of a block: the compilers' own lines in it, or what Gradle itself has to say.
pub(super) fn of_block(block: &[&str], place: Option<OutputPlace>) -> Vec<BuildProblem> {
    let joined = joined(block);
    let block: Vec<&str> = joined.iter().map(String::as_str).collect();
    let mut problems = Vec::new();
    let mut rest: Vec<&str> = Vec::new();
    for line in &block {
        let says_more = |problem: &BuildProblem| {
            let is_whole = problem.tool == BuildTool::Manifest && problem.place.is_none();
            !is_whole && (problem.tool != BuildTool::Kotlinc || problem.place.is_some())
        };
        match begun(text_of(line)).filter(|begun| says_more(&begun.problem)) {
            Some(begun) => problems.push(begun.problem),
            None => rest.push(line),
        }
    }
    let of_script = script_errors(&block, place.as_ref());
    if !of_script.is_empty() {
        problems.extend(of_script);
        return problems;
    }
    let Some(task) = rest.first() else { return problems };
    let task = task_in(task);
    let leading = leading(&rest);
    let headline = completed(text_of(rest[leading]), rest.get(leading + 1).copied());
    let mut message = headline.clone();
    for line in rest.iter().take(MAX_KEPT) {
        if !headline.starts_with(text_of(line)) && !headline.ends_with(text_of(line)) {
            message.push('\n');
            message.push_str(line);
        }
    }
    if is_version(&headline) {
        message.push_str("\nGradle says no more than this version: of Java, most likely, newer than this Gradle or its Kotlin compiler can run on.");
    }
    let place = place.filter(|_| problems.is_empty());
    problems.push(BuildProblem::error(tool_of(&message), message).at(place).in_task(task));
    problems
}

/// Joins a reason's mark to the text that begins in the next line.
fn joined(block: &[&str]) -> Vec<String> {
    let lines = block.iter().enumerate().filter(|(at, line)| *at + 1 == block.len() || line.trim() != ">");
    let with_mark = |(at, line): (usize, &&str)| match at.checked_sub(1).map(|before| block[before]) {
        Some(mark) if mark.trim() == ">" => format!("{}> {}", &mark[..mark.len() - 1], line.trim_start()),
        _ => (*line).to_owned(),
    };
    lines.map(with_mark).collect()
}

/// Returns the number of the line that says what really failed.
fn leading(rest: &[&str]) -> usize {
    if let Some(specific) = rest.iter().position(|line| is_specific(text_of(line))) {
        return specific;
    }
    // What only announces the next line.
    let announces = |line: &&str| line.ends_with(" raised by workers:") || line.ends_with("startup failed:");
    if let Some(announced) = rest.iter().position(announces).filter(|at| at + 1 < rest.len()) {
        return announced + 1;
    }
    let Some(deepest) = rest.iter().rposition(|line| is_marked(line)) else {
        // The marks are lost.
        let is_course = rest[0].trim_start().starts_with("Execution failed for task ");
        return usize::from(is_course && rest.len() > 1);
    };
    // How a task ran says less than which task it is.
    let is_how = text_of(rest[deepest]).starts_with("A failure occurred while executing ");
    if is_how && text_of(rest[0]).starts_with("Execution failed for task ") {
        return 0;
    }
    if names_something(text_of(rest[deepest])) {
        return deepest;
    }
    let names_it = |line: &str| {
        let text = text_of(line);
        let is_course = COURSES.iter().any(|start| text.starts_with(start)) || is_summary(text);
        is_marked(line) && !is_course && names_something(text)
    };
    rest[..deepest].iter().rposition(|line| names_it(line)).unwrap_or(deepest)
}

/// Whether a line names the thing which failed, where a line beneath it only says how.
fn is_specific(text: &str) -> bool {
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
    // All files of a configuration, or a task's dependencies: the line beneath says which.
    STARTS.iter().any(|start| text.starts_with(start)) && !text.starts_with("Could not resolve all")
}

/// Whether a sentence names a thing, beside what any failure of its kind says: something quoted, a path, a class, a version.
fn names_something(text: &str) -> bool {
    let mut outside = String::new();
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    let is_quoted = |mark: char| outside.split_whitespace().any(|word| word.starts_with(mark));
    let names = |(at, word): (usize, &str)| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '{' && c != '}');
        let inner = word.chars().skip(1);
        let is_named = inner.clone().any(|c| "./\\:_${}".contains(c));
        let is_camel = inner.clone().any(char::is_uppercase) && inner.clone().any(char::is_lowercase);
        let has_digit = at > 0 && word.contains(|c: char| c.is_ascii_digit());
        !word.starts_with("http") && (is_named || is_camel || has_digit)
    };
    ['\'', '"', '`'].into_iter().any(is_quoted) || outside.split_whitespace().enumerate().any(names)
}

/// Returns what a line says; where it names nothing and ends with a colon, with the line after it, which does.
pub(super) fn completed(line: &str, next: Option<&str>) -> String {
    let next = next.map(|next| text_of(next).trim_start_matches(['-', ' '])).filter(|next| !next.is_empty());
    match next {
        Some(next) if line.ends_with(':') && !names_something(line) => format!("{line} {next}"),
        _ => line.to_owned(),
    }
}

/// Whether a reason is nothing but a number that may be a version of Java, as in gradle_error.txt of <https://github.com/AveryCodesCat/TUI-ConsoleLauncher>.
fn is_version(reason: &str) -> bool {
    let first = reason.split(['.', '+', '_', '-']).next().and_then(|first| first.parse().ok());
    first.is_some_and(|first: u32| (8..100).contains(&first))
        && reason.chars().all(|c| c.is_ascii_digit() || ".+_-".contains(c))
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
    } else if has("Could not determine the dependencies of task '") {
        // What the task would have run has not begun.
        BuildTool::Gradle
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

#[cfg(test)]
mod tests {
    use super::*;

    fn headline(block: &[&str]) -> String {
        of_block(block, None).remove(0).headline().to_owned()
    }

    #[test]
    fn the_reason_that_names_the_thing_leads() {
        let of_task = "Execution failed for task ':app:compileJava'.";
        let course = "> Failed to calculate the value of task ':app:compileJava' property 'javaCompiler'.";
        let named = "   > No matching toolchains found for requested specification: {languageVersion=21}.";
        let how = "      > No locally installed toolchains match (see https://docs.gradle.org/8.1/) and none is configured.";
        assert_eq!(headline(&[of_task, course, named, how]), text_of(named));
        // Without a line that names more, the deepest one says most.
        let made = "> Could not create an instance of type com.android.build.api.variant.impl.LibraryVariantBuilderImpl.";
        let deepest =
            "   > Namespace not specified. See https://d.android.com/r/tools/set-namespace for more.";
        assert_eq!(
            headline(&["A problem occurred configuring project ':till'.", made, deepest]),
            text_of(deepest)
        );
        let path = "      > jlink executable /jdk/bin/jlink does not exist.";
        assert_eq!(headline(&[of_task, course, named, path]), text_of(path));
    }

    // gradle_error.log of <https://github.com/nightshiftlabsza/LekkerLedger>.
    #[test]
    fn what_a_task_needs_is_not_said_by_its_tool() {
        let block = [
            "Could not determine the dependencies of task ':app:minifyReleaseWithR8'.",
            "> SDK location not found. Define it.",
        ];
        assert_eq!(of_block(&block, None)[0].tool, BuildTool::Gradle);
    }

    #[test]
    fn a_quoted_line_that_is_indented_is_no_reason() {
        let block = [
            "Execution failed for task ':app:till'.",
            "> File till.json is missing.",
            ">   Searched:",
            ">  /shop/till.json",
        ];
        assert_eq!(headline(&block), "File till.json is missing.");
    }

    #[test]
    fn a_reason_without_its_mark() {
        let block = [
            "Execution failed for task ':app:till'.",
            "More than one file was found with path 'META-INF/till'",
        ];
        assert_eq!(headline(&block), block[1]);
    }

    #[test]
    fn a_number_that_may_be_a_version_of_java() {
        for version in ["25.0.1", "17", "8"] {
            assert!(is_version(version), "{version}");
        }
        for number in ["1", "4711", "0", "100", "99999999999"] {
            assert!(!is_version(number), "{number}");
        }
    }

    #[test]
    fn what_names_something() {
        for named in [
            "Till 'a' is open",
            "no /p/a.kt",
            "no shop:till",
            "requires Java 17 to run",
            "NullPointerException",
        ] {
            assert!(names_something(named), "{named}");
        }
        for unnamed in [
            "Connection timed out",
            "3 issues were found:",
            "see the log (at http://a.b/c)",
            "Read http://a.b",
        ] {
            assert!(!names_something(unnamed), "{unnamed}");
        }
    }
}
