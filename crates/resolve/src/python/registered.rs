//! Python's virtual subclasses: a class that `@Abs.register` decorates, or that is passed to
//! `Abs.register(Class)`, counts as a subclass of the abstract class. Only where both are classes of the
//! project, and the abstract class has no `register` of its own.

use crate::context::{Receiver, receiver};
use crate::hierarchy::classes::{is_class, member};
use crate::hierarchy::heads::{arguments, named_type};
use crate::meaning::Meaning;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::{self, SearchStart};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

/// The name of the method that registers.
pub(crate) const REGISTER: &str = "register";

/// Finds the classes that a file registers, each with its abstract class.
pub(crate) fn registered(
    resolver: &Resolver,
    here: &CurrentFile,
) -> Result<Vec<(IndexedDeclaration, IndexedDeclaration)>, Cancelled> {
    let mut found = Vec::new();
    if !resolver.profile.is_dynamic || !here.outline.occurrences.contains(REGISTER) {
        return Ok(found);
    }
    let text = here.text.as_str();
    for at in here.outline.occurrences.offsets_of(REGISTER) {
        resolver.cancel.check()?;
        let Receiver::Chain(chain, start) = receiver(text, at as usize, resolver.family) else { continue };
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        let behind = at as usize + REGISTER.len();
        let is_decorator = text[..start as usize].ends_with('@');
        let class = match is_decorator {
            true => decorated(here, at),
            false => registered_argument(resolver, here, at, text, behind)?,
        };
        let Some(class) = class else { continue };
        let Meaning::Declared(all) =
            scope::resolve_chain(resolver, here, start, &chain, SearchStart::Inside)?
        else {
            continue;
        };
        for abstract_class in all.into_iter().filter(|one| one.row().is_some_and(|(_, row)| is_class(row))) {
            if !matches!(member(resolver, &abstract_class, REGISTER)?, Meaning::Declared(_)) {
                found.push((class.clone(), abstract_class));
            }
        }
    }
    Ok(found)
}

/// Returns the class that the decorator at byte `at` decorates.
fn decorated(here: &CurrentFile, at: u32) -> Option<IndexedDeclaration> {
    let mut rows = here.outline.rows.iter().enumerate();
    let (row, _) = rows.find(|(_, row)| row.start <= at && at < row.name_start && is_class(row))?;
    Some(here.target(row))
}

/// Returns the class that is the only argument of the call whose parenthesis opens at byte `behind`.
fn registered_argument(
    resolver: &Resolver,
    here: &CurrentFile,
    at: u32,
    text: &str,
    behind: usize,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let all = arguments(text, behind).unwrap_or_default();
    let [only] = all[..] else { return Ok(None) };
    let Some(chain) = named_type(here.language, only) else { return Ok(None) };
    let names: Vec<&str> = chain.split('.').collect();
    Ok(match scope::resolve_chain(resolver, here, at, &names, SearchStart::Inside)? {
        Meaning::Declared(found) => {
            found.into_iter().find(|one| one.row().is_some_and(|(_, row)| is_class(row)))
        }
        _ => None,
    })
}
