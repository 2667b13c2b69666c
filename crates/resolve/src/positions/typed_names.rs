//! The names that a file declares with a type: of variables, parameters, fields, and functions that return it.

use super::TypeUses;
use crate::brackets::open_bracket;
use crate::context::{Receiver, first_word, last_word, receiver, text_after, text_before};
use crate::family::Family;
use crate::jvm::accessors::accessor_names;
use crate::profiles::PositionRules;
use crate::resolver::{CurrentFile, Resolver};
use std::collections::HashMap;
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};
use symd_syntax::Row;

/// The names of values and of functions that have a type, or return it.
#[derive(Default)]
pub(super) struct TypedNames {
    /// Where each is declared, by files, whatever it names.
    by_file: HashMap<RelPath, HashMap<String, Vec<usize>>>,
    /// Those that other files can name too, with the number of their declarations.
    members: HashMap<String, usize>,
}

impl TypedNames {
    /// Reads what is declared around the places that name the type.
    pub(super) fn read(uses: &[TypeUses]) -> TypedNames {
        let mut names = TypedNames::default();
        for TypeUses { here, ranges } in uses {
            let text = here.text.as_str();
            let family = here.language.family;
            let typed =
                ranges.iter().filter_map(|range| name_beside(text, *range, family, &here.language.positions));
            for (name, end) in typed {
                let start = text_before(text, end, family).len().saturating_sub(name.len());
                let is_member = |row: &Row| row.name_start as usize == start && !row.is_local();
                if here.outline.rows.iter().any(is_member) {
                    *names.members.entry(name.to_owned()).or_default() += 1;
                }
                let of_file = names.by_file.entry(here.file.path.clone()).or_default();
                of_file.entry(name.to_owned()).or_default().push(start);
            }
        }
        names
    }

    /// Whether `name` is declared with the type in the file at `path`, or is a member of it somewhere, or another of the JVM's two
    /// languages reaches such a member by it: `getKind()`, `kind`.
    pub(super) fn has(&self, path: &RelPath, name: &str) -> bool {
        self.members.contains_key(name)
            || self.by_file.get(path).is_some_and(|names| names.contains_key(name))
            || accessor_names(name).iter().any(|one| self.members.contains_key(one))
    }

    /// Whether `name` at byte `at` is a variable of the type: its nearest declaration above says so.
    pub(super) fn is_variable(&self, here: &CurrentFile, name: &str, at: usize) -> bool {
        let Some(typed) = self.by_file.get(&here.file.path).and_then(|names| names.get(name)) else {
            return false;
        };
        let text = here.text.as_str();
        let declares = |start: &usize| {
            let right = text_after(text, start + name.len());
            let left = last_word(text_before(text, *start, here.language.family));
            right.starts_with(':') && !right.starts_with("::") || matches!(left, "let" | "mut" | "for" | "in")
        };
        let above = here.outline.occurrences.offsets_of(name).map(|start| start as usize);
        let nearest = above.filter(|start| *start < at).filter(declares).max();
        nearest.is_some_and(|start| typed.contains(&start))
    }

    /// Whether all members of the project called `name` have the type.
    pub(super) fn is_member(&self, resolver: &Resolver, name: &str) -> Result<bool, Cancelled> {
        let Some(count) = self.members.get(name) else { return Ok(false) };
        Ok(resolver.declared(name)?.len() == *count)
    }

    /// The names that any file can use.
    pub(super) fn members(&self) -> impl Iterator<Item = &String> {
        self.members.keys()
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
