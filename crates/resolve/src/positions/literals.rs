//! Literals that give a type's fields by position: `Point{1, 2}` of Go, `struct point p = {1, 2};` of C and C++ (`initializers`,
//! `received`).

use super::initializers::dimensions;
use super::received::Receiving;
use super::{PositionUse, own_constructor, uses_of_type};
use crate::brackets::close_bracket;
use crate::context::{Receiver, first_word, last_word, receiver, text_after};
use crate::hierarchy::classes::is_class;
use crate::hierarchy::heads::without_texts;
use crate::profiles::FieldValues;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use std::collections::HashSet;
use std::ops::Range;
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};
use symd_index::NeededWords;
use symd_syntax::{Row, SymbolKind};

/// How many types are followed whose values are, or hold, values of the type. Beyond them such a literal is taken to exist.
const MAX_TYPES: usize = 50;

/// How many braces of lists are followed around a literal. Beyond them it is taken to give all fields.
const MAX_NESTED: usize = 100;

/// A type whose literals were read: where it is declared, the fields that hold the value, and whether they are lists.
type SearchedType = (RelPath, usize, Vec<HoldingField>, bool);

/// A field of another type that holds the value: `.from = {1, 2}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct HoldingField {
    pub(super) name: String,
    /// The number of dimensions of the array that it is; 0 for none.
    pub(super) dimensions: usize,
    /// The 0-based number of the field among those of its type.
    pub(super) place: usize,
    /// How many fields its type has.
    pub(super) fields: usize,
}

/// The literals that are searched for.
#[derive(Clone)]
pub(super) struct Search {
    /// The 0-based number of the field among those of its type.
    field: usize,
    rules: FieldValues,
    /// The fields of outer types that hold the value, the outermost first.
    pub(super) inside: Vec<HoldingField>,
    /// Whether the literal is a list of such values, in Go.
    is_list: bool,
}

/// Finds a literal that gives the field `target` by its position.
pub(super) fn find(
    resolver: &Resolver,
    target: &IndexedDeclaration,
) -> Result<Option<PositionUse>, Cancelled> {
    let Some(here) = resolver.read_file(&target.file) else { return Ok(None) };
    let Some(row) = here.outline.rows.get(target.row) else { return Ok(None) };
    let rules = here.language.field_values;
    let fields =
        here.outline.rows.iter().filter(|one| one.parent == row.parent && one.kind() == SymbolKind::Field);
    let body = body_of(&here, row);
    let is_before = |one: &&Row| body.contains(&(one.name_start as usize)) && one.name_start < row.name_start;
    let search =
        Search { field: fields.filter(is_before).count(), rules, inside: Vec::new(), is_list: false };
    let mut searched = HashSet::new();
    for owner in owners(&here, row, &body) {
        if let Some(found) = search.of_type(resolver, &here.target(owner), &mut searched)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns where the innermost braces around a field stand.
fn body_of(here: &CurrentFile, row: &Row) -> Range<usize> {
    let text = here.text.as_str();
    match crate::brackets::open_bracket(text, row.name_start as usize) {
        Some(open) => open..close_bracket(text, open),
        None => 0..text.len(),
    }
}

/// Returns the rows that name the type of a field: its parent, and in C the names behind its body, `typedef struct { … } point;`.
fn owners(here: &CurrentFile, row: &Row, body: &Range<usize>) -> Vec<usize> {
    let rows = &here.outline.rows;
    // Literals of a class with a constructor call that.
    let parent = row.parent().filter(|&at| is_class(&rows[at]) && own_constructor(here, at).is_none());
    let text = here.text.as_str();
    let end = body.end + text.get(body.end..).unwrap_or("").find(';').unwrap_or(0);
    let is_behind = |one: &Row| body.end <= one.name_start as usize && (one.name_start as usize) < end;
    let behind = (0..rows.len()).filter(|&at| {
        matches!(here.language.field_values, FieldValues::Initializers) && is_behind(&rows[at])
    });
    parent.into_iter().chain(behind).collect()
}

impl Search {
    /// Finds such a literal where code names a type.
    fn of_type(
        &self,
        resolver: &Resolver,
        owner: &IndexedDeclaration,
        searched: &mut HashSet<SearchedType>,
    ) -> Result<Option<PositionUse>, Cancelled> {
        if searched.len() == MAX_TYPES {
            let here = resolver.read_file(&owner.file);
            let row = owner.row().map(|(_, row)| row.name_start as usize);
            return Ok(here.zip(row).map(|(here, start)| PositionUse::at(&here, start)));
        }
        if !searched.insert((owner.file.path.clone(), owner.row, self.inside.clone(), self.is_list)) {
            return Ok(None);
        }
        let mut receiving: Vec<Receiving> = Vec::new();
        for one in uses_of_type(resolver, owner)? {
            resolver.cancel.check()?;
            let here = &one.here;
            let blank = without_texts(here.text.as_str(), here.language);
            for place in &one.ranges {
                let found = match self.rules {
                    FieldValues::Braces => self.behind_type(here, &blank, *place),
                    FieldValues::Initializers => {
                        receiving.extend(Receiving::declared(here, &blank, *place));
                        self.behind_declarator(&blank, *place).or_else(|| self.apart(&blank, *place))
                    }
                    _ => None,
                };
                if let Some(at) = found {
                    return Ok(Some(PositionUse::at(here, at)));
                }
                if let Some((search, row)) = self.named_by(here, &blank, *place, owner)
                    && let Some(found) = search.of_type(resolver, &here.target(row), searched)?
                {
                    return Ok(Some(found));
                }
            }
        }
        self.in_receiving(resolver, &receiving)
    }

    /// Finds where values are given by position to what is declared with the type, in any file.
    fn in_receiving(
        &self,
        resolver: &Resolver,
        receiving: &[Receiving],
    ) -> Result<Option<PositionUse>, Cancelled> {
        let words = receiving.iter().map(|one| NeededWords::of_name(one.name()));
        for file in resolver.sources.snapshot().files.with_any_words(words) {
            let holds = |name: &str| file.holds(name);
            let named: Vec<&Receiving> =
                receiving.iter().filter(|one| one.may_be_in(&file.path) && holds(one.name())).collect();
            if named.is_empty() || resolver.file(file.path.as_str()).is_none() {
                continue;
            }
            resolver.cancel.check()?;
            let Some(here) = resolver.read_file(file) else { continue };
            let blank = without_texts(here.text.as_str(), here.language);
            if let Some(at) = named.into_iter().find_map(|one| self.given_to(&here, &blank, one)) {
                return Ok(Some(PositionUse::at(&here, at)));
            }
        }
        Ok(None)
    }

    /// Returns another type whose values are, or hold, values of the one that is named at `place`: `type Points []Point`,
    /// `typedef struct point point_t`, `struct line { struct point from; }`.
    fn named_by(
        &self,
        here: &CurrentFile,
        text: &str,
        place: TextRange,
        owner: &IndexedDeclaration,
    ) -> Option<(Search, usize)> {
        let (start, end) = (place.start as usize, place.end as usize);
        let left = text[..start].trim_end();
        let name = first_word(text_after(text, end));
        let name_start = text.len() - text_after(text, end).len();
        let mut rows = here.outline.rows.iter().enumerate();
        match self.rules {
            FieldValues::Braces => {
                let is_type = |row: &Row| row.end == place.end && row.name_start < place.start;
                let kinds = [SymbolKind::Class, SymbolKind::Struct];
                let (at, _) = rows.find(|(_, row)| is_type(row) && kinds.contains(&row.kind()))?;
                let is_list = self.is_list || left.trim_end_matches('*').ends_with(']');
                Some((Search { is_list, ..self.clone() }, at))
            }
            FieldValues::Initializers if !name.is_empty() => {
                let (at, row) = rows.find(|(_, row)| row.name_start as usize == name_start)?;
                let is_typedef =
                    last_word(left.strip_suffix("struct").unwrap_or(left).trim_end()) == "typedef";
                if is_typedef {
                    return Some((self.clone(), at));
                }
                let (dimensions, _) = dimensions(text, name_start + name.len());
                let outer = row.parent().filter(|_| row.kind() == SymbolKind::Field)?;
                let is_own = owner.file.path == here.file.path && owner.row == outer;
                let of_outer = here
                    .outline
                    .rows
                    .iter()
                    .filter(|one| one.parent() == Some(outer) && one.kind() == SymbolKind::Field);
                let place = of_outer.clone().filter(|one| one.name_start < row.name_start).count();
                let fields = of_outer.count();
                let mut inside = vec![HoldingField { name: name.to_owned(), dimensions, place, fields }];
                inside.extend(self.inside.iter().cloned());
                (!is_own).then(|| (Search { inside, ..self.clone() }, outer))
            }
            _ => None,
        }
    }

    /// Returns where a literal of Go behind the type's name gives fields by position. Formatted code has no blank before its brace.
    fn behind_type(&self, here: &CurrentFile, text: &str, place: TextRange) -> Option<usize> {
        let (start, mut end) = (place.start as usize, place.end as usize);
        let first = match receiver(here.text.as_str(), start, here.language.family) {
            Receiver::Chain(_, first) => first,
            _ => start,
        };
        let left = text[..first].trim_end_matches('*');
        if left.ends_with("map[") {
            let keyed = text.get(end..)?.strip_prefix(']')?;
            let open = text.len() - keyed.len() + keyed.find(['{', '\n'])?;
            let is_key = |item: &Range<usize>| text[item.clone()].trim_start().starts_with('{');
            let mut keys = items(text, open).into_iter().filter(is_key);
            return keys.find_map(|key| self.in_item(text, key, MAX_NESTED));
        }
        if text[end..].starts_with('[') {
            end = close_bracket(text, end);
        }
        let open = text.get(end..).filter(|rest| rest.starts_with('{')).map(|_| end)?;
        if !(self.is_list || left.ends_with(']')) {
            return self.positional(text, open);
        }
        items(text, open).into_iter().find_map(|item| self.in_item(text, item, MAX_NESTED))
    }

    /// Returns where an item of a list gives fields by position, without its type or with braces of inner lists around it.
    fn in_item(&self, text: &str, item: Range<usize>, levels: usize) -> Option<usize> {
        let value = match colon(text, &item) {
            Some(colon) if !text[item.clone()].trim_start().starts_with('{') => colon + 1..item.end,
            _ => item,
        };
        let open = value.end - text[value.clone()].trim_start().len();
        if !text[open..].starts_with('{') {
            return None;
        }
        let Some(levels) = levels.checked_sub(1) else { return Some(open) };
        let inner = items(text, open);
        let is_nested = inner.first().is_some_and(|one| text[one.clone()].trim_start().starts_with('{'));
        match is_nested {
            true => inner.into_iter().find_map(|one| self.in_item(text, one, levels)),
            false => self.positional(text, open),
        }
    }

    /// Returns the byte of the brace at `open` if what it holds gives the field by position.
    pub(super) fn positional(&self, text: &str, open: usize) -> Option<usize> {
        let all = items(text, open);
        let is_unnamed = |item: &Range<usize>| match self.rules {
            FieldValues::Braces => colon(text, item).is_none(),
            _ => !text[item.clone()].trim_start().starts_with(['.', '[']) && colon(text, item).is_none(),
        };
        let unnamed = all.iter().filter(|item| is_unnamed(item)).count();
        let reaches = match self.rules {
            FieldValues::Braces => unnamed > 0,
            // `{0}` is the zero of every type. What follows a named field is counted from that one on.
            _ if all.len() == 1 && text[all[0].clone()].trim() == "0" => false,
            _ => unnamed > self.field || unnamed > 0 && unnamed < all.len(),
        };
        reaches.then_some(open)
    }
}

/// Returns where the items stand between the brace at byte `open` and its end.
pub(super) fn items(text: &str, open: usize) -> Vec<Range<usize>> {
    let end = close_bracket(text, open).saturating_sub(1).max(open + 1);
    let (mut all, mut start, mut at) = (Vec::new(), open + 1, open + 1);
    let bytes = text.as_bytes();
    while at < end {
        match bytes[at] {
            b'(' | b'[' | b'{' => at = close_bracket(text, at).saturating_sub(1),
            b',' => {
                all.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    all.push(start..end.max(start));
    all.retain(|item| !text[item.clone()].trim().is_empty());
    all
}

/// Returns the byte of the colon behind an item's key.
fn colon(text: &str, item: &Range<usize>) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = item.start;
    while at < item.end {
        match bytes[at] {
            b'(' | b'[' | b'{' => at = close_bracket(text, at).saturating_sub(1).max(at),
            b'?' => return None,
            b':' if bytes.get(at + 1) != Some(&b':') && (at == 0 || bytes[at - 1] != b':') => {
                return Some(at);
            }
            _ => {}
        }
        at += 1;
    }
    None
}
