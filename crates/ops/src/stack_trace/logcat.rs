//! The prefixes of the lines of logcat in its formats, with their modifiers (year, zone, epoch, monotonic, usec, nsec, uid), and as Android
//! Studio copies them. Source: `liblog`'s `logprint.cpp` of Android.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::collected_lines::compiled;

/// The time of a line: a date, or seconds, which stand to the right.
macro_rules! time {
    () => {
        r"\s*(?:(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,9}(?: [+-]\d{4})?|\d{1,11}\.\d{3,9})"
    };
}

/// The prefixes up to the message; the groups are process, thread, tag, and the message where more stands behind it.
static FORMATS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled([
        // Android Studio: date, time, process-thread, tag, package, level. Columns are filled up with blanks; a tag may have some, too.
        r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\s+(?P<p>\d+)-(?P<t>\d+)\s+(?P<tag>\S+(?: \S+)*?)\s+\S+\s+[VDIWEFA](?: |$)",
        // Older versions of it: process-thread/package level/tag.
        r"^(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\s+(?P<p>\d+)-(?P<t>\d+)/\S+ [VDIWEFA]/(?P<tag>[^:]*?)\s*: ?",
        // threadtime
        concat!("^", time!(), r"(?:\s+\w+)?\s+(?P<p>\d+)\s+(?P<t>\d+) [VDIWEFA] (?P<tag>[^:]*?)\s*: ?"),
        // time and brief
        concat!("^(?:", time!(), r" )?[VDIWEFA]/(?P<tag>[^(]*?)\s*\(\s*(?:\w+:\s*)?(?P<p>\d+)(?P<t>)\): ?"),
        // tag: without a process
        concat!("^(?:", time!(), r" )?[VDIWEFA]/(?P<tag>[^:(]*?)\s*(?P<p>)(?P<t>): ?"),
        // threadtime with tabs, as tables of it are copied
        r"^\d{4}-\d\d-\d\d\t\d\d:\d\d:\d\d\.\d{3}\t(?P<p>\d+)\t(?P<t>\d+)\t[VDIWEFA]\t+(?P<tag>[^\t]*)\t+",
        // process, with the tag behind the message
        r"^[VDIWEFA]\(\s*(?:\w+:\s*)?(?P<p>\d+)(?P<t>)\) (?P<message>.*?)  \((?P<tag>[^()]*)\)$",
        // thread
        r"^[VDIWEFA]\(\s*(?:\w+:\s*)?(?P<p>\d+):\s*(?P<t>\d+)(?P<tag>)\) ",
        // Android Studio with fewer columns
        r"^(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\.\d{3}\s+(?:(?P<p>\d+)-(?P<t>\d+)\s+)?(?:(?P<tag>[\w.$-]+)\s+)?[VDIWEFA]  ",
        r"^(?P<p>)(?P<t>)(?P<tag>)[VDIWEFA]  ",
    ])
});

const LEVELS: &str = "VDIWEFA";

/// The head of a message in the format `long`.
static LONG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern =
        concat!(r"^\[ ", time!(), r"\s+(?:\w+:\s*)?(?P<p>\d+):\s*(?P<t>\S+) [VDIWEFA]/(?P<tag>.*?)\s*\]$");
    Regex::new(pattern).ok()
});

/// Process, thread and tag of lines that belong together.
pub(super) type StreamKey<'t> = (&'t str, &'t str, &'t str);

/// A line of a log.
pub(super) struct LoggedLine<'t> {
    pub(super) key: StreamKey<'t>,
    pub(super) message: &'t str,
}

/// Reads lines of a log; that of megabytes has one format, so that of the line before is tried first.
#[derive(Default)]
pub(super) struct LogcatReader {
    format: usize,
}

impl LogcatReader {
    /// Returns the line without its prefix; `None` for a line that has none.
    pub(super) fn line<'t>(&mut self, line: &'t str) -> Option<LoggedLine<'t>> {
        let start = line.trim_start_matches(' ');
        if !start.starts_with(|c: char| c.is_ascii_digit() || LEVELS.contains(c)) {
            return None;
        }
        let first = FORMATS.get(self.format).and_then(|pattern| pattern.captures(line));
        let found = first.or_else(|| {
            let (at, found) =
                FORMATS.iter().enumerate().find_map(|(at, one)| Some((at, one.captures(line)?)))?;
            self.format = at;
            Some(found)
        })?;
        let end = found.get(0).map_or(0, |prefix| prefix.end());
        let message = found.name("message").map_or(&line[end..], |message| message.as_str());
        Some(LoggedLine { key: stream_of(&found), message })
    }
}

/// Returns the stream that a head of the format `long` begins.
pub(super) fn head_of_long(line: &str) -> Option<StreamKey<'_>> {
    let found = LONG.as_ref().filter(|_| line.starts_with("[ "))?.captures(line)?;
    Some(stream_of(&found))
}

/// Whether a line has a prefix of logcat's.
pub(super) fn is_prefixed(line: &str) -> bool {
    FORMATS.iter().any(|pattern| pattern.is_match(line)) || head_of_long(line).is_some()
}

fn stream_of<'t>(prefix: &Captures<'t>) -> StreamKey<'t> {
    let group = |name| prefix.name(name).map_or("", |group| group.as_str());
    (group("p"), group("t"), group("tag"))
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_trace;

    const CRASH: &str = "FATAL EXCEPTION: main\nProcess: a.b, PID: 4711\na.Outer: x\n\tat a.B.c(B.kt:1)\nCaused by: a.Gone: y\n\tat a.D.e(D.kt:2)\n";

    /// The chain in a log, in which another process writes as well.
    fn chain(line: impl Fn(&str, &str, &str) -> String) -> Vec<String> {
        let lines: Vec<String> = CRASH
            .lines()
            .flat_map(|text| [line("4711", "AndroidRuntime", text), line("99", "Other", "a.b.Other: z")])
            .collect();
        let one = |trace: &super::super::parse::ParsedTrace| {
            format!("{:?} {}: {} {}", trace.relation, trace.error_type, trace.message, trace.frames.len())
        };
        parse_trace(&lines.join("\n")).iter().map(one).collect()
    }

    #[test]
    fn a_chain_is_read_in_each_format_with_each_modifier() {
        let expected = ["First a.Outer: x 1", "Cause a.Gone: y 1"];
        let day = "01-05 12:34:56.789";
        let times = [
            day.to_owned(),
            format!("2026-{day}"),
            format!("{day} +0100"),
            format!("2026-{day}123 -0730"),
            format!("{day}123456"),
            "         1704454496.789".to_owned(),
            "    27.123".to_owned(),
            "1704454496.789123".to_owned(),
        ];
        for time in &times {
            let read =
                chain(|process, tag, text| format!("{time} {process:>5} {process:>5} E {tag:<8}: {text}"));
            assert_eq!(read, expected, "threadtime {time}");
            let read = chain(|process, tag, text| format!("{time} E/{tag:<8}({process:>5}): {text}"));
            assert_eq!(read, expected, "time {time}");
            let read = chain(|process, tag, text| {
                format!("[ {time} {process:>5}:{process:>5} E/{tag:<8} ]\n{text}\n")
            });
            assert_eq!(read, expected, "long {time}");
            for user in ["10123", " root", "u0_a123"] {
                let read = chain(|process, tag, text| {
                    format!("{time} {user} {process:>5} {process:>5} E {tag:<8}: {text}")
                });
                assert_eq!(read, expected, "threadtime {time} {user}");
                let read =
                    chain(|process, tag, text| format!("{time} E/{tag:<8}({user}:{process:>5}): {text}"));
                assert_eq!(read, expected, "time {time} {user}");
            }
        }
        assert_eq!(
            chain(|process, tag, text| format!("E({process:>5}) {text}  ({tag})")),
            expected,
            "process"
        );
        assert_eq!(
            chain(|process, _, text| format!("E({process:>5}:{process:>5}) {text}")),
            expected,
            "thread"
        );
        assert_eq!(chain(|_, tag, text| format!("E/{tag:<8}: {text}")), expected, "tag");
        assert_eq!(
            chain(|process, tag, text| format!("E/{tag:<8}({process:>5}): {text}")),
            expected,
            "brief"
        );
    }

    #[test]
    fn android_studio_copies_the_columns_that_it_shows() {
        for before in [
            "E  ",
            "12:34:56.789  E  ",
            "12:34:56.789  AndroidRuntime  E  ",
            "2026-01-05 12:34:56.789  47-47  AndroidRuntime  E  ",
        ] {
            let text: String = CRASH.lines().map(|line| format!("{before}{line}\n")).collect();
            let read: Vec<String> = parse_trace(&text).into_iter().map(|trace| trace.error_type).collect();
            assert_eq!(read, ["a.Outer", "a.Gone"], "{before}");
        }
    }
}
