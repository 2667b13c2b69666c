//! Declarations that are one thing although they are several: an overload set of Python or TypeScript, a property's
//! accessors. Not overloads of languages where each has a body and a life of its own. Invariant: where it is not
//! certain, they are not one.

use std::sync::Arc;

use super::target::Target;
use crate::config::Languages;
use crate::engine::View;
use crate::index::{FileEntry, Hit};
use crate::syntax::{Outline, Row, SymbolKind};

/// All declarations of the thing that `target` declares, itself among them, in order of position.
pub(super) fn declarations(view: &View, languages: &Languages, target: &Target) -> Vec<Target> {
    let Some(outline) = target.file.outline() else { return vec![target.clone()] };
    let Some(text) = text_of(view, &target.file) else { return vec![target.clone()] };
    let family = family(&target.file, outline, &text, target.row);
    if family == [target.row] {
        return vec![target.clone()];
    }
    family.into_iter().filter_map(|row| Target::new(view, languages, &target.file, row)).collect()
}

/// Whether these are all declarations of one thing.
pub(super) fn are_one(view: &View, hits: &[Hit]) -> bool {
    let Some(first) = hits.first() else { return false };
    let Some(outline) = first.file.outline() else { return false };
    if hits.iter().any(|hit| !Arc::ptr_eq(&hit.file, &first.file)) {
        return false;
    }
    let Some(text) = text_of(view, &first.file) else { return false };
    let family = family(&first.file, outline, &text, first.row);
    hits.iter().all(|hit| family.contains(&hit.row))
}

/// The text that the file's outline was made of; `None` if that is no longer there.
fn text_of(view: &View, file: &FileEntry) -> Option<String> {
    let current = view.current(file).ok()?;
    let is_same = file.outline().is_some_and(|outline| Arc::ptr_eq(outline, &current.outline));
    is_same.then(|| current.text.as_str().to_owned())
}

/// The rows of the thing that `row` declares, in order of position.
fn family(file: &FileEntry, outline: &Outline, text: &str, row: usize) -> Vec<usize> {
    let Some(this) = outline.rows.get(row) else { return vec![row] };
    let name = outline.name(this);
    let is_namesake =
        |at: &usize| outline.rows[*at].parent == this.parent && outline.name(&outline.rows[*at]) == name;
    let mut rows: Vec<usize> = (0..outline.rows.len()).filter(is_namesake).collect();
    rows.sort_by_key(|&at| outline.rows[at].start);
    let before = |at: usize| {
        let row = &outline.rows[at];
        text.get(row.start as usize..row.name_start as usize).unwrap_or("")
    };
    let is_one = match file.grammar().map(|grammar| grammar.name()) {
        Some("python") => {
            let heads: Vec<&str> = rows.iter().map(|&at| before(at)).collect();
            let is_stub = file.path.extension() == Some("pyi");
            rows.iter().all(|&at| is_function(&outline.rows[at]))
                && (is_overload_set(&heads, is_stub) || are_accessors(&heads, name))
        }
        Some("typescript" | "tsx" | "javascript") => {
            // Static members and those of instances do not meet.
            let is_static = |at: usize| before(at).split_whitespace().any(|word| word == "static");
            let own = is_static(row);
            rows.retain(|&at| is_static(at) == own);
            let kind = this.kind();
            let is_set = (is_function(this) && file.grammar().is_some_and(|g| g.name() != "javascript"))
                || kind == SymbolKind::Property;
            is_set && rows.iter().all(|&at| outline.rows[at].kind() == kind)
        }
        _ => false,
    };
    if is_one { rows } else { vec![row] }
}

fn is_function(row: &Row) -> bool {
    matches!(row.kind(), SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
}

/// Whether functions with these heads are `@overload`s and their implementation, which stands last (stubs have none).
fn is_overload_set(heads: &[&str], is_stub: bool) -> bool {
    let is_overload = |head: &str| {
        decorators(head).any(|decorator| decorator == "overload" || decorator.ends_with(".overload"))
    };
    let Some((last, before)) = heads.split_last() else { return false };
    before.iter().all(|head| is_overload(head)) && !before.is_empty() && is_stub == is_overload(last)
}

/// Whether functions with these heads are a property and what sets and deletes it: `@name.setter` stands over all but
/// the first.
fn are_accessors(heads: &[&str], name: &str) -> bool {
    let is_accessor = |head: &str| {
        decorators(head).any(|decorator| {
            let accessor = decorator.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
            matches!(accessor, Some("getter" | "setter" | "deleter"))
        })
    };
    let Some((first, rest)) = heads.split_first() else { return false };
    !rest.is_empty() && decorators(first).next().is_some() && rest.iter().all(|head| is_accessor(head))
}

/// The decorators in what stands before a Python function's name, without `@` and arguments.
fn decorators(head: &str) -> impl Iterator<Item = &str> {
    head.lines().filter_map(|line| {
        let decorator = line.trim().strip_prefix('@')?.trim_start();
        let end = decorator.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
        Some(&decorator[..end.unwrap_or(decorator.len())])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overload_set_ends_in_its_implementation() {
        let (overload, plain) = ("@t.overload\ndef ", "def ");
        assert!(is_overload_set(&[overload, "@overload\nasync def ", plain], false));
        assert!(!is_overload_set(&[overload, plain, plain], false), "two implementations");
        assert!(!is_overload_set(&[plain, plain], false), "if and else");
        assert!(!is_overload_set(&[overload, overload], false), "cut short");
        assert!(is_overload_set(&[overload, overload], true));
        assert!(!is_overload_set(&[plain], false));
    }

    #[test]
    fn accessors_name_their_property() {
        let property = "@property\n    def ";
        assert!(are_accessors(&[property, "@size.setter\n    def ", "@size.deleter  # x\n    def "], "size"));
        assert!(!are_accessors(&[property, "@other.setter\n    def "], "size"));
        assert!(!are_accessors(&[property, "def "], "size"), "overwritten");
        assert!(!are_accessors(&["def ", "@size.setter\n    def "], "size"), "no property");
    }
}
