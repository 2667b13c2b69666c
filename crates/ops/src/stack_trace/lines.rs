//! The lines of a trace without what surrounds them where it was copied: the prefixes of logcat, quotes of e-mails,
//! markup, fences. Lines of several processes or threads of a log are sorted apart.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::collected_lines::without_prefixes;
use super::flowed::unflowed;
use super::link_lines::with_heads;
use super::logcat::{LogcatReader, StreamKey, head_of_long, is_prefixed};
use super::markup::Markup;
use super::parse::MAX_MESSAGE_LINES;
use super::tombstone::FATAL_SIGNAL;
use super::wrapped_heads::{WrappedHead, longest_line};
use crate::powershell::without_records;
use crate::terminal_text::without_colours;

/// The lines of one source: a thread of a log, or everything that is not a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LogStream {
    pub(super) lines: Vec<String>,
}

/// The time or the level with which programs begin the lines of their logs.
static LOG_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\[?(?:\d{4}-\d\d-\d\d|\d\d:\d\d|(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL)\b)").ok()
});

/// What Android logs before the trace of a crash, or of a native one; traces of exceptions that were caught have no such line.
const FATAL: [&str; 3] = ["FATAL EXCEPTION", "*** *** *** ***", FATAL_SIGNAL];

/// Splits a text into streams: those of a log that hold a crash first, then in the order in which they begin.
pub(super) fn streams(text: &str) -> Vec<LogStream> {
    let mut all: Vec<LogStream> = Vec::new();
    let mut known: HashMap<StreamKey<'_>, usize> = HashMap::new();
    let mut long: Option<StreamKey<'_>> = None;
    let mut logcat = LogcatReader::default();
    // The stream of the line before, while a frame in it is not closed.
    let mut wrapped: Option<(usize, usize)> = None;
    // That of the last line with a prefix, as long as indented lines without one follow.
    let mut prefixed: Option<usize> = None;
    let text = &without_records(text);
    let text = &without_colours(text);
    let text = &without_prefixes(text);
    let markup = Markup::of(text);
    // A line break of Windows is one: a frame that was wrapped goes on behind it.
    let lines = text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'));
    let lines: Vec<&str> = lines.collect();
    let longest = OnceCell::new();
    // How many lines are still the rest of a head that was wrapped.
    let mut of_head = 0;
    for (number, &line) in lines.iter().enumerate() {
        if of_head > 0 {
            of_head -= 1;
            continue;
        }
        let line = unquoted(line);
        if let Some(head) = head_of_long(line) {
            long = Some(head);
            continue;
        }
        let found = logcat.line(line);
        let (key, message) = match &found {
            Some(found) => {
                long = None;
                (found.key, found.message)
            }
            None => (long.unwrap_or_default(), line),
        };
        // Heads that a terminal broke have no end by which they are known: what follows tells.
        let after_prefix = prefixed.filter(|_| found.is_none() && long.is_none() && wrapped.is_none());
        if let Some(last) = after_prefix.and_then(|at| all[at].lines.last_mut())
            && let Some(before) = number.checked_sub(1)
        {
            let longest = *longest.get_or_init(|| longest_line(&lines));
            let head = WrappedHead { head: last, line: lines[before], longest };
            if let Some((whole, count)) = head.joined(&lines[number..], |line| is_prefixed(unquoted(line))) {
                *last = whole;
                of_head = count - 1;
                continue;
            }
        }
        let message = markup.written(unboxed(message));
        let mut of_key = || {
            *known.entry(key).or_insert_with(|| {
                all.push(LogStream::default());
                all.len() - 1
            })
        };
        // A terminal breaks long lines of a log, and writes no prefix before the rest.
        let rest = wrapped.take().filter(|_| found.is_none() && long.is_none());
        // Android Studio wrote the prefix once before a message of several lines, and indented the rest.
        let is_indented = |line: &str| line.starts_with([' ', '\t']);
        let is_within = || {
            let mut behind =
                lines[number + 1..].iter().take(MAX_MESSAGE_LINES).filter(|line| !line.trim().is_empty());
            behind.next().is_some_and(|next| is_indented(next) && !is_prefixed(next))
        };
        let is_further = found.is_none()
            && long.is_none()
            && (is_indented(line) || line.is_empty() && prefixed.is_some() && is_within());
        let further = prefixed.filter(|_| is_further && rest.is_none());
        let (at, left) = match (rest, further) {
            (Some((at, left)), _) => (at, left - 1),
            (None, Some(at)) => (at, MAX_WRAPPED),
            (None, None) => (of_key(), MAX_WRAPPED),
        };
        prefixed = (found.is_some() || further.is_some()).then_some(at);
        let is_open = if rest.is_some() { !message.contains(')') } else { is_open_frame(message.trim()) };
        wrapped = (is_open && left > 0 && (found.is_some() || rest.is_some())).then_some((at, left));
        all[at].lines.extend(message.split('\n').map(str::to_owned));
    }
    // Stable. A device's log has thousands of streams: each is searched once.
    let is_fatal = |line: &String| FATAL.iter().any(|fatal| line.contains(fatal));
    all.sort_by_cached_key(|stream| !stream.lines.iter().any(is_fatal));
    all.iter_mut()
        .for_each(|stream| stream.lines = joined(with_heads(unflowed(std::mem::take(&mut stream.lines)))));
    all
}

/// Whether a line is one that a program logged: no line of a message before it.
pub(super) fn begins_log_line(line: &str) -> bool {
    LOG_LINE.as_ref().is_some_and(|start| start.is_match(line))
}

/// Removes the line that loggers draw on the left of a message.
fn unboxed(line: &str) -> &str {
    ["│", "║", "┃"]
        .iter()
        .find_map(|side| line.strip_prefix(side))
        .map_or(line, |rest| rest.strip_prefix(' ').unwrap_or(rest))
}

/// Removes the marks of quoted e-mails and of code in chats.
fn unquoted(line: &str) -> &str {
    let mut line = line.trim_end();
    while let Some(rest) =
        line.strip_prefix("> ").or_else(|| line.strip_prefix(">>")).or_else(|| line.strip_prefix("&gt; "))
    {
        line = rest;
    }
    // An empty line of a quote.
    line = if line == ">" { "" } else { line };
    line = line.strip_prefix("```").unwrap_or(line);
    // A mark of Markdown around more than this line: names in Kotlin may have backticks of their own.
    let opened = line.trim_start_matches(['`', '*']);
    if line.len() - opened.len() <= 2 && opened.starts_with(begins_name) && !opened.contains('`') {
        line = opened;
    }
    if let Some(end) = line.rfind(')').filter(|end| line[end + 1..].chars().all(|c| matches!(c, '`' | '*'))) {
        line = &line[..=end];
    }
    line.strip_prefix("INSTRUMENTATION_STATUS: stack=").unwrap_or(line)
}

/// Maximum number of lines over which a mail or a chat wraps a frame.
pub(super) const MAX_WRAPPED: usize = 3;

fn begins_name(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

/// Whether a line is a frame whose end is missing.
fn is_open_frame(line: &str) -> bool {
    line.strip_prefix("at ").is_some_and(|name| name.starts_with(begins_name)) && !line.contains(')')
}

/// Joins frames that were wrapped: a frame ends with a parenthesis.
fn joined(lines: Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(lines.len());
    let mut open = 0;
    let begins = |line: &str| {
        line.is_empty() || ["at ", "Caused by", "Wrapped by"].iter().any(|begin| line.starts_with(begin))
    };
    // Play Console writes frames without a parenthesis: what follows is theirs only if it closes one.
    let closes: Vec<bool> = (0..lines.len())
        .map(|at| {
            let following = lines[at..].iter().take(MAX_WRAPPED).map(|line| line.trim());
            following.take_while(|line| !begins(line)).any(|line| line.contains(')'))
        })
        .collect();
    for (line, closes) in lines.into_iter().zip(closes) {
        let trimmed = line.trim();
        let begins = begins(trimmed) || !closes;
        match all.last_mut() {
            Some(last) if open > 0 && !begins => {
                // Broken at a blank only where the name itself has one; classes and files have none.
                last.push_str(trimmed);
                open = if last.trim_end().ends_with(')') { 0 } else { open - 1 };
            }
            _ => {
                open = if is_open_frame(trimmed) { MAX_WRAPPED } else { 0 };
                all.push(line);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_of_logcat_is_known() {
        for line in [
            "2024-01-05 12:34:56.789 12345-12346 AndroidRuntime          com.shop                E  \tat a.B.c(B.kt:1)",
            "2024-01-05 12:34:56.789 12345-12346 My Tag                  com.shop                E  \tat a.B.c(B.kt:1)",
            "2024-01-05 12:34:56.789 12345-12346 My Wide Editor          com.shop                E  \tat a.B.c(B.kt:1)",
            "2024-01-05 12:34:56.789 12345-12346 A tag of 23 characters! com.shop                E  \tat a.B.c(B.kt:1)",
            "2019-01-05 12:34:56.789 12345-12346/com.shop E/AndroidRuntime: \tat a.B.c(B.kt:1)",
            "01-05 12:34:56.789 12345 12346 E AndroidRuntime: \tat a.B.c(B.kt:1)",
            "01-05 12:34:56.789 E/AndroidRuntime(12345): \tat a.B.c(B.kt:1)",
            "E/AndroidRuntime(12345): \tat a.B.c(B.kt:1)",
            "E/A Tag | of an app: \tat a.B.c(B.kt:1)",
            "2024-01-05\t12:34:56.789\t12345\t12346\tE\t\tAndroidRuntime\t\tat a.B.c(B.kt:1)",
            "[ 01-05 12:34:56.789 12345:12346 E/AndroidRuntime ]\n\tat a.B.c(B.kt:1)",
            "[ 01-05 12:34:56.789 12345:12346 E/My Tag   ]\n\tat a.B.c(B.kt:1)",
            "> > \tat a.B.c(B.kt:1)",
            "```\tat a.B.c(B.kt:1)```",
            "`at a.B.c(B.kt:1)",
            "**at a.B.c(B.kt:1)**",
            "\tat a.B.c(\n  B.kt:1)",
            "\tat a.B.c(\r\n  B.kt:1)\r",
            "E/AndroidRuntime(12345): \tat a.B.c(B.kt:1)\r",
            "<failure message=\"x\">\tat a.B.c(B.kt:1)</failure>",
        ] {
            let found = streams(line);
            assert_eq!(
                found.last().unwrap().lines.last().unwrap().trim(),
                "at a.B.c(B.kt:1)",
                "{line}: {found:?}"
            );
        }
    }

    #[test]
    fn frames_that_a_terminal_wrapped_are_whole() {
        let prefix = "01-05 12:34:56.789  4711  4711 E AndroidRuntime: ";
        let log = format!(
            "{prefix}a.Gone: x\n{prefix}\tat a.long.name.of.B.c(\nB.kt:1)\n{prefix}\tat a.lo\nng.name.of.\nD.e(D.kt:2)\nthat was it\n\
             {prefix}\tat a.F.g(F.k\n{prefix}\tat a.H.i(H.kt:4)\n"
        );
        let found = streams(&log);
        let frames: Vec<&str> = found[0].lines.iter().map(|line| line.trim()).collect();
        assert_eq!(
            frames,
            [
                "a.Gone: x",
                "at a.long.name.of.B.c(B.kt:1)",
                "at a.long.name.of.D.e(D.kt:2)",
                "at a.F.g(F.k",
                "at a.H.i(H.kt:4)"
            ]
        );
        assert_eq!(found[1].lines[0], "that was it");
    }

    #[test]
    fn heads_that_a_terminal_wrapped_are_whole() {
        let prefix = "01-05 12:34:56.789  4711  4711 E AndroidRuntime: ";
        let log = |lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(|line| line.replace('P', prefix)).collect();
            let found = streams(&lines.join("\n"));
            found[0].lines.iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>()
        };
        let at = "P\tat a.B.c(B.kt:1)";
        let start = "a.b.GoneException: Unable to start";
        for (head, rest, whole) in [
            ("Caused by: shop.core.OutOfSto", "ck: no 1", "Caused by: shop.core.OutOfStock: no 1"),
            ("Caused by: shop.core.", "OutOfStock: no 1", "Caused by: shop.core.OutOfStock: no 1"),
            ("Caused by: shop.core.OutOfStock:", "no 1", "Caused by: shop.core.OutOfStock:no 1"),
            ("Caused by:", "shop.core.OutOfStock: no 1", "Caused by: shop.core.OutOfStock: no 1"),
            (start, " activity", "a.b.GoneException: Unable to start activity"),
            (start, "activity\nMain", "a.b.GoneException: Unable to startactivity Main"),
            (
                "a.b.GoneException: Unable to start ",
                "activity",
                "a.b.GoneException: Unable to start activity",
            ),
            (
                start,
                "activity that breaks at a blank, since other lines of the text are longer than the first",
                "a.b.GoneException: Unable to start activity that breaks at a blank, since other lines of the text are longer than the first",
            ),
        ] {
            let lines = log(&[&format!("P{head}"), rest, at]);
            assert_eq!(lines, [whole, "at a.B.c(B.kt:1)"], "{head}|{rest}");
        }
        // The text ends with it.
        assert_eq!(
            log(&[at, "PCaused by: shop.core.OutOfSto", "ck: no 1"])[1],
            "Caused by: shop.core.OutOfStock: no 1"
        );
        for rest in ["thanks", "    of several lines", "--------- beginning of crash", "\tat a.D.e(D.kt:2)"] {
            let head = "Caused by: shop.core.OutOfStock";
            assert_eq!(log(&[&format!("P{head}"), rest])[0], head, "{rest}");
        }
        assert_eq!(log(&["Pa.b.GoneException: x", "    y", at])[..2], ["a.b.GoneException: x", "y"]);
    }

    #[test]
    fn the_stream_of_a_crash_comes_first() {
        let text = "W/A(1): one\nE/AndroidRuntime(2): FATAL EXCEPTION: main\nW/A(1): two";
        let lines: Vec<usize> = streams(text).iter().map(|stream| stream.lines.len()).collect();
        assert_eq!(lines, [1, 2]);
    }

    #[test]
    fn interleaved_threads_are_sorted_apart() {
        let text = "E/A(1): one\nE/A(2): two\nE/A(1): three\n";
        let lines: Vec<Vec<String>> = streams(text).into_iter().map(|stream| stream.lines).collect();
        assert_eq!(lines[0], ["one", "three"]);
        assert_eq!(lines[1], ["two"]);
    }
}
