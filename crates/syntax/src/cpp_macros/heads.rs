//! Macros in the heads of declarations: `class API Name {`, `API int run(int n);`. A type in capitals directly before a
//! variable's name is left: `struct STAT now;`, `DWORD size = 0;`.

use std::ops::Range;

use super::is_word;
use super::lines::is_in_capitals;

/// Returns the range within `line` of the macro in the head that it begins with.
pub(super) fn head(line: &[u8]) -> Option<Range<usize>> {
    let mut words = Words { line, at: 0 };
    let first = words.next_word()?;
    head_macro(&mut words, first)
}

/// Returns the macro in the head that begins a line with the word `first`.
fn head_macro(words: &mut Words<'_>, first: Range<usize>) -> Option<Range<usize>> {
    let keyword = &words.line[first.clone()];
    match keyword {
        b"class" | b"struct" | b"union" => {
            let named = words.next_word().filter(|word| words.is_in_capitals(word))?;
            words.next_word()?;
            let rest = words.rest();
            let is_head = rest.starts_with(b"{")
                || rest.starts_with(b":") && !rest.starts_with(b"::")
                || rest.starts_with(b"final")
                || rest.trim_ascii().is_empty()
                || keyword == b"class" && rest.starts_with(b";");
            is_head.then_some(named)
        }
        // A type and a name follow, and the parentheses of a function.
        _ if words.is_in_capitals(&first) => {
            words.next_word()?;
            let rest = words.rest();
            let rest = &rest[rest.iter().position(|byte| !b"*&:<> ".contains(byte)).unwrap_or(0)..];
            let end = rest.iter().position(|&byte| !is_word(byte) && !b":<> *&".contains(&byte))?;
            (end > 0 && rest[end] == b'(').then_some(first)
        }
        _ => None,
    }
}

/// The words of a line that stand next to each other.
struct Words<'l> {
    line: &'l [u8],
    /// Where the next word may begin.
    at: usize,
}

impl Words<'_> {
    /// Returns the byte range of the next word; `None` if something else than spaces comes before it.
    fn next_word(&mut self) -> Option<Range<usize>> {
        let start = self.line.len() - self.rest().len();
        let end = start + self.rest().iter().take_while(|&&byte| is_word(byte)).count();
        self.at = end;
        (start < end && !self.line[start].is_ascii_digit()).then_some(start..end)
    }

    fn rest(&self) -> &[u8] {
        self.line[self.at..].trim_ascii_start()
    }

    fn is_in_capitals(&self, word: &Range<usize>) -> bool {
        is_in_capitals(&self.line[word.clone()])
    }
}
