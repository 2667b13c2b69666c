//! What of a text stands outside of all brackets but braces.

pub(super) use crate::context::is_word;

/// Iterates over the characters of `text` outside all brackets but braces, and over the outermost brackets
/// themselves.
pub(super) fn at_depth_0(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let mut depth = 0_usize;
    let mut before = ' ';
    text.char_indices().filter(move |&(_, c)| {
        let is_arrow = c == '>' && (before == '-' || before == '=');
        before = c;
        match c {
            '(' | '[' | '<' => {
                depth += 1;
                depth == 1
            }
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                depth == 0
            }
            '>' if !is_arrow => {
                depth = depth.saturating_sub(1);
                depth == 0
            }
            _ => depth == 0,
        }
    })
}

/// Returns the start and the end of each word of `text` at depth 0.
pub(super) fn words_at_depth_0(text: &str) -> Vec<(usize, usize)> {
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, c) in at_depth_0(text).filter(|(_, c)| is_word(*c)) {
        let end = at + c.len_utf8();
        match words.last_mut() {
            Some(last) if last.1 == at => last.1 = end,
            _ => words.push((at, end)),
        }
    }
    words
}
