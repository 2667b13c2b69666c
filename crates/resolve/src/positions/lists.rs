//! Lists of an enumeration's constants that code reads by position: `Color.values()[i]`, `entries[i]` inside the enumeration, also by
//! way of a variable, of a call that passes it on, or in a block that has the enumeration as its object. Invariant: only by what
//! stands around the list, and in the functions of the project that get it.

use super::constants::Enumeration;
use super::{PositionUse, TypeUses};
use crate::brackets::{close_bracket, open_parenthesis};
use crate::context::{Receiver, first_word, last_word, receiver, text_before};
use crate::resolver::CurrentFile;
use std::ops::Range;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::Row;

/// A variable of a class or a file that holds the list of constants.
pub(super) struct ConstantList {
    name: String,
    /// The classes around it; none for a variable of a file.
    owners: Vec<String>,
}

impl Enumeration<'_, '_> {
    /// Returns the variables of a file that any file can name, and which hold the list of constants.
    pub(super) fn lists_of(&self, user: &TypeUses) -> Vec<ConstantList> {
        let (here, rows) = (&user.here, &user.here.outline.rows);
        let mut lists = Vec::new();
        for (start, _) in self.lists_in(user) {
            let Some((name, at)) = self.variable(here, start) else { continue };
            let declares = |row: &&Row| row.name_start as usize == at && !row.is_local();
            let Some(row) = rows.iter().find(declares) else { continue };
            let parents = std::iter::successors(row.parent(), |&at| rows[at].parent());
            let owners = parents.map(|at| here.outline.name(&rows[at]).to_owned()).collect();
            lists.push(ConstantList { name: name.to_owned(), owners });
        }
        lists
    }

    /// Finds where a file reads one of the constants from a list in it, or from a variable of its own that holds one.
    pub(super) fn indexed(&self, user: &TypeUses) -> Result<Option<PositionUse>, Cancelled> {
        let here = &user.here;
        for (start, end) in self.lists_in(user) {
            if self.is_indexed(here, end) || self.is_passed_to_reader(here, start)? {
                return Ok(Some(PositionUse::at(here, end)));
            }
            let Some((variable, _)) = self.variable(here, start) else { continue };
            let mut reads = here.outline.occurrences.offsets_of(variable).map(|at| at as usize);
            if let Some(read) = reads.find(|at| self.is_indexed(here, at + variable.len())) {
                return Ok(Some(PositionUse::at(here, read)));
            }
        }
        Ok(None)
    }

    /// Finds where a file reads one of the constants from a variable of another file.
    pub(super) fn indexed_elsewhere(&self, here: &CurrentFile) -> Option<PositionUse> {
        let is_of =
            |list: &ConstantList, at: usize| match receiver(here.text.as_str(), at, here.language.family) {
                Receiver::Chain(chain, _) => {
                    chain.last().is_some_and(|last| list.owners.iter().any(|one| one == last))
                }
                Receiver::None => list.owners.is_empty(),
                _ => false,
            };
        self.lists.iter().find_map(|list| {
            let mut places = here.outline.occurrences.offsets_of(&list.name).map(|at| at as usize);
            let read = places.find(|&at| self.is_indexed(here, at + list.name.len()) && is_of(list, at))?;
            Some(PositionUse::at(here, read))
        })
    }

    /// The names of the variables that hold the list, for files that do not name the enumeration.
    pub(super) fn list_names(&self) -> impl Iterator<Item = &String> {
        self.lists.iter().map(|list| &list.name)
    }

    /// Returns where the lists of constants in a file begin and end.
    fn lists_in(&self, user: &TypeUses) -> Vec<(usize, usize)> {
        let here = &user.here;
        let text = here.text.as_str();
        let mut lists = Vec::new();
        for place in &user.ranges {
            let (start, end) = (place.start as usize, place.end as usize);
            let is_of_type = |list: &str| !list.starts_with('>') || text[..start].ends_with("enumValues<");
            let list =
                self.rules.lists.iter().find_map(|list| skip(text, end, list).filter(|_| is_of_type(list)));
            let start = match receiver(text, start, here.language.family) {
                Receiver::Chain(_, first) => first,
                _ => start,
            };
            lists.extend(list.map(|end| (start, end)));
        }
        // The enumeration itself needs not name itself: `values()[i]`; nor does a block that has it as its object.
        let blocks: Vec<Range<usize>> =
            user.ranges.iter().filter_map(|place| self.block_of(text, *place)).collect();
        for list in self.rules.lists.iter().filter_map(|list| list.strip_prefix('.')) {
            let word = first_word(list);
            for at in here.outline.occurrences.offsets_of(word) {
                let start = at as usize;
                let is_inside = self.is_around(here, at) == Some(true)
                    || blocks.iter().any(|block| block.contains(&start));
                if is_inside
                    && receiver(text, start, here.language.family) == Receiver::None
                    && let Some(end) = skip(text, start, list)
                {
                    lists.push((start, end));
                }
            }
        }
        lists
    }

    /// Returns the block that has the enumeration named at `place` as its object: `with(Color) { … }`, `Color.run { … }`.
    fn block_of(&self, text: &str, place: TextRange) -> Option<Range<usize>> {
        let (before, end) = (text[..place.start as usize].trim_end(), place.end as usize);
        let behind = if self.rules.blocks_of_argument.iter().any(|call| before.ends_with(call)) {
            skip(text, end, "){")?
        } else {
            self.rules.blocks_behind.iter().find_map(|block| skip(text, end, block))?
        };
        let open = behind - 1;
        Some(open..close_bracket(text, open))
    }

    /// Whether the list that ends at byte `end`, or what a call returns that it is passed on to, is read by position:
    /// `Arrays.asList(Color.values()).get(i)`.
    fn is_indexed(&self, here: &CurrentFile, end: usize) -> bool {
        let text = here.text.as_str();
        let mut end = end;
        loop {
            if self.rules.indexing.iter().any(|index| skip(text, end, index).is_some()) {
                return true;
            }
            let passed = self.rules.passing.iter().find_map(|method| skip(text, end, method));
            match passed.or_else(|| skip(text, end, ")")) {
                Some(next) => end = next,
                None => return false,
            }
        }
    }

    /// Whether the list at byte `start` is an argument of a function of the project that reads something by position.
    fn is_passed_to_reader(&self, here: &CurrentFile, start: usize) -> Result<bool, Cancelled> {
        let text = here.text.as_str();
        let Some(open) = open_parenthesis(text, start) else { return Ok(false) };
        let function = last_word(text[..open].trim_end());
        if function.is_empty() {
            return Ok(false);
        }
        for one in self.resolver.declared(function)?.iter() {
            let (Some(there), Some((_, row))) = (self.resolver.read_file(&one.file), one.row()) else {
                continue;
            };
            let body = there.text_from_name(row);
            let reads = |index: &str| {
                let mut places = body.match_indices(index).map(|(at, found)| (at, at + found.len()));
                // `T[]` is a type.
                places.any(|(at, end)| !body[end..].starts_with(']') && !last_word(&body[..at]).is_empty())
            };
            if self.rules.indexing.iter().any(|index| reads(index)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the variable that gets the value at byte `start`, and where it is named: `all: List<Color> = Color.entries`.
    fn variable<'t>(&self, here: &'t CurrentFile, start: usize) -> Option<(&'t str, usize)> {
        let text = here.text.as_str();
        let mut left = text_before(text, start, here.language.family);
        // `all = Arrays.asList(Color.values())`
        while let Some(before) = left.strip_suffix('(') {
            let called = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
            left = text_before(text, before.trim_end_matches(called).len(), here.language.family);
        }
        let left = left.strip_suffix('=')?.trim_end();
        let line = left.rfind('\n').map_or(0, |end| end + 1);
        let typed = left[line..].rfind([':', '(', '{', ';']).map(|at| line + at);
        let is_typed = |at: &usize| here.language.positions.types_follow && left[*at..].starts_with(':');
        let left = left[..typed.filter(is_typed).unwrap_or(left.len())].trim_end();
        let name = last_word(left);
        (!name.is_empty()).then(|| (name, left.len() - name.len()))
    }
}

/// Returns the byte just past `wanted` where the text goes on with it from byte `at` on, whatever white space stands between.
fn skip(text: &str, at: usize, wanted: &str) -> Option<usize> {
    let mut at = at;
    for c in wanted.chars() {
        let rest = text.get(at..)?;
        let skipped = rest.len() - rest.trim_start().len();
        text[at + skipped..].starts_with(c).then_some(())?;
        at += skipped + c.len_utf8();
    }
    Some(at)
}
