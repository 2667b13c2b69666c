//! Blanks in place of what is no code, or no part of a head.

use super::nesting::{at_depth_0, is_word, words_at_depth_0};
use crate::profiles::LanguageProfile;

/// Returns the text with comments and strings replaced by blanks; offsets stay the same.
pub(crate) fn without_comments(head: &str, language: &LanguageProfile) -> String {
    blanked(head, language, 0)
}

/// Like [`without_comments`], but the quotes of strings stay, so that a value that is a string is not empty.
pub(crate) fn without_texts(text: &str, language: &LanguageProfile) -> String {
    blanked(text, language, 1)
}

/// Returns the text with blanks for comments and strings, except for so many bytes at both ends of a string.
fn blanked(head: &str, language: &LanguageProfile, quote: usize) -> String {
    let spelling = &language.family.profile().spelling;
    let mut blank = head.as_bytes().to_vec();
    let mut at = 0;
    while at < blank.len() {
        let rest = &head.as_bytes()[at..];
        let mut kept = 0;
        let length = match rest[0] {
            _ if rest.starts_with(spelling.line_comment.as_bytes()) => line_length(rest),
            b'/' if rest.starts_with(b"/*") && spelling.has_block_comments => {
                memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2)
            }
            byte if spelling.raw_quote == Some(byte) => {
                kept = quote;
                memchr::memchr(byte, &rest[1..]).map_or(1, |end| end + 2)
            }
            byte if byte == b'"' || byte == b'\'' && !language.heads.has_lifetimes => {
                kept = quote;
                string_length(rest)
            }
            _ => 0,
        };
        if 2 * kept < length {
            blank[at + kept..at + length - kept].fill(b' ');
        }
        at += length.max(1);
    }
    // The blanks replace whole characters, so the bytes remain valid UTF-8.
    String::from_utf8(blank).unwrap_or_default()
}

/// Returns a Kotlin head with blanks for the blocks of its delegates: `class A : B by lazy { c }, D {`. A
/// block behind `by` is the class's body, unless the head continues behind it.
pub(super) fn without_delegates(mut blank: String) -> String {
    loop {
        let brace = at_depth_0(&blank).find(|(_, c)| *c == '{').map(|(at, _)| at);
        let Some(brace) = brace else { return blank };
        let item = at_depth_0(&blank[..brace]).filter(|(_, c)| *c == ',').last().map_or(0, |(at, _)| at + 1);
        let words = words_at_depth_0(&blank[item..brace]);
        if !words.iter().any(|&(from, to)| &blank[item + from..item + to] == "by") {
            return blank;
        }
        let Some(end) = block_end(&blank[brace..]).map(|end| brace + end) else { return blank };
        let rest = blank[end..].trim_start();
        let goes_on = rest.starts_with([',', '{'])
            || rest.strip_prefix("where").is_some_and(|rest| !rest.starts_with(is_word));
        if !goes_on {
            return blank;
        }
        let spaces = " ".repeat(end - brace);
        blank.replace_range(brace..end, &spaces);
    }
}

/// Returns the byte just past the block that `text` begins with.
fn block_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let end = text.bytes().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    end.map(|at| at + 1)
}

fn line_length(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).unwrap_or(text.len())
}

/// Returns the length of a string literal with its quotes; 1 for a lone quote.
fn string_length(text: &[u8]) -> usize {
    let quote = text[0];
    let mut at = 1;
    while at < text.len() && text[at] != b'\n' {
        match text[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    1
}
