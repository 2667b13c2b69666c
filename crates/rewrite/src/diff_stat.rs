//! Counts the lines that an edit adds and removes. Lines end at `\n`, as in diffs.

use std::time::Duration;

use similar::{Algorithm, ChangeTag, capture_diff_slices_deadline};

/// Longer than counting takes in real edits; beyond it the changed part counts as replaced whole.
const DEADLINE: Duration = Duration::from_millis(50);

/// Returns the numbers of lines (added, removed) between two texts.
pub fn changed_lines(before: &str, after: &str) -> (usize, usize) {
    let (before, after) = without_common_lines(before, after);
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let deadline = std::time::Instant::now() + DEADLINE;
    let diff = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline));
    let changes = || diff.iter().flat_map(|operation| operation.iter_changes(&old, &new));
    let count = |tag| changes().filter(|change| change.tag() == tag).count();
    (count(ChangeTag::Insert), count(ChangeTag::Delete))
}

/// Returns both texts without their common lines at the end, then without those at the start. They are
/// compared as bytes, as most edits leave nearly all of a text.
fn without_common_lines<'t>(before: &'t str, after: &'t str) -> (&'t str, &'t str) {
    let at_end = before.bytes().rev().zip(after.bytes().rev()).take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (before.len() - at_end, after.len() - at_end);
    let is_whole = begins_line(before, old_end) && begins_line(after, new_end);
    // A common part of a line is not a common line.
    let skipped = if is_whole {
        Some(0)
    } else {
        before.as_bytes()[old_end..].iter().position(|b| *b == b'\n').map(|at| at + 1)
    };
    let skipped = skipped.unwrap_or(at_end);
    let (before, after) = (&before[..old_end + skipped], &after[..new_end + skipped]);
    let at_start = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let at_start = before.as_bytes()[..at_start].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    (&before[at_start..], &after[at_start..])
}

/// Whether a line begins at byte `at`.
fn begins_line(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}

#[cfg(test)]
mod tests {
    use super::{changed_lines, without_common_lines};

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
            ("ba\nc\n", "a\nc\n", (1, 1)),
            ("c\n", "ac\nc\n", (1, 0)),
            ("x\nc", "c", (0, 1)),
            ("é\nb", "è\nb", (1, 1)),
            ("b\né", "b\nÃ©", (1, 1)),
        ];
        for (before, after, expected) in cases {
            assert_eq!(changed_lines(before, after), expected, "{before:?} {after:?}");
        }
    }

    #[test]
    fn only_whole_lines_are_left_out() {
        for (before, after, expected) in [
            ("a\nb\nc\n", "a\nB\nc\n", ("b\n", "B\n")),
            ("xb\nc\n", "b\nc\n", ("xb\n", "b\n")),
            ("b\nc\n", "a\nb\nc\n", ("", "a\n")),
            ("a\n", "a\na\n", ("", "a\n")),
            ("ab", "cb", ("ab", "cb")),
            ("same", "same", ("", "")),
            ("", "", ("", "")),
        ] {
            assert_eq!(without_common_lines(before, after), expected, "{before:?} {after:?}");
        }
    }
}
