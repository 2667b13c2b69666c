//! Deletes, replaces and inserts whole lines. Lines are 0-based, ranges inclusive at both ends; the empty
//! text after a final line break is not a line. Invariant: lines outside the range keep their bytes.

use super::endings::{Endings, is_terminated, without_break};
use symd_base::text::line_starts;
use symd_base::{TextEdits, TextRange};

/// Why lines cannot be edited. Line numbers are as given, 0-based.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// A line number below 0.
    #[error("Lines are 0-based and cannot be negative, got: {line}")]
    Negative {
        /// The line number as given.
        line: i64,
    },
    /// The range ends before it starts.
    #[error("start_line {start} is after end_line {end}; both are 0-based and inclusive")]
    Reversed { start: i64, end: i64 },
    /// The line does not exist.
    #[error("Line {line} is past the end of the file, {}", last_line(*count))]
    PastEnd {
        /// The line number as given.
        line: i64,
        /// The number of lines in the file.
        count: usize,
    },
    /// The line does not exist, and is not the one right after the last.
    #[error("Line {line} is past the end of the file; insert at line {count} to append")]
    InsertPastEnd {
        /// The line number as given.
        line: i64,
        /// The number of lines in the file.
        count: usize,
    },
}

fn last_line(count: usize) -> String {
    match count.checked_sub(1) {
        None => "which has no lines".to_owned(),
        Some(last) => format!("whose last line is {last} (lines are 0-based)"),
    }
}

/// Deletes lines `start` to `end`. A text without a final line break does not get one.
pub fn delete_lines(text: &str, start: i64, end: i64) -> Result<TextEdits, LineError> {
    let mut range = Lines::of(text).range(start, end)?;
    if range.end as usize == text.len() && !is_terminated(text) {
        let kept = without_break(&text[..range.start as usize]);
        range.start = offset(kept.len());
    }
    Ok(TextEdits::one(range, ""))
}

/// Replaces lines `start` to `end` by `content`, to which a final line break is added if it has none.
pub fn replace_lines(text: &str, start: i64, end: i64, content: &str) -> Result<TextEdits, LineError> {
    let range = Lines::of(text).range(start, end)?;
    Ok(TextEdits::one(range, terminated(text, range.start, content)))
}

/// Inserts `content`, to which a final line break is added if it has none, before line `line`; the number of
/// lines as `line` appends.
pub fn insert_at_line(text: &str, line: i64, content: &str) -> Result<TextEdits, LineError> {
    let lines = Lines::of(text);
    let count = lines.count;
    let index = index(line)?;
    if index > count {
        return Err(LineError::InsertPastEnd { line, count });
    }
    let at = lines.start(index);
    let mut content = terminated(text, at, content);
    if index == count && !text.is_empty() && !is_terminated(text) {
        content.insert_str(0, Endings::of(text).at(at as usize).as_str());
    }
    Ok(TextEdits::one(TextRange::new(at, at), content))
}

/// Returns `content` with the line endings of the place `at`, and a final line break.
fn terminated(text: &str, at: u32, content: &str) -> String {
    let ending = Endings::of(text).at(at as usize);
    let mut content = ending.apply_to(content).into_owned();
    if !is_terminated(&content) {
        content.push_str(ending.as_str());
    }
    content
}

/// The line starts of a text.
struct Lines {
    starts: Vec<u32>,
    count: usize,
    length: u32,
}

impl Lines {
    fn of(text: &str) -> Lines {
        let starts = line_starts(text);
        let has_empty_last = text.is_empty() || is_terminated(text);
        Lines { count: starts.len() - usize::from(has_empty_last), starts, length: offset(text.len()) }
    }

    fn start(&self, line: usize) -> u32 {
        self.starts.get(line).copied().unwrap_or(self.length)
    }

    /// Returns the bytes of lines `start` to `end`, line breaks included.
    fn range(&self, start: i64, end: i64) -> Result<TextRange, LineError> {
        let (first, last) = (index(start)?, index(end)?);
        if first > last {
            return Err(LineError::Reversed { start, end });
        }
        for (line, index) in [(start, first), (end, last)] {
            if index >= self.count {
                return Err(LineError::PastEnd { line, count: self.count });
            }
        }
        Ok(TextRange::new(self.start(first), self.start(last + 1)))
    }
}

fn index(line: i64) -> Result<usize, LineError> {
    usize::try_from(line).map_err(|_| LineError::Negative { line })
}

/// Converts a byte offset in a text that is shorter than 4 GiB.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, edits: Result<TextEdits, LineError>) -> String {
        match edits {
            Ok(edits) => {
                let after = edits.apply(text).expect("inside");
                let back = edits.inverse(text).expect("inside").apply(&after).expect("inside");
                assert_eq!(back, text);
                after
            }
            Err(error) => format!("Error: {error}"),
        }
    }

    #[test]
    fn lines_are_deleted() {
        let cases = [
            ("a\nb\nc\n", 0, 0, "b\nc\n"),
            ("a\nb\nc\n", 1, 2, "a\n"),
            ("a\r\nb\r\nc\r\n", 1, 1, "a\r\nc\r\n"),
            ("a\rb\rc", 0, 1, "c"),
            // Mixed endings: the other lines keep theirs.
            ("a\r\nb\nc\rd\n", 1, 1, "a\r\nc\rd\n"),
            // No final line break before, and none after.
            ("a\r\nb", 1, 1, "a"),
            ("a\nb", 0, 0, "b"),
            ("a", 0, 0, ""),
            ("\n\n", 1, 1, "\n"),
            ("😀\u{2028}x\n\ty\n", 0, 0, "\ty\n"),
            (
                "a\nb\n",
                2,
                2,
                "Error: Line 2 is past the end of the file, whose last line is 1 (lines are 0-based)",
            ),
            (
                "a\nb\n",
                1,
                7,
                "Error: Line 7 is past the end of the file, whose last line is 1 (lines are 0-based)",
            ),
            ("", 0, 0, "Error: Line 0 is past the end of the file, which has no lines"),
            ("a\nb\n", 1, 0, "Error: start_line 1 is after end_line 0; both are 0-based and inclusive"),
            ("a\n", -1, 0, "Error: Lines are 0-based and cannot be negative, got: -1"),
            (
                "a\n",
                0,
                i64::MIN,
                "Error: Lines are 0-based and cannot be negative, got: -9223372036854775808",
            ),
        ];
        for (text, start, end, expected) in cases {
            assert_eq!(shown(text, delete_lines(text, start, end)), expected, "{text:?} {start}-{end}");
        }
    }

    #[test]
    fn lines_are_replaced() {
        let cases = [
            ("a\nb\nc\n", 1, 1, "x", "a\nx\nc\n"),
            ("a\nb\nc\n", 0, 1, "x\ny\n", "x\ny\nc\n"),
            ("a\r\nb\r\n", 0, 0, "x\ny", "x\r\ny\r\nb\r\n"),
            ("a\rb\r", 1, 1, "x\r\ny", "a\rx\ry\r"),
            ("a\r\nb\nc\r\n", 1, 1, "x\r\ny", "a\r\nx\ny\nc\r\n"),
            ("a\r\nb", 1, 1, "x", "a\r\nx\r\n"),
            ("a\nb\n", 0, 0, "", "\nb\n"),
            (
                "a\n",
                0,
                1,
                "x",
                "Error: Line 1 is past the end of the file, whose last line is 0 (lines are 0-based)",
            ),
            ("a\n", 1, 0, "x", "Error: start_line 1 is after end_line 0; both are 0-based and inclusive"),
        ];
        for (text, start, end, content, expected) in cases {
            let shown = shown(text, replace_lines(text, start, end, content));
            assert_eq!(shown, expected, "{text:?} {start}-{end} {content:?}");
        }
    }

    #[test]
    fn lines_are_inserted() {
        let cases = [
            ("a\nb\n", 0, "x", "x\na\nb\n"),
            ("a\nb\n", 1, "x\n", "a\nx\nb\n"),
            ("a\nb\n", 2, "x", "a\nb\nx\n"),
            ("a\r\nb", 2, "x\ny", "a\r\nb\r\nx\r\ny\r\n"),
            ("a\r\nb\n", 1, "x", "a\r\nx\nb\n"),
            ("", 0, "x", "x\n"),
            ("a\n", 1, "\n", "a\n\n"),
            ("a\n", 2, "x", "Error: Line 2 is past the end of the file; insert at line 1 to append"),
            ("a\n", -3, "x", "Error: Lines are 0-based and cannot be negative, got: -3"),
        ];
        for (text, line, content, expected) in cases {
            assert_eq!(
                shown(text, insert_at_line(text, line, content)),
                expected,
                "{text:?} {line} {content:?}"
            );
        }
    }
}
