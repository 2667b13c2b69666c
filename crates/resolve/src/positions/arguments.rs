//! Calls of constructors of Python whose parameters are the fields of a class, in their order: those of named tuples and
//! dataclasses; and values of named tuples that are taken apart (`unpacked`).

use super::{PositionUse, own_constructor, unpacked, uses_of_type};
use crate::context::{Receiver, first_word, receiver, text_after};
use crate::hierarchy::classes::{is_class, walk_bases};
use crate::hierarchy::heads::arguments;
use crate::hierarchy::subclasses::heirs;
use crate::profiles::FieldParameters;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// Finds a call that gives the field `target` by its position.
pub(super) fn find(
    resolver: &Resolver,
    target: &IndexedDeclaration,
    rules: &FieldParameters,
) -> Result<Option<PositionUse>, Cancelled> {
    let Some(here) = resolver.read_file(&target.file) else { return Ok(None) };
    let rows = &here.outline.rows;
    let Some(row) = rows.get(target.row) else { return Ok(None) };
    let Some(class) = row.parent().filter(|&at| is_class(&rows[at])) else { return Ok(None) };
    let class_has_parameters =
        own_constructor(&here, class).is_none() && has_parameters(&here, &rows[class], rules);
    if !is_parameter(&here, row, rules) || !class_has_parameters {
        return Ok(None);
    }
    let is_before = |one: &&Row| one.parent == row.parent && one.name_start < row.name_start;
    let own: Vec<&str> = rows
        .iter()
        .filter(is_before)
        .filter(|one| is_parameter(&here, one, rules))
        .map(|one| here.outline.name(one))
        .collect();
    let is_tuple = is_tuple(&here, &rows[class], rules);
    let class = here.target(class);
    let inherited = inherited_parameters(resolver, &class, rules)?;
    // A field that a base declares too keeps its place there, which is not counted.
    let place = match inherited.contains(here.outline.name(row)) {
        true => 0,
        false => inherited.len() + own.iter().filter(|name| !inherited.contains(**name)).count(),
    };
    let mut classes = heirs(resolver, &class)?;
    classes.insert(0, class);
    for (number, class) in classes.iter().enumerate() {
        let Some(here) = resolver.read_file(&class.file) else { continue };
        if number > 0
            && let Some(found) = base_call(&here, class, classes[0].name(), place)
        {
            return Ok(Some(found));
        }
        // Its calls give the parameters of its own constructor.
        if own_constructor(&here, class.row).is_some() {
            continue;
        }
        if let Some(found) = own_call(resolver, class, place) {
            return Ok(Some(found));
        }
        let uses = uses_of_type(resolver, class)?;
        if is_tuple && let Some(found) = unpacked::find(resolver, class, place, &uses)? {
            return Ok(Some(found));
        }
        for one in uses {
            resolver.cancel.check()?;
            // `class P(NamedTuple)` calls nothing.
            let is_declared = |start: u32| one.here.outline.rows.iter().any(|row| row.name_start == start);
            for range in one.ranges.iter().filter(|range| !is_declared(range.start)) {
                if let Some(found) = call(&one.here, range.end as usize, place) {
                    return Ok(Some(found));
                }
            }
        }
    }
    Ok(None)
}

/// Whether the constructor has a parameter for what a row declares: it is annotated, and nothing says otherwise.
fn is_parameter(here: &CurrentFile, row: &Row, rules: &FieldParameters) -> bool {
    let end = row.name_start as usize + usize::from(row.name_len);
    let declared = here.text.as_str().get(end..row.end as usize).unwrap_or("");
    let compact: String = declared.split_whitespace().collect();
    matches!(
        row.kind(),
        SymbolKind::Variable | SymbolKind::Field | SymbolKind::Property | SymbolKind::Constant
    ) && compact.starts_with(':')
        && !rules.not_taken.iter().any(|word| compact.contains(word))
}

/// Whether a class's head says that its fields are the parameters of its constructor.
fn has_parameters(here: &CurrentFile, class: &Row, rules: &FieldParameters) -> bool {
    let text = here.text.as_str();
    let decorators = text.get(class.start as usize..class.name_start as usize).unwrap_or("");
    let last = |path: &str| path.trim().rsplit('.').next().unwrap_or("").to_owned();
    let is_decorated = decorators.split('@').skip(1).any(|one| {
        let end = one.find(['(', '\n', '\r']).unwrap_or(one.len());
        let arguments: String = one[end..].split_whitespace().collect();
        let is_own = !rules.named_only.iter().any(|one| arguments.contains(one));
        is_own && rules.decorators.contains(&last(&one[..end]).as_str())
    });
    is_decorated || is_tuple(here, class, rules)
}

/// Whether the values of a class are tuples.
fn is_tuple(here: &CurrentFile, class: &Row, rules: &FieldParameters) -> bool {
    let name_end = class.name_start as usize + usize::from(class.name_len);
    let bases = arguments(here.text.as_str(), name_end).unwrap_or_default();
    bases.into_iter().any(|base| rules.bases.contains(&base.trim().rsplit('.').next().unwrap_or("")))
}

/// Returns the fields of the bases of a class, which its constructor takes before its own. Those of unknown bases are not among them.
fn inherited_parameters(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    rules: &FieldParameters,
) -> Result<BTreeSet<String>, Cancelled> {
    let mut names = BTreeSet::new();
    walk_bases(resolver, class, |base| {
        let of_base = || {
            let here = resolver.read_file(&base.file)?;
            let at = here.row_of(base)?;
            has_parameters(&here, &here.outline.rows[at], rules).then_some((here, at))
        };
        if let Some((here, at)) = of_base() {
            let fields = here.outline.rows.iter().filter(|row| row.parent() == Some(at));
            let fields = fields.filter(|row| is_parameter(&here, row, rules));
            names.extend(fields.map(|row| here.outline.name(row).to_owned()));
        }
        ControlFlow::Continue(())
    })?;
    Ok(names)
}

/// Returns the call whose parenthesis opens at byte `at`, if it gives more values by position than `place`; also by way of
/// another name that an import gives, `import P as Q`.
fn call(here: &CurrentFile, at: usize, place: usize) -> Option<PositionUse> {
    let text = here.text.as_str();
    let behind = text_after(text, at);
    if let Some(alias) = behind.strip_prefix("as ").map(|rest| first_word(rest.trim_start()))
        && !alias.is_empty()
    {
        let mut uses = here.outline.occurrences.offsets_of(alias);
        return uses.find_map(|start| called(here, start as usize + alias.len(), place));
    }
    called(here, at, place)
}

fn called(here: &CurrentFile, at: usize, place: usize) -> Option<PositionUse> {
    let text = here.text.as_str();
    // Takes all values in their order.
    if text.get(at..)?.starts_with("._make(") {
        return Some(PositionUse::at(here, at));
    }
    let given = arguments(text, at)?;
    let given: Vec<&str> = given.iter().map(|one| one.trim()).collect();
    let is_spread = given.iter().any(|one| one.starts_with('*') && !one.starts_with("**"));
    let is_named = |one: &&&str| {
        let behind = text_after(one, first_word(one).len());
        behind.starts_with('=') && !behind.starts_with("==") || one.starts_with("**")
    };
    let by_position = given.len() - given.iter().filter(is_named).count();
    (is_spread || by_position > place).then(|| PositionUse::at(here, at))
}

/// Returns a call of the generated constructor inside a class that inherits from the one called `base`: `super().__init__(1, 2)`,
/// `Base.__init__(self, 1, 2)`.
fn base_call(
    here: &CurrentFile,
    class: &IndexedDeclaration,
    base: &str,
    place: usize,
) -> Option<PositionUse> {
    let (name, (outline, row)) = (here.outline.name(own_constructor(here, class.row)?), class.row()?);
    let inside = outline.occurrences.offsets_of(name).filter(|at| row.start <= *at && *at < row.end);
    inside.map(|at| at as usize).find_map(|at| {
        let end = at + name.len();
        match receiver(here.text.as_str(), at, here.language.family) {
            Receiver::Super => called(here, end, place),
            // The object is the first argument.
            Receiver::Chain(chain, _) if chain.last() == Some(&base) => called(here, end, place + 1),
            _ => None,
        }
    })
}

/// Returns a call inside the class that names it by `cls` or by the object's class.
fn own_call(resolver: &Resolver, class: &IndexedDeclaration, place: usize) -> Option<PositionUse> {
    let here = resolver.read_file(&class.file)?;
    let (start, end) = class.row().map(|(_, row)| (row.start, row.end))?;
    resolver.profile.members.constructors.own_class_names.iter().find_map(|name| {
        let mut inside = here.outline.occurrences.offsets_of(name).filter(|at| start <= *at && *at < end);
        inside.find_map(|at| called(&here, at as usize + name.len(), place))
    })
}
