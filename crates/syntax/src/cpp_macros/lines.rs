//! Lines of C and C++ as far as macros need them: which of them are code, and where their code ends.

use std::ops::Range;

/// A line of code: not empty, no comment, no directive.
pub(super) struct CodeLine<'t> {
    /// Where its code begins in the text.
    pub(super) start: usize,
    /// Its code without white space and comments around it.
    pub(super) code: &'t [u8],
}

/// Returns the lines of code, in order. Comments inside of a line stay.
pub(super) fn code_lines(text: &str) -> Vec<CodeLine<'_>> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let (mut is_comment, mut is_directive) = (false, false);
    let mut at = 0;
    for line in bytes.split(|&byte| byte == b'\n') {
        let begin = at;
        at += line.len() + 1;
        let trimmed = line.trim_ascii();
        if is_comment {
            is_comment = find(trimmed, b"*/").is_none();
            continue;
        }
        let was_directive = is_directive;
        is_directive = (was_directive || trimmed.starts_with(b"#")) && trimmed.ends_with(b"\\");
        if trimmed.is_empty() || was_directive || trimmed.starts_with(b"#") || trimmed.starts_with(b"//") {
            continue;
        }
        let code = match find(trimmed, b"//") {
            Some(comment) if !in_literal(&trimmed[..comment]) => trimmed[..comment].trim_ascii_end(),
            _ => trimmed,
        };
        let code = match find(code, b"/*") {
            Some(open) if find(&code[open..], b"*/").is_none() => {
                is_comment = true;
                code[..open].trim_ascii_end()
            }
            Some(open)
                if code.ends_with(b"*/") && find(&code[open..], b"*/") == Some(code.len() - open - 2) =>
            {
                code[..open].trim_ascii_end()
            }
            _ => code,
        };
        if !code.is_empty() {
            let lead = line.len() - line.trim_ascii_start().len();
            lines.push(CodeLine { start: begin + lead, code });
        }
    }
    lines
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part)
}

/// Whether a string is open where `text` ends.
fn in_literal(text: &[u8]) -> bool {
    !text.iter().filter(|&&byte| byte == b'"').count().is_multiple_of(2)
}

/// Returns the byte of the parenthesis that the one at the end of `code` closes.
pub(super) fn opening(code: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in code.iter().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' if depth == 1 => return Some(at),
            b'(' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// Returns the range of the word with which `code` ends; empty if it ends with something else.
pub(super) fn last_word(code: &[u8]) -> Range<usize> {
    let length = code.iter().rev().take_while(|&&byte| super::is_word(byte)).count();
    code.len() - length..code.len()
}

/// Whether a word is a macro's by its spelling: capitals, digits and underscores, at least three of them.
pub(super) fn is_in_capitals(word: &[u8]) -> bool {
    word.len() > 2
        && word[0].is_ascii_uppercase()
        && word.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}
