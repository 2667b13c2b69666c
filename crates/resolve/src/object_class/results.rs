//! The class of what a function gives: by its written type, by `return self` in every case, or by the one value that it returns.

use super::agreed_class::{AgreedClass, given_value};
use super::items::item_value;
use super::walk::Walk;
use super::written_type::{annotation_end, tuple_item, type_class};
use crate::brackets::close_bracket;
use crate::context::text_before;
use crate::family::Family;
use crate::family_texts::words_of;
use crate::fluent::returns_itself;
use crate::hierarchy::classes::{is_class, is_function};
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::hierarchy::heads::without_comments;
use crate::python::fixtures::decorators;
use crate::python::function_values::class_of;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_syntax::Row;

/// Decorators of Python that leave alone what a function gives.
const PLAIN_DECORATORS: [&str; 9] = [
    "abstractmethod",
    "cache",
    "cached_property",
    "classmethod",
    "final",
    "lru_cache",
    "override",
    "property",
    "staticmethod",
];

/// The class before the dot of a call.
#[derive(Clone, Copy)]
pub(super) struct CallReceiver<'c> {
    pub(super) class: &'c IndexedDeclaration,
    /// Whether the class itself is written there, so that no class below it may be meant.
    pub(super) is_exact: bool,
}

/// Returns the class of what a call of the function gives.
pub(super) fn result_class(
    resolver: &Resolver,
    function: &IndexedDeclaration,
    receiver: Option<CallReceiver>,
    walk: &Walk,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let Some(here) = resolver.read_file(&function.file) else { return Ok(None) };
    let Some(at) = here.row_of(function) else { return Ok(None) };
    let row = &here.outline.rows[at];
    if is_class(row) || !gives_what_it_returns(&here, at) {
        return Ok(None);
    }
    if let Some((start, written)) = written_result(&here, row) {
        return type_class(resolver, &here, (written, start), receiver.map(|receiver| receiver.class));
    }
    let is_itself = match resolver.family {
        Family::Python => returns_itself(&here, at),
        _ => returns_this(&here, row),
    };
    let given = match (is_itself, receiver) {
        (true, Some(CallReceiver { class, is_exact: false })) => Some(class.clone()),
        // The object is an argument.
        (true, _) => None,
        (false, _) => returned_class(resolver, &here, at, walk)?,
    };
    match given {
        Some(given) if is_always_called(resolver, function, receiver)? => Ok(Some(given)),
        _ => Ok(None),
    }
}

/// Returns the class of the item of that number, from 0, of what a call of the function gives.
pub(super) fn result_item(
    resolver: &Resolver,
    function: &IndexedDeclaration,
    receiver: Option<CallReceiver>,
    number: usize,
    walk: &Walk,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let Some(here) = resolver.read_file(&function.file) else { return Ok(None) };
    let Some(at) = here.row_of(function) else { return Ok(None) };
    let row = &here.outline.rows[at];
    if is_class(row) || !gives_what_it_returns(&here, at) {
        return Ok(None);
    }
    if let Some((start, written)) = written_result(&here, row) {
        return match tuple_item(written, number) {
            Some((offset, item)) => {
                type_class(resolver, &here, (item, start + offset), receiver.map(|receiver| receiver.class))
            }
            None => Ok(None),
        };
    }
    let mut agreed = AgreedClass::default();
    for value in returned_values(&here, at).unwrap_or_default() {
        agreed.add(item_value(resolver, &here, (value, number), walk)?);
    }
    match agreed.class() {
        Some(given) if is_always_called(resolver, function, receiver)? => Ok(Some(given)),
        _ => Ok(None),
    }
}

/// Whether a call on this receiver always runs the function, and not one that overrides it.
fn is_always_called(
    resolver: &Resolver,
    function: &IndexedDeclaration,
    receiver: Option<CallReceiver>,
) -> Result<bool, Cancelled> {
    Ok(match receiver {
        Some(CallReceiver { is_exact: true, .. }) => true,
        Some(_) => !is_overridden(resolver, function)?,
        None => class_of(function).is_none(),
    })
}

/// Returns the class of what the function in a row returns.
fn returned_class(
    resolver: &Resolver,
    here: &CurrentFile,
    at: usize,
    walk: &Walk,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let Some(values) = returned_values(here, at) else { return Ok(None) };
    let mut agreed = AgreedClass::default();
    for value in values {
        agreed.add(given_value(resolver, here, value, walk)?);
    }
    Ok(agreed.class())
}

/// Whether a class below that of a method declares the method again, or may.
fn is_overridden(resolver: &Resolver, method: &IndexedDeclaration) -> Result<bool, Cancelled> {
    let Some(class) = class_of(method) else { return Ok(true) };
    let all = resolver.declared(method.name())?;
    if all.len() < 2 {
        return Ok(false);
    }
    let graph = ClassGraph::of_kin(resolver, std::slice::from_ref(&class), Kin::Around)?;
    let Some(own) = graph.number(&class) else { return Ok(true) };
    let below = graph.descendants(own);
    let is_below = |other: &IndexedDeclaration| {
        let number = class_of(other).and_then(|class| graph.number(&class));
        number.is_some_and(|at| at != own && below.contains(&at))
    };
    Ok(all.iter().any(is_below))
}

/// Whether nothing stands between the value that a function returns and what its call gives: no unknown decorator, and no `async`.
fn gives_what_it_returns(here: &CurrentFile, at: usize) -> bool {
    let row = &here.outline.rows[at];
    let head = here.text.as_str().get(row.start as usize..row.name_start as usize).unwrap_or("async");
    let is_plain = |line: &str| {
        let name = line.trim().split('(').next().unwrap_or("");
        PLAIN_DECORATORS.contains(&name.rsplit('.').next().unwrap_or(""))
    };
    match here.language.family {
        Family::Python => {
            let all = decorators(here, at);
            let mut lines = all.split('@').skip(1);
            !head.contains("async") && lines.all(|line| is_plain(line.lines().next().unwrap_or("")))
        }
        _ => !head.contains(['@', '*']) && !head.split_whitespace().any(|word| word == "async"),
    }
}

/// Returns the type that is written for what a function gives, and the byte at which it begins.
fn written_result<'h>(here: &'h CurrentFile, row: &Row) -> Option<(usize, &'h str)> {
    let text = here.text.as_str();
    let name_end = row.name_start as usize + usize::from(row.name_len);
    let whole = text.get(name_end..row.end as usize)?;
    let blank = without_comments(whole, here.language);
    let mut open = blank.len() - blank.trim_start_matches(['?', ' ']).len();
    // `const make = (…): Cart => …`
    if let Some(value) = blank[open..].strip_prefix('=').filter(|rest| !rest.starts_with(['=', '>'])) {
        open = blank.len() - value.trim_start().len();
    }
    if blank[open..].starts_with('<') {
        open += blank[open..].find('(')?;
    }
    if !blank[open..].starts_with('(') {
        return None;
    }
    let close = close_bracket(&blank, open);
    let behind = blank[close..].trim_start();
    let (mark, ends): (&str, &[char]) = match here.language.family {
        Family::Python => ("->", &[':']),
        _ => (":", &['{', ';', '=', '\n']),
    };
    let start = blank.len() - behind.strip_prefix(mark)?.len();
    let written = whole.get(start..)?;
    Some((name_end + start, &written[..annotation_end(written, ends)]))
}

/// Whether a method of JavaScript returns its own object, in the end and wherever else it returns anything.
fn returns_this(here: &CurrentFile, row: &Row) -> bool {
    let (start, end) = (row.start as usize, row.end as usize);
    let whole = here.text.as_str().get(start..end).unwrap_or("");
    let head = &whole[..(row.name_start as usize).saturating_sub(start).min(whole.len())];
    if head.split_whitespace().any(|word| word == "static") {
        return false;
    }
    let blank = without_comments(whole, here.language);
    let body = blank.trim_end().trim_end_matches('}').trim_end().trim_end_matches(';');
    body.ends_with("return this")
        && words_of(&blank, "return").all(|at| {
            let value = blank[at + "return".len()..].trim_start_matches(' ');
            value.strip_prefix("this").is_some_and(|rest| {
                let ends = rest.trim_start_matches(' ');
                let is_end = ends.is_empty() || ends.starts_with([';', '}', '\n', '\r']);
                // The next line may go on with it.
                is_end && !rest.trim_start().starts_with(['.', '?', '[', '(', '`'])
            })
        })
}

/// Returns the bytes of the values that a function returns; `None` for a generator, and where functions inside may be the ones that return.
fn returned_values(here: &CurrentFile, at: usize) -> Option<Vec<usize>> {
    let (text, row) = (here.text.as_str(), &here.outline.rows[at]);
    let mut below = at + 1..=at + row.descendants as usize;
    if below.any(|inner| is_function(&here.target(inner)) || is_class(&here.outline.rows[inner])) {
        return None;
    }
    let body = text.get(row.name_start as usize..row.end as usize)?;
    let blank = without_comments(body, here.language);
    let is_python = here.language.family == Family::Python;
    if words_of(&blank, "yield").next().is_some() || blank.contains("=>") {
        return None;
    }
    // A function inside a function of JavaScript is no row.
    if !is_python && blank.contains("function") {
        return None;
    }
    let value = |at: usize| {
        let value = body.get(at + "return".len()..)?;
        let start = row.name_start as usize + body.len() - value.trim_start_matches(' ').len();
        text_before(text, start, here.language.family).ends_with("return").then_some(start)
    };
    let is_bare = |at: &usize| {
        let behind = blank[at + "return".len()..].trim_start_matches(' ');
        behind.is_empty() || behind.starts_with(['\n', '\r', ';', '}'])
    };
    words_of(&blank, "return").filter(|at| !is_bare(at)).map(value).collect()
}
