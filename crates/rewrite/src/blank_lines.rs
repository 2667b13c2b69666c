//! The number of blank lines between an inserted declaration and those beside it.

use symd_base::text::line_starts;

/// How many blank lines separate an inserted declaration from the symbol beside it, at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlankLines {
    /// One, as the contracts fix it.
    One,
    /// As many as separate the symbol from a declaration beside it, one or two.
    AsAround,
}

/// The numbers of blank lines between a symbol and what is beside it in its block; `None` where the block begins or
/// ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlankLinesAround {
    pub(super) above: Option<usize>,
    pub(super) below: Option<usize>,
}

impl BlankLinesAround {
    /// Counts the blank lines above byte `before` and from byte `after` of a text, both starts of lines, for a symbol that
    /// is indented by `indent` bytes.
    pub(super) fn of(text: &str, before: usize, after: usize, indent: usize) -> BlankLinesAround {
        BlankLinesAround {
            // What ends above may be indented deeper than it begins.
            above: gap(lines(&text[..before]).rev().skip_while(is_comment), |own, _| own >= indent),
            below: gap(lines(&text[after..]), |own, line| {
                own == indent && !line.starts_with(['}', ')', ']'])
            }),
        }
    }

    /// Returns the number of blank lines that separate declarations here.
    pub(super) fn usual(self) -> usize {
        self.above.or(self.below).unwrap_or(1).clamp(1, 2)
    }
}

/// Counts the blank lines before the first other line, if that is in the symbol's block by its indentation and text.
fn gap<'t>(lines: impl Iterator<Item = &'t str>, is_beside: impl Fn(usize, &str) -> bool) -> Option<usize> {
    let mut blank = 0;
    for line in lines {
        let code = line.trim_start();
        if code.is_empty() {
            blank += 1;
            continue;
        }
        return is_beside(line.len() - code.len(), code).then_some(blank);
    }
    None
}

/// Whether a line is a comment, which belongs to what follows it.
fn is_comment(line: &&str) -> bool {
    ["#", "//", "/*", "*"].iter().any(|mark| line.trim_start().starts_with(mark))
}

/// Returns the lines of a text, without the empty one behind its last line break.
fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let starts = line_starts(text);
    let ends: Vec<u32> = starts.iter().skip(1).copied().chain(u32::try_from(text.len())).collect();
    let line = |(start, end): (u32, u32)| &text[start as usize..end as usize];
    let lines: Vec<&str> = starts.into_iter().zip(ends).map(line).filter(|line| !line.is_empty()).collect();
    lines.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, above: Option<usize>, below: Option<usize>) {
        let (before, symbol) = text.split_once('$').expect("two marks");
        let (symbol, after) = symbol.split_once('$').expect("two marks");
        let plain = format!("{before}{symbol}{after}");
        let indent = symbol.len() - symbol.trim_start().len();
        let around = BlankLinesAround::of(&plain, before.len(), before.len() + symbol.len(), indent);
        assert_eq!(around, BlankLinesAround { above, below }, "{text}");
    }

    #[test]
    fn blank_lines_count_within_the_block() {
        check("import os\n\n\n$def f():\n    pass\n$\n\ndef g(): pass\n", Some(2), Some(2));
        check("class A:\n$    def f(self): pass\n$\n    def g(self): pass\n", None, Some(1));
        check("class A:\n    x = 1\n$    def f(self): pass\n$\n\ndef g(): pass\n", Some(0), None);
        check("class A {\n$  f() {}\n$}\n", None, None);
        check("fun a() {\r\n    b()\r\n}\r\n\r\n$fun c() {}\r\n$", Some(1), None);
        check("x = 1\n\n\n# About f.\n$def f(): pass\n$", Some(2), None);
        check("$x$", None, None);
    }
}
