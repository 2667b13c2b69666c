//! Objects of classes outside the project that may have a member: `deque()`, `[1, 2]`, what `json.loads` returns. By the text of a
//! value. Invariant: terminates on every input.

use std::collections::HashMap;
use std::rc::Rc;

use super::attribute_of;
use super::values::{held_by, value_set};
use crate::brackets::{close_bracket, open_bracket};
use crate::context::is_word;
use crate::hierarchy::heads::without_texts;
use crate::library_members::MemberLookup;
use crate::name_places::places_of;
use crate::profiles::PYTHON;
use crate::python::builtin_classes::lookup_member;
use crate::python::outside::origins;
use crate::resolver::{CurrentFile, Resolver};
use symd_base::RelPath;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// Through how many variables and functions a value is followed.
const MAX_HOPS: usize = 3;

/// Of how many functions of a name what they return is looked at.
const MAX_FUNCTIONS: usize = 8;

/// How many values are looked at for one question. Beyond these, the value may be one.
const MAX_VALUES: usize = 1_000;

/// Functions of Python's that return an object of one of its classes.
const RESULTS: [(&str, &str); 4] = [("sorted", "list"), ("input", "str"), ("repr", "str"), ("format", "str")];

/// Classes whose objects have each attribute that they are given.
const OPEN_CLASSES: [&str; 2] = ["types.SimpleNamespace", "argparse.Namespace"];

/// What is asked about values.
pub(super) struct OutsideObjects<'q, 's> {
    pub(super) resolver: &'q Resolver<'s>,
    pub(super) member: &'q str,
}

/// What was looked at for one question.
#[derive(Default)]
struct FollowedValues {
    values: usize,
    /// Variables of a file and functions of the project, with the fewest hops that led to each.
    names: HashMap<(Option<RelPath>, String), usize>,
}

impl FollowedValues {
    /// Whether the name is to be followed: it was not, or with more hops.
    fn is_new(&mut self, file: Option<&RelPath>, name: &str, hops: usize) -> bool {
        let known = self.names.entry((file.cloned(), name.to_owned())).or_insert(usize::MAX);
        let is_new = hops < *known;
        *known = hops.min(*known);
        is_new
    }
}

impl OutsideObjects<'_, '_> {
    /// Whether a value, written in a file with blanks for what strings hold, may be an object from outside the project that has the member.
    pub(super) fn may_be_one(&self, here: &Rc<CurrentFile>, value: &str) -> Result<bool, Cancelled> {
        self.followed(here, value, 0, &mut FollowedValues::default())
    }

    fn followed(
        &self,
        here: &Rc<CurrentFile>,
        value: &str,
        hops: usize,
        followed: &mut FollowedValues,
    ) -> Result<bool, Cancelled> {
        self.resolver.cancel.check()?;
        followed.values += 1;
        if followed.values > MAX_VALUES {
            return Ok(true);
        }
        let value = value.trim();
        let literal = literal_classes(value);
        if !literal.is_empty() {
            return Ok(literal.iter().any(|class| self.has(class)));
        }
        let callee = callee_of(value).unwrap_or(value);
        let chain: Vec<&str> = callee.split('.').collect();
        if chain.iter().any(|name| name.is_empty() || !name.chars().all(is_word)) {
            return Ok(false);
        }
        let is_call = callee.len() < value.len();
        let origins = origins(self.resolver, &here.file, &chain)?;
        for origin in &origins {
            match origin.strip_prefix("builtins.") {
                Some(name) => {
                    let result = RESULTS.iter().find(|(function, _)| *function == name && is_call);
                    let is_own = here.outline.rows.iter().any(|row| here.outline.name(row) == name);
                    if !is_own && self.has(result.map_or(name, |(_, class)| class)) {
                        return Ok(true);
                    }
                }
                None if self.may_have(origin) => return Ok(true),
                None => {}
            }
        }
        if hops >= MAX_HOPS {
            return Ok(false);
        }
        match is_call {
            true => self.may_return_one(chain[chain.len() - 1], hops, followed),
            false if chain.len() == 1 => self.may_hold_one(here, chain[0], hops, followed),
            false => Ok(false),
        }
    }

    /// Whether a variable of this name may hold one, as far as its file sets it.
    fn may_hold_one(
        &self,
        here: &Rc<CurrentFile>,
        name: &str,
        hops: usize,
        followed: &mut FollowedValues,
    ) -> Result<bool, Cancelled> {
        if !followed.is_new(Some(&here.file.path), name, hops) {
            return Ok(false);
        }
        let text = here.text.as_str();
        for range in places_of(here, name) {
            let is_attribute = attribute_of(text, range).is_some();
            let Some(value) = value_set(text, range).filter(|_| !is_attribute) else { continue };
            for one in held_by(&value) {
                if self.followed(here, &one, hops + 1, followed)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether a function of the project of this name may return one.
    fn may_return_one(
        &self,
        name: &str,
        hops: usize,
        followed: &mut FollowedValues,
    ) -> Result<bool, Cancelled> {
        if !followed.is_new(None, name, hops) {
            return Ok(false);
        }
        let declared = self.resolver.declared(name)?;
        let functions = declared.iter().filter(|one| {
            let kind = one.row().map(|(_, row)| row.kind());
            matches!(kind, Some(SymbolKind::Function | SymbolKind::Method))
        });
        for function in functions.take(MAX_FUNCTIONS) {
            let Some(here) = self.resolver.read_file(&function.file) else { continue };
            let Some(row) = here.row_of(function).map(|at| here.outline.rows[at]) else { continue };
            let Some(text) = here.text.as_str().get(row.start as usize..row.end as usize) else { continue };
            let blank = without_texts(text, &PYTHON);
            for line in blank.lines().filter_map(|line| line.trim_start().strip_prefix("return ")) {
                for one in held_by(line) {
                    if self.followed(&here, &one, hops + 1, followed)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Whether what has this full name, or its result, may have the member.
    fn may_have(&self, origin: &str) -> bool {
        if OPEN_CLASSES.contains(&origin) {
            return true;
        }
        // A double has every member, under whatever name.
        let is_double = ["unittest.mock.", "mock."].iter().any(|module| origin.starts_with(module));
        !is_double && lookup_member(origin, self.member) != MemberLookup::No
    }

    /// Whether one of Python's own classes has the member.
    fn has(&self, class: &str) -> bool {
        matches!(lookup_member(class, self.member), MemberLookup::Yes(_))
    }
}

/// Returns what is called where a value is a call: `a.f` of `a.f(x)`; empty where its parenthesis is not opened.
pub(super) fn callee_of(value: &str) -> Option<&str> {
    let call = value.strip_suffix(')')?;
    Some(open_bracket(value, call.len()).map_or("", |open| value[..open].trim_end()))
}

/// Returns the classes of which a literal may be an object; none if the value is no literal.
pub(super) fn literal_classes(value: &str) -> &'static [&'static str] {
    let is_whole = || close_bracket(value, 0) == value.len();
    match value.chars().next() {
        Some('[') if is_whole() => &["list"],
        Some('{') if is_whole() => &["dict", "set"],
        Some('(') if is_whole() => &["tuple"],
        Some(c) if c.is_ascii_digit() => &["int", "float"],
        _ if value.ends_with(['"', '\'']) => &["str", "bytes"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_literals() {
        for (value, expected) in [
            ("[a, b]", &["list"][..]),
            ("{  : 1}", &["dict", "set"]),
            ("(a, b)", &["tuple"]),
            ("1.5", &["int", "float"]),
            ("f\"   \"", &["str", "bytes"]),
            ("[a][0]", &[]),
            ("make([])", &[]),
            ("", &[]),
        ] {
            assert_eq!(literal_classes(value), expected, "{value}");
        }
    }
}
