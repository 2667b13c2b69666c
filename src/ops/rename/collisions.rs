//! Which symbols are in the way of a new name: in the file that declares the symbol, in those that use it, and in its
//! package. Members' names are not looked for in other classes: whether a subclass has the name, only its types tell.

use super::answer::Listed;
use super::places::listed;
use crate::base::cancel::Cancelled;
use crate::base::{Cancel, RelPath, TextRange};
use crate::engine::View;
use crate::index::{Locals, Query, Scope};
use crate::ops::edits;
use crate::ops::server_edit::ServerEdit;
use crate::ops::target::Target;
use crate::resolve;
use crate::syntax::{Matching, NamePattern, Outline, SymbolKind};

/// What has the name where the symbol is declared or would be used, in path order.
pub(super) fn collisions(
    view: &View,
    target: &Target,
    new_name: &str,
    edit: &ServerEdit,
    cancel: &Cancel,
) -> Result<Vec<Listed>, Cancelled> {
    let mut found: Vec<(RelPath, TextRange)> = Vec::new();
    for (path, file) in &edit.files {
        cancel.check()?;
        let Some(entry) = view.snapshot.files.get(path.as_str()) else { continue };
        let Ok(current) = view.current(entry) else { continue };
        let outline = &current.outline;
        let rows = if *path == target.at.path {
            edits::collisions(current.text.as_str(), outline, target.row, new_name)
        } else {
            let used: Vec<TextRange> = file.edits.iter().map(|edit| edit.range).collect();
            in_user(target, outline, new_name, &used)
        };
        found.extend(rows.into_iter().map(|row| (path.clone(), name_range(outline, row))));
        if *path != target.at.path && !is_member(target) {
            let imports = outline.imports.unpack();
            let mut bound = imports.iter().filter(|import| import.bound() == Some(new_name));
            found.extend(bound.next().map(|import| (path.clone(), import.statement)));
        }
    }
    found.extend(in_package(view, target, new_name, cancel)?);
    found.sort();
    found.dedup();
    listed(view, &found, cancel)
}

/// The rows of a file that uses the symbol which would be meant there instead, or be hidden.
fn in_user(target: &Target, outline: &Outline, new_name: &str, used: &[TextRange]) -> Vec<usize> {
    let is_in_way = |&at: &usize| {
        let row = &outline.rows[at];
        if outline.name(row) != new_name || is_member(target) {
            return false;
        }
        match row.parent() {
            None => true,
            Some(parent) if row.is_local() => {
                let scope = outline.rows[parent].range();
                used.iter().any(|&one| scope.contains(one))
            }
            Some(_) => false,
        }
    };
    (0..outline.rows.len()).filter(is_in_way).collect()
}

/// What a top-level symbol shares its package with: files of one directory, where the language has it so.
fn in_package(
    view: &View,
    target: &Target,
    new_name: &str,
    cancel: &Cancel,
) -> Result<Vec<(RelPath, TextRange)>, Cancelled> {
    let shares =
        target.file.grammar().is_some_and(|grammar| ["kotlin", "java", "go"].contains(&grammar.name()));
    let is_top = target
        .file
        .outline()
        .and_then(|outline| outline.rows.get(target.row))
        .is_some_and(|row| row.parent().is_none());
    let (true, true, Ok(pattern)) = (shares, is_top, NamePattern::parse(new_name, Matching::Exact)) else {
        return Ok(Vec::new());
    };
    let directory = target.at.path.parent().unwrap_or_else(RelPath::root);
    let query = Query {
        pattern,
        scope: Scope::Within(directory.clone()),
        include_kinds: Vec::new(),
        exclude_kinds: Vec::new(),
        locals: Locals::LeftOut,
    };
    let hits = view.snapshot.find(&query, cancel)?;
    let neighbours = hits.into_iter().filter(|hit| {
        hit.file.path.parent().as_ref() == Some(&directory)
            && hit.file.path != target.at.path
            && resolve::share_names(&hit.file, &target.file)
    });
    let place = |hit: crate::index::Hit| {
        let outline = hit.file.outline()?;
        let row = outline.rows.get(hit.row)?;
        row.parent().is_none().then(|| (hit.file.path.clone(), name_range(outline, hit.row)))
    };
    Ok(neighbours.filter_map(place).collect())
}

/// Whether it is reached through an object: then no other name of a file is in its way.
fn is_member(target: &Target) -> bool {
    let Some(outline) = target.file.outline() else { return false };
    let parent = outline.rows.get(target.row).and_then(|row| row.parent());
    let is_class = |kind| {
        matches!(
            kind,
            SymbolKind::Class
                | SymbolKind::Interface
                | SymbolKind::Enum
                | SymbolKind::Struct
                | SymbolKind::Object
        )
    };
    parent.is_some_and(|parent| is_class(outline.rows[parent].kind()))
}

fn name_range(outline: &Outline, row: usize) -> TextRange {
    let start = outline.rows[row].name_start;
    let length = u32::try_from(outline.name(&outline.rows[row]).len()).unwrap_or(0);
    TextRange::new(start, start.saturating_add(length))
}
