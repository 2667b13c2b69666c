//! Makes the change between two texts in a third one, which has the same lines where the change is. Invariant: a place
//! that is not the same beyond doubt is an error, never a guess.

use std::ops::Range;
use std::time::Duration;

use similar::{DiffOp, TextDiff};
use symd_base::{TextEdit, TextEdits, TextRange};

/// More time than diffs of real edits need. After it larger parts count as different, and more is refused.
const DEADLINE: Duration = Duration::from_millis(500);

/// Returns the edits of `now` that make the changes from `before` to `after`; `None` if one of them touches lines, or is
/// beside lines, in which `now` differs from `before`.
pub(super) fn rebase(before: &str, after: &str, now: &str) -> Option<TextEdits> {
    let changes = TextDiff::configure().timeout(DEADLINE).diff_lines(before, after);
    let drift = TextDiff::configure().timeout(DEADLINE).diff_lines(before, now);
    let same: Vec<(Range<usize>, usize)> = drift.ops().iter().filter_map(same_lines).collect();
    let (after, now) = (LineOffsets::of(after), LineOffsets::of(now));
    let last = LineOffsets::of(before).0.len() - 1;
    let mut edits = Vec::new();
    for change in changes.ops().iter().filter(|change| !matches!(change, DiffOp::Equal { .. })) {
        let (old, new) = (change.old_range(), change.new_range());
        let holds = |block: &Range<usize>| {
            (block.start < old.start || old.start == 0 && block.start == 0)
                && (old.end < block.end || old.end == last && block.end == last)
        };
        let (block, there) = same.iter().find(|(block, _)| holds(block))?;
        let start = old.start - block.start + there;
        let offset = |line: usize| u32::try_from(now.0[line]).ok();
        let range = TextRange::new(offset(start)?, offset(start + old.len())?);
        let text = after.text(new);
        edits.push(TextEdit { range, new_text: text.to_owned() });
    }
    TextEdits::new(edits).ok()
}

/// Returns lines that are the same in both texts, and where they begin in the second one.
fn same_lines(op: &DiffOp) -> Option<(Range<usize>, usize)> {
    match op {
        DiffOp::Equal { old_index, new_index, len } => Some((*old_index..old_index + len, *new_index)),
        _ => None,
    }
}

/// The offsets of a text's lines, and of its end.
struct LineOffsets<'t>(Vec<usize>, &'t str);

impl<'t> LineOffsets<'t> {
    fn of(text: &'t str) -> LineOffsets<'t> {
        // As `diff_lines` has them: a line ends at `\n`, `\r\n`, or a `\r` alone.
        let lengths = TextDiff::from_lines(text, "")
            .iter_all_changes()
            .map(|line| line.value().len())
            .collect::<Vec<_>>();
        let ends = lengths.iter().scan(0, |at, length| {
            *at += length;
            Some(*at)
        });
        LineOffsets(std::iter::once(0).chain(ends).collect(), text)
    }

    fn text(&self, lines: Range<usize>) -> &'t str {
        &self.1[self.0[lines.start]..self.0[lines.end]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_made_where_its_surroundings_are_the_same() {
        let before = "one\ntwo\nthree\nfour\nfive\n";
        let check =
            |after: &str, now: &str| rebase(before, after, now).map(|edits| edits.apply(now).unwrap());
        let after = "one\ntwo\nTHREE\nfour\nfive\n";
        assert_eq!(check(after, before).as_deref(), Some(after));
        assert_eq!(
            check(after, "zero\none\ntwo\nthree\nfour\n").as_deref(),
            Some("zero\none\ntwo\nTHREE\nfour\n")
        );
        assert_eq!(check(after, "one\ntwo\n3\nfour\nfive\n"), None, "the line itself differs");
        assert_eq!(check(after, "one\n2\nthree\nfour\nfive\n"), None, "the line beside it differs");
        assert_eq!(check(after, ""), None);
        let appended = format!("{before}six\n");
        assert_eq!(
            check(&appended, "ONE\ntwo\nthree\nfour\nfive\n").as_deref(),
            Some("ONE\ntwo\nthree\nfour\nfive\nsix\n")
        );
        assert_eq!(check(&appended, "one\ntwo\nthree\nfour\n"), None, "another end");
        let two = "uno\none\ntwo\nthree\nfour\nfive\n";
        assert_eq!(check(two, "one\ntwo\nthree\n4\n").as_deref(), Some("uno\none\ntwo\nthree\n4\n"));
        assert_eq!(check(before, "anything\n").as_deref(), Some("anything\n"), "no change");
    }
}
