//! Frames that share a line: a chat or a mail made a paragraph of a trace, and broke its lines at blanks. Invariant: each frame that
//! is found so is a line of its own, and a line without such frames stays as it is.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::MAX_WRAPPED;
use super::throwables::message_of_head;

/// A frame with its place, or the number of frames that are left out, within a line.
static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:^|\s)(?:at\s+[^\s()]*[^\s().]\.[^\s().]+ ?",
        r"\((?:[^()]*\.(?:kt|kts|java|groovy|scala)(?::\d+)?|(?:Unknown Source|SourceFile|r8-map-id-[0-9a-f]+)(?::\d+)?|Native [Mm]ethod)\)",
        r"|(?:\.\.\.|…) ?\d+ (?:more|common frames omitted))"
    ))
    .ok()
});

/// Maximum number of further lines over which the name of one frame is broken.
const MAX_NAME_PARTS: usize = 3;

/// Gives the frames that share a line lines of their own, with what stands between them.
pub(super) fn unflowed(lines: Vec<String>) -> Vec<String> {
    if !lines.iter().any(|line| may_hold_frames(line)) {
        return lines;
    }
    let mut all = Vec::with_capacity(lines.len());
    let mut lines = lines.into_iter().peekable();
    // Whether a line before, without an empty one since, had several frames.
    let mut is_paragraph = false;
    while let Some(line) = lines.next() {
        is_paragraph &= !line.trim().is_empty();
        if !may_hold_frames(&line) {
            all.push(line);
            continue;
        }
        let count = frames_of(&line).count();
        let next = lines.peek().map(String::as_str);
        let is_open = next.is_some_and(|next| glue(&line, next, count > 0).is_some());
        // A message may name one frame before those of its trace.
        let is_message =
            || next.is_some_and(|next| next.trim_start().starts_with("at ") && !may_hold_frames(next));
        match count {
            0 if !is_open => all.push(line),
            1 if !is_open && !is_paragraph && is_message() => all.push(line),
            _ => {
                is_paragraph = true;
                let mut rest = with_head(&mut all, line);
                // The parts of a name that is not known to be a frame's yet, as they were.
                let mut parts: Vec<String> = Vec::new();
                while parts.len() <= MAX_NAME_PARTS
                    && let Some(next) = lines.peek()
                    && let Some(glue) = glue(&rest, next, true)
                {
                    let tail = tail_of(&rest);
                    let (whole, joined) =
                        (rest.len() - tail.len(), format!("{}{glue}{}", tail.trim_end(), next.trim_start()));
                    split(&rest[..whole], &mut all);
                    if glue.is_empty() && frames_of(&joined).next().is_none() {
                        if parts.is_empty() {
                            parts.push(tail.trim().to_owned());
                        }
                        parts.push(next.trim().to_owned());
                    } else {
                        parts.clear();
                    }
                    rest = joined;
                    lines.next();
                }
                match parts.is_empty() {
                    true => split(&rest, &mut all),
                    false => all.append(&mut parts),
                }
            }
        }
    }
    all
}

/// Returns a line with those before it that are the beginning of its head, which are taken from `all`.
fn with_head(all: &mut Vec<String>, line: String) -> String {
    let is_of_head = |before: &&String| {
        let before = before.trim();
        !before.is_empty() && !before.starts_with("at ") && frames_of(before).next().is_none()
    };
    let before = all.iter().rev().take(MAX_WRAPPED).take_while(is_of_head).enumerate();
    let Some((first, _)) = before.filter(|(_, line)| message_of_head(line).is_some()).last() else {
        return line;
    };
    let head: Vec<String> = all.drain(all.len() - 1 - first..).map(|line| line.trim().to_owned()).collect();
    format!("{} {}", head.join(" "), line.trim_start())
}

/// Whether a line may hold a frame behind other text, or end before one, or go on behind it; the line of one frame does not.
fn may_hold_frames(line: &str) -> bool {
    let line = line.trim();
    let is_word = |at: usize| line[at + " at".len()..].chars().next().is_none_or(|next| next == ' ');
    let runs_on = || {
        [") Caused", ") Suppressed:", ") Wrapped by:", ") ...", ") …"].iter().any(|next| line.contains(next))
    };
    line == "at" || runs_on() || memchr::memmem::find_iter(line.as_bytes(), " at").any(is_word)
}

fn frames_of(line: &str) -> impl Iterator<Item = regex::Match<'_>> {
    FRAME.iter().flat_map(move |frame| frame.find_iter(line))
}

/// Returns what stands behind the last frame of a line.
fn tail_of(line: &str) -> &str {
    frames_of(line).last().map_or(line, |last| &line[last.end()..])
}

/// How frames begin whose place has a blank.
const TWO_WORDS: [&str; 2] = ["(Native", "(Unknown"];

/// Returns what joins a line with the next one if it ends before or within a frame, or, `among_frames`, in words that begin something else.
fn glue(line: &str, next: &str, among_frames: bool) -> Option<&'static str> {
    let (tail, next) = (tail_of(line).trim(), next.trim());
    if next.is_empty() {
        return None;
    }
    if tail == "at" && among_frames {
        return Some(" ");
    }
    let is_cut = |name: &str| TWO_WORDS.iter().any(|place| name.ends_with(place));
    if tail == "at" || tail.ends_with(" at") {
        let is_whole = || frames_of(&format!("at {next}")).next().is_some_and(|frame| frame.start() == 0);
        return (next.split(' ').next().is_some_and(is_cut) || is_whole()).then_some(" ");
    }
    if is_cut(tail)
        && tail.rsplit_once(' ').is_some_and(|(before, _)| before == "at" || before.ends_with(" at"))
    {
        return Some(" ");
    }
    if !among_frames {
        return None;
    }
    let is_count = |tail: &str| tail.is_empty() || tail.parse::<usize>().is_ok();
    if matches!(tail, "Caused" | "Caused by:" | "Suppressed:" | "Wrapped by:")
        || tail.strip_prefix("...").map(str::trim).is_some_and(is_count)
    {
        return Some(" ");
    }
    let name = tail.strip_prefix("at ").filter(|name| !name.contains([')', ' ']))?;
    (!name.is_empty()).then_some("")
}

fn split(line: &str, into: &mut Vec<String>) {
    let mut end = 0;
    let mut add = |text: &str| into.extend((!text.trim().is_empty()).then(|| text.trim().to_owned()));
    for frame in frames_of(line) {
        add(&line[end..frame.start()]);
        add(frame.as_str());
        end = frame.end();
    }
    add(&line[end..]);
}

#[cfg(test)]
mod tests {
    use super::super::parse::{ParsedFrame, ParsedTrace, parse_trace};
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        unflowed(text.lines().map(str::to_owned).collect())
    }

    #[test]
    fn frames_that_share_a_line_get_lines_of_their_own() {
        let expected = [
            "a.Gone: no 1",
            "at a.B.take-rv58(B.kt:30)",
            "at a.C.<init>(Native Method)",
            "Caused by: a.Lost: x at y",
            "at a.D.e (D.kt)",
            "... 3 more",
        ];
        for text in [
            "a.Gone: no 1 at a.B.take-rv58(B.kt:30) at a.C.<init>(Native Method) Caused by: a.Lost: x at y at a.D.e (D.kt) ... 3 more",
            "a.Gone: no 1 at a.B.take-rv58(B.kt:30) at\na.C.<init>(Native\nMethod) Caused\nby: a.Lost: x at y at a.D.e (D.kt) ...\n3 more",
            "a.Gone: no 1 at a.B.take-rv58(B.kt:30)\nat a.C.<init>(Native Method) Caused by:\na.Lost: x at y at a.D.e (D.kt) ... 3\nmore\n",
            "a.Gone: no 1\nat a.B.take-rv58(B.kt:30) at a.C.<init>(Native Method)\nCaused by: a.Lost: x at y at\na.D.e (D.kt)\n... 3 more",
        ] {
            assert_eq!(lines(text), expected, "{text}");
        }
        assert_eq!(lines("a.Gone: x at a.B.c(B.kt:3)"), ["a.Gone: x", "at a.B.c(B.kt:3)"]);
        assert_eq!(lines("it fails at a.B.c(B.kt:3) at night"), ["it fails", "at a.B.c(B.kt:3)", "at night"]);
    }

    /// Class, method and line.
    type ReadFrame = (String, String, Option<usize>);

    /// Returns what is read of a text: type, message and frames of each throwable.
    fn read(text: &str) -> Vec<(String, String, Vec<ReadFrame>)> {
        let frame = |frame: ParsedFrame| (frame.class, frame.method, frame.line);
        let one = |one: ParsedTrace| {
            let words: Vec<&str> = one.message.split_whitespace().collect();
            (one.error_type, words.join(" "), one.frames.into_iter().map(frame).collect())
        };
        parse_trace(text).into_iter().map(one).collect()
    }

    /// Makes one paragraph of a text, whose lines have up to `width` characters unless a word is longer.
    fn flowed(text: &str, width: usize) -> String {
        let mut lines = vec![String::new()];
        for word in text.split_whitespace() {
            let last = lines.last_mut().expect("one");
            match last.len() + 1 + word.len() <= width {
                _ if last.is_empty() => last.push_str(word),
                true => last.extend([" ", word]),
                false => lines.push(word.to_owned()),
            }
        }
        lines.join("\n")
    }

    /// Breaks each line after `width` characters, as a terminal does.
    fn broken(text: &str, width: usize) -> String {
        let parts = |line: &str| -> Vec<String> {
            let chars: Vec<char> = line.chars().collect();
            chars.chunks(width).map(|part| part.iter().collect()).collect()
        };
        text.lines().map(|line| parts(line).join("\n") + "\n").collect()
    }

    /// Crashes of a program of several modules. (Of all widths to 130, one of one case is read otherwise, 74 of "device test": where the only frame
    /// of a line ends a message, and lines of one frame follow, it may be one that the message names.)
    #[test]
    #[allow(clippy::disallowed_methods, reason = "fixtures are no files of a project")]
    fn real_traces_that_were_wrapped_are_read_alike() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../fixtures/traces/courier/traces/freeDebug-11-plain.txt"
        );
        let all = std::fs::read_to_string(path).expect("a fixture");
        let mut differing = Vec::new();
        for case in all.split("### ").skip(1) {
            let (title, text) = case.split_once('\n').expect("a title");
            // Its frames are folded; a name with blanks has no end at a break.
            if title == "stack overflow" || text.contains("costs nothing") {
                continue;
            }
            let whole = read(text);
            let line = |line: &str| format!("01-05 12:34:56.789  4711  4711 E AndroidRuntime: {line}\n");
            let log: String = text.lines().map(line).collect();
            for width in (72..=130).step_by(7) {
                for (form, wrapped) in [("paragraph", flowed(text, width)), ("log", broken(&log, width))] {
                    let found = read(&wrapped);
                    if found != whole {
                        differing
                            .push(format!("{title}, {form}, {width}: {found:?}\nnot {whole:?}\n{wrapped}"));
                    }
                }
            }
        }
        assert!(differing.is_empty(), "{}: {}", differing.len(), differing[0]);
    }

    #[test]
    fn a_name_that_becomes_no_frame_takes_no_lines() {
        let text =
            "it fails at a.B.c(B.kt:3) at startup\njava.lang.IllegalStateException: boom\n\tat a.D.e(D.kt:4)";
        let expected = [
            "it fails",
            "at a.B.c(B.kt:3)",
            "at startup",
            "java.lang.IllegalStateException: boom",
            "\tat a.D.e(D.kt:4)",
        ];
        assert_eq!(lines(text), expected);
        // Quadratic, it would take hours.
        let words = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo\n".repeat(100_000);
        let read = lines(&format!("x at a.B.c(B.kt:3) at q\n{words}"));
        assert_eq!(read.len(), 100_003);
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        for text in [
            "a.Gone: x\n\tat a.B.c(B.kt:3)\n\tat a.D.e(D.kt:4)",
            "a.Gone: as at a.B.c(B.kt:3)\n\tat a.D.e(D.kt:4)",
            "java.lang.AssertionError at TillTest.kt:12",
            "we meet at noon (or\nlater) at",
            "\tat a.B.looks at (B.kt:3)\n\tat a.B.c(B.kt:3)",
        ] {
            assert_eq!(lines(text), text.lines().collect::<Vec<_>>(), "{text}");
        }
    }
}
