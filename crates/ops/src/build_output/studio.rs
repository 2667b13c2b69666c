//! Reads what Android Studio's messages name beside the line: `Error:(40, 0) Could not find method …`, the file before or
//! after it, if at all; and Spotless, whose step names the file, and whose message the line.

use std::sync::LazyLock;

use regex::Regex;

use super::blocks::Block;
use super::{BuildProblem, BuildSeverity, BuildTool, OutputPlace};

/// Reads the message that begins at line `at`, if one does.
pub(super) fn read(lines: &[String], at: usize) -> Option<Block> {
    of_studio(lines, at).or_else(|| of_spotless(lines, at))
}

fn of_studio(lines: &[String], at: usize) -> Option<Block> {
    static MESSAGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:> ?)*(?P<s>Error|Warning): ?\((?P<l>\d+), (?P<c>\d+)\) (?:(?P<j>error|warning): )?(?P<m>.*)$").ok()
    });
    if !lines[at].contains(", ") {
        return None;
    }
    let found = MESSAGE.as_ref()?.captures(&lines[at])?;
    let (line, column) = (found["l"].parse().ok(), found["c"].parse::<usize>().ok().filter(|c| *c > 0));
    let before = at.checked_sub(1).and_then(|before| whole_path(&lines[before]));
    let place = before
        .or_else(|| lines.get(at + 1).and_then(|after| opened_path(after)))
        .map(|path| OutputPlace { path: path.to_owned(), line, column });
    let mut message = found["m"].trim().to_owned();
    if place.is_none() {
        message = format!("{message}\nat line {} of a file that the output does not name", &found["l"]);
    }
    let severity = if &found["s"] == "Error" { BuildSeverity::Error } else { BuildSeverity::Warning };
    let tool = if found.name("j").is_some() { BuildTool::Javac } else { BuildTool::Gradle };
    let problem = BuildProblem::error(tool, message).of_severity(severity).at(place);
    Some(Block { problems: vec![problem], next: at + 1 })
}

/// Returns the path that is all of a line.
fn whole_path(line: &str) -> Option<&str> {
    const ENDS: [&str; 5] = [".java", ".kt", ".kts", ".gradle", ".xml"];
    let path = line.trim();
    let is_path = path.contains(['/', '\\']) && !path.contains(": ") && !path.contains(['(', '"', '<']);
    (is_path && ENDS.iter().any(|end| path.ends_with(end))).then_some(path)
}

/// Returns the path of `<a href="openFile:/p/build.gradle">Open File</a>`.
fn opened_path(line: &str) -> Option<&str> {
    line.split_once("openFile:")?.1.split('"').next()
}

/// `Step 'ktlint' found problem in 'app/A.kt':`, beneath it `Error on line: 82, column: 5` and the message.
fn of_spotless(lines: &[String], at: usize) -> Option<Block> {
    static STEP: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^Step '(?P<step>[^']+)' found problem in '(?P<path>[^']+)':").ok());
    static PLACE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^Error on line: (?P<l>\d+), column: (?P<c>\d+)").ok());
    if !lines[at].starts_with("Step '") {
        return None;
    }
    let step = STEP.as_ref()?.captures(&lines[at])?;
    let place = lines.get(at + 1).and_then(|line| PLACE.as_ref()?.captures(line));
    let number = |name: &str| place.as_ref().and_then(|found| found[name].parse().ok());
    let said = at + 1 + usize::from(place.is_some());
    let message = format!("{}: {}", &step["step"], lines.get(said).map_or("", |line| line.trim()));
    let path = step["path"].to_owned();
    let place = OutputPlace { path, line: number("l"), column: number("c") };
    let problem = BuildProblem::error(BuildTool::Style, message).at(Some(place));
    Some(Block { problems: vec![problem], next: said + 1 })
}
