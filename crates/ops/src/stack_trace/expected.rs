//! `expect` declarations of multiplatform modules: they have no code, so that a frame is in the `actual` one if there is one.

use super::named_text::NamedText;
use super::place_in_file::attributed;
use crate::naming::entity::before_name;

/// Whether the declaration that holds the first character of a line, from 1, is an `expect` one, or stands in one.
pub(super) fn is_expected(source: &NamedText, line: usize) -> bool {
    let (text, outline) = (source.current.text.as_str(), &source.current.outline);
    let says = |row: usize| before_name(text, outline, row).split_whitespace().any(|word| word == "expect");
    // The members of one are expected, too, without a keyword.
    std::iter::successors(attributed(&source.current, line), |&row| outline.rows[row].parent()).any(says)
}
