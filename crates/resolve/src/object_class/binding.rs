//! The class of what a variable, a parameter or a member of a class holds: by its annotation, or by the only value that it is ever given.

use super::chain::chain_ending;
use super::results::{CallReceiver, result_class};
use super::walk::Walk;
use super::written_type::{annotation_end, type_class};
use super::{class_of_chain, class_of_value, python_values};
use crate::brackets::{close_bracket, open_bracket};
use crate::context::{last_word, text_before};
use crate::family::Family;
use crate::hierarchy::classes::{self, is_class, is_function};
use crate::meaning::Meaning;
use crate::name_places::{places_of, with_name};
use crate::python::function_heads::is_parameter;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;

/// Whether a name is a variable, or parameter, or a member of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundKind {
    Variable,
    Member,
}

/// How a variable gets its value, by the text around its name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Bound<'t> {
    /// It has the type that is written at this byte.
    Type(usize, &'t str),
    /// Its value begins at this byte.
    Value(usize),
    /// It is what the context manager gives that ends at this byte: `with open() as name`.
    Context(usize),
    Unknown,
}

/// Returns the class of what the variable called `name` holds at byte `at`, where it is used or bound; `declared` are its declarations
/// in the outline, none for a local that the outline does not list.
pub(super) fn variable_class(
    resolver: &Resolver,
    here: &CurrentFile,
    (at, name): (u32, &str),
    declared: &[IndexedDeclaration],
    walk: &Walk,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let starts: Option<Vec<u32>> = match declared {
        [] => local_at(resolver, here, at, name).map(|start| vec![start]),
        all => all.iter().map(|one| Some(here.outline.rows[here.row_of(one)?].name_start)).collect(),
    };
    let Some([start, others @ ..]) = starts.as_deref() else { return Ok(None) };
    if resolver.family == Family::Python {
        let ask =
            || python_values::variable_class(resolver, here, starts.as_deref().unwrap_or(&[]), name, walk);
        return walk.about((here.file.path.clone(), *start), ask).unwrap_or(Ok(None));
    }
    if !others.is_empty() {
        return Ok(None);
    }
    match bound_at(here, *start as usize, name, BoundKind::Variable) {
        Bound::Unknown | Bound::Context(_) => Ok(None),
        Bound::Type(at, written) => type_class(resolver, here, (written, at), None),
        Bound::Value(_) if is_bound_again(resolver, here, *start, name)? => Ok(None),
        Bound::Value(at) => class_of_value(resolver, here, at, walk),
    }
}

/// Returns the class of what a member of an object of `class` holds; `found` are its declarations.
pub(super) fn member_class(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    found: &[IndexedDeclaration],
    walk: &Walk,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let Some(one) = found.first() else { return Ok(None) };
    let Some(here) = resolver.read_file(&one.file) else { return Ok(None) };
    let Some(at) = here.row_of(one) else { return Ok(None) };
    let row = &here.outline.rows[at];
    let name = here.outline.name(row);
    let head = here.text.as_str().get(row.start as usize..row.name_start as usize).unwrap_or("");
    let is_getter = head.split_whitespace().any(|word| word == "get") || head.contains("property");
    // A property's setter has its name.
    if is_getter && (found.len() == 1 || found.iter().all(is_function)) {
        return result_class(resolver, one, Some(CallReceiver { class, is_exact: false }), walk);
    }
    if found.iter().any(is_function) {
        return Ok(None);
    }
    if resolver.family == Family::Python {
        let ask = || python_values::member_class(resolver, class, found, walk);
        return walk.about((one.file.path.clone(), row.name_start), ask).unwrap_or(Ok(None));
    }
    if found.len() > 1 {
        return Ok(None);
    }
    match bound_at(&here, row.name_start as usize, name, BoundKind::Member) {
        Bound::Type(at, written) => type_class(resolver, &here, (written, at), Some(class)),
        Bound::Value(at)
            if !is_set_elsewhere(resolver, &here, row.name_start, (name, BoundKind::Member))? =>
        {
            class_of_value(resolver, &here, at, walk)
        }
        _ => Ok(None),
    }
}

/// Returns the byte of the name where the innermost local is bound that the outline does not list.
fn local_at(resolver: &Resolver, here: &CurrentFile, at: u32, name: &str) -> Option<u32> {
    let holds = |scope: &&TextRange| scope.start <= at && at < scope.end;
    let length = |scope: &TextRange| scope.end - scope.start;
    let locals = here.locals_called(resolver, name)?.filter(|local| !local.is_type);
    let around = locals.filter_map(|local| Some((length(local.scopes.iter().find(holds)?), local)));
    let (_, local) = around.min_by_key(|(length, _)| *length)?;
    local.is_sure.then_some(local.name.start)
}

/// Reads what stands around the name at byte `start` where it is bound.
pub(super) fn bound_at<'h>(here: &'h CurrentFile, start: usize, name: &str, kind: BoundKind) -> Bound<'h> {
    let text = here.text.as_str();
    let (family, end) = (here.language.family, start + name.len());
    let (left, behind) = (text_before(text, start, family), text.get(end..).unwrap_or(""));
    let line = text[..start].rsplit('\n').next().unwrap_or("").trim();
    let is_alone = line.is_empty() || line == "self.";
    let mark = behind.trim_start_matches(['?', '!']).trim_start_matches(' ');
    let annotation = mark.strip_prefix(':').filter(|rest| !rest.starts_with('='));
    let value = mark.strip_prefix('=').filter(|rest| !rest.starts_with(['=', '>']));
    let place = |rest: &str| text.len() - rest.len();
    if family == Family::Python {
        let is_parameter = || {
            let at = u32::try_from(start).unwrap_or(u32::MAX);
            scope::around(here, at).first().is_some_and(|&row| is_parameter(here, row, at))
                && !left.ends_with('*')
        };
        return match (annotation, value) {
            (Some(rest), _) if is_alone || is_parameter() => {
                Bound::Type(place(rest), &rest[..annotation_end(rest, &[',', '=', '\n', '#'])])
            }
            (None, Some(rest)) if is_alone && !is_in_parentheses(text, start) => {
                Bound::Value(place(rest.trim_start_matches(' ')))
            }
            _ if last_word(left) == "as" && line.starts_with("with ") => {
                Bound::Context(text_before(text, left.len() - "as".len(), family).len())
            }
            _ => Bound::Unknown,
        };
    }
    // A default of a parameter or of a pattern.
    let is_argument = kind == BoundKind::Variable && left.ends_with(['(', ',', '{', '[']);
    match (annotation, value) {
        (Some(rest), _) if !left.ends_with("...") => {
            Bound::Type(place(rest), &rest[..annotation_end(rest, &[',', '=', '\n', ';'])])
        }
        (None, Some(rest)) if !is_argument => Bound::Value(place(rest.trim_start())),
        _ => Bound::Unknown,
    }
}

/// Whether the variable of JavaScript that is bound at byte `start` may be bound to something else, too.
fn is_bound_again(
    resolver: &Resolver,
    here: &CurrentFile,
    start: u32,
    name: &str,
) -> Result<bool, Cancelled> {
    let text = here.text.as_str();
    if last_word(text_before(text, start as usize, resolver.family)) == "const" {
        return Ok(false);
    }
    for range in places_of(here, name).into_iter().filter(|range| range.start != start) {
        if is_assigned(text, range) && is_same_variable(resolver, here, (start, range.start), name)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the name at a place of JavaScript is assigned something: `name = 1`, `name += 1`, `[name] = list`.
fn is_assigned(text: &str, range: TextRange) -> bool {
    let before = text[..range.start as usize].trim_end();
    let behind = text[range.end as usize..].trim_start();
    let signs = ["+=", "-=", "*=", "/=", "||=", "&&=", "??=", "++", "--", "of ", "in "];
    let is_set = |behind: &str| behind.strip_prefix('=').is_some_and(|rest| !rest.starts_with(['=', '>']));
    let is_in_pattern = || {
        let open = open_bracket(text, range.start as usize).filter(|&open| !text[open..].starts_with('('));
        open.is_some_and(|open| is_set(text[close_bracket(text, open)..].trim_start()))
    };
    let is_member = before.ends_with('.') && !before.ends_with("...");
    !is_member && (is_set(behind) || signs.iter().any(|sign| behind.starts_with(sign)) || is_in_pattern())
}

/// Whether byte `at` stands directly in parentheses, such as those of a function's parameters.
fn is_in_parentheses(text: &str, at: usize) -> bool {
    open_bracket(text, at).is_some_and(|open| text[open..].starts_with('('))
}

/// Whether the name means the same variable at two places, or may.
pub(super) fn is_same_variable(
    resolver: &Resolver,
    here: &CurrentFile,
    (one, other): (u32, u32),
    name: &str,
) -> Result<bool, Cancelled> {
    // A parameter is declared before the body begins, where its name is looked up.
    let parent = |at: u32| {
        let row = here.outline.rows.iter().find(|row| row.name_start == at);
        row.map(|row| row.parent())
    };
    if let (Some(mine), Some(theirs)) = (parent(one), parent(other)) {
        return Ok(mine == theirs);
    }
    let meaning = |at: u32| scope::resolve_name(resolver, here, at, name);
    Ok(match (meaning(one)?, meaning(other)?) {
        (Meaning::Declared(mine), Meaning::Declared(theirs)) => {
            mine.iter().any(|my| theirs.iter().any(|their| my.is_same_declaration(their)))
        }
        _ => true,
    })
}

/// Whether what is set at byte `start`, a member by its class or a variable by its module, is set as a member at any other place, by its
/// name; or whether another class declares the member.
pub(super) fn is_set_elsewhere(
    resolver: &Resolver,
    here: &CurrentFile,
    start: u32,
    (name, kind): (&str, BoundKind),
) -> Result<bool, Cancelled> {
    for there in with_name(resolver, name)? {
        let is_own = there.file.path == here.file.path;
        for range in places_of(&there, name).into_iter().filter(|range| !is_own || range.start != start) {
            let is_declared = || kind == BoundKind::Member && is_declared_by_class(&there, range.start);
            if is_declared() || is_set_member(there.text.as_str(), range) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether the name at a byte is that of a declaration in a class: one below, perhaps, which declares a member again.
fn is_declared_by_class(there: &CurrentFile, start: u32) -> bool {
    let rows = &there.outline.rows;
    rows.iter().any(|row| {
        let is_it = row.name_start == start && !row.is_local();
        is_it && row.parent().is_some_and(|parent| is_class(&rows[parent]))
    })
}

/// Whether the name at a place is a member that may be set there: alone, among several targets, by a loop or by `with`.
pub(super) fn is_set_member(text: &str, range: TextRange) -> bool {
    let (before, behind) = (&text[..range.start as usize], text[range.end as usize..].trim_start());
    let line_before = before.rsplit('\n').next().unwrap_or("").trim_start();
    let line_behind = behind.split('\n').next().unwrap_or("");
    let is_plain = behind.trim_start_matches(['+', '-', '|', '&', '?', ' ', ':']).starts_with('=')
        && !behind.starts_with("==");
    let is_one_of_several = behind.starts_with([',', ']', '}', ')']) && line_behind.contains('=');
    let is_target = line_before.starts_with("for ") || line_before.contains(" as ");
    before.trim_end().ends_with('.') && (is_plain || is_one_of_several || is_target)
}

/// Returns the class of what the context manager that ends at byte `end` gives.
pub(super) fn context_class(
    resolver: &Resolver,
    here: &CurrentFile,
    end: usize,
    walk: &Walk,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let Some((start, chain)) = chain_ending(here.text.as_str(), end, here.language) else { return Ok(None) };
    // `with a or B() as name` may be either.
    let left = text_before(here.text.as_str(), start, here.language.family);
    if last_word(left) != "with" && !left.ends_with([',', '(']) {
        return Ok(None);
    }
    let Some(class) = class_of_chain(resolver, here, (start, &chain), walk)? else {
        return Ok(None);
    };
    match classes::member(resolver, &class, "__enter__")? {
        Meaning::Declared(found) => match &found[..] {
            [method] if !is_class_row(method) => {
                result_class(resolver, method, Some(CallReceiver { class: &class, is_exact: false }), walk)
            }
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

fn is_class_row(one: &IndexedDeclaration) -> bool {
    one.row().is_some_and(|(_, row)| is_class(row))
}
