//! Reads an exception that a program of the build threw: of a chain the last cause.

use std::sync::LazyLock;

use regex::Regex;

use super::blocks::Block;
use super::messages::begun;
use super::parse::outcome_of;
use super::reason_chain::completed;
use super::reasons::is_reason;
use super::{BuildProblem, BuildTool, OutputPlace};

/// Maximum number of lines between an exception and its first frame.
const MAX_MESSAGE: usize = 12;

/// Reads the chain of exceptions that begins at line `at`, if one does.
pub(super) fn chain(lines: &[String], at: usize) -> Option<Block> {
    let mut deepest = completed_exception(lines, at)?;
    // What is known of an exception's message says more than its class.
    let is_known = |tool: BuildTool| matches!(tool, BuildTool::Manifest | BuildTool::Gradle);
    if begun(&lines[at]).is_some_and(|begun| is_known(begun.problem.tool)) {
        return None;
    }
    let scripts = script_errors(&lines[at]);
    let mut next = at + 1;
    // Some logs have an empty line before the file.
    if let [empty, file, ..] = &lines[next..]
        && empty.trim().is_empty()
        && compiled_file(file).is_some()
    {
        next += 1;
    }
    let mut file = None;
    let mut since = 0;
    while let Some(line) = lines.get(next) {
        let bare = line.trim_start_matches(['>', ' ', '\t']);
        file = file.or_else(|| compiled_file(bare));
        if bare.starts_with("at ") || bare.starts_with("... ") {
            since = MAX_MESSAGE;
        } else if bare.starts_with("Caused by: ") || bare.starts_with("Suppressed: ") {
            if let Some(cause) = completed_exception(lines, next).filter(|_| bare.starts_with("Caused")) {
                deepest = cause;
            }
            since = 0;
        } else if since >= MAX_MESSAGE
            || bare.is_empty()
            || begun(bare).is_some()
            || is_of_build(bare)
            || is_reason(bare)
        {
            break;
        } else {
            since += 1;
        }
        next += 1;
    }
    let compiler = compiler(&lines[at]).filter(|_| next > at + 1);
    if compiler.is_none() && lines[at].starts_with("e: ") {
        return None;
    }
    let problems = match scripts.is_empty() {
        true => vec![of_chain(&lines[at], deepest, compiler, file)],
        false => scripts,
    };
    Some(Block { problems, next })
}

/// Returns the compiler whose exception a line is: `e: [ksp] java.lang.IllegalStateException: …`.
fn compiler(line: &str) -> Option<BuildTool> {
    let said = line.strip_prefix("e: ")?;
    let of = |mark: &str, tool| said.starts_with(mark).then_some(tool);
    of("[ksp] ", BuildTool::Ksp).or_else(|| of("[kapt] ", BuildTool::Kapt)).or(Some(BuildTool::Kotlinc))
}

/// Returns the file that Kotlin's compiler was at when it threw: `File being compiled: /p/A.kt`, of old also with the line.
/// Sources: <https://github.com/android/nowinandroid/pull/1036>, <https://github.com/JetBrains/compose-multiplatform/issues/301>.
fn compiled_file(line: &str) -> Option<OutputPlace> {
    static FILE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"^[> \t]*File being compiled(?: at position)?: (?:\((?P<l>\d+),(?P<c>\d+)\) in )?(?:file://)?/?(?P<path>(?:[A-Za-z]:)?[\\/][^:\r\n]+\.(?:kts?|java))$",
        )
        .ok()
    });
    let found = FILE.as_ref()?.captures(line.trim_end())?;
    let number = |name: &str| found.name(name)?.as_str().parse().ok();
    Some(OutputPlace { path: found["path"].to_owned(), line: number("l"), column: number("c") })
}

/// Returns the problem of a chain that `first` begins; the file that a compiler was at, which `file` names where `first` does not, is
/// its place.
fn of_chain(
    first: &str,
    deepest: String,
    compiler: Option<BuildTool>,
    file: Option<OutputPlace>,
) -> BuildProblem {
    static FILE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"While analysing (?P<path>(?:[A-Za-z]:[\\/])?[^:\r\n]+\.kts?):(?P<l>\d+):(?P<c>\d+)").ok()
    });
    let Some(tool) = compiler else { return BuildProblem::error(BuildTool::Exception, deepest) };
    let found = FILE.as_ref().and_then(|file| file.captures(first));
    let place = found.map(|found| {
        let number = |name: &str| found[name].parse().ok();
        OutputPlace { path: found["path"].to_owned(), line: number("l"), column: number("c") }
    });
    let message = if first.ends_with(&deepest) { deepest } else { format!("{deepest}\n{first}") };
    BuildProblem::error(tool, message).at(place.or(file))
}

/// Returns the exception of a line, with the line after it if its message names nothing and ends in a colon.
fn completed_exception(lines: &[String], at: usize) -> Option<String> {
    let said = exception(&lines[at])?;
    let start = said.rfind(": ").map_or(0, |colon| colon + 2);
    let next = lines.get(at + 1).filter(|next| !next.trim_start().starts_with("at "));
    // Some messages begin in the next line: gradle_run.log of <https://github.com/JordanScarrott/BlockStacker>.
    if start == 0
        && said.ends_with(':')
        && let Some(next) = next.filter(|next| !next.trim().is_empty())
    {
        return Some(format!("{said} {}", next.trim()));
    }
    Some(format!("{}{}", &said[..start], completed(&said[start..], next.map(String::as_str))))
}

/// Whether a line is no message of an exception, but the build tool's.
fn is_of_build(line: &str) -> bool {
    outcome_of(line).is_some() || ["* ", "BUILD ", "Task "].iter().any(|start| line.starts_with(start))
}

/// Returns the class of the exception and its message, if the line begins with one.
fn exception(line: &str) -> Option<String> {
    static EXCEPTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r#"^(?:e: )?(?:\[\w+\] )?(?:Caused by: |Cause \d+: |Exception in thread "[^"]*" )?(?P<e>(?:[a-z_][\w$]*\.)+(?:[A-Z][\w$.]*)?(?:Exception|Error|Failure)(?::(?: .*)?)?|ScriptCompilationException\(.*)$|^Caused by: (?P<c>(?:[a-z_][\w$]*\.)+[A-Z][\w$]*: .*)$"#,
        )
        .ok()
    });
    let bare = line.trim_start_matches(['>', ' ', '\t', '`']);
    if !["Exception", "Error", "Failure", "Caused by: "].iter().any(|part| bare.contains(part)) {
        return None;
    }
    // What caused something is an exception, whatever its class is called.
    let found = EXCEPTION.as_ref()?.captures(bare)?;
    Some(found.name("e").or_else(|| found.name("c"))?.as_str().to_owned())
}

/// Returns the errors of Kotlin scripts that Gradle's exception lists:
/// `ScriptCompilationException(errors=[ScriptCompilationError(message=…, location=/p/build.gradle.kts (15:7))])`.
fn script_errors(line: &str) -> Vec<BuildProblem> {
    static ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"ScriptCompilationError\(message=(?P<m>.*?), location=(?P<path>[^()]+?) \((?P<l>\d+):(?P<c>\d+)\)\)").ok()
    });
    let Some(error) = ERROR.as_ref() else { return Vec::new() };
    let errors = error.captures_iter(line).map(|found| {
        let number = |name: &str| found[name].parse().ok();
        let place = OutputPlace { path: found["path"].to_owned(), line: number("l"), column: number("c") };
        BuildProblem::error(BuildTool::Gradle, &found["m"]).at(Some(place))
    });
    errors.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_was_compiled_is_the_place() {
        let place = |file: &str| {
            let text = format!(
                "e: a.BackendException: Backend Internal error\n{file}\nThe root cause a.Gone was thrown at: a.B.c(B.kt:3)\n\tat a.B.c(B.kt:3)"
            );
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let place = chain(&lines, 0)?.problems.remove(0).place?;
            Some((place.path, place.line))
        };
        let at = |path: &str, line| Some((path.to_owned(), line));
        assert_eq!(place("File being compiled: /p/Till.kt"), at("/p/Till.kt", None));
        assert_eq!(place("\nFile being compiled: C:/p/Till.kt"), at("C:/p/Till.kt", None));
        assert_eq!(place("File being compiled: (11,27) in /C:/p/Till.kt"), at("C:/p/Till.kt", Some(11)));
        assert_eq!(place("File being compiled at position: file:///p/Till.kt"), at("/p/Till.kt", None));
        assert_eq!(place("File is unknown"), None);
    }

    #[test]
    fn a_message_that_begins_in_the_next_line() {
        let read = |text: &str| {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            chain(&lines, 0).unwrap().problems.remove(0).message
        };
        let head = "Exception in thread \"main\" shop.TillException:";
        assert_eq!(
            read(&format!("{head}\nThe till is open,\nand more\n\n\tat shop.Till.open(Till.java:3)")),
            "shop.TillException: The till is open,"
        );
        assert_eq!(read(&format!("{head}\n\tat shop.Till.open(Till.java:3)")), "shop.TillException:");
    }
}
