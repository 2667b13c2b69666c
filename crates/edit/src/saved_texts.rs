//! Texts of edits as editors save them: in the encoding of the file, and with an end of the last line where the text had none.
//! Invariant: a file counts as one of an edit's texts only if nothing else of it differs.

use super::splice::{encoded_like, exact_text};
use symd_base::ContentHash;

/// What a file of a failed edit has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConflictContent {
    Before,
    After,
    Other,
}

/// Returns whether `found` has the content before or after an edit, given by their hashes. An edit may have changed nothing but the end of
/// the last line, so what an editor may have added is looked at last.
pub(super) fn conflict_content(
    found: &[u8],
    (before, after): (ContentHash, ContentHash),
    old: &[u8],
) -> ConflictContent {
    let (of_before, of_after) = (added_end(found, before, old), added_end(found, after, old));
    match (of_before.as_deref(), of_after.as_deref()) {
        (Some(""), _) => ConflictContent::Before,
        (_, Some(_)) => ConflictContent::After,
        (Some(_), None) => ConflictContent::Before,
        (None, None) => ConflictContent::Other,
    }
}

/// Returns the end of the last line that an editor has added to the content of this hash when it saved it as `found`, empty if
/// none; `None` if `found` has another content, which may be in the encoding of the `old` bytes, or in UTF-8, as editors
/// have every text.
fn added_end(found: &[u8], hash: ContentHash, old: &[u8]) -> Option<String> {
    let is_hash_of = |bytes: &[u8]| ContentHash::of(bytes) == hash;
    if is_hash_of(found) {
        return Some(String::new());
    }
    let text = exact_text(found)?;
    let is_hash_of_text = |text: &str| {
        is_hash_of(text.as_bytes()) || encoded_like(text, old).is_some_and(|bytes| is_hash_of(&bytes))
    };
    if is_hash_of_text(&text) {
        return Some(String::new());
    }
    let rest = text.strip_suffix('\n')?;
    let rest = rest.strip_suffix('\r').unwrap_or(rest);
    is_hash_of_text(rest).then(|| text[rest.len()..].to_owned())
}

/// Returns the content before a change, `old`, spelled as the file `found`, which has the content of hash `after`; `None` if it
/// has not.
pub(super) fn reverted(found: &[u8], after: ContentHash, old: &[u8]) -> Option<Vec<u8>> {
    let end = added_end(found, after, old)?;
    let mut before = exact_text(old)?;
    if !before.ends_with('\n') {
        before.push_str(&end);
    }
    encoded_like(&before, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_of_the_last_line_is_added_or_the_edits_own() {
        let content = |found: &str, before: &str, after: &str| {
            let hash = |text: &str| ContentHash::of(text.as_bytes());
            conflict_content(found.as_bytes(), (hash(before), hash(after)), before.as_bytes())
        };
        use ConflictContent::{After, Before, Other};
        for (found, before, after, expected) in [
            ("a", "a", "b", Before),
            ("b", "a", "b", After),
            ("a\n", "a", "b", Before),
            ("b\r\n", "a", "b", After),
            ("b\n\n", "a", "b", Other),
            ("a\n", "a\n", "b", Before),
            // The edit changed nothing but that end.
            ("a\n", "a", "a\n", After),
            ("a\n", "a\n", "a", Before),
            ("a", "a\n", "a", After),
        ] {
            assert_eq!(content(found, before, after), expected, "{found:?} {before:?} {after:?}");
        }
        let back = |found: &str, old: &str| {
            let bytes = reverted(found.as_bytes(), ContentHash::of(b"b"), old.as_bytes())?;
            String::from_utf8(bytes).ok()
        };
        assert_eq!(back("b", "a").as_deref(), Some("a"));
        assert_eq!(back("b\r\n", "a").as_deref(), Some("a\r\n"));
        assert_eq!(back("b\n", "a\n").as_deref(), Some("a\n"));
        assert_eq!(back("c", "a"), None);
    }
}
