//! Puts the root cause first. What a build stops at comes before what it never reached: scripts, dependencies, resources,
//! code that does not parse, names that are missing, everything else; what only says that something failed comes last.

use std::collections::BTreeSet;

use super::{BuildProblem, BuildTool, ExplainedProblem, ProjectPlace, imports};

/// How far from the root a problem is, by its kind alone; a smaller one is nearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Depth {
    Script,
    Dependency,
    Resource,
    Syntax,
    Import,
    Type,
    Code,
    /// What types could not be inferred, because of another error.
    Consequence,
    /// What Gradle says of a task that failed: the task's tool says more, if it says anything.
    Task,
    /// That something failed, in other words.
    Summary,
}

/// Returns the problems in the order in which they should be read.
pub(super) fn ordered(located: Vec<(BuildProblem, Option<ProjectPlace>)>) -> Vec<ExplainedProblem> {
    // An exception is told only where a summary is all that is said besides: programs print many that no build stops at.
    let has_cause = located
        .iter()
        .any(|(problem, _)| problem.tool != BuildTool::Exception && !is_summary(problem.headline()));
    let imports = imports::among(located.iter().map(|(problem, _)| problem));
    let repeated = repeated_by_gradle(&located);
    let mut all: Vec<(Depth, usize, BuildProblem, Option<ProjectPlace>)> = located
        .into_iter()
        .filter(|(problem, _)| !has_cause || problem.tool != BuildTool::Exception)
        .enumerate()
        .map(|(number, (problem, place))| {
            let is_repeated = problem.place.is_none() && repeated.contains(problem.headline());
            let depth = if is_repeated { Depth::Summary } else { depth(&problem, place.as_ref(), &imports) };
            (depth, number, problem, place)
        })
        .collect();
    // A configuration's dependency that was not found stops all; a compiler's own error says more than Gradle's summary of it.
    all.sort_by_key(|(depth, number, ..)| (*depth, *number));
    let root = all.first().map(|(depth, ..)| *depth);
    let mut missing: BTreeSet<String> = BTreeSet::new();
    let mut unparsed: BTreeSet<String> = BTreeSet::new();
    let mut explained = Vec::with_capacity(all.len());
    for (at, (depth, _, problem, place)) in all.into_iter().enumerate() {
        let name = missing_name(&problem.message).map(str::to_owned);
        let path = problem.place.as_ref().map(|place| place.path.clone()).unwrap_or_default();
        let follows = if at == 0 {
            None
        } else {
            match (depth, &name) {
                (Depth::Summary, _) => Some("it sums up what failed".to_owned()),
                (Depth::Consequence, _) if problem.tool == BuildTool::Aapt => {
                    Some("it depends on what failed above".to_owned())
                }
                (Depth::Consequence, _) if root < Some(Depth::Consequence) => {
                    Some("its types depend on what failed above".to_owned())
                }
                (_, Some(name)) if missing.contains(name) => Some(format!("{name} is missing above")),
                (depth, _) if depth > Depth::Syntax && unparsed.contains(&path) => {
                    Some("the file does not parse".to_owned())
                }
                (depth, Some(name)) if depth > Depth::Syntax && !unparsed.is_empty() => {
                    let stems = unparsed.iter().filter_map(|path| path.rsplit(['/', '\\']).next());
                    let declares = stems.filter_map(|file| file.split('.').next()).any(|stem| stem == name);
                    declares.then(|| format!("{name}'s file does not parse"))
                }
                _ => None,
            }
        };
        match depth {
            Depth::Syntax => {
                unparsed.insert(path);
            }
            _ => missing.extend(name),
        }
        explained.push(ExplainedProblem { problem, place, follows });
    }
    // What follows is read last; the order within stays.
    explained.sort_by_key(|problem| problem.follows.is_some());
    explained
}

/// What Gradle says of a manifest after its merger named the place: the same, behind that the merger failed.
fn repeated_by_gradle(located: &[(BuildProblem, Option<ProjectPlace>)]) -> BTreeSet<String> {
    let of_merger = |problem: &&BuildProblem| problem.tool == BuildTool::Manifest && problem.place.is_some();
    let placed = located.iter().map(|(problem, _)| problem).filter(of_merger);
    placed.map(|problem| format!("Manifest merger failed : {}", problem.headline())).collect()
}

/// `imports`: the lines of imports whose packages are missing, by the paths that the output names.
fn depth(problem: &BuildProblem, place: Option<&ProjectPlace>, imports: &BTreeSet<(String, usize)>) -> Depth {
    let message = problem.message.as_str();
    let first = problem.headline();
    let has = |text: &str| message.contains(text);
    if is_summary(first) || problem.tool == BuildTool::Flutter {
        return Depth::Summary;
    }
    // Its reason is a problem of its own, if one was found.
    let is_of_project = first.starts_with("A problem occurred configuring ");
    let is_ended = first.starts_with("Gradle build daemon has been stopped");
    let is_of_task =
        problem.place.is_none() && (has("Execution failed for task '") || is_of_project || is_ended);
    if is_of_task
        && matches!(problem.tool, BuildTool::Gradle | BuildTool::Kapt | BuildTool::Ksp | BuildTool::R8)
    {
        return Depth::Task;
    }
    let is_script = problem
        .place
        .as_ref()
        .is_some_and(|place| [".kts", ".gradle"].iter().any(|end| place.path.ends_with(end)));
    if is_script || is_about_versions(message) {
        return Depth::Script;
    }
    match problem.tool {
        BuildTool::ConfigurationCache => return Depth::Script,
        BuildTool::Gradle if problem.place.is_none() => return Depth::Script,
        BuildTool::Dependencies => return Depth::Dependency,
        BuildTool::Aapt if first.starts_with("failed linking ") => return Depth::Consequence,
        BuildTool::Aapt | BuildTool::Manifest => return Depth::Resource,
        BuildTool::Lint | BuildTool::Test | BuildTool::R8 | BuildTool::Style | BuildTool::Exception => {
            return Depth::Code;
        }
        _ => {}
    }
    if is_syntax(first) {
        return Depth::Syntax;
    }
    if has("NonExistentClass") || is_consequence(first) {
        return Depth::Consequence;
    }
    let is_missed = || {
        let line = problem.place.as_ref().and_then(|place| Some((place.path.clone(), place.line?)));
        line.is_some_and(|line| imports.contains(&line))
    };
    let is_import = place.is_some_and(|place| place.line_text.trim_start().starts_with("import "))
        || place.is_none() && is_missed()
        || is_missed_by_java(message);
    if is_import {
        return Depth::Import;
    }
    if has("edeclaration") || has("Conflicting declarations") || has("onflicting overloads") {
        return Depth::Type;
    }
    Depth::Code
}

/// Whether javac misses what an import names: `package shop.till does not exist`, or a class of a package. `package till does not exist` is said of
/// an expression whose first name is missing. Sources: gradle-m5.log of <https://github.com/AxelEncore/Parallax>, build_log.txt of
/// <https://github.com/Rifaditya/Vanilla-Outsider-Better-Dogs>.
fn is_missed_by_java(message: &str) -> bool {
    let first = message.lines().next().unwrap_or_default();
    let package = first.strip_prefix("package ").and_then(|rest| rest.strip_suffix(" does not exist"));
    let is_of_package = |line: &str| {
        let location = line.trim_start();
        location.starts_with("location: package ") || location.starts_with("位置: 程序包 ")
    };
    package.is_some_and(|package| package.contains('.')) || message.lines().any(is_of_package)
}

fn is_about_versions(message: &str) -> bool {
    const SIGNS: [&str; 8] = [
        "of the Compose Compiler requires",
        "was compiled with an incompatible version of Kotlin",
        "Unsupported class file major version",
        "Inconsistent JVM-target compatibility",
        "requires Java",
        "Minimum supported Gradle version",
        "Plugin [id:",
        "SDK location not found",
    ];
    SIGNS.iter().any(|sign| message.contains(sign))
}

fn is_syntax(first: &str) -> bool {
    const STARTS: [&str; 12] = [
        "Syntax error",
        "syntax error",
        "Expecting",
        "expecting",
        "Unexpected token",
        "Missing '",
        "illegal start of",
        "unclosed ",
        "reached end of file",
        "class, interface",
        "not a statement",
        "illegal character",
    ];
    let expected = first.split_once(" expected").is_some_and(|(what, rest)| {
        (rest.is_empty() || rest.starts_with(' ') || rest.starts_with(','))
            && (what.starts_with(['\'', '<', '(']) || what.ends_with("enum") || what.ends_with("record"))
    });
    expected
        || STARTS.iter().any(|start| first.starts_with(start))
        || first.starts_with("'else' without 'if'")
}

/// Whether a message only says that something above could not be worked out.
fn is_consequence(first: &str) -> bool {
    const SIGNS: [&str; 9] = [
        "annot infer type",
        "ot enough information to infer",
        "is unresolved",
        "failed linking references",
        "failed linking file resources",
        "Overload resolution ambiguity between candidates with error",
        "which is a supertype of",
        "Type checking has run into a recursive problem",
        "could not be resolved",
    ];
    SIGNS.iter().any(|sign| first.contains(sign))
}

/// Whether a message only says that something failed, which others say better.
pub(super) fn is_summary(first: &str) -> bool {
    const SIGNS: [&str; 51] = [
        "Process completed with exit code",
        "invocation reported errors",
        "symbol(s) not found for architecture",
        " unresolved references to ",
        "Please correct the above warnings first",
        "Job failed, see logs for details",
        "error executing command",
        "linker command failed with exit code",
        "There are test failures.",
        "Build command failed.",
        "ninja: build stopped: ",
        "Failed to execute aapt",
        "AAPT2 error: check logs for details",
        "Failed to process resources, see aapt output above",
        "Compilation finished with errors",
        // The compiler for native code says so before the exception that ended it.
        "Compilation failed: null",
        // Its daemon ended; the reason stands in what went wrong.
        "Daemon compilation failed: null",
        "finished with non-zero exit value",
        "Gradle task assemble",
        "Gradle task bundle",
        "Command failed: ",
        "Could not install the app on the device",
        "Error while merging dex archives",
        "failed (Exit ",
        "failed: (Exit ",
        ": Compilation failure",
        "COMPILATION ERROR",
        "Error while annotation processing",
        // What the stubs of kapt could not name.
        "Could not load module <Error module>",
        "Error occurred in KSP, check log for detail",
        "Processing did not complete. See error above for details",
        "ScriptCompilationException(",
        "KSP failed with exit code",
        "Missing classes detected while running R8",
        "InvocationTargetException (no error message)",
        "Compilation error. See log for more details",
        "Compilation failed; see the compiler",
        "Execution failed for task",
        "There were failing tests",
        "Lint found errors in the project",
        "Lint found fatal errors",
        "Android resource linking failed",
        "Android resource compilation failed",
        "A failure occurred while executing",
        "Internal compiler error. See log for more details",
        "Error while evaluating property",
        "Manifest merger failed with multiple errors, see logs",
        "Compilation failed to complete",
        "There was a failure while executing work items",
        "Task failed with an exception",
        "warnings found and -Werror specified",
    ];
    SIGNS.iter().any(|sign| first.contains(sign))
}

/// Returns the name that a message misses.
pub(super) fn missing_name(message: &str) -> Option<&str> {
    let first = message.lines().next().unwrap_or_default();
    for start in [
        "Unresolved reference: ",
        "Unresolved reference '",
        "unresolved reference: ",
        "unresolved reference '",
    ] {
        if let Some(rest) = first.strip_prefix(start) {
            return Some(rest.trim_end_matches(['.', '\'']).split(['\'', ' ']).next().unwrap_or(rest));
        }
    }
    if first.starts_with("cannot find symbol") {
        let symbol = message.lines().find_map(|line| line.trim().strip_prefix("symbol:"))?;
        return symbol.split_whitespace().nth(1).map(|name| name.split('(').next().unwrap_or(name));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build_output::OutputPlace;

    fn headlines(problems: Vec<BuildProblem>) -> Vec<String> {
        let located = problems.into_iter().map(|problem| (problem, None)).collect();
        ordered(located).iter().map(|explained| explained.problem.headline().to_owned()).collect()
    }

    #[test]
    fn imports_that_miss_a_package_come_before_a_redeclaration() {
        let at = |path: &str, line: usize, column: usize, message: &str| {
            let place = OutputPlace { path: path.to_owned(), line: Some(line), column: Some(column) };
            BuildProblem::error(BuildTool::Kotlinc, message).at(Some(place))
        };
        let redeclaration = || at("A.kt", 3, 7, "Redeclaration: class A");
        let missing = "Unresolved reference 'till'.";
        let import = |line: usize, column: usize| at("B.kt", line, column, missing);
        let root = |problems: Vec<BuildProblem>| headlines(problems).remove(0);
        assert_eq!(root(vec![redeclaration(), import(4, 17), import(5, 17)]), missing);
        // One line, other columns, lines apart, a column where no import has its name, another error before them.
        for others in [
            vec![import(4, 17)],
            vec![import(4, 17), import(5, 19)],
            vec![import(4, 17), import(6, 17)],
            vec![import(4, 5), import(5, 5)],
            vec![at("B.kt", 2, 1, "x"), import(4, 17), import(5, 17)],
        ] {
            let all = std::iter::once(redeclaration()).chain(others).collect();
            assert_eq!(root(all), "Redeclaration: class A");
        }
    }

    #[test]
    fn what_java_imports_comes_first() {
        let error = |message: &str| BuildProblem::error(BuildTool::Javac, message);
        let symbol = "cannot find symbol\n  symbol:   variable till\n  location: class Shop";
        let imported = "cannot find symbol\n  symbol:   class Till\n  location: package shop.till";
        let chinese = "找不到符号\n  符号:   类 Till\n  位置: 程序包 shop.till";
        for first in [imported, chinese, "package shop.till does not exist"] {
            assert_eq!(ordered(vec![(error(symbol), None), (error(first), None)])[0].problem.message, first);
        }
        let of_expression = "package till does not exist";
        assert_eq!(headlines(vec![error(symbol), error(of_expression)])[0], "cannot find symbol");
    }

    #[test]
    fn what_gradle_repeats_of_a_manifest_is_no_other_error() {
        let of_merger = |message: &str| BuildProblem::error(BuildTool::Manifest, message);
        let place = OutputPlace { path: "AndroidManifest.xml".to_owned(), line: Some(3), column: Some(9) };
        let merged = |message: &str| {
            let problems = [of_merger("no till").at(Some(place.clone())), of_merger(message)];
            let all = ordered(problems.into_iter().map(|problem| (problem, None)).collect());
            all.iter().map(|explained| explained.follows.is_some()).collect::<Vec<_>>()
        };
        assert_eq!(merged("Manifest merger failed : no till"), [false, true]);
        assert_eq!(merged("Manifest merger failed : no shop"), [false, false]);
    }

    #[test]
    fn what_kapt_cannot_name_is_told_at_its_place() {
        let stub = "incompatible types: NonExistentClass cannot be converted to Annotation";
        let javac = BuildProblem::error(BuildTool::Javac, stub);
        let module = BuildProblem::error(BuildTool::Kotlinc, "Could not load module <Error module>");
        assert_eq!(headlines(vec![module, javac])[0], stub);
    }

    #[test]
    fn a_daemon_that_was_stopped_is_no_cause() {
        let of_task = BuildProblem::error(
            BuildTool::Gradle,
            "Unable to delete 'till'\nExecution failed for task ':app:clean'.",
        );
        let ended = || {
            BuildProblem::error(
                BuildTool::Gradle,
                "Gradle build daemon has been stopped: stop command received",
            )
        };
        assert_eq!(headlines(vec![of_task, ended()])[0], "Unable to delete 'till'");
        assert!(headlines(vec![ended()])[0].starts_with("Gradle build daemon"));
    }
}
