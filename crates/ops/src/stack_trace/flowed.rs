//! Frames that share a line: a chat or a mail made a paragraph of a trace, and broke its lines at blanks. Invariant: each frame that
//! is found so is a line of its own, and a line without such frames stays as it is.

use std::sync::LazyLock;

use regex::Regex;

/// A frame with its place, or the number of frames that are left out, within a line.
static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:^|\s)(?:at\s+[^\s()]*[^\s().]\.[^\s().]+ ?",
        r"\((?:[^()]*\.(?:kt|kts|java|groovy|scala)(?::\d+)?|(?:Unknown Source|SourceFile|r8-map-id-[0-9a-f]+)(?::\d+)?|Native [Mm]ethod)\)",
        r"|(?:\.\.\.|…) ?\d+ (?:more|common frames omitted))"
    ))
    .ok()
});

/// Gives the frames that share a line lines of their own, with what stands between them.
pub(super) fn unflowed(lines: Vec<String>) -> Vec<String> {
    if !lines.iter().any(|line| may_hold_frames(line)) {
        return lines;
    }
    let mut all = Vec::with_capacity(lines.len());
    let mut lines = lines.into_iter().peekable();
    while let Some(line) = lines.next() {
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
            1 if !is_open && is_message() => all.push(line),
            _ => {
                let mut rest = line;
                while let Some(next) = lines.peek()
                    && let Some(glue) = glue(&rest, next, true)
                {
                    let tail = tail_of(&rest);
                    let (whole, joined) =
                        (rest.len() - tail.len(), format!("{}{glue}{}", tail.trim_end(), next.trim_start()));
                    split(&rest[..whole], &mut all);
                    rest = joined;
                    lines.next();
                }
                split(&rest, &mut all);
            }
        }
    }
    all
}

/// Whether a line may hold a frame behind other text, or end before one, or go on behind it; the line of one frame does not.
fn may_hold_frames(line: &str) -> bool {
    let line = line.trim();
    let is_word = |at: usize| line[at + " at".len()..].chars().next().is_none_or(|next| next == ' ');
    let runs_on = || [") Caused", ") Suppressed:", ") ...", ") …"].iter().any(|next| line.contains(next));
    line == "at" || runs_on() || memchr::memmem::find_iter(line.as_bytes(), " at").any(is_word)
}

fn frames_of(line: &str) -> impl Iterator<Item = regex::Match<'_>> {
    FRAME.iter().flat_map(move |frame| frame.find_iter(line))
}

/// Returns what stands behind the last frame of a line.
fn tail_of(line: &str) -> &str {
    frames_of(line).last().map_or(line, |last| &line[last.end()..])
}

/// Returns what joins a line with the next one if it ends before or within a frame, or, `among_frames`, in words that begin something else.
fn glue(line: &str, next: &str, among_frames: bool) -> Option<&'static str> {
    let (tail, next) = (tail_of(line).trim(), next.trim());
    if next.is_empty() {
        return None;
    }
    if tail == "at" && among_frames {
        return Some(" ");
    }
    if tail == "at" || tail.ends_with(" at") {
        let begins_with_frame =
            || frames_of(&format!("at {next}")).next().is_some_and(|frame| frame.start() == 0);
        return begins_with_frame().then_some(" ");
    }
    if !among_frames {
        return None;
    }
    let is_count = |tail: &str| tail.is_empty() || tail.parse::<usize>().is_ok();
    if matches!(tail, "Caused" | "Caused by:" | "Suppressed:")
        || tail.strip_prefix("...").map(str::trim).is_some_and(is_count)
    {
        return Some(" ");
    }
    let name = tail.strip_prefix("at ").filter(|name| !name.contains([')', ' ']))?;
    Some(if name.ends_with("(Native") || name.ends_with("(Unknown") { " " } else { "" })
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
