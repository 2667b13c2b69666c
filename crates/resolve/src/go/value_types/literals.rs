//! Composite literals of Go: `T{…}`, `[]T{…}`, `map[K]T{…}`, and those inside that leave their type out.

use super::text_around::{before, opening, operand_before};
use super::{GoReader, GoType, spot};
use crate::context::last_word;
use crate::resolver::CurrentFile;
use symd_base::cancel::Cancelled;

impl GoReader<'_, '_> {
    /// Returns the type of the literal whose brace stands at byte `open`; unknown for other braces.
    pub(super) fn literal_type(
        &self,
        here: &CurrentFile,
        open: usize,
        depth: usize,
    ) -> Result<GoType, Cancelled> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(GoType::Unknown) };
        let text = here.text.as_str();
        if !text[open..].starts_with('{') {
            return Ok(GoType::Unknown);
        }
        let left = before(here, open);
        if left.ends_with(['{', ',', ':']) {
            let Some(outer) = opening(text, open) else { return Ok(GoType::Unknown) };
            let outer = self.literal_type(here, outer, depth)?;
            return match self.unnamed(outer, depth)? {
                // A key that is a literal has the key's type; such maps are rare.
                GoType::List(element) => self.at_spot(&element, depth),
                GoType::Map { value, .. } if left.ends_with(':') => self.at_spot(&value, depth),
                _ => Ok(GoType::Unknown),
            };
        }
        match type_start(here, operand_before(here, open)) {
            Some(start) => self.written(here, start, depth),
            None => Ok(GoType::Unknown),
        }
    }
}

/// Returns where the type begins that ends a text: `[]*a.Name`, `map[K]Name`.
pub(super) fn type_start(here: &CurrentFile, left: &str) -> Option<usize> {
    let text = here.text.as_str();
    let word = last_word(left);
    if word.is_empty() || word.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let mut start = left.len() - word.len();
    if let Some(qualified) = text[..start].strip_suffix('.') {
        let package = last_word(qualified);
        if package.is_empty() {
            return None;
        }
        start = qualified.len() - package.len();
    }
    loop {
        let rest = &text[..start];
        if rest.ends_with('*') {
            start -= 1;
        } else if rest.ends_with(']') {
            let open = opening(text, start - 1)?;
            let is_map = text[..open].ends_with("map");
            start = if is_map { open - "map".len() } else { open };
            let is_index = !is_map && !last_word(&text[..open]).is_empty();
            if is_index {
                return None;
            }
        } else {
            return Some(spot(here, start).at);
        }
    }
}
