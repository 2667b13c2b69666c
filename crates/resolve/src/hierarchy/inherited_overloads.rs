//! Overloads of a name that a class inherits beside those that it declares, in languages where these do not hide each other:
//! arguments tell which one a call means.

use std::ops::ControlFlow;

use crate::hierarchy::classes::{is_function, own_members, walk_bases};
use crate::hierarchy::signature::MemberHead;
use crate::resolver::Resolver;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

/// Returns `own`, functions that `class` declares by one name, and those of its bases that none of them overrides. `own`
/// alone in languages where they hide what is inherited, and where a value is among them.
pub(crate) fn with_inherited_overloads(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    name: &str,
    own: Vec<IndexedDeclaration>,
) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    if !resolver.profile.members.inherits_overloads || !own.iter().all(is_function) {
        return Ok(own);
    }
    let mut found = own;
    walk_bases(resolver, class, |base| {
        for one in own_members(resolver, base, name).into_iter().filter(is_function) {
            if !found.iter().any(|known| may_override(resolver, known, &one)) {
                found.push(one);
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// Whether a function has the parameters of an inherited one, or says that it overrides one with as many.
fn may_override(resolver: &Resolver, one: &IndexedDeclaration, inherited: &IndexedDeclaration) -> bool {
    let head = |of: &IndexedDeclaration| {
        let here = resolver.read_file(&of.file)?;
        Some(MemberHead::read(&here, &resolver.profile.members, here.row_of(of)?))
    };
    let (Some(one), Some(inherited)) = (head(one), head(inherited)) else { return true };
    one.parameters == inherited.parameters || one.overrides && one.has_arity_of(&inherited)
}
