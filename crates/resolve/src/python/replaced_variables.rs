//! Variables of modules that other modules set: `shop.till = FakeTill()`. Where the variable is used its own module tells one
//! class, and it may hold an object of another that declares the same member. By the text, as in `dynamic_receivers`.

use std::collections::BTreeSet;

use crate::conflicts::SourcePlace;
use crate::context::{is_word, last_word};
use crate::hierarchy::classes::is_class;
use crate::hierarchy::graph::ClassGraph;
use crate::name_places::{places_of, with_name};
use crate::python::dynamic_receivers::{held, holders};
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::{Import, Imported, SymbolKind};

/// Finds where variables of other modules, on which the member `name` is used, are set to objects of classes that declare it too
/// and are no kin of its `owners`.
pub(crate) fn set_to_strangers(
    resolver: &Resolver,
    (graph, owners): (&ClassGraph, &[IndexedDeclaration]),
    name: &str,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let own = owners.iter().filter_map(|owner| graph.number(owner));
    let kin: BTreeSet<usize> =
        own.flat_map(|at| [at].into_iter().chain(graph.ancestors(at)).chain(graph.descendants(at))).collect();
    let is_stranger =
        |class: &IndexedDeclaration| graph.number(class).is_none_or(|number| !kin.contains(&number));
    let (mut receivers, mut strangers) = (BTreeSet::new(), Vec::new());
    for here in with_name(resolver, name)? {
        let text = here.text.as_str();
        for range in places_of(&here, name) {
            let receiver = text[..range.start as usize].trim_end().strip_suffix('.').map_or("", last_word);
            receivers.insert(receiver.to_owned());
        }
        let members = here.outline.rows.iter().filter(|row| here.outline.name(row) == name);
        let classes = members.filter_map(|row| row.parent()).filter(|&at| is_class(&here.outline.rows[at]));
        strangers.extend(classes.map(|at| here.target(at)).filter(is_stranger));
    }
    let mut found = Vec::new();
    if strangers.is_empty() {
        return Ok(found);
    }
    let mut sets = Vec::new();
    for receiver in receivers.iter().filter(|one| !matches!(one.as_str(), "" | "self" | "cls")) {
        let mut is_variable = false;
        for here in with_name(resolver, receiver)? {
            is_variable |= here.outline.rows.iter().any(|row| {
                row.parent().is_none()
                    && matches!(row.kind(), SymbolKind::Variable | SymbolKind::Constant)
                    && here.outline.name(row) == receiver
            });
            let places = places_of(&here, receiver).into_iter();
            sets.extend(places.filter(|range| is_of_import(&here, *range)).filter_map(|range| {
                let value = value_set(here.text.as_str(), range)?;
                Some((receiver, (here.file.path.clone(), range), held(value).to_owned()))
            }));
        }
        if !is_variable {
            sets.retain(|(of, ..)| *of != receiver);
        }
    }
    if sets.is_empty() {
        return Ok(found);
    }
    let holders = holders(resolver, &strangers)?;
    found.extend(sets.into_iter().filter(|(.., value)| holders.contains(value)).map(|(_, place, _)| place));
    Ok(found)
}

/// Whether the attribute at `range` is one of what the file imports: `shop.till`, `pkg.shop.till`.
fn is_of_import(here: &CurrentFile, range: TextRange) -> bool {
    let before = &here.text.as_str()[..range.start as usize];
    let chain = &before[before.trim_end_matches(|c: char| is_word(c) || c == '.').len()..];
    let first = chain.split('.').next().unwrap_or_default();
    let is_bound = |import: Import<'_>| match import.bound() {
        Some(bound) => bound == first,
        None => import.imported == Imported::Module && import.module.split('.').next() == Some(first),
    };
    chain.ends_with('.') && here.imports().iter().any(is_bound)
}

/// Returns the value that the statement gives to what stands at `range`: the rest of its line.
fn value_set(text: &str, range: TextRange) -> Option<&str> {
    let line = text[range.end as usize..].lines().next().unwrap_or_default();
    let value = line.trim_start().strip_prefix('=')?;
    let value = value.split_once('#').map_or(value, |(value, _)| value);
    (!value.starts_with('=')).then(|| value.trim())
}
