//! Attributes that `__getattr__` or `__getattribute__` of a class of the project may answer: `relay.name`, where the class of
//! `relay` does not declare `name`. What it returns may be the symbol. By the text that tells which names hold such objects: a
//! receiver that is told here need not be one.

use std::collections::{BTreeSet, HashSet};

use crate::brackets::{close_bracket, open_bracket};
use crate::conflicts::SourcePlace;
use crate::context::{before_last_chain, first_word, is_word, last_word};
use crate::hierarchy::classes::is_class;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::hierarchy::overrides::own_member_rows;
use crate::name_places::{places_of, with_name};
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;

/// Methods that answer for attributes which the class does not declare.
const HOOKS: [&str; 2] = ["__getattr__", "__getattribute__"];

/// Finds the places `receiver.name` at which a class of the project may answer for the attribute.
pub(crate) fn answered_by_hooks(resolver: &Resolver, name: &str) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut attributes = Vec::new();
    for here in with_name(resolver, name)? {
        for range in places_of(&here, name) {
            let before = here.text.as_str()[..range.start as usize].trim_end();
            if let Some(receiver) = before.strip_suffix('.') {
                attributes.push((here.clone(), range, receiver.len()));
            }
        }
    }
    if attributes.is_empty() {
        return Ok(Vec::new());
    }
    let classes = dynamic_classes(resolver, name)?;
    if classes.is_empty() {
        return Ok(Vec::new());
    }
    let holders = holders(resolver, &classes)?;
    let mut found = Vec::new();
    for (here, range, end) in attributes {
        let receiver = &here.text.as_str()[..end];
        let is_own = || {
            let class = scope::class_around(&here, range.start);
            class.is_some_and(|class| classes.iter().any(|one| one.is_same_declaration(&class)))
        };
        let is_one = match held(receiver) {
            "self" => is_own(),
            word => holders.contains(word) || is_assigned_one(&here, word, &holders),
        };
        if is_one {
            found.push((here.file.path.clone(), range));
        }
    }
    Ok(found)
}

/// Returns the classes that answer for attributes called `name`: they, or a base, declare a hook, and none declares the name.
fn dynamic_classes(resolver: &Resolver, name: &str) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    let mut owners: Vec<IndexedDeclaration> = Vec::new();
    for hook in HOOKS {
        for here in with_name(resolver, hook)? {
            for row in here.outline.rows.iter().filter(|row| here.outline.name(row) == hook) {
                let class = row.parent().filter(|&at| is_class(&here.outline.rows[at]));
                owners.extend(class.map(|at| here.target(at)));
            }
        }
    }
    if owners.is_empty() {
        return Ok(Vec::new());
    }
    let graph = ClassGraph::of_kin(resolver, &owners, Kin::Around)?;
    let mut all = graph.all_descendants(&owners);
    let declares = |at: usize| !own_member_rows(&graph.node(at).class, name).is_empty();
    all.retain(|&at| !graph.ancestors(at).into_iter().any(declares));
    Ok(graph.classes(all))
}

/// Returns the names of variables, attributes and functions that hold or return objects of the classes, anywhere in the project, and the classes' own.
pub(super) fn holders(
    resolver: &Resolver,
    classes: &[IndexedDeclaration],
) -> Result<HashSet<String>, Cancelled> {
    let names: BTreeSet<&str> = classes.iter().map(IndexedDeclaration::name).collect();
    let mut found: HashSet<String> = names.iter().map(|&name| name.to_owned()).collect();
    for name in names {
        for here in with_name(resolver, name)? {
            found.extend(places_of(&here, name).into_iter().filter_map(|range| holder(&here, range)));
        }
    }
    Ok(found)
}

/// Returns the name that gets an object of the class named at `range`, or has it as its type.
fn holder(here: &CurrentFile, range: TextRange) -> Option<String> {
    let text = here.text.as_str();
    let behind = text[range.end as usize..].trim_start_matches([' ', '\t']);
    // `module.Class`
    let left = before_last_chain(&text[..range.start as usize]);
    let statement = left.trim_end_matches([' ', '\t', '(', '\n']);
    if behind.starts_with('(') {
        if let Some(bound) =
            statement.strip_suffix('=').filter(|bound| !bound.ends_with(['=', '!', '<', '>']))
        {
            return bound_name(bound.trim_end_matches(':'));
        }
        if matches!(last_word(statement), "return" | "yield") {
            let function = scope::function_around(here, range.start)?;
            return Some(here.outline.name(&here.outline.rows[function]).to_owned());
        }
        let rest = &text[close_bracket(text, text.len() - behind.len())..];
        let named = rest.trim_start().strip_prefix("as ")?;
        return Some(first_word(named.trim_start()).to_owned()).filter(|name| !name.is_empty());
    }
    // `name: Optional["Class"]`, `def name() -> Class:`
    let types = left.trim_end_matches(|c: char| is_word(c) || " \t\n.[]|,\"'".contains(c));
    if types.ends_with("->") {
        let head = &types[..types.rfind("def ")? + 4];
        return Some(first_word(text[head.len()..].trim_start()).to_owned());
    }
    let annotated = types.strip_suffix(':')?;
    Some(last_word(annotated.trim_end()).to_owned()).filter(|name| !name.is_empty())
}

/// Returns the name that an assignment binds whose left side ends `bound`: `self.name`, `name: Type`.
fn bound_name(bound: &str) -> Option<String> {
    let line = bound.rsplit('\n').next().unwrap_or_default();
    // A parameter's default stands behind others: `def f(a: A, name: Type = Class())`.
    let from = line.rfind(['(', ',']).map_or(0, |at| at + 1);
    let own = &line[from..];
    let target = own.split_once(':').map_or(own, |(target, _)| target);
    Some(last_word(target.trim_end()).to_owned()).filter(|name| !name.is_empty())
}

/// Returns the last name of an expression that ends `text`, without what is called or taken by a subscript: `hook` of `a.hook()`.
pub(super) fn held(text: &str) -> &str {
    let mut text = text.trim_end();
    while text.ends_with([')', ']']) {
        let Some(open) = open_bracket(text, text.len() - 1) else { return "" };
        text = text[..open].trim_end();
    }
    last_word(text)
}

/// Whether the file assigns to the name what `holders` tell of: `relay = manager.hook`.
fn is_assigned_one(here: &CurrentFile, name: &str, holders: &HashSet<String>) -> bool {
    let text = here.text.as_str();
    !name.is_empty()
        && places_of(here, name).into_iter().any(|range| {
            let line = text[range.end as usize..].lines().next().unwrap_or_default();
            let value = line.split_once('=').filter(|(left, _)| {
                let left = left.trim();
                left.is_empty() || left == ":" || left.starts_with(':')
            });
            value.is_some_and(|(_, value)| {
                let value = value.split_once('#').map_or(value, |(value, _)| value);
                holders.contains(held(value))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_name_of_a_receiver() {
        for (text, expected) in
            [("a.hook", "hook"), ("x = f(a.b).c(1)[2]", "c"), ("(a)", ""), ("g()", "g"), ("]", "")]
        {
            assert_eq!(held(text), expected, "{text}");
        }
    }

    #[test]
    fn what_an_assignment_binds() {
        for (text, expected) in [
            ("x\n    self.hook: Final ", Some("hook")),
            ("hook ", Some("hook")),
            ("def f(a: A, relay: R ", Some("relay")),
            ("x[0] ", None),
        ] {
            assert_eq!(bound_name(text).as_deref(), expected, "{text}");
        }
    }
}
