//! The lines of a build's output without what terminals and continuous integration add: colours, times, marks; and parted where what
//! Gradle prints in several lines was joined.

use std::sync::LazyLock;

use regex::Regex;

use super::joined_lines::{is_head, parted};
use crate::powershell::without_records;
use crate::terminal_text::without_sequences;

/// Maximum number of bytes of a line that are read.
const MAX_LINE: usize = 4_000;

/// Number of lines that show whether a text is a listing.
const NUMBERED: usize = 8;

/// Returns the lines; carriage returns end lines, too: progress bars rewrite theirs.
pub(super) fn plain_lines(text: &str) -> Vec<String> {
    static ADDED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // GitHub Actions, GitLab and Jenkins write the time first, `gh run view --log` the job and the step before it; GitHub marks
        // errors and groups; `flutter --verbose` writes how long it waited, and so does the one that Gradle starts, Ant its task, the
        // Android Gradle plugin its language, other programs the level behind the time; listings number lines. Kotlin's tools write
        // `exception: ` before lines of any kind. Lines are pasted as Markdown's code.
        Regex::new(
            r"^(?:\d+[.:]?\t)?(?:(?:[^\t]{1,80}\t[^\t]{1,80}\t\u{feff}?)?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)? ?(?:\d\d[OE]\+? ?)?(?:(?:INFO|WARN|WARNING|ERROR|DEBUG) |\[[A-Z]+\] \[\w[\w.$]+\] ?)?|\[?\d\d:\d\d:\d\d(?:\.\d+)?\]? ))?(?:##\[(?:error|warning|debug|group)\]|::(?:error|warning)[^:]*::)?(?:\[ *(?:\+ *\d+ m?s)? *\] ?){0,2}(?: *\[(?:exec|javac|kotlinc|java|echo)\] ?)?(?:C/C\+\+: ?)?(?:exception: )?`*",
        )
        .ok()
    });
    // Before Gradle 4, what a task printed stood right behind the task's path.
    static TASK: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^(?::[\w-]+)+(?P<path>/|[A-Za-z]:\\)").ok());
    let text = without_records(text);
    let found_by = FoundLines::of(&text);
    let is_numbered = is_numbered(&text);
    let mut lines = Vec::new();
    for line in text.split(['\n', '\r']) {
        let line = found_by.as_ref().map_or(line, |found| found.line(line));
        let line = if is_numbered { numbered(line).map_or(line, |(_, line)| line) } else { line };
        let line = match line.char_indices().nth(MAX_LINE) {
            Some((end, _)) => &line[..end],
            None => line,
        };
        let line = without_sequences(line);
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

/// Whether a text is a listing: its first lines are numbered. Gradle numbers its failures so, too: `1: Task failed with an exception.`
/// Source: full_output.txt of <https://github.com/Tunaanhgamedev/Secure_Chat>.
fn is_numbered(text: &str) -> bool {
    let told = text.lines().filter(|line| !line.trim().is_empty()).take(NUMBERED);
    let numbers: Option<Vec<usize>> = told.map(|line| Some(numbered(line)?.0)).collect();
    numbers.is_some_and(|numbers| numbers.len() > 2 && numbers.is_sorted_by(|first, next| first < next))
}

/// Returns the number before a line of a listing, and the line: `24: > Task :app:compileKotlin FAILED`.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let (number, line) = line.trim_start_matches('\u{feff}').split_once(':')?;
    Some((number.trim_start().parse().ok()?, line.strip_prefix(' ').unwrap_or(line)))
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
    fn listings_are_numbered() {
        let listing = "\u{feff}0: Starting\n1: > Task :a FAILED\n\n24: 2: Task failed\n25:     > Till";
        assert_eq!(
            plain_lines(listing),
            ["Starting", "> Task :a FAILED", "", "2: Task failed", "    > Till"]
        );
        for text in
            ["1: Task failed\n-----\n2: Task failed", "10:00:01 a\n10:00:02 b\n10:00:03 c", "1: a\n2: b"]
        {
            assert!(!is_numbered(text), "{text}");
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
        // tx_log_4.txt of <https://github.com/ImL1s/kotlin-crypto-pure>.
        let text = "build\tRun Gradle\t\u{feff}2026-01-06T19:07:15.1314321Z > Task :a FAILED\nbuild\tRun Gradle\t2026-01-06T19:07:15.1315199Z > Till\na\tb\tc";
        assert_eq!(plain_lines(text), ["> Task :a FAILED", "> Till", "a\tb\tc"]);
        // build_debug.txt of <https://github.com/Ahmed-Alariqi/WebVault>.
        assert_eq!(plain_lines("[ +100 ms] [  +50 ms] Target till failed")[0], "Target till failed");
        assert_eq!(plain_lines("C/C++:     cout << 1;\nC/C++:"), ["    cout << 1;", ""]);
        let quoted = "e: x: set `android.useAndroidX=true`";
        assert_eq!(plain_lines(quoted), [quoted]);
        assert_eq!(plain_lines(&"x".repeat(10_000))[0].len(), MAX_LINE);
    }
}
