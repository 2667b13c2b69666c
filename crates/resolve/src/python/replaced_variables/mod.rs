//! Variables of modules that other modules set: `shop.till = FakeTill()`, `setattr(shop, "till", FakeTill())`,
//! `patch("shop.till", FakeTill())`. Where the variable is used its own module tells one class, and it may hold an object of another
//! that has the same member. By the text, as in `dynamic_receivers`.

pub(super) mod module_receivers;
mod outside_objects;
mod own_objects;
pub(super) mod string_sets;
pub(super) mod values;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use self::module_receivers::{ModuleReceivers, module_files};
use self::outside_objects::OutsideObjects;
use self::own_objects::OwnObjects;
use self::string_sets::{SETTERS_OF_PATCH, SetByString, path_in_string};
use self::values::{held_by, value_set};
use crate::brackets::open_bracket;
use crate::conflicts::SourcePlace;
use crate::context::{last_chain, last_word};
use crate::hierarchy::classes::is_class;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::hierarchy::heads::arguments;
use crate::library_members::MemberLookup;
use crate::name_places::{places_of, with_name};
use crate::python::builtin_classes::lookup_member;
use crate::python::dynamic_receivers::{held, holders};
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_index::FileEntry;
use symd_syntax::{Imported, SymbolKind};

/// A place where a variable is set.
struct SetVariable {
    here: Rc<CurrentFile>,
    range: TextRange,
    variable: String,
    /// What it may be set to: each alternative, with blanks for what strings hold.
    values: Vec<String>,
    /// The files of the module; `None` where these are not known.
    module: Option<Vec<Arc<FileEntry>>>,
}

/// What tells objects of the renamed member's classes from others that have such a member.
struct OtherObjects<'q, 's> {
    outside: OutsideObjects<'q, 's>,
    /// What holds objects of the project's other classes with the member.
    holders: HashSet<String>,
    /// What was asked of classes that may inherit the member from outside.
    inheriting: BTreeMap<String, bool>,
}

/// Finds where variables of other modules, on which the member `name` is used, are set to objects of classes that have it too
/// and are no kin of its `owners`; or to objects of these, where their own module sets them to such others.
pub(crate) fn set_to_strangers(
    resolver: &Resolver,
    (graph, owners): (&ClassGraph, &[IndexedDeclaration]),
    name: &str,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let kin = &graph.all_ancestors(owners) | &graph.all_descendants(owners);
    let is_stranger =
        |class: &IndexedDeclaration| graph.number(class).is_none_or(|number| !kin.contains(&number));
    let (mut receivers, mut strangers) = (BTreeSet::new(), Vec::new());
    for here in with_name(resolver, name)? {
        let text = here.text.as_str();
        for range in places_of(&here, name) {
            let receiver = text[..range.start as usize].trim_end().strip_suffix('.').map_or("", receiving);
            receivers.insert(receiver.to_owned());
        }
        let members = here.outline.rows.iter().filter(|row| here.outline.name(row) == name);
        let classes = members.filter_map(|row| row.parent()).filter(|&at| is_class(&here.outline.rows[at]));
        strangers.extend(classes.map(|at| here.target(at)).filter(is_stranger));
    }
    let variables = module_variables(resolver, receivers)?;
    if variables.is_empty() {
        return Ok(Vec::new());
    }
    let mut modules = ModuleReceivers::default();
    let mut sets = set_by_name(resolver, &variables, &mut modules)?;
    sets.extend(set_by_string(resolver, &variables, &mut modules)?);
    if sets.is_empty() {
        return Ok(Vec::new());
    }
    let held_by_strangers = match strangers.is_empty() {
        true => HashSet::new(),
        false => holders(resolver, &strangers)?,
    };
    let outside = OutsideObjects { resolver, member: name };
    let mut others = OtherObjects { outside, holders: held_by_strangers, inheriting: BTreeMap::new() };
    // Looked for only where they are needed: a class of a framework has thousands of heirs.
    let (mut own_holders, mut is_other_at_home) = (None, BTreeMap::new());
    let kin_names = kin.iter().map(|at| graph.node(*at).class.name()).collect();
    let mut own_objects = OwnObjects::new(resolver, name, kin_names);
    let mut found = Vec::new();
    for set in &sets {
        let homes = set.homes(resolver, &variables[&set.variable]);
        if homes.is_empty() {
            continue;
        }
        let mut is_told = others.has_one(&set.here, &set.values, is_stranger)?;
        if !is_told {
            let is_other = match is_other_at_home.get(&set.variable) {
                Some(known) => *known,
                None => {
                    let mut is_other = false;
                    for (here, values) in own_values(resolver, variables[&set.variable].iter(), &set.variable)
                    {
                        is_other |= others.has_one(&here, &values, is_stranger)?;
                    }
                    is_other_at_home.insert(set.variable.clone(), is_other);
                    is_other
                }
            };
            if is_other {
                let own = match &own_holders {
                    Some(known) => known,
                    None => {
                        let own: Vec<IndexedDeclaration> =
                            kin.iter().map(|at| graph.node(*at).class.clone()).collect();
                        own_holders.insert(holders(resolver, &own)?)
                    }
                };
                is_told = set.values.iter().any(|value| own.contains(held(value)));
            }
        }
        if is_told && own_objects.may_be_held(&set.variable, &homes, &sets)? {
            found.push((set.here.file.path.clone(), set.range));
        }
    }
    Ok(found)
}

impl SetVariable {
    /// Returns those of the variables of its name that it may set.
    fn homes<'v>(&self, resolver: &Resolver, all: &'v [IndexedDeclaration]) -> Vec<&'v IndexedDeclaration> {
        let Some(files) = &self.module else { return all.iter().collect() };
        let own: Vec<&IndexedDeclaration> =
            all.iter().filter(|one| files.iter().any(|file| file.path == one.file.path)).collect();
        // A module may have the variable from another one.
        let may_have = |file: &Arc<FileEntry>| {
            let here = resolver.read_file(file);
            here.is_none_or(|here| {
                let mut imports = here.imports().iter();
                !places_of(&here, &self.variable).is_empty()
                    || imports.any(|import| import.imported == Imported::Everything)
            })
        };
        match own.is_empty() && files.iter().any(may_have) {
            true => all.iter().collect(),
            false => own,
        }
    }
}

impl OtherObjects<'_, '_> {
    /// Whether one of the values, written in a file, may be an object that is none of the member's and has such a member.
    fn has_one(
        &mut self,
        here: &Rc<CurrentFile>,
        values: &[String],
        is_stranger: impl Fn(&IndexedDeclaration) -> bool,
    ) -> Result<bool, Cancelled> {
        for value in values {
            let name = held(value);
            if self.holders.contains(name) || self.outside.may_be_one(here, value)? {
                return Ok(true);
            }
            if name.is_empty() {
                continue;
            }
            let inherits = match self.inheriting.get(name) {
                Some(known) => *known,
                None => {
                    inherits_from_outside(self.outside.resolver, name, self.outside.member, &is_stranger)?
                }
            };
            self.inheriting.insert(name.to_owned(), inherits);
            if inherits {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the name on which a member is used that stands behind `receiver`: `till` of `shop.till` and of `getattr(shop, "till")`.
fn receiving(receiver: &str) -> &str {
    let receiver = receiver.trim_end();
    let Some(call) = receiver.strip_suffix(')') else { return last_word(receiver) };
    let Some(open) = open_bracket(receiver, call.len()) else { return "" };
    if last_word(&receiver[..open]) != "getattr" {
        return "";
    }
    let named = arguments(receiver, open).and_then(|all| all.get(1).copied());
    named.and_then(path_in_string).unwrap_or("")
}

/// Returns those of the names that variables of modules have, with these.
fn module_variables(
    resolver: &Resolver,
    names: BTreeSet<String>,
) -> Result<BTreeMap<String, Vec<IndexedDeclaration>>, Cancelled> {
    let mut found = BTreeMap::new();
    for name in names.into_iter().filter(|name| !matches!(name.as_str(), "" | "self" | "cls")) {
        resolver.cancel.check()?;
        let is_variable = |one: &&IndexedDeclaration| {
            one.row().is_some_and(|(_, row)| {
                row.parent().is_none() && matches!(row.kind(), SymbolKind::Variable | SymbolKind::Constant)
            })
        };
        let variables: Vec<IndexedDeclaration> =
            resolver.declared(&name)?.iter().filter(is_variable).cloned().collect();
        if !variables.is_empty() {
            found.insert(name, variables);
        }
    }
    Ok(found)
}

/// Returns where other modules set variables: `shop.till = value`.
fn set_by_name(
    resolver: &Resolver,
    variables: &BTreeMap<String, Vec<IndexedDeclaration>>,
    modules: &mut ModuleReceivers,
) -> Result<Vec<SetVariable>, Cancelled> {
    let mut sets = Vec::new();
    for variable in variables.keys() {
        for here in with_name(resolver, variable)? {
            for range in places_of(&here, variable) {
                let Some(value) = value_set(here.text.as_str(), range) else { continue };
                let receiver = receiver_of(here.text.as_str(), range);
                if !modules.is_module(resolver, &here, receiver)? {
                    continue;
                }
                let (variable, values) = (variable.clone(), held_by(&value));
                let module = module_files(resolver, &here, receiver);
                sets.push(SetVariable { here: Rc::clone(&here), range, variable, values, module });
            }
        }
    }
    Ok(sets)
}

/// Returns where calls set variables of other modules that strings name.
fn set_by_string(
    resolver: &Resolver,
    variables: &BTreeMap<String, Vec<IndexedDeclaration>>,
    modules: &mut ModuleReceivers,
) -> Result<Vec<SetVariable>, Cancelled> {
    let mut sets = Vec::new();
    for_each_set_by_string(resolver, |here, range, named| {
        if !variables.contains_key(&named.variable) {
            return Ok(());
        }
        let module = match named.module {
            Some(chain) if !modules.is_module(resolver, here, chain)? => return Ok(()),
            Some(chain) => module_files(resolver, here, chain),
            None => None,
        };
        let (variable, values) = (named.variable, named.values);
        sets.push(SetVariable { here: Rc::clone(here), range, variable, values, module });
        Ok(())
    })?;
    Ok(sets)
}

/// Calls `each` with what calls set that strings name, the file, and the range of the called function's name.
pub(super) fn for_each_set_by_string(
    resolver: &Resolver,
    mut each: impl FnMut(&Rc<CurrentFile>, TextRange, SetByString<'_>) -> Result<(), Cancelled>,
) -> Result<(), Cancelled> {
    for file_word in ["setattr", "setitem", "patch"] {
        for here in with_name(resolver, file_word)? {
            let text = here.text.as_str();
            let of_patch = SETTERS_OF_PATCH.iter().filter(|_| file_word == "patch");
            for setter in of_patch.copied().chain([file_word]) {
                for range in places_of(&here, setter) {
                    resolver.cancel.check()?;
                    let (before, behind) = (&text[..range.start as usize], range.end as usize);
                    if setter != file_word && !before.ends_with("patch.") {
                        continue;
                    }
                    let Some(arguments) = arguments(text, behind) else { continue };
                    for named in SetByString::all(setter, &arguments) {
                        each(&here, range, named)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Returns what the modules of these variables set them to, with the file.
fn own_values<'v>(
    resolver: &Resolver,
    declared: impl Iterator<Item = &'v IndexedDeclaration>,
    name: &str,
) -> Vec<(Rc<CurrentFile>, Vec<String>)> {
    let mut found = Vec::new();
    for here in declared.filter_map(|one| resolver.read_file(&one.file)) {
        let text = here.text.as_str();
        let own = |range: &TextRange| attribute_of(text, *range).is_none();
        let values = places_of(&here, name).into_iter().filter(own);
        let values = values.filter_map(|range| value_set(text, range)).flat_map(|value| held_by(&value));
        let values: Vec<String> = values.collect();
        found.push((Rc::clone(&here), values));
    }
    found
}

/// Whether a class of the project of this name, no kin, may inherit the member from a class outside the project.
fn inherits_from_outside(
    resolver: &Resolver,
    name: &str,
    member: &str,
    is_stranger: impl Fn(&IndexedDeclaration) -> bool,
) -> Result<bool, Cancelled> {
    let mut classes = Vec::new();
    for here in with_name(resolver, name)? {
        let rows = here.outline.rows.iter().enumerate();
        let named = rows.filter(|(_, row)| is_class(row) && here.outline.name(row) == name);
        classes.extend(named.map(|(at, _)| here.target(at)).filter(&is_stranger));
    }
    if classes.is_empty() {
        return Ok(false);
    }
    let graph = ClassGraph::of_kin(resolver, &classes, Kin::Around)?;
    let may_inherit = |class: &IndexedDeclaration| {
        let above = graph.all_ancestors(std::slice::from_ref(class)).into_iter();
        let mut outside = above.flat_map(|at| graph.node(at).bases.iter().flat_map(|base| &base.outside));
        outside.any(|base| lookup_member(base, member) != MemberLookup::No)
    };
    Ok(classes.iter().any(may_inherit))
}

/// Returns the expression on which the attribute at `range` is set: `shop`, `pkg.shop`, `import_module("shop")`; empty if it is
/// no attribute.
pub(super) fn receiver_of(text: &str, range: TextRange) -> &str {
    let Some(receiver) = attribute_of(text, range).map(str::trim_end) else { return "" };
    let begin = match receiver.ends_with([')', ']']) {
        true => open_bracket(receiver, receiver.len() - 1).unwrap_or(receiver.len()),
        false => receiver.len(),
    };
    &receiver[begin - last_chain(&receiver[..begin]).len()..]
}

/// Returns the text before the dot of the attribute at `range`, if it is one.
fn attribute_of(text: &str, range: TextRange) -> Option<&str> {
    text[..range.start as usize].trim_end_matches([' ', '\t']).strip_suffix('.')
}
