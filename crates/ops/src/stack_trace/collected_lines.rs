//! What collectors of logs write before each line of a program: the container, the host, the time, the job. It is known by the frames
//! behind it, and taken off all lines. What no pattern knows is learned (`learned_prefix`).

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::learned_prefix::without_learned_prefix;

/// How many frames show that what stands before them is a collector's.
const SHOWN_BY: usize = 2;

static PREFIXES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled([
        // docker compose: `app-1  | `
        r"^[\w.-]+ +\| ?",
        // GitHub Actions, before it what `gh run view --log` adds, the job and the step.
        r"^(?:[^\t]{1,80}\t[^\t]{1,80}\t\u{feff}?)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z[ \t]",
        // Heroku: `2025-11-03T09:12:44.123456+00:00 app[web.1]: `
        r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d) [\w-]+\[[\w.-]+\]: ?",
        // journald and syslog: `Nov 03 09:12:44 host app[4711]: `
        r"^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [\w./@-]+(?:\[\d+\])?: ?",
        // kubectl logs --prefix: `[pod/app-7d/app] `, and tools that start others: `[app] `
        r"^\[[\w./ :-]+\] ?",
    ])
});

/// Compiles patterns, which are valid: tests use each.
pub(super) fn compiled<const COUNT: usize>(patterns: [&str; COUNT]) -> Vec<Regex> {
    patterns.into_iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
}

/// Returns a text without what a collector wrote before its lines.
pub(super) fn without_prefixes(text: &str) -> Cow<'_, str> {
    let Some(prefix) = PREFIXES.iter().find(|prefix| is_collectors(prefix, text)) else {
        return without_learned_prefix(text);
    };
    let without = |line: &str| prefix.find(line).map_or(0, |found| found.end());
    let lines = text.split('\n').map(|line| &line[without(line)..]);
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

/// Whether several frames stand behind a prefix. Only lines that hold one in their middle are looked at: a log has megabytes.
fn is_collectors(prefix: &Regex, text: &str) -> bool {
    // The prefix itself may hold these words: `chat | `.
    let inner = |line: &&str| {
        !line.starts_with([' ', '\t']) && [" at ", "\tat "].iter().any(|frame| line.contains(frame))
    };
    let frames = text.split('\n').filter(inner).filter(|line| {
        let behind = prefix.find(line).map_or("", |found| &line[found.end()..]);
        behind.starts_with([' ', '\t']) && behind.trim_start().starts_with("at ") && behind.contains('(')
    });
    frames.take(SHOWN_BY).count() == SHOWN_BY
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "a.Gone: no [1]\n\tat a.B.c(B.kt:1)\n\tat a.D.e(D.kt:2)\nCaused by: a.Lost: x\n\tat a.F.g(F.kt:3)\n\n";

    #[test]
    fn what_collectors_add_is_removed() {
        for prefix in [
            "app-1  | ",
            "courier.api | ",
            "chat  | ",
            "2025-11-03T09:12:44.1234567Z ",
            "build\tRun Gradle\t\u{feff}2025-11-03T09:12:44.1234567Z ",
            "2025-11-03T09:12:44.123456+00:00 app[web.1]: ",
            "Nov 03 09:12:44 host app[4711]: ",
            "Nov  3 09:12:44 host.example app: ",
            "[pod/app-7d/app] ",
            "[look at me] ",
        ] {
            let lines: Vec<String> = TRACE.lines().map(|line| format!("{prefix}{line}")).collect();
            let text = lines.join("\n");
            assert_eq!(without_prefixes(&text), TRACE.trim_end_matches('\n').to_owned() + "\n", "{prefix}");
        }
    }

    #[test]
    fn other_lines_stay() {
        for text in [
            TRACE,
            "[app] starts\n\tat a.B.c(B.kt:1)\n\tat a.B.c(B.kt:1)",
            "I/Tag(1): \tat a.B.c(B.kt:1)\nI/Tag(1): \tat a.B.c(B.kt:1)",
            "[12:00] it fails at a.B.c(B.kt:1)\n[12:01] it fails at a.B.c(B.kt:1)",
            "é at",
        ] {
            assert!(matches!(without_prefixes(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
