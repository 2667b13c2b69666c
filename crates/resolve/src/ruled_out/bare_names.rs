//! Bare names of Python, JavaScript and TypeScript, which never mean a member: parameters, locals and what modules declare under its
//! name. Invariant: a key, a shorthand, a keyword and what a class declares may be members.

use crate::binders::is_parameter_property;
use crate::context::{Receiver, argument_of, receiver};
use crate::enclosing::enclosing_row;
use crate::family::Family;
use crate::hierarchy::classes::{class_of, is_class, is_function};
use crate::place::{is_key, is_shorthand};
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// For each of `places`, where the targets' name stands as an identifier that does not mean them as far as scopes tell: returns whether
/// it stands alone, so that it means no member. Only `false` if one of the targets is not a member of a class.
pub fn rule_out_bare_names(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    places: &[(RelPath, TextRange)],
    cancel: &Cancel,
) -> Result<Vec<bool>, Cancelled> {
    let none = vec![false; places.len()];
    let family = targets.first().and_then(|first| Family::of(&first.file));
    let Some(family @ (Family::Python | Family::Ecma)) = family else { return Ok(none) };
    if !targets.iter().all(is_member) {
        return Ok(none);
    }
    let resolver = Resolver::new(sources, family, cancel);
    let is_out = |(path, range): &(RelPath, TextRange)| {
        cancel.check()?;
        let here = resolver.file(path.as_str()).and_then(|file| resolver.read_file(file));
        Ok(here.is_some_and(|here| stands_alone(&here, *range, family)))
    };
    places.iter().map(is_out).collect()
}

/// Whether no keyword of a call can mean the targets, members of classes of Python: methods, and attributes that no class body declares,
/// of which constructors make no parameters.
pub fn are_beyond_keywords(targets: &[IndexedDeclaration]) -> bool {
    let is_beyond = |target: &IndexedDeclaration| {
        target.row().is_some_and(|(outline, row)| {
            is_function(target) || enclosing_row(outline, row.name_start) != row.parent()
        })
    };
    targets.iter().all(|one| Family::dynamic_of(&one.file).is_some() && is_member(one) && is_beyond(one))
}

fn is_member(target: &IndexedDeclaration) -> bool {
    class_of(target).is_some()
}

fn stands_alone(here: &CurrentFile, range: TextRange, family: Family) -> bool {
    let text = here.text.as_str();
    let (start, end) = (range.start as usize, range.end as usize);
    if receiver(text, start, family) != Receiver::None {
        return false;
    }
    let rows = &here.outline.rows;
    if let Some(row) = rows.iter().find(|row| row.name_start == range.start) {
        let is_of_class = row.parent().is_some_and(|at| !row.is_local() && is_class(&rows[at]));
        if is_of_class || is_parameter_property(text, start) {
            return false;
        }
        // A member of an object that a constant holds.
        return family == Family::Python || row.is_local() || row.parent().is_none();
    }
    // A parameter with a default, which looks like a keyword, is a row.
    if argument_of(text, start, end, family).is_some() {
        return false;
    }
    let before = text.get(..start).unwrap_or("");
    let is_quoted = before.ends_with(['"', '\'', '`']);
    let is_key = family == Family::Ecma && (is_shorthand(text, start, end) || is_key(text, start, end));
    !is_quoted && !is_key
}
