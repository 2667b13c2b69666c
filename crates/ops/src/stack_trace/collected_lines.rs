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
        // journald and syslog (RFC 3164): `Nov 03 09:12:44 host app[4711]: `
        r"^(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [\w./@-]+(?:\[\d+\])?: ?",
        // kubectl logs --prefix: `[pod/app-7d/app] `, and tools that start others: `[app] `
        r"^\[[\w./ :-]+\] ?",
    ])
});

/// The header of syslog's newer format, with the data that may stand between it and the message:
/// `<13>1 2026-11-03T09:12:44.123Z host app 4711 - [origin ip="::1"] `. Source: RFC 5424, sections 6 to 6.4.
static SYSLOG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:\d+ )?<\d{1,3}>\d{1,2} (?:-|\d{4}-\d\d-\d\dT\S+) \S+ \S+ \S+ \S+ ",
        r#"(?:-|(?:\[[^\s\]="]+(?: [^\s\]="]+="(?:[^"\\\]]|\\.)*")*\])+)(?: \u{feff}?|$)"#
    ))
    .ok()
});

/// What rsyslog writes for the tab with which a frame begins, for any tab, and for a line break.
const ESCAPED_FRAME: &str = "#011at ";
const ESCAPED_TAB: &str = "#011";
const ESCAPED_BREAK: &str = "#012";

/// Compiles patterns, which are valid: tests use each.
pub(super) fn compiled<const COUNT: usize>(patterns: [&str; COUNT]) -> Vec<Regex> {
    patterns.into_iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
}

/// Returns a text without what a collector wrote before its lines.
pub(super) fn without_prefixes(text: &str) -> Cow<'_, str> {
    if text.contains(ESCAPED_FRAME) {
        let written = text.replace(ESCAPED_BREAK, "\n").replace(ESCAPED_TAB, "\t");
        return Cow::Owned(without_prefixes(&written).into_owned());
    }
    // Nothing else begins so: one line shows it, and the frames may stand in the lines of one message.
    let is_of_syslog =
        |prefix: &&Regex| text.split('\n').any(|line| line.contains('<') && prefix.is_match(line));
    if let Some(header) = SYSLOG.as_ref().filter(is_of_syslog) {
        return Cow::Owned(without(header, text));
    }
    match PREFIXES.iter().find(|prefix| is_collectors(prefix, text)) {
        Some(prefix) => Cow::Owned(without(prefix, text)),
        None => without_learned_prefix(text),
    }
}

/// Returns a text whose lines begin behind the prefix, where they have it.
fn without(prefix: &Regex, text: &str) -> String {
    let behind = |line: &str| prefix.find(line).map_or(0, |found| found.end());
    let lines = text.split('\n').map(|line| &line[behind(line)..]);
    lines.collect::<Vec<_>>().join("\n")
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
            "<13>Nov  3 09:12:44 host.example app: ",
            "<13>1 2025-11-03T09:12:44.123Z host app 4711 - - ",
            "<165>1 2025-11-03T09:12:44.123456+01:00 host.example app - ID47 - \u{feff}",
            r#"117 <13>1 - - - - - [a@32473 id="3" of="\"[x\] y"][b@32473] "#,
            "[pod/app-7d/app] ",
            "[look at me] ",
        ] {
            let lines: Vec<String> = TRACE.lines().map(|line| format!("{prefix}{line}")).collect();
            let text = lines.join("\n");
            assert_eq!(without_prefixes(&text), TRACE.trim_end_matches('\n').to_owned() + "\n", "{prefix}");
        }
    }

    #[test]
    fn a_header_of_syslog_stands_before_a_message_of_several_lines() {
        let read = format!("<13>1 2025-11-03T09:12:44.123Z host app 4711 - - {TRACE}");
        assert_eq!(without_prefixes(&read), TRACE);
    }

    #[test]
    fn rsyslog_escapes_tabs_and_line_breaks() {
        let prefix = "Nov  3 09:12:44 host app[4711]: ";
        let lines: Vec<String> =
            TRACE.lines().map(|line| format!("{prefix}{}", line.replace('\t', "#011"))).collect();
        assert_eq!(without_prefixes(&lines.join("\n")), TRACE.trim_end_matches('\n').to_owned() + "\n");
        let one = format!("{prefix}failed: {}", TRACE.trim_end().replace('\t', "#011").replace('\n', "#012"));
        assert_eq!(without_prefixes(&one), format!("{prefix}failed: {}", TRACE.trim_end()));
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
