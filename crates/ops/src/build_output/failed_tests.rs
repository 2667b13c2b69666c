//! Reads tests that failed, as Gradle and Maven's Surefire list them.

use std::sync::LazyLock;

use regex::Regex;

use super::blocks::Block;
use super::{BuildProblem, BuildTool, OutputPlace};

/// Maximum number of lines of a test's error that are read.
const MAX_LINES: usize = 14;

/// Reads the test, or the list of tests, that begins at line `at`, if one does.
pub(super) fn read(lines: &[String], at: usize) -> Option<Block> {
    let line = lines[at].as_str();
    if matches!(line, "[ERROR] Failures:" | "[ERROR] Errors:") {
        return Some(of_surefire(lines, at));
    }
    // Whatever stands before a task, it is no test.
    let is_test = line.ends_with(" FAILED")
        && line.contains(" > ")
        && !line.contains("> Task :")
        && !line.trim_start().starts_with("> ");
    is_test.then(|| of_gradle(lines, at))
}

/// Maven's list: `[ERROR] Failures:`, beneath it `[ERROR]   CartTest.sells:12 expected: <1> but was: <2>`.
fn of_surefire(lines: &[String], at: usize) -> Block {
    let tests = lines[at + 1..].iter().map_while(|line| line.strip_prefix("[ERROR]   "));
    // A test names the class, and not the file.
    let problems: Vec<BuildProblem> =
        tests.map(|test| BuildProblem::error(BuildTool::Test, test.trim())).collect();
    let next = at + 1 + problems.len();
    Block { problems, next }
}

/// `CartTest > sells FAILED`, and beneath it `java.lang.AssertionError at CartTest.kt:12`.
fn of_gradle(lines: &[String], at: usize) -> Block {
    static PLACE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\bat (?:[^()]+\()?(?P<path>[\w.-]+\.(?:kt|java)):(?P<line>\d+)").ok());
    let name = lines[at].trim_end_matches(" FAILED").trim();
    let mut message = format!("{name} failed");
    let mut place = None;
    let mut next = at + 1;
    while next < lines.len() && next - at < MAX_LINES && lines[next].starts_with([' ', '\t']) {
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
    Block { problems: vec![BuildProblem::error(BuildTool::Test, message).at(place)], next }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of Kotlin's tests have blanks.
    #[test]
    fn the_place_is_the_first_frame_of_the_tests_file() {
        let text = "TillTest > sells one book() FAILED\n    a.Gone: x\n        at app//org.junit.Assert.fail(Assert.java:3)\n        at app//shop.TillTest.sells one book(TillTest.kt:12)";
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let found = read(&lines, 0).unwrap().problems.remove(0);
        let place = found.place.unwrap();
        assert_eq!((place.path.as_str(), place.line), ("TillTest.kt", Some(12)));
    }

    #[test]
    fn a_task_is_no_test() {
        let is_test = |line: &str| read(&[line.to_owned()], 0).is_some();
        assert!(is_test("TillTest > opens FAILED"));
        assert!(!is_test("build | > Task :app:compileKotlin FAILED"));
        assert!(!is_test("    > Task :app:compileKotlin FAILED"));
    }
}
