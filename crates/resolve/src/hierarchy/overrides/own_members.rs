//! The members that a class declares itself, and the order of declarations in answers.

use crate::sources::IndexedDeclaration;

pub(super) fn of(target: &IndexedDeclaration, row: usize) -> IndexedDeclaration {
    IndexedDeclaration { file: target.file.clone(), row }
}

/// Returns the rows of a class's own members of a name.
pub(crate) fn own_member_rows(class: &IndexedDeclaration, name: &str) -> Vec<usize> {
    let Some((outline, _)) = class.row() else { return Vec::new() };
    if !outline.occurrences.contains(name) {
        return Vec::new();
    }
    let is_it = |&at: &usize| !outline.rows[at].is_local() && outline.name(&outline.rows[at]) == name;
    outline.children(class.row).filter(is_it).collect()
}

/// Returns the names of a class's own members, without those that begin with two underscores.
pub(crate) fn own_names(class: &IndexedDeclaration) -> Vec<String> {
    let Some((outline, _)) = class.row() else { return Vec::new() };
    let names = outline
        .children(class.row)
        .map(|at| outline.name(&outline.rows[at]))
        .filter(|name| !name.starts_with("__"));
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

/// Sorts the targets by path, then by position, and removes duplicates.
pub(crate) fn sort(targets: &mut Vec<IndexedDeclaration>) {
    targets.sort_by(|a, b| (&a.file.path, a.row).cmp(&(&b.file.path, b.row)));
    targets.dedup_by(|a, b| a.is_same_declaration(b));
}
