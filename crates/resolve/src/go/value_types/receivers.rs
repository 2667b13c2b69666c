//! The methods of Go's types, which stand outside of them.

use std::rc::Rc;

use super::text_around::before;
use crate::context::last_word;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::RelPath;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// A method, with the type that its receiver names.
pub(crate) struct GoMethod {
    pub(crate) directory: RelPath,
    pub(crate) of: String,
    pub(crate) declaration: IndexedDeclaration,
}

/// Returns the name of the type in a receiver that ends a text: `func (s *Stack[T])`.
fn receiver_type(left: &str) -> Option<&str> {
    let inside = left.strip_suffix(')')?;
    let open = inside.rfind('(')?;
    // A method of an interface may follow the parameters of another one.
    if last_word(inside[..open].trim_end()) != "func" {
        return None;
    }
    let receiver = &inside[open + 1..];
    receiver.split('[').next().unwrap_or("").rsplit([' ', '*', '(', '\t']).next()
}

/// Returns the name of the type whose method is declared in a row; `None` for other declarations.
pub(crate) fn receiver_of(here: &CurrentFile, row: usize) -> Option<&str> {
    let row = here.outline.rows.get(row).filter(|row| row.kind() == SymbolKind::Method)?;
    receiver_type(before(here, row.name_start as usize))
}

/// Returns the methods called `name`, of all types. Cached: each use of a method asks for them.
pub(crate) fn methods_called(resolver: &Resolver, name: &str) -> Result<Rc<[GoMethod]>, Cancelled> {
    if let Some(known) = resolver.go_methods.borrow().get(name) {
        return Ok(known.clone());
    }
    let declared = resolver.declared(name)?;
    let methods = declared.iter().filter_map(|one| {
        one.row().filter(|(_, row)| row.parent().is_none())?;
        let here = resolver.read_file(&one.file)?;
        let of = receiver_of(&here, here.row_of(one)?)?.to_owned();
        let directory = one.file.path.parent().unwrap_or_else(RelPath::root);
        Some(GoMethod { directory, of, declaration: one.clone() })
    });
    let methods: Rc<[GoMethod]> = methods.collect();
    resolver.go_methods.borrow_mut().insert(name.to_owned(), methods.clone());
    Ok(methods)
}
