//! Whether a single edit of a server renames the symbol. Pure. Invariant: what remains of an edit replaces
//! exactly the old name.

use crate::spot::only_word;
use symd_base::{TextEdit, TextRange};

/// Returns what remains of `edit` if it renames `old` to `new`: the edit of the name alone. A range may
/// include a qualifier, quotes or arguments if the new text has the same around the new name; the new text of
/// the name alone may contain the old one, too, if one name stands for two things (`{ old }` becomes
/// `{ old: new }`, `old` in an import `old as new`).
pub(super) fn fit(text: &str, edit: TextEdit, old: &str, new: &str) -> Option<TextEdit> {
    if edit.range.start == edit.range.end {
        return split(text, &edit, old, new);
    }
    let covered = text.get(edit.range.as_range())?;
    if covered == old {
        let is_it = edit.new_text == new || is_both(&edit.new_text, old, new);
        return (is_it && !is_part_of_word(text, edit.range)).then_some(edit);
    }
    let (from, to) = only_word(covered, old)?;
    let replaced = format!("{}{new}{}", &covered[..from], &covered[to..]);
    let offset = |at: usize| u32::try_from(at).ok().map(|at| edit.range.start + at);
    let range = TextRange::new(offset(from)?, offset(to)?);
    (replaced == edit.new_text).then(|| TextEdit { range, new_text: new.to_owned() })
}

/// Converts an insertion beside the old name that splits a name for two things, `new: ` before it or `: new` after it, to an
/// edit of the name. rust-analyzer renames fields so where a literal or a pattern names field and variable at once.
fn split(text: &str, edit: &TextEdit, old: &str, new: &str) -> Option<TextEdit> {
    let length = u32::try_from(old.len()).ok()?;
    let inserted = edit.new_text.trim();
    let at = edit.range.start;
    let (start, new_text) = if inserted.strip_suffix(':').map(str::trim_end) == Some(new) {
        (at, format!("{new}: {old}"))
    } else if inserted.strip_prefix(':').map(str::trim_start) == Some(new) {
        (at.checked_sub(length)?, format!("{old}: {new}"))
    } else {
        return None;
    };
    let range = TextRange::new(start, start.checked_add(length)?);
    let is_name = text.get(range.as_range()) == Some(old) && !is_part_of_word(text, range);
    is_name.then_some(TextEdit { range, new_text })
}

/// Whether `text` consists of both names, joined by `:` or `as`.
fn is_both(text: &str, old: &str, new: &str) -> bool {
    let joined = text.split_once(':').or_else(|| text.split_once(" as "));
    joined
        .map(|(one, other)| (one.trim(), other.trim()))
        .is_some_and(|both| both == (old, new) || both == (new, old))
}

/// Converts an edit that only gives the start of the old name (an empty range before it) to an edit of the
/// name. kmp-lsp 0.27.0 sends all its edits so; taken literally, they would put the new name before the old
/// one. Only for servers whose every edit is also compared with syntax.
pub(super) fn widened(text: &str, edit: TextEdit, old: &str, new: &str) -> Option<TextEdit> {
    let end = edit.range.start.checked_add(u32::try_from(old.len()).ok()?)?;
    let range = TextRange::new(edit.range.start, end);
    let is_place = edit.range.start == edit.range.end && edit.new_text == new;
    let is_name = text.get(range.as_range()) == Some(old) && !is_part_of_word(text, range);
    (is_place && is_name).then_some(TextEdit { range, ..edit })
}

/// Whether an identifier continues before or after the range.
fn is_part_of_word(text: &str, range: TextRange) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let inner = &text[range.as_range()];
    let before = text[..range.start as usize].chars().next_back();
    let after = text[range.end as usize..].chars().next();
    (inner.starts_with(is_word) && before.is_some_and(is_word))
        || (inner.ends_with(is_word) && after.is_some_and(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(text: &str, covered: &str, new_text: &str) -> Option<(String, String)> {
        let start = text.find(covered).expect("in it");
        let range = TextRange::new(
            u32::try_from(start).expect("short"),
            u32::try_from(start + covered.len()).expect("short"),
        );
        let edit = fit(text, TextEdit { range, new_text: new_text.to_owned() }, "run", "go")?;
        let mut after = text.to_owned();
        after.replace_range(edit.range.as_range(), &edit.new_text);
        Some((text[edit.range.as_range()].to_owned(), after))
    }

    #[test]
    fn what_renames_the_name_is_kept_and_narrowed() {
        let kept = |text, covered, new_text: &str, after: &str| {
            assert_eq!(fitted(text, covered, new_text), Some(("run".to_owned(), after.to_owned())));
        };
        kept("a.run()", "run", "go", "a.go()");
        kept("a.run()", "a.run", "a.go", "a.go()");
        kept("a['run']", "'run'", "'go'", "a['go']");
        kept("f({ run })", "run", "run: go", "f({ run: go })");
        kept("const { run } = x", "run", "go: run", "const { go: run } = x");
        kept("import { run }", "run", "run as go", "import { run as go }");
        kept("\u{1F600} run", "\u{1F600} run", "\u{1F600} go", "\u{1F600} go");
    }

    #[test]
    fn an_insertion_beside_the_name_splits_it() {
        let split = |text: &str, at, new_text: &str| {
            let edit = TextEdit { range: TextRange::new(at, at), new_text: new_text.to_owned() };
            let edit = fit(text, edit, "run", "go")?;
            let mut after = text.to_owned();
            after.replace_range(edit.range.as_range(), &edit.new_text);
            Some(after)
        };
        assert_eq!(split("S { run }", 4, "go: ").as_deref(), Some("S { go: run }"));
        assert_eq!(split("S { run, a }", 7, ": go").as_deref(), Some("S { run: go, a }"));
        assert_eq!(split("S { runs }", 4, "go: "), None);
        assert_eq!(split("S { run }", 4, "went: "), None);
        assert_eq!(split("S { run }", 3, "go: "), None);
        assert_eq!(split("S { run }", 2, ": go"), None);
        assert_eq!(split("S { run }", 4, "go"), None);
    }

    #[test]
    fn a_place_without_a_length_is_that_of_the_name() {
        let place = |text: &str, at| {
            let edit = TextEdit { range: TextRange::new(at, at), new_text: "go".to_owned() };
            widened(text, edit, "run", "go").map(|edit| (edit.range.start, edit.range.end))
        };
        assert_eq!(place("a.run()", 2), Some((2, 5)));
        assert_eq!(place("a.run()", 1), None);
        assert_eq!(place("rerun()", 2), None);
        assert_eq!(place("runs()", 0), None);
        assert_eq!(place("run", 3), None);
    }

    #[test]
    fn what_does_something_else_is_not() {
        for (text, covered, new_text) in [
            ("a.run()", "a.run", "b.go"),
            ("a.run()", "a.run", "go"),
            ("'run'", "'run'", "\"go\""),
            ("rerun()", "run", "go"),
            ("runs()", "run", "go"),
            ("walk()", "walk", "go"),
            ("a.run()", "run", "walk"),
            ("a.run()", "run", ""),
            ("a.run()", "run", "go(); evil"),
            ("f({ run })", "run", "evil: go"),
            ("f({ run })", "run", "run: go, evil"),
            ("import { run }", "run", "go as evil"),
            ("run(run)", "run(run)", "go(run)"),
        ] {
            assert_eq!(fitted(text, covered, new_text), None, "{text:?} {covered:?} {new_text:?}");
        }
    }
}
