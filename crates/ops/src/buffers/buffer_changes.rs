//! The changes that turn a buffer's text into another one.

use std::time::Duration;

use similar::TextDiff;

use super::open_buffer::BufferChange;

/// How long two texts are compared; afterwards larger changes than necessary are good enough.
pub(super) const DIFF_DEADLINE: Duration = Duration::from_millis(200);

/// Returns the changes of whole lines that turn `from` into `to`, by position in `from`.
pub(super) fn changes_between(from: &str, to: &str, deadline: Duration) -> Vec<BufferChange> {
    let diff = TextDiff::configure().timeout(deadline).diff_lines(from, to);
    let mut changes = Vec::new();
    let (mut at, mut to_at) = (0, 0);
    for change in diff.iter_all_changes() {
        let length = change.value().len();
        let last: Option<&mut BufferChange> = changes.last_mut();
        match change.tag() {
            similar::ChangeTag::Equal => {
                at += length;
                to_at += length;
            }
            similar::ChangeTag::Delete => {
                match last.filter(|last| last.end == at) {
                    Some(last) => last.end += length,
                    None => changes.push(BufferChange { start: at, end: at + length, text: String::new() }),
                }
                at += length;
            }
            similar::ChangeTag::Insert => {
                let text = &to[to_at..to_at + length];
                match last.filter(|last| last.end == at) {
                    Some(last) => last.text.push_str(text),
                    None => changes.push(BufferChange { start: at, end: at, text: text.to_owned() }),
                }
                to_at += length;
            }
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_changes_between_two_texts_turn_one_into_the_other() {
        let texts =
            ["", "a\n", "a\nb\nc\n", "a\nx\nc", "é\r\nb\r\n", "c\nb\na\n", "b\n\n\nb\nc\n", "a\rb\rc"];
        for from in texts {
            for to in texts {
                let changes = changes_between(from, to, DIFF_DEADLINE);
                let mut text = from.to_owned();
                for change in changes.iter().rev() {
                    text.replace_range(change.start..change.end, &change.text);
                }
                assert_eq!(text, to, "{from:?} {changes:?}");
                assert!(changes.windows(2).all(|pair| pair[0].end < pair[1].start), "{changes:?}");
            }
        }
    }
}
