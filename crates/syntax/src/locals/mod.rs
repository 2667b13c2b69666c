//! Which names a text binds as locals, and where they are in scope, by its syntax tree: what an outline does not hold. One
//! module for each language. Invariant: a local is `sure` only where the text around it was understood, so that a name of
//! unknown meaning stays one.

mod ecma;
mod go;
#[cfg(test)]
mod marked;
mod rust;

use crate::extract::OutlineError;
use crate::grammar::Grammar;
use symd_base::{Cancel, TextRange};

/// The locals and the bare field names of a text. Ranges are in bytes, exclusive of their end.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LocalBindings {
    /// One entry for each name that is bound, in no particular order.
    pub locals: Vec<BoundLocal>,
    /// Where the names of fields stand without a receiver, ascending: in Rust in literals and patterns of structs, in JavaScript
    /// in objects and types, and as JSX's attributes; so do the elements that the browser knows, `<button>`.
    pub field_names: Vec<u32>,
    /// TypeScript: where names stand in types, ascending. Only the names of types are looked up there.
    pub type_names: Vec<u32>,
    /// Rust: attributes, definitions of macros, and arguments of macros that may combine names with other tokens.
    pub combined: Vec<TextRange>,
    /// Parts of the text with syntax errors; in Rust also arguments of macros that are no expressions.
    pub unparsed: Vec<TextRange>,
}

impl LocalBindings {
    /// Returns about how many bytes of memory it takes.
    pub fn memory(&self) -> usize {
        let of_locals: usize =
            self.locals.iter().map(|local| size_of_val(local) + size_of_val(&*local.scopes)).sum();
        of_locals
            + 4 * (self.field_names.len() + self.type_names.len())
            + size_of_val(&*self.combined)
            + size_of_val(&*self.unparsed)
    }
}

/// A name that a text binds.
#[derive(Debug, PartialEq, Eq)]
pub struct BoundLocal {
    pub name: TextRange,
    /// Where the name means this local, except where another one hides it.
    pub scopes: Vec<TextRange>,
    /// Whether it certainly is a local with these scopes.
    pub is_sure: bool,
    /// Whether it is a type in a language where types and values of one name do not hide each other.
    pub is_type: bool,
}

/// Returns what a text binds; nothing in languages whose locals are not read from the tree.
///
/// # Errors
/// Those of parsing: cancelled, or larger than 4 GiB.
pub fn local_bindings(grammar: Grammar, text: &str, cancel: &Cancel) -> Result<LocalBindings, OutlineError> {
    match grammar.name() {
        "rust" => rust::bindings(grammar, text, cancel),
        "go" => go::bindings(grammar, text, cancel),
        "javascript" | "typescript" | "tsx" => ecma::bindings(grammar, text, cancel),
        _ => Ok(LocalBindings::default()),
    }
}
