//! What any program wrote before each line of a trace: learned from the frames behind it. Two frames with the same before them, but for digits
//! and blanks, and a line that is no frame show it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::logcat::is_prefixed;

/// How many frames show a prefix.
const SHOWN_BY: usize = 2;

/// The longest prefix that is learned, in bytes.
const MAX_PREFIX: usize = 200;

/// The only frame of a line, with what stands before it.
static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?P<prefix>\s*\S.*?)(?:\t\s*| {2,})at [\w$./@<>-]+\([^()]*\)(?: ~?\[[^\]]*\])?\s*$").ok()
});

/// Returns a text without that prefix; the text itself where none is shown.
pub(super) fn without_learned_prefix(text: &str) -> Cow<'_, str> {
    let Some(prefix) = learned(text) else { return Cow::Borrowed(text) };
    let without = |line: &str| prefix.find(line).map_or(0, |found| found.end());
    Cow::Owned(text.split('\n').map(|line| &line[without(line)..]).collect::<Vec<_>>().join("\n"))
}

fn learned(text: &str) -> Option<Regex> {
    let frame = FRAME.as_ref()?;
    let mut shown: HashMap<String, usize> = HashMap::new();
    for line in text.split('\n').filter(|line| line.contains("at ")) {
        let Some(prefix) = frame.captures(line).and_then(|found| found.name("prefix")) else { continue };
        let prefix = prefix.as_str().trim_end();
        // Tags and texts in quotes have rules of their own, and so have logcat and mails.
        let is_other = prefix.len() > MAX_PREFIX
            || prefix.contains(['"', '<'])
            || prefix.trim_matches('>').is_empty()
            || [" at ", "\tat "].iter().any(|at| prefix.contains(at))
            || is_prefixed(line);
        if is_other {
            continue;
        }
        let shape = shape(prefix);
        let count = shown.entry(shape).or_insert(0);
        *count += 1;
        if *count < SHOWN_BY {
            continue;
        }
        let pattern = shown.iter().find(|(_, count)| **count == SHOWN_BY).map(|(shape, _)| shape.as_str())?;
        // Where each line holds a throwable of its own, what stands before the frames is that; a head tells how many blanks are the prefix's.
        let head = Regex::new(&format!("^{pattern}(?P<blanks> *)[^ \\t\r]")).ok()?;
        let is_frame = |line: &&str| line.contains("at ") && frame.is_match(line);
        let mut heads =
            text.split('\n').filter(|line| !is_frame(line)).filter_map(|line| head.captures(line));
        let blanks = heads.next()?.name("blanks")?.len();
        return Regex::new(&format!("^{pattern} {{0,{blanks}}}")).ok();
    }
    None
}

/// Returns the pattern of a prefix: any digits for digits, any blanks for blanks.
fn shape(prefix: &str) -> String {
    let mut pattern = String::new();
    let mut rest = prefix.chars().peekable();
    while let Some(c) = rest.next() {
        let is_blank = |c: &char| matches!(c, ' ' | '\t');
        if c.is_ascii_digit() {
            while rest.next_if(char::is_ascii_digit).is_some() {}
            pattern.push_str(r"\d+");
        } else if is_blank(&c) {
            while rest.next_if(is_blank).is_some() {}
            pattern.push_str(r"[ \t]+");
        } else {
            pattern.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "a.Gone: no [1]\n\tat a.B.c(B.kt:1)\n\tat a.D.e(D.kt:2)\nCaused by: a.Lost: x\n\tat a.F.g(F.kt:3)\n\t... 2 more";

    #[test]
    fn what_stands_before_frames_and_heads_is_removed() {
        for prefix in [
            "2026-01-05T12:34:56.1234567Z ##[error]",
            "2026-01-05T12:34:56.123456Z 01O ",
            "[12:34:56] :\t [Step 1/2] ",
            "2026/01/05 12:34:56.789 4711 4730 Error Unity ",
            "│ ",
            "      # ",
            "AndroidRuntime  E  ",
            "till-7d9f stdout F ",
        ] {
            let text: Vec<String> = TRACE
                .lines()
                .enumerate()
                .map(|(at, line)| prefix.replace("56", &format!("{}", 50 + at)) + line)
                .collect();
            let read = without_learned_prefix(&text.join("\n")).into_owned();
            assert_eq!(read, TRACE, "{prefix}");
        }
    }

    #[test]
    fn other_texts_stay() {
        for text in [
            TRACE,
            // Each line is an event of its own.
            "12:00 ERROR a.Gone: x\tat a.B.c(B.kt:1)\n12:01 ERROR a.Gone: x\tat a.B.c(B.kt:2)",
            "I/Tag(1): a.Gone: x\nI/Tag(1): \tat a.B.c(B.kt:1)\nI/Tag(1): \tat a.B.c(B.kt:1)",
            "[12:00] it fails at a.B.c(B.kt:1)\n[12:01] it fails at a.B.c(B.kt:1)",
            "> a.Gone: x\n>  at a.B.c(B.kt:1)\n>  at a.B.c(B.kt:1)",
            "é\tat a.B.c(B.kt:1)\né",
        ] {
            assert_eq!(without_learned_prefix(text), text);
        }
    }
}
