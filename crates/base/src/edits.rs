//! Edits of one text: replacements of byte ranges, sorted and disjoint, so that applying them is unambiguous
//! and can be inverted. Insertions at the same offset keep the order in which they were given.

use super::position::TextRange;

/// One replacement of a byte range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The range to replace, in bytes of the original text; empty for an insertion.
    pub range: TextRange,
    pub new_text: String,
}

/// Replacements of one text, sorted by position and disjoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextEdits(Vec<TextEdit>);

/// Why replacements cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextEditError {
    /// Two edits replace the same bytes.
    #[error("two edits overlap: {}..{} and {}..{}", first.start, first.end, second.start, second.end)]
    Overlap { first: TextRange, second: TextRange },
    /// A range that lies outside the text or splits a character.
    #[error("edit {}..{} is outside the text ({length} bytes) or splits a character", range.start, range.end)]
    Outside {
        range: TextRange,
        /// Length of the text in bytes.
        length: usize,
    },
}

impl TextEdits {
    /// Sorts `edits` and rejects overlaps. An insertion at the end or the start of a replaced range does not
    /// overlap it.
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

    /// Returns the single replacement of `range` by `new_text`.
    pub fn one(range: TextRange, new_text: impl Into<String>) -> TextEdits {
        TextEdits(vec![TextEdit { range, new_text: new_text.into() }])
    }

    /// Iterates over the replacements in order of position.
    pub fn iter(&self) -> impl Iterator<Item = &TextEdit> {
        self.0.iter()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `text` with all replacements applied.
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

    /// Returns the replacements that turn the result of applying these to `text` back into `text`.
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
