//! Several declarations that are one entity: an overload set of Python or TypeScript, a property's accessors,
//! C and C++ declarations and their definition, Kotlin's `expect` and `actual`, a Python module's symbol and
//! its declaration in the stub. Not overloads of languages where each has its own body. Invariant: unless it
//! is certain, declarations are not one entity.

use super::entity_rules::{DeclarationSpread, EntityRules, OverloadForm};
use std::sync::Arc;

use super::across::across_files;
use crate::target::Target;
use symd_base::Cancel;
use symd_base::cancel::Cancelled;
use symd_config::Languages;
use symd_engine::View;
use symd_index::{FileEntry, Hit};
use symd_resolve as resolve;
use symd_syntax::{Outline, Row, SymbolKind};

/// Maximum number of declarations of one entity; more declarations of a name are separate entities.
const MAX_DECLARATIONS: usize = 256;

/// Returns all declarations of the entity that `target` declares, including `target`, in path order, then by
/// position; with their signatures if there are several.
pub(crate) fn declarations(
    view: &View,
    languages: &Languages,
    target: &Target,
    cancel: &Cancel,
) -> Result<Vec<Target>, Cancelled> {
    let hits = of_one_thing(view, &Hit { file: target.file.clone(), row: target.row }, cancel)?;
    if hits.len() < 2 {
        return Ok(vec![target.clone()]);
    }
    let declared = |hit: &Hit| Some(Target::new(view, languages, &hit.file, hit.row)?.with_signature(view));
    Ok(hits.iter().filter_map(declared).collect())
}

/// Whether `hits` are declarations of one entity.
pub(crate) fn are_same_entity(view: &View, hits: &[Hit], cancel: &Cancel) -> Result<bool, Cancelled> {
    let Some(first) = hits.first().filter(|_| hits.len() <= MAX_DECLARATIONS) else { return Ok(false) };
    let all = of_one_thing(view, first, cancel)?;
    let is_in = |hit: &Hit| all.iter().any(|one| Arc::ptr_eq(&one.file, &hit.file) && one.row == hit.row);
    Ok(hits.iter().all(is_in))
}

/// Returns the declarations of the entity that `hit` declares.
fn of_one_thing(view: &View, hit: &Hit, cancel: &Cancel) -> Result<Vec<Hit>, Cancelled> {
    let alone = || vec![hit.clone()];
    let Some(outline) = hit.file.outline() else { return Ok(alone()) };
    match EntityRules::of(&hit.file).spread {
        DeclarationSpread::Platforms => across_files(view, hit, cancel),
        DeclarationSpread::Prototypes => {
            let declared = resolve::IndexedDeclaration { file: hit.file.clone(), row: hit.row };
            let mut hits = alone();
            let others = resolve::linked_declarations(view, &declared, cancel)?;
            hits.extend(others.into_iter().map(|one| Hit { file: one.file, row: one.row }));
            hits.sort_by(|a, b| (&a.file.path, a.row).cmp(&(&b.file.path, b.row)));
            Ok(hits)
        }
        DeclarationSpread::OneFile => {
            let Some(text) = text_of(view, &hit.file) else { return Ok(alone()) };
            if let Some(function) = function_of_parameter(&hit.file, outline, &text, hit.row) {
                let function = Hit { file: hit.file.clone(), row: function };
                let functions = of_one_thing(view, &function, cancel)?;
                let name = outline.name(&outline.rows[hit.row]);
                return Ok(functions.iter().filter_map(|one| parameter_named(view, one, name)).collect());
            }
            let rows = family(&hit.file, outline, &text, hit.row);
            let mut hits: Vec<Hit> =
                rows.into_iter().map(|row| Hit { file: hit.file.clone(), row }).collect();
            hits.extend(in_stub(view, hit));
            hits.sort_by(|a, b| (&a.file.path, a.row).cmp(&(&b.file.path, b.row)));
            Ok(hits)
        }
        DeclarationSpread::One => Ok(alone()),
    }
}

/// Returns the row of the function of Python of which `row` is a parameter: callers pass it by the name that all the function's
/// declarations give it, overloads and stub included.
fn function_of_parameter(file: &FileEntry, outline: &Outline, text: &str, row: usize) -> Option<usize> {
    let is_python = EntityRules::of(file).overloads == OverloadForm::Decorators;
    let row = outline.rows.get(row).filter(|row| is_python && row.is_local())?;
    let function = row.parent().filter(|&at| is_function(&outline.rows[at]))?;
    stands_in_parentheses(text, &outline.rows[function], row.name_start).then_some(function)
}

/// Returns the parameter of that name of a function.
fn parameter_named(view: &View, function: &Hit, name: &str) -> Option<Hit> {
    let outline = function.file.outline()?;
    let text = text_of(view, &function.file)?;
    let inside = function.row + 1..=function.row + outline.rows[function.row].descendants as usize;
    let is_it = |at: &usize| {
        let row = &outline.rows[*at];
        outline.name(row) == name
            && function_of_parameter(&function.file, outline, &text, *at) == Some(function.row)
    };
    let row = inside.filter(|&at| outline.rows.len() > at).find(is_it)?;
    Some(Hit { file: function.file.clone(), row })
}

/// Whether byte `at` stands in the parentheses behind a function's name.
fn stands_in_parentheses(text: &str, function: &Row, at: u32) -> bool {
    let behind = function.name_start as usize + usize::from(function.name_len);
    let Some(head) = text.get(behind..at as usize) else { return false };
    let (mut depth, mut outermost) = (0_usize, b' ');
    for byte in head.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                // Type parameters may come first: `def f[T](a)`.
                outermost = if depth == 0 { byte } else { outermost };
                depth += 1;
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && byte == b')' {
            return false;
        }
    }
    depth > 0 && outermost == b'('
}

/// Returns the declarations of the same name path in the stub beside a Python module, or in the module beside
/// a stub. Empty if these are several entities.
fn in_stub(view: &View, hit: &Hit) -> Vec<Hit> {
    let path = hit.file.path.as_str();
    let beside = match (path.strip_suffix(".py"), path.strip_suffix(".pyi")) {
        (Some(stem), _) => format!("{stem}.pyi"),
        (_, Some(stem)) => format!("{stem}.py"),
        _ => return Vec::new(),
    };
    let file = view.snapshot.files.get(&beside);
    let (Some(file), Some(own)) = (file, hit.file.outline()) else { return Vec::new() };
    let Some(outline) = file.outline() else { return Vec::new() };
    let (wanted, name) = (names(own, hit.row), own.rows.get(hit.row).map_or("", |row| own.name(row)));
    let is_it = |at: &usize| {
        let row = &outline.rows[*at];
        outline.name(row) == name && !row.is_local() && names(outline, *at) == wanted
    };
    let rows: Vec<usize> = (0..outline.rows.len()).filter(is_it).collect();
    let Some(&first) = rows.first().filter(|_| outline.occurrences.contains(name)) else { return Vec::new() };
    let is_one = rows.len() == 1
        || text_of(view, file).is_some_and(|text| family(file, outline, &text, first).len() == rows.len());
    if !is_one {
        return Vec::new();
    }
    rows.into_iter().map(|row| Hit { file: file.clone(), row }).collect()
}

/// Returns the simple names from a row up to the top level.
fn names(outline: &Outline, row: usize) -> Vec<&str> {
    let chain = std::iter::successors(Some(row), |&at| outline.rows.get(at)?.parent());
    chain.filter_map(|at| Some(outline.name(outline.rows.get(at)?))).collect()
}

/// Returns the text that the file's outline was made from, or `None` if the file no longer has it.
pub(super) fn text_of(view: &View, file: &FileEntry) -> Option<String> {
    let current = view.current(file).ok()?;
    file.has_outline(&current.outline).then(|| current.text.as_str().to_owned())
}

/// Returns the text before the name of row `row`, from its first decorator or modifier.
pub(crate) fn before_name<'a>(text: &'a str, outline: &Outline, row: usize) -> &'a str {
    let row = &outline.rows[row];
    text.get(row.start as usize..row.name_start as usize).unwrap_or("")
}

/// Returns the rows of the entity that `row` declares, in order of position.
fn family(file: &FileEntry, outline: &Outline, text: &str, row: usize) -> Vec<usize> {
    let Some(this) = outline.rows.get(row) else { return vec![row] };
    let name = outline.name(this);
    let is_namesake =
        |at: &usize| outline.rows[*at].parent == this.parent && outline.name(&outline.rows[*at]) == name;
    let mut rows: Vec<usize> = (0..outline.rows.len()).filter(is_namesake).collect();
    rows.sort_by_key(|&at| outline.rows[at].start);
    let before = |at: usize| before_name(text, outline, at);
    let overloads = EntityRules::of(file).overloads;
    let is_one = if overloads == OverloadForm::Decorators {
        let heads: Vec<&str> = rows.iter().map(|&at| before(at)).collect();
        let is_stub = file.path.extension() == Some("pyi");
        rows.iter().all(|&at| is_function(&outline.rows[at]))
            && (is_overload_set(&heads, is_stub) || are_accessors(&heads, name))
    } else {
        // Static members and instance members are separate entities.
        let is_static = |at: usize| before(at).split_whitespace().any(|word| word == "static");
        let own = is_static(row);
        rows.retain(|&at| is_static(at) == own);
        let kind = this.kind();
        let has_overloads = overloads == OverloadForm::Parameters;
        let is_set = (is_function(this) && has_overloads) || kind == SymbolKind::Property;
        is_set && rows.iter().all(|&at| outline.rows[at].kind() == kind)
    };
    if is_one { rows } else { vec![row] }
}

fn is_function(row: &Row) -> bool {
    matches!(row.kind(), SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
}

/// Whether functions with these heads are `@overload`s followed by their implementation (stubs have none).
fn is_overload_set(heads: &[&str], is_stub: bool) -> bool {
    let is_overload = |head: &str| {
        decorators(head).any(|decorator| decorator == "overload" || decorator.ends_with(".overload"))
    };
    let Some((last, before)) = heads.split_last() else { return false };
    before.iter().all(|head| is_overload(head)) && !before.is_empty() && is_stub == is_overload(last)
}

/// Whether functions with these heads are a property and its setter and deleter: all but the first have a
/// decorator such as `@name.setter`.
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

/// Returns the decorators in the text before a Python function's name, without `@` and arguments.
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
