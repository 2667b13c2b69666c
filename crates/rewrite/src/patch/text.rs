//! Lines as patches count them: they end at `\n`, and a carriage return before it is part of the line. Only a
//! file without any `\n` is split at its carriage returns. Not the lines that tools count.

/// Splits a patch into lines, without line feeds. If the patch itself was sent with `\r\n` (all its headers
/// end with it), one carriage return of each line belongs to the patch and is removed.
pub(super) fn patch_lines(patch: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = patch.split('\n').collect();
    // The empty text after the last line break is not a line.
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let is_header = |line: &&&str| ["--- ", "+++ ", "@@", "*** "].iter().any(|start| line.starts_with(start));
    let mut headers = lines.iter().filter(is_header).peekable();
    if headers.peek().is_some() && headers.all(|line| line.ends_with('\r')) {
        for line in &mut lines {
            *line = line.strip_suffix('\r').unwrap_or(line);
        }
    }
    lines
}

/// The lines of a file.
pub(super) struct FileLines<'a> {
    pub(super) text: &'a str,
    /// The byte that ends lines.
    feed: u8,
    /// The start of each line.
    starts: Vec<usize>,
}

impl<'a> FileLines<'a> {
    pub(super) fn of(text: &'a str) -> FileLines<'a> {
        let feed = if memchr::memchr(b'\n', text.as_bytes()).is_some() { b'\n' } else { b'\r' };
        let mut starts = Vec::new();
        if !text.is_empty() {
            starts.push(0);
            starts.extend(memchr::memchr_iter(feed, text.as_bytes()).map(|at| at + 1));
            if starts.last() == Some(&text.len()) {
                starts.pop();
            }
        }
        FileLines { text, feed, starts }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the start of line `line`; the text's length for every line past the last.
    pub(super) fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// Returns line `line` without its line ending byte, but with a carriage return before that.
    pub(super) fn line(&self, line: usize) -> &'a str {
        let whole = &self.text[self.start(line)..self.start(line + 1)];
        whole.strip_suffix(char::from(self.feed)).unwrap_or(whole)
    }

    /// Whether line `line` has a line ending.
    pub(super) fn is_ended(&self, line: usize) -> bool {
        line + 1 < self.count() || self.text.as_bytes().last() == Some(&self.feed)
    }

    /// Whether the file's lines end with a lone carriage return.
    pub(super) fn is_cr(&self) -> bool {
        self.feed == b'\r' && self.text.contains('\r')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_diff() {
        let lines = |text: &'static str| {
            let lines = FileLines::of(text);
            (0..lines.count()).map(|line| lines.line(line)).collect::<Vec<_>>()
        };
        assert_eq!(lines("a\r\nb\rc\nd"), ["a\r", "b\rc", "d"]);
        assert_eq!(lines("a\rb\r"), ["a", "b"]);
        assert_eq!(lines(""), [""; 0]);
        assert_eq!(lines("\n\n"), ["", ""]);
        assert!(!FileLines::of("a\nb").is_ended(1) && FileLines::of("a\nb").is_ended(0));
    }

    #[test]
    fn a_patch_that_was_sent_with_crlf_loses_it() {
        assert_eq!(
            patch_lines("--- a\r\n+++ b\r\n@@ -1 +1 @@\r\n-x\r\n"),
            ["--- a", "+++ b", "@@ -1 +1 @@", "-x"]
        );
        assert_eq!(patch_lines("--- a\n+++ b\n-x\r\n\n"), ["--- a", "+++ b", "-x\r", ""]);
    }
}
