//! Which variables of modules may hold objects of the renamed member's classes: not those that are set to literals and to objects of
//! other classes alone. By the text of the values.

use std::collections::{BTreeMap, BTreeSet};

use super::outside_objects::{callee_of, literal_classes};
use super::values::value_set;
use super::{SetVariable, attribute_of, own_values};
use crate::context::{first_word, is_word, last_word};
use crate::hierarchy::classes::is_class;
use crate::library_members::MemberLookup;
use crate::name_places::places_of;
use crate::python::builtin_classes::lookup_member;
use crate::python::outside::origins;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};

/// Values that are no object of a class of the project.
const CONSTANTS: [&str; 4] = ["None", "True", "False", "..."];

/// What is asked about variables.
pub(super) struct OwnObjects<'q, 's> {
    resolver: &'q Resolver<'s>,
    member: &'q str,
    /// The names of the classes.
    names: BTreeSet<&'q str>,
    /// What was asked of a variable's name and files.
    known: BTreeMap<(String, Vec<RelPath>), bool>,
}

impl<'q, 's> OwnObjects<'q, 's> {
    pub(super) fn new(
        resolver: &'q Resolver<'s>,
        member: &'q str,
        names: BTreeSet<&'q str>,
    ) -> OwnObjects<'q, 's> {
        OwnObjects { resolver, member, names, known: BTreeMap::new() }
    }

    /// Whether a variable may hold such an object, by what the modules that declare it and the `sets` of others set it to.
    pub(super) fn may_be_held(
        &mut self,
        variable: &str,
        homes: &[&IndexedDeclaration],
        sets: &[SetVariable],
    ) -> Result<bool, Cancelled> {
        let files = homes.iter().map(|home| home.file.path.clone()).collect();
        let key = (variable.to_owned(), files);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let may_be = self.may_hold(variable, homes, sets)?;
        self.known.insert(key, may_be);
        Ok(may_be)
    }

    fn may_hold(
        &self,
        variable: &str,
        homes: &[&IndexedDeclaration],
        sets: &[SetVariable],
    ) -> Result<bool, Cancelled> {
        for (here, values) in own_values(self.resolver, homes.iter().copied(), variable) {
            let mut places = places_of(&here, variable).into_iter();
            if values.is_empty() || places.any(|range| is_bound_otherwise(here.text.as_str(), range)) {
                return Ok(true);
            }
            if self.may_be_any(&here, &values)? {
                return Ok(true);
            }
        }
        for set in sets.iter().filter(|set| set.variable == variable) {
            if self.may_be_any(&set.here, &set.values)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn may_be_any(&self, here: &CurrentFile, values: &[String]) -> Result<bool, Cancelled> {
        for value in values {
            self.resolver.cancel.check()?;
            if self.may_be_one(here, value.trim())? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a value, written in a file with blanks for what strings hold, may be such an object.
    fn may_be_one(&self, here: &CurrentFile, value: &str) -> Result<bool, Cancelled> {
        if CONSTANTS.contains(&value) || !literal_classes(value).is_empty() {
            return Ok(false);
        }
        let Some(callee) = callee_of(value) else { return Ok(true) };
        let chain: Vec<&str> = callee.split('.').collect();
        let class = last_word(callee);
        if class.is_empty() || chain.iter().any(|name| name.is_empty() || !name.chars().all(is_word)) {
            return Ok(true);
        }
        let is_renamed = here.binding(self.resolver.family, chain[0]).any(|import| import.alias.is_some());
        let mut locals = here.outline.rows.iter().filter(|row| row.is_local());
        let declared = self.resolver.declared(class)?;
        if declared.is_empty() {
            // One of Python's own classes.
            let origins = origins(self.resolver, &here.file, &chain)?;
            let mut classes = origins.iter().map(|origin| lookup_member(origin, self.member));
            return Ok(origins.is_empty() || classes.any(|class| class == MemberLookup::Unknown));
        }
        let is_class = |one: &IndexedDeclaration| one.row().is_some_and(|(_, row)| is_class(row));
        Ok(!declared.iter().all(is_class)
            || self.names.contains(class)
            || is_renamed && chain.len() == 1
            || locals.any(|row| here.outline.name(row) == class))
    }
}

/// Whether the name at `range` may be bound there other than by an assignment: `for till in tills`, `with make() as till`, `(till := x)`.
fn is_bound_otherwise(text: &str, range: TextRange) -> bool {
    let (before, behind) = (text[..range.start as usize].trim_end(), text[range.end as usize..].trim_start());
    if attribute_of(text, range).is_some() || value_set(text, range).is_some() {
        return false;
    }
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    let is_target = !behind.starts_with(['.', '(', '[']) && last_word(before) != "in";
    behind.starts_with(":=")
        || matches!(last_word(before), "as" | "for" | "import" | "case" | "def" | "class")
        || is_target && matches!(first_word(line), "for" | "async" | "with" | "case" | "from" | "import")
}
