//! The names by which code has a value of a type in hand, as far as declarations show: the type, types that hold it, functions that
//! return these, and variables of the package. A function that mentions none of them has no such value, unless it comes as an `any`.

use std::collections::BTreeSet;

use crate::brackets::close_bracket;
use crate::family::Family;
use crate::family_texts::{FamilyTexts, words_of};
use crate::resolver::{CurrentFile, Resolver};
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// The most steps from a type to one that holds it.
const MAX_STEPS: usize = 3;

/// The most names that are followed.
const MAX_NAMES: usize = 48;

/// Names of types, functions and variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameReach {
    words: BTreeSet<String>,
}

impl NameReach {
    /// Returns the reach of the types of these names: what has, or holds, values of them.
    pub(crate) fn of(
        resolver: &Resolver,
        texts: &FamilyTexts,
        types: impl IntoIterator<Item = String>,
    ) -> Result<NameReach, Cancelled> {
        NameReach::in_steps(resolver, texts, types, MAX_STEPS)
    }

    /// Returns the reach of the types' own values, without what only holds them.
    pub(crate) fn of_values(
        resolver: &Resolver,
        texts: &FamilyTexts,
        types: impl IntoIterator<Item = String>,
    ) -> Result<NameReach, Cancelled> {
        NameReach::in_steps(resolver, texts, types, 1)
    }

    fn in_steps(
        resolver: &Resolver,
        texts: &FamilyTexts,
        types: impl IntoIterator<Item = String>,
        steps: usize,
    ) -> Result<NameReach, Cancelled> {
        let mut words: BTreeSet<String> = types.into_iter().filter(|name| !name.is_empty()).collect();
        let mut open = words.clone();
        for _ in 0..steps {
            let names: Vec<String> = std::mem::take(&mut open).into_iter().collect();
            let mut next = BTreeSet::new();
            for one in texts.with_any(&names) {
                resolver.cancel.check()?;
                let held: Vec<&String> = names.iter().filter(|name| one.holds(name)).collect();
                if held.is_empty() {
                    continue;
                }
                let Some(here) = one.current(resolver) else { continue };
                for name in held {
                    next.extend(one.words(name).filter_map(|at| holder(resolver, &here, at, steps > 1)));
                }
            }
            next.retain(|name| !words.contains(name));
            if words.len() + next.len() > MAX_NAMES {
                break;
            }
            words.extend(next.iter().cloned());
            open = next;
        }
        Ok(NameReach { words })
    }

    /// Returns the reach of both.
    pub(crate) fn and(mut self, other: NameReach) -> NameReach {
        self.words.extend(other.words);
        self
    }

    /// Returns the reach of the name alone.
    pub(crate) fn of_name(name: &str) -> NameReach {
        NameReach::of_names([name.to_owned()])
    }

    /// Returns the reach of these names alone.
    pub(crate) fn of_names(names: impl IntoIterator<Item = String>) -> NameReach {
        NameReach { words: names.into_iter().collect() }
    }

    /// Whether a text mentions one of the names.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.words.iter().any(|word| words_of(text, word).next().is_some())
    }
}

/// Returns the name of what has a value of the type that stands at byte `at`: the struct or the type around it, a function of whose
/// result it is, a variable outside of functions. Without parts no struct holds it.
fn holder(resolver: &Resolver, here: &CurrentFile, at: usize, has_parts: bool) -> Option<String> {
    use SymbolKind::{
        Class, Constant, Enum, EnumMember, Field, Function, Interface, Method, Property, Struct, Variable,
    };
    let byte = u32::try_from(at).ok()?;
    let rows = &here.outline.rows;
    let is_around = |row: &&Row| row.start <= byte && byte < row.end && row.name_start != byte;
    let inner = rows.iter().rfind(is_around).filter(|row| !row.is_local())?;
    let name = || here.outline.name(inner).to_owned();
    match inner.kind() {
        Field | Property | EnumMember if !has_parts => None,
        Field | Property | EnumMember => {
            inner.parent().map(|parent| here.outline.name(&rows[parent]).to_owned())
        }
        // Java writes the result before the name.
        Function | Method if resolver.family == Family::Jvm => (byte < inner.name_start).then(name),
        Function | Method => {
            let text = here.text.as_str();
            let end = inner.name_start as usize + usize::from(inner.name_len);
            let head = usize::from(inner.head).max(usize::from(inner.name_len));
            let head = text.get(end..inner.name_start as usize + head)?;
            let open = head.find('(')?;
            (end + close_bracket(head, open) <= at && at < end + head.len()).then(name)
        }
        Class | Struct | Interface | Enum | Variable | Constant => Some(name()),
        _ => None,
    }
}
