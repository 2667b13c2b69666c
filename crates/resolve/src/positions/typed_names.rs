//! The names that a file declares with a type: of variables, parameters, fields, and functions that return it.

use super::TypeUses;
use crate::brackets::open_bracket;
use crate::context::{Receiver, first_word, last_word, receiver, text_after, text_before};
use crate::family::Family;
use crate::profiles::PositionRules;
use std::collections::{HashMap, HashSet};
use symd_base::{RelPath, TextRange};
use symd_syntax::Row;

/// The names of values and of functions that have a type, or return it.
#[derive(Default)]
pub(super) struct TypedNames {
    /// By files, whatever they name.
    by_file: HashMap<RelPath, HashSet<String>>,
    /// Those that other files can name too.
    members: HashSet<String>,
}

impl TypedNames {
    /// Reads what is declared around the places that name the type.
    pub(super) fn read(uses: &[TypeUses], rules: &PositionRules) -> TypedNames {
        let mut names = TypedNames::default();
        for TypeUses { here, ranges } in uses {
            let text = here.text.as_str();
            let family = here.language.family;
            let typed = ranges.iter().filter_map(|range| name_beside(text, *range, family, rules));
            for (name, end) in typed {
                let start = text_before(text, end, family).len().saturating_sub(name.len());
                let is_member = |row: &Row| row.name_start as usize == start && !row.is_local();
                if here.outline.rows.iter().any(is_member) {
                    names.members.insert(name.to_owned());
                }
                names.by_file.entry(here.file.path.clone()).or_default().insert(name.to_owned());
            }
        }
        names
    }

    /// Whether code of the file at `path` calls a value of the type `name`, as far as is known.
    pub(super) fn has(&self, path: &RelPath, name: &str) -> bool {
        self.members.contains(name) || self.by_file.get(path).is_some_and(|names| names.contains(name))
    }

    /// The names that any file can use.
    pub(super) fn members(&self) -> impl Iterator<Item = &String> {
        self.members.iter()
    }
}

/// Returns the name that is declared with the type named at `range`, and the byte just past it.
fn name_beside<'t>(
    text: &'t str,
    range: TextRange,
    family: Family,
    rules: &PositionRules,
) -> Option<(&'t str, usize)> {
    let start = match receiver(text, range.start as usize, family) {
        Receiver::Chain(_, start) => start,
        _ => range.start as usize,
    };
    let right = text_after(text, range.end as usize);
    let mut left = text_before(text, start, family);
    while let Some(rest) = ["&", "mut", "final"].iter().find_map(|word| left.strip_suffix(word)) {
        left = rest.trim_end();
    }
    let named = |before: &'t str| {
        let before = before.trim_end();
        let name = last_word(before);
        (!name.is_empty()).then_some((name, before.len()))
    };
    let returning = |before: &'t str| {
        let before = before.trim_end().strip_suffix(')')?;
        named(&text[..open_bracket(text, before.len())?])
    };
    if !rules.returns.is_empty()
        && let Some(found) = left.strip_suffix(rules.returns).and_then(returning)
    {
        return Some(found);
    }
    if let Some(before) = left.strip_suffix('=')
        && !before.ends_with(['=', '!', '<', '>', '+'])
    {
        // `x = E::A`, but not what is made of it: `x = E::A as u8`.
        let value = right.trim_start_matches([':', '.']);
        let behind = text_after(value, first_word(value).len());
        let ends = behind.is_empty() || behind.starts_with([';', ',', ')', '}']) || !same_line(value, behind);
        return named(before).filter(|_| value.len() < right.len() && ends);
    }
    if rules.types_follow {
        return left.strip_suffix(':').filter(|before| !before.ends_with(':')).and_then(named);
    }
    let name = first_word(right);
    let end = text.len() - right.len() + name.len();
    let is_declared = text_after(text, end).starts_with([';', ',', ')', '=', ':', '(']) && !name.is_empty();
    is_declared.then_some((name, end))
}

/// Whether no line ends between the first word of `value` and `behind`, which follows it.
fn same_line(value: &str, behind: &str) -> bool {
    !value[first_word(value).len()..value.len() - behind.len()].contains('\n')
}
