//! Initializers of C and C++ that give a type's fields by position: `struct point p = {1, 2};`.

use super::literals::{HoldingField, Search, items};
use crate::brackets::close_bracket;
use crate::context::{first_word, last_word, text_after};
use std::ops::Range;
use symd_base::TextRange;

/// Words of C and C++ between a type and what is declared with it.
pub(super) const QUALIFIERS: [&str; 4] = ["const", "volatile", "static", "constexpr"];

impl Search {
    /// Returns where an initializer of C or C++ behind the type's name gives fields by position.
    pub(super) fn behind_declarator(&self, text: &str, place: TextRange) -> Option<usize> {
        let end = place.end as usize;
        let behind = text_after(text, end);
        let start = text.len() - behind.len();
        // `(struct s){1, 2}`, `S{1, 2}`
        if let Some(rest) = behind.strip_prefix(')').map(str::trim_start).filter(|rest| rest.starts_with('{'))
        {
            return self.initialized(text, text.len() - rest.len(), 0, &self.inside);
        }
        if behind.starts_with('{')
            && !matches!(last_word(text[..place.start as usize].trim_end()), "struct" | "class" | "union")
        {
            return self.initialized(text, start, 0, &self.inside);
        }
        if !behind.starts_with('*') && first_word(behind).is_empty() {
            return None;
        }
        // `a = {1, 2}, *p, b[2] = {{1, 2}}`, `a{1, 2}`
        let mut at = start;
        loop {
            let rest = text_after(text, at);
            let name = first_word(rest);
            at = text.len() - rest.len() + name.len();
            if QUALIFIERS.contains(&name) {
                continue;
            }
            let (dimensions, behind) = dimensions(text, at);
            let value = behind.strip_prefix('=').unwrap_or(behind).trim_start();
            let open = text.len() - value.len();
            if !name.is_empty()
                && value.starts_with('{')
                && let Some(found) = self.initialized(text, open, dimensions, &self.inside)
            {
                return Some(found);
            }
            at = next_declarator(text, at)?;
        }
    }

    /// Returns where the initializer whose brace stands at byte `open` gives the field by position. `dimensions`: of the array that
    /// it is. `inside`: the fields of its type that hold the value, as in [`Search`].
    pub(super) fn initialized(
        &self,
        text: &str,
        open: usize,
        dimensions: usize,
        inside: &[HoldingField],
    ) -> Option<usize> {
        let braces = |item: &Range<usize>| {
            let value = match text[item.clone()].trim_start().starts_with(['.', '[']) {
                true => item.start + text[item.clone()].find('=')? + 1..item.end,
                false => item.clone(),
            };
            let open = value.end - text[value].trim_start().len();
            text[open..].starts_with('{').then_some(open)
        };
        let all = items(text, open);
        if dimensions > 0 && all.iter().any(|item| braces(item).is_some()) {
            return all
                .iter()
                .filter_map(braces)
                .find_map(|open| self.initialized(text, open, dimensions - 1, inside));
        }
        let [holder, inside @ ..] = inside else { return self.positional(text, open) };
        if omits_braces(text, &all, holder) {
            return Some(open);
        }
        let may_hold = |item: &&Range<usize>| {
            let designated = text[(*item).clone()].trim_start().strip_prefix('.');
            designated.is_none_or(|rest| first_word(rest) == holder.name)
        };
        let mut values = all.iter().filter(may_hold).filter_map(braces);
        values.find_map(|open| self.initialized(text, open, holder.dimensions, inside))
    }
}

/// Whether the items of an initializer of C give the fields of the `holder` without braces of their own: `struct line l = {1, 2, 3, 4};`.
fn omits_braces(text: &str, all: &[Range<usize>], holder: &HoldingField) -> bool {
    let is_plain = |item: &Range<usize>| !text[item.clone()].trim_start().starts_with(['{', '.', '[']);
    // `{0}` is the zero of every type.
    if matches!(all, [only] if text[only.clone()].trim() == "0") {
        return false;
    }
    // A value of the whole type may be a name or a call, and is no literal.
    let is_literal = |item: &Range<usize>| {
        let value = text[item.clone()].trim_start();
        value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '"' | '\''))
    };
    all.iter().filter(|item| is_plain(item)).count() > holder.fields
        || all.iter().all(is_plain) && all.get(holder.place).is_some_and(is_literal)
}

/// Returns how many dimensions stand behind the name that ends at byte `at`, and the text behind them.
pub(super) fn dimensions(text: &str, at: usize) -> (usize, &str) {
    let (mut count, mut behind) = (0, text_after(text, at));
    while behind.starts_with('[') {
        behind = text_after(text, close_bracket(text, text.len() - behind.len()));
        count += 1;
    }
    (count, behind)
}

/// Returns the byte behind the comma that ends the declarator at byte `at`, if another follows in the same declaration.
fn next_declarator(text: &str, mut at: usize) -> Option<usize> {
    loop {
        at += text.get(at..)?.find(['(', '[', '{', ',', ';', ')', ']', '}', '>'])?;
        match text.as_bytes()[at] {
            b',' => return Some(at + 1),
            b'(' | b'[' => at = close_bracket(text, at),
            // A body of a function has no comma behind it.
            b'{' => {
                let behind = text_after(text, close_bracket(text, at));
                return behind.strip_prefix(',').map(|rest| text.len() - rest.len());
            }
            _ => return None,
        }
    }
}
