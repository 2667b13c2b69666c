//! The locals of Python: what functions, lambdas, comprehensions and lists of type parameters bind, each with all the places of
//! its name. Follows the language's scopes: a class body is seen by nothing inside of it, defaults, decorators and bases
//! belong outside, the first iterable of a comprehension too, and `:=` binds around comprehensions. Invariant: a local is `sure`
//! only in a text without syntax errors, and where no place of it may mean another variable.

mod patterns;
mod scopes;
#[cfg(test)]
mod tests;
mod walk;

use self::scopes::{ScopeKind, Scopes};
use self::walk::Walk;
use super::{BoundLocal, LocalBindings, range_of};
use crate::extract::{OutlineError, with_tree};
use crate::grammar::Grammar;
use symd_base::{Cancel, TextRange};

/// Returns one local for each variable that is not a module's or a class's. Its scopes are the places of its name, ascending, the
/// declared one among them.
///
/// # Errors
/// Those of parsing: cancelled, or larger than 4 GiB.
pub(super) fn bindings(grammar: Grammar, text: &str, cancel: &Cancel) -> Result<LocalBindings, OutlineError> {
    with_tree(grammar, text, cancel, |tree| {
        let mut scopes = Scopes::new();
        Walk::new(text, &mut scopes).run(tree.root_node(), cancel)?;
        let mut found = LocalBindings::default();
        if tree.root_node().has_error() {
            found.unparsed.push(range_of(tree.root_node()));
        }
        for variable in scopes.variables() {
            let is_local = !matches!(variable.kind, ScopeKind::Module | ScopeKind::Class);
            let Some(&first) = variable.places.first().filter(|_| is_local) else { continue };
            let length = u32::try_from(variable.name.len()).unwrap_or(u32::MAX);
            let place = |at: u32| TextRange::new(at, at.saturating_add(length));
            found.locals.push(BoundLocal {
                name: place(first),
                scopes: variable.places.iter().map(|&at| place(at)).collect(),
                is_sure: variable.is_sure && found.unparsed.is_empty(),
                is_type: false,
            });
        }
        Ok(found)
    })?
}
