//! Constructors and finalizers that have their class's name, as in Java, C# and C++. The name means the class wherever it
//! stands alone, `new A()` runs a constructor, and a rename takes all of them; in Java also the file, if it has that name.

use super::family::Family;
use super::profiles::LanguageProfile;
use super::sources::IndexedDeclaration;
use crate::hierarchy::classes::is_class;
use symd_syntax::{Outline, Row, SymbolKind};

/// Whether `row` is a constructor or finalizer with the name of the class that it stands in.
pub(super) fn is_class_named(family: Family, outline: &Outline, row: &Row) -> bool {
    row.kind() == SymbolKind::Constructor
        && family.profile().members.constructors.have_class_name
        && row.parent().is_some_and(|at| {
            let class = &outline.rows[at];
            is_class(class) && outline.name(class) == outline.name(row)
        })
}

/// Returns the declarations in the class's body that have the class's name and are one entity with it, from either side:
/// for a class its constructors; for a constructor the class and the others. Empty in languages without such.
pub(super) fn declared_with_class(target: &IndexedDeclaration) -> Vec<IndexedDeclaration> {
    let (Some(family), Some((outline, row))) = (Family::of(&target.file), target.row()) else {
        return Vec::new();
    };
    let class = match row.parent() {
        Some(class) if is_class_named(family, outline, row) => class,
        _ if is_class(row) => target.row,
        _ => return Vec::new(),
    };
    let is_its = |at: &usize| is_class_named(family, outline, &outline.rows[*at]);
    let all =
        std::iter::once(class).chain(outline.children(class).filter(is_its)).filter(|&at| at != target.row);
    all.map(|row| IndexedDeclaration { file: target.file.clone(), row }).collect()
}

/// Whether `target` is a class at the top level of a file that has its name, in a language that demands this of public
/// classes: `class A` in `A.java`.
pub fn names_its_file(target: &IndexedDeclaration) -> bool {
    LanguageProfile::of(&target.file).is_some_and(|language| language.names_files_by_class)
        && target.row().is_some_and(|(_, row)| row.parent == 0 && is_class(row))
        && target.file.path.file_stem() == target.name()
}
