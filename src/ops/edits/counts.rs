//! How many lines an edit adds and removes, for its answer. Lines end at `\n`, as in diffs.

use std::time::Duration;

use similar::{Algorithm, ChangeTag, capture_diff_slices_deadline};

/// Longer than counting takes in real edits; after it the changed part counts as replaced whole.
const DEADLINE: Duration = Duration::from_millis(50);

/// Lines (added, removed) between two texts.
pub(super) fn changed_lines(before: &str, after: &str) -> (usize, usize) {
    let (mut old, mut new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let same_at_end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    old.truncate(old.len() - same_at_end);
    new.truncate(new.len() - same_at_end);
    let same_at_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[same_at_start..], &new[same_at_start..]);
    let deadline = std::time::Instant::now() + DEADLINE;
    let diff = capture_diff_slices_deadline(Algorithm::Myers, old, new, Some(deadline));
    let changes = || diff.iter().flat_map(|operation| operation.iter_changes(old, new));
    let count = |tag| changes().filter(|change| change.tag() == tag).count();
    (count(ChangeTag::Insert), count(ChangeTag::Delete))
}

#[cfg(test)]
mod tests {
    use super::changed_lines;

    #[test]
    fn lines_are_counted_as_in_a_diff() {
        let cases = [
            ("a\nb\nc\n", "a\nB\nc\n", (1, 1)),
            ("a\nb\nc\n", "a\nc\n", (0, 1)),
            ("", "a\nb", (2, 0)),
            ("a\na\n", "a\na\na\n", (1, 0)),
            ("1\n2\n3\n4\n5\n", "x\n2\n3\n4\ny\n", (2, 2)),
            ("a", "a\n", (1, 1)),
            ("a\n", "a\n", (0, 0)),
        ];
        for (before, after, expected) in cases {
            assert_eq!(changed_lines(before, after), expected, "{before:?} {after:?}");
        }
    }
}
