//! Declarations that are looked up by their names, though the project does not use them by name: by Python
//! itself, by pytest, by Kotlin's operators, by a program's start and by interfaces of Go's standard library. A test whose new name pytest finds in the same way is not
//! reported.

use super::family::Family;
use super::lookup::rust_attributes;
use super::profiles::{EntryPoint, LanguageProfile, NameReader};
use super::sources::{IndexedDeclaration, Sources};
use crate::hierarchy::classes::is_class;
use crate::python::base_reader::find_base_reader;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, Text};
use symd_syntax::{Row, SymbolKind};
use symd_types::kotlin::is_convention;

/// Names that pytest reads in `conftest.py` and in test modules.
const PYTEST: [&str; 14] = [
    "collect_ignore",
    "collect_ignore_glob",
    "pytest_plugins",
    "pytestmark",
    "setup_module",
    "teardown_module",
    "setup_function",
    "teardown_function",
    "setup_class",
    "teardown_class",
    "setup_method",
    "teardown_method",
    "setup",
    "teardown",
];

/// Methods that Python's import calls of finders and loaders, which need no base.
const IMPORTERS: [&str; 5] = ["create_module", "exec_module", "find_module", "find_spec", "load_module"];

/// Whether a Kotlin function has the modifier `operator`, or may have it from one that it overrides: `a + b` calls
/// `plus`, and would not call it by another name. Without a name, those of the first kind are not found by name: types tell which
/// operators call them, and these count as references. What is overridden outside the project is called there.
fn is_operator(sources: &dyn Sources, target: &IndexedDeclaration, new_name: Option<&str>) -> bool {
    let Some((_, row)) =
        target.row().filter(|(_, row)| matches!(row.kind(), SymbolKind::Function | SymbolKind::Method))
    else {
        return false;
    };
    let Some(current) = target.unchanged_text(sources) else { return false };
    let head = current.text.as_str().get(row.start as usize..row.name_start as usize).unwrap_or("");
    let is_convention = is_convention(target.name());
    let is_called = new_name.is_some() || !is_convention;
    let marks = |word: &str| word == "operator" && is_called || word == "override" && is_convention;
    head.split_whitespace().rev().take_while(|word| *word != "}").any(marks)
}

/// Returns the entry point that the target is, and would not be by `new_name`.
fn entry_point(
    language: &LanguageProfile,
    target: &IndexedDeclaration,
    new_name: Option<&str>,
) -> Option<&'static EntryPoint> {
    let (outline, row) = target.row().filter(|(_, row)| !row.is_local())?;
    let (name, path) = (outline.name(row), target.file.path.as_str());
    let is_function =
        matches!(row.kind(), SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor);
    let fits_place = |one: &EntryPoint| match one.is_of_interface {
        true => row.kind() == SymbolKind::Method,
        false => one.is_member == row.parent().is_some() && path.ends_with(one.file_end),
    };
    language.entry_points.iter().find(|one| {
        is_function
            && fits_place(one)
            && one.fits(name)
            && !new_name.is_some_and(|new_name| one.fits(new_name))
    })
}

/// Reports whether the linker finds a function of Rust by its name: an exported one, and for a new name one of another language.
fn is_linked(sources: &dyn Sources, target: &IndexedDeclaration, new_name: Option<&str>) -> bool {
    let Some((outline, row)) = target.row().filter(|(_, row)| row.kind() == SymbolKind::Function) else {
        return false;
    };
    let Some(current) = target.unchanged_text(sources) else { return false };
    let is_exported = |attribute: &str| attribute.contains("no_mangle") || attribute.contains("export_name");
    let is_in_type = || row.parent().is_some_and(|parent| is_class(&outline.rows[parent]));
    let is_foreign = new_name.is_some() && !has_body(&current.text, row) && !is_in_type();
    is_foreign || rust_attributes(&current.text, row).any(is_exported)
}

/// Reports whether a module of Rust is in a file that has its name: `mod inner;` without `#[path]`.
pub fn is_named_like_its_file(sources: &dyn Sources, target: &IndexedDeclaration) -> bool {
    let Some((_, row)) = target.row().filter(|(_, row)| row.kind() == SymbolKind::Module) else {
        return false;
    };
    let is_rust = LanguageProfile::of(&target.file).is_some_and(|language| language.family == Family::Rust);
    let Some(current) = target.unchanged_text(sources).filter(|_| is_rust) else { return false };
    let names_path =
        |attribute: &str| attribute.trim_start().starts_with("path") || attribute.contains(" path");
    !has_body(&current.text, row) && !rust_attributes(&current.text, row).any(names_path)
}

/// Whether an item of Rust has a body, or ends at a `;`.
fn has_body(text: &Text, row: &Row) -> bool {
    let item = text.as_str().get(row.start as usize..row.end as usize);
    item.is_some_and(|item| !item.trim_end().ends_with(';'))
}

/// Returns what looks up the target by its name, and would not find it by `new_name`, or without a name for `None`:
/// "Python", "pytest", "the program's start", "ast.NodeVisitor"; `None` if nothing does.
pub fn find_external_reader(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    new_name: Option<&str>,
    cancel: &Cancel,
) -> Result<Option<&'static str>, Cancelled> {
    if let Some(reader) = reader_of_name(sources, target, new_name) {
        return Ok(Some(reader));
    }
    find_base_reader(sources, target, new_name, cancel)
}

/// Returns what looks the target up by its name, as far as its own file tells.
fn reader_of_name(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    new_name: Option<&str>,
) -> Option<&'static str> {
    let (outline, row) = target.row()?;
    let language = LanguageProfile::of(&target.file)?;
    if let Some(entry) = entry_point(language, target, new_name) {
        return Some(entry.reader);
    }
    match language.name_reader {
        NameReader::Operators => {
            return is_operator(sources, target, new_name).then_some("a Kotlin operator");
        }
        NameReader::Linker => return is_linked(sources, target, new_name).then_some("the linker"),
        NameReader::Python if !row.is_local() => {}
        NameReader::Python | NameReader::None => return None,
    }
    let (name, path) = (outline.name(row), &target.file.path);
    let is_member = row.parent().is_some_and(|parent| is_class(&outline.rows[parent]));
    if name.len() > 4 && name.starts_with("__") && name.ends_with("__")
        || is_member && IMPORTERS.contains(&name)
    {
        return Some("Python");
    }
    let stem = path.file_stem();
    let is_test_module = stem.starts_with("test_") || stem.ends_with("_test");
    if stem != "conftest" && !is_test_module {
        return None;
    }
    let is_in_function = std::iter::successors(row.parent(), |&at| outline.rows[at].parent())
        .any(|at| matches!(outline.rows[at].kind(), SymbolKind::Function | SymbolKind::Method));
    let is_function = matches!(row.kind(), SymbolKind::Function | SymbolKind::Method);
    let is_lost = |prefix: &str| {
        name.starts_with(prefix) && !new_name.is_some_and(|new_name| new_name.starts_with(prefix))
    };
    let is_read = PYTEST.contains(&name)
        || (is_function && name.starts_with("pytest_"))
        || is_test_module
            && ((is_function && is_lost("test")) || (row.kind() == SymbolKind::Class && is_lost("Test")));
    (is_read && !is_in_function).then_some("pytest")
}
