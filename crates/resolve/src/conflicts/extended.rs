//! Members of the class that an extension extends: Kotlin takes a member before an extension of the same name.

use super::{Owner, Renaming, SourcePlace};
use crate::hierarchy::classes::is_class;
use crate::meaning::Meaning;
use crate::resolver::CurrentFile;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::Row;

impl Renaming<'_, '_> {
    /// Finds members of the new name in the class that the declaration extends, in its base classes and subclasses.
    pub(super) fn conflicts_in_extended_class(&self) -> Result<Vec<SourcePlace>, Cancelled> {
        let Some(here) = self.resolver.read_file(&self.target.file) else { return Ok(Vec::new()) };
        let row = here.row_of(self.target).map(|row| &here.outline.rows[row]);
        let Some(range) = row.and_then(|row| extended_type(&here, row)) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        if let Some(Meaning::Declared(classes)) = self.resolver.kotlin().meaning(self.resolver, &here, range)
        {
            for class in classes.iter().filter(|one| one.row().is_some_and(|(_, row)| is_class(row))) {
                found.extend(self.members_of_kin(class, Owner::Included)?);
            }
        }
        Ok(found)
    }
}

/// Returns where the name of the type stands that a Kotlin declaration extends: `Box` of `fun <T> a.Box<T>?.open()`. `None` for what is
/// no extension, or extends a function type.
pub(crate) fn extended_type(here: &CurrentFile, row: &Row) -> Option<TextRange> {
    if !here.language.has_types {
        return None;
    }
    let head = here.text.as_str().get(row.start as usize..row.name_start as usize)?;
    let mut left = head.trim_end().trim_end_matches('`').strip_suffix('.')?;
    left = left.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '?' | ')'));
    if left.ends_with('>') {
        let mut depth = 0_usize;
        let open = left.char_indices().rev().find(|(_, c)| {
            match c {
                '>' => depth += 1,
                '<' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        left = left[..open?.0].trim_end();
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let start = left.trim_end_matches(is_word).len();
    let from = row.start.checked_add(u32::try_from(start).ok()?)?;
    let to = row.start.checked_add(u32::try_from(left.len()).ok()?)?;
    (from < to).then(|| TextRange::new(from, to))
}
