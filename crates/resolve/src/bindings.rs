//! Declarations that bind the same name: in Python, all declarations of a name in one scope, whichever of
//! them runs; in Java and its like, a class and its constructors.

use super::class_names::declared_with_class;
use super::family::Family;
use super::sources::IndexedDeclaration;
use symd_syntax::SymbolKind;

/// Returns the other declarations of the variable, function or class that `target` declares in its module or
/// function: in other branches of an `if`, or in an `except`. Also a class's constructors where they have its name, and
/// from a constructor the class. Empty for other members of classes, which are linked as overrides are.
pub fn other_bindings(target: &IndexedDeclaration) -> Vec<IndexedDeclaration> {
    let redeclares = Family::of(&target.file).is_some_and(|family| family.profile().uses.redeclares);
    let Some((outline, row)) = target.row().filter(|_| redeclares) else {
        return declared_with_class(target);
    };
    let is_in_class = row.parent().is_some_and(|at| outline.rows[at].kind() == SymbolKind::Class);
    if is_in_class || row.is_local() {
        return Vec::new();
    }
    let name = outline.name(row);
    let binds_it = |at: &usize| {
        let other = &outline.rows[*at];
        *at != target.row && other.parent == row.parent && !other.is_local() && outline.name(other) == name
    };
    let others = (0..outline.rows.len()).filter(binds_it);
    others.map(|row| IndexedDeclaration { file: target.file.clone(), row }).collect()
}
