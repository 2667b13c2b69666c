//! Changes of one text: replacements of byte ranges, sorted and disjoint, so that applying them has one meaning and
//! can be turned round. Insertions at one place keep the order in which they were given.

use super::position::TextRange;

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// What is replaced, in bytes of the text before; empty for an insertion.
    pub range: TextRange,
    /// What takes its place.
    pub new_text: String,
}

/// Replacements of one text, sorted by position and disjoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextEdits(Vec<TextEdit>);

/// Why replacements cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextEditError {
    /// Two of them touch the same bytes.
    #[error("two edits overlap: {}..{} and {}..{}", first.start, first.end, second.start, second.end)]
    Overlap {
        /// One.
        first: TextRange,
        /// The other.
        second: TextRange,
    },
    /// One does not lie in the text, or cuts a character.
    #[error("the edit of {}..{} does not lie in the text ({length} bytes), or cuts a character", range.start, range.end)]
    Outside {
        /// Its range.
        range: TextRange,
        /// The text's length in bytes.
        length: usize,
    },
}

impl TextEdits {
    /// Sorts `edits` and refuses overlaps. An insertion at the end or the start of a replaced range does not overlap it.
    pub fn new(mut edits: Vec<TextEdit>) -> Result<TextEdits, TextEditError> {
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        for pair in edits.windows(2) {
            let (first, second) = (pair[0].range, pair[1].range);
            if second.start < first.end {
                return Err(TextEditError::Overlap { first, second });
            }
        }
        Ok(TextEdits(edits))
    }

    /// The one replacement of `range` by `new_text`.
    pub fn one(range: TextRange, new_text: impl Into<String>) -> TextEdits {
        TextEdits(vec![TextEdit { range, new_text: new_text.into() }])
    }

    /// The replacements, by position.
    pub fn iter(&self) -> impl Iterator<Item = &TextEdit> {
        self.0.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `text` with all replacements made.
    pub fn apply(&self, text: &str) -> Result<String, TextEditError> {
        let mut result = String::with_capacity(text.len());
        let mut at = 0;
        for edit in &self.0 {
            let outside = TextEditError::Outside { range: edit.range, length: text.len() };
            let (start, end) = (edit.range.start as usize, edit.range.end as usize);
            if start > end || text.get(start..end).is_none() {
                return Err(outside);
            }
            result.push_str(text.get(at..start).ok_or(outside)?);
            result.push_str(&edit.new_text);
            at = end;
        }
        result.push_str(&text[at..]);
        Ok(result)
    }

    /// The replacements that turn the result back into `text`.
    pub fn inverse(&self, text: &str) -> Result<TextEdits, TextEditError> {
        let mut inverse = Vec::with_capacity(self.0.len());
        let (mut added, mut removed) = (0_u64, 0_u64);
        for edit in &self.0 {
            let outside = TextEditError::Outside { range: edit.range, length: text.len() };
            let old = text.get(edit.range.as_range()).ok_or(outside)?;
            let start = u64::from(edit.range.start) + added - removed;
            let end = start + edit.new_text.len() as u64;
            let range = TextRange::new(
                u32::try_from(start).map_err(|_| outside)?,
                u32::try_from(end).map_err(|_| outside)?,
            );
            inverse.push(TextEdit { range, new_text: old.to_owned() });
            added += edit.new_text.len() as u64;
            removed += old.len() as u64;
        }
        Ok(TextEdits(inverse))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: u32, end: u32, new_text: &str) -> TextEdit {
        TextEdit { range: TextRange::new(start, end), new_text: new_text.to_owned() }
    }

    #[test]
    fn replacements_are_made_and_turned_round() {
        let text = "äbc\r\ndef";
        let edits = TextEdits::new(vec![
            edit(5, 6, "X\n"),
            edit(0, 2, ""),
            edit(8, 8, "!"),
            edit(2, 2, "1"),
            edit(2, 2, "2"),
        ])
        .expect("disjoint");
        let after = edits.apply(text).expect("inside");
        assert_eq!(after, "12bc\rX\nde!f");
        assert_eq!(edits.inverse(text).expect("inside").apply(&after).expect("inside"), text);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        assert!(matches!(
            TextEdits::new(vec![edit(0, 3, ""), edit(2, 4, "")]),
            Err(TextEditError::Overlap { .. })
        ));
        for bad in [edit(1, 2, ""), edit(0, 9, ""), edit(9, 9, "")] {
            let edits = TextEdits::new(vec![bad]).expect("one");
            assert!(matches!(edits.apply("äb"), Err(TextEditError::Outside { .. })));
        }
    }
}
