//! The lines of a build's output without what terminals and continuous integration add: colours, times, marks; and parted where what
//! Gradle prints in several lines was joined.

use std::sync::LazyLock;

use regex::Regex;

use super::joined_lines::{is_head, parted};
use crate::powershell::without_records;

/// Maximum number of bytes of a line that are read.
const MAX_LINE: usize = 4_000;

/// Returns the lines; carriage returns end lines, too: progress bars rewrite theirs.
pub(super) fn plain_lines(text: &str) -> Vec<String> {
    static COLOURS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\x1b\[[0-9;?]*[A-Za-z]").ok());
    static ADDED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // GitHub Actions, GitLab and Jenkins write the time first; GitHub marks errors and groups; `flutter --verbose` writes
        // how long it waited, Ant its task, other programs the level behind the time; listings number lines. Kotlin's tools write
        // `exception: ` before lines of any kind. Lines are pasted as Markdown's code.
        Regex::new(
            r"^(?:\d+[.:]?\t)?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)? ?(?:\d\d[OE]\+? ?)?(?:(?:INFO|WARN|WARNING|ERROR|DEBUG) |\[[A-Z]+\] \[\w[\w.$]+\] ?)?|\[?\d\d:\d\d:\d\d(?:\.\d+)?\]? )?(?:##\[(?:error|warning|debug|group)\]|::(?:error|warning)[^:]*::)?(?:\[ *(?:\+ *\d+ m?s)? *\] ?)?(?: *\[(?:exec|javac|kotlinc|java|echo)\] ?)?(?:exception: )?`*",
        )
        .ok()
    });
    // Before Gradle 4, what a task printed stood right behind the task's path.
    static TASK: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^(?::[\w-]+)+(?P<path>/|[A-Za-z]:\\)").ok());
    let text = without_records(text);
    let found_by = FoundLines::of(&text);
    let mut lines = Vec::new();
    for line in text.split(['\n', '\r']) {
        let line = found_by.as_ref().map_or(line, |found| found.line(line));
        let line = match line.char_indices().nth(MAX_LINE) {
            Some((end, _)) => &line[..end],
            None => line,
        };
        let line = match COLOURS.as_ref().filter(|_| line.contains('\u{1b}')) {
            Some(colours) => colours.replace_all(line, "").into_owned(),
            None => line.to_owned(),
        };
        let start = ADDED.as_ref().and_then(|added| added.find(&line)).map_or(0, |found| found.end());
        let line = line[start..].trim_end();
        // One mark of Markdown is left of a pair around the line; a pair within it is the message's.
        let is_open = line.matches('`').count() % 2 == 1;
        let line = if is_open { line.trim_end_matches('`') } else { line };
        let task = TASK.as_ref().filter(|_| line.starts_with(':')).and_then(|task| task.captures(line));
        let start = task.and_then(|found| found.name("path")).map_or(0, |path| path.start());
        let (task, line) = line.split_at(start);
        lines.extend((!task.is_empty()).then(|| task.to_owned()));
        lines.push(line.to_owned());
    }
    let is_indented = !lines.iter().any(|line| is_head(line));
    lines.iter().flat_map(|line| parted(line, is_indented)).map(str::to_owned).collect()
}

/// Lines that PowerShell's `Select-String` found in a log: before each it writes `> build.log:12:`, or blanks in place of the mark.
struct FoundLines(&'static Regex);

impl FoundLines {
    /// Returns how most lines of a text begin, if they were found so. A single one is a message about a place in a file.
    fn of(text: &str) -> Option<FoundLines> {
        static FOUND: LazyLock<Option<Regex>> =
            LazyLock::new(|| Regex::new(r"^[> ] [\w./\\-]+\.(?:log|txt|out):\d+:").ok());
        let found = FoundLines(FOUND.as_ref()?);
        let (mut marked, mut all) = (0, 0);
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            all += 1;
            marked += usize::from(found.line(line).len() < line.len());
        }
        (marked > 1 && 2 * marked > all).then_some(found)
    }

    fn line<'l>(&self, line: &'l str) -> &'l str {
        self.0.find(line).map_or(line, |found| &line[found.end()..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_select_string_adds_is_removed_and_a_place_is_kept() {
        let found = "> logs\\build.log:12:e: x\n  logs\\build.log:13:  y\n\n> logs\\build.log:20:";
        assert_eq!(plain_lines(found), ["e: x", "  y", "", ""]);
        for message in ["> rules.txt:12:3: Expecting a class", "  till.txt:12:3: error: no till"] {
            assert_eq!(plain_lines(message), [message]);
            let text =
                format!("* What went wrong:\nExecution failed for task ':till'.\n{message}\n{message}");
            assert_eq!(plain_lines(&text)[2..], [message, message]);
        }
    }

    #[test]
    fn what_others_add_is_removed() {
        let text = "\u{1b}[31me: x\u{1b}[0m\r\n2024-05-01T10:00:00.1234567Z ##[error]e: y\n[10:00:00] > Task :a\n  indented";
        assert_eq!(plain_lines(text), ["e: x", "", "e: y", "> Task :a", "  indented"]);
        let text = "[  +12 ms] e: x\n[        ]    > y\n   [exec] e: z\n`e: name`\n:app:lint/p/A.kt:3\n:app:lint FAILED";
        assert_eq!(
            plain_lines(text),
            ["e: x", "   > y", "e: z", "e: name", ":app:lint", "/p/A.kt:3", ":app:lint FAILED"]
        );
        let quoted = "e: x: set `android.useAndroidX=true`";
        assert_eq!(plain_lines(quoted), [quoted]);
        assert_eq!(plain_lines(&"x".repeat(10_000))[0].len(), MAX_LINE);
    }
}
