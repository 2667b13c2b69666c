//! Receivers that are modules: `shop` of `shop.till`, `import_module("shop")`. By the text.

use std::collections::HashMap;
use std::sync::Arc;

use super::values::value_set;
use crate::context::{is_word, last_word};
use crate::modules;
use crate::name_places::places_of;
use crate::resolver::{CurrentFile, Resolver};
use symd_base::RelPath;
use symd_base::cancel::Cancelled;
use symd_index::FileEntry;
use symd_syntax::{Import, Imported};

/// What was found of receivers. Each is looked for once in a file.
#[derive(Default)]
pub(super) struct ModuleReceivers {
    known: HashMap<RelPath, HashMap<String, bool>>,
}

impl ModuleReceivers {
    /// Whether an expression is a module that the file imports or loads, or a part of one.
    pub(super) fn is_module(
        &mut self,
        resolver: &Resolver,
        here: &CurrentFile,
        expression: &str,
    ) -> Result<bool, Cancelled> {
        let expression = expression.trim();
        if matches!(expression, "" | "self" | "cls") {
            return Ok(false);
        }
        if expression.contains(['(', '[', ')', ']']) {
            return Ok(is_loaded(expression));
        }
        let known = self.known.entry(here.file.path.clone()).or_default();
        if let Some(known) = known.get(expression) {
            return Ok(*known);
        }
        let is_module = is_imported(here, expression) || is_set_to_module(resolver, here, expression)?;
        known.insert(expression.to_owned(), is_module);
        Ok(is_module)
    }
}

/// Returns the files of the project's modules that a chain of names may be; `None` where it may be something else.
pub(in crate::python) fn module_files(
    resolver: &Resolver,
    here: &CurrentFile,
    chain: &str,
) -> Option<Vec<Arc<FileEntry>>> {
    let mut names = chain.trim().split('.');
    let first = names.next()?;
    let mut found = Vec::new();
    for import in here.binding(resolver.family, first) {
        let (written, own) = match (import.imported, import.alias) {
            // `import a.b` binds `a`.
            (Imported::Module, None) => (first, None),
            (Imported::Name(name), _) => (import.module, Some(name)),
            _ => (import.module, None),
        };
        let mut module = modules::find(resolver, &here.file, written, import.statement.start)?;
        for name in own.into_iter().chain(names.clone()) {
            module = modules::below(resolver, &module, name)?;
        }
        found.push(modules::file_of(resolver, &module)?);
    }
    (!found.is_empty()).then_some(found)
}

/// Whether a file sets a name to a module that it loads.
fn is_set_to_module(resolver: &Resolver, here: &CurrentFile, name: &str) -> Result<bool, Cancelled> {
    if !name.chars().all(is_word) {
        return Ok(false);
    }
    for range in places_of(here, name) {
        resolver.cancel.check()?;
        if value_set(here.text.as_str(), range).is_some_and(|value| is_loaded(value.trim())) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether an expression loads a module by its name: `importlib.import_module("shop")`, `sys.modules["shop"]`.
fn is_loaded(expression: &str) -> bool {
    let open = expression.find(['(', '[']).unwrap_or(0);
    let by = last_word(expression[..open].trim_end());
    let is_call = expression[open..].starts_with('(');
    is_call && matches!(by, "import_module" | "__import__" | "reload") || !is_call && by == "modules"
}

/// Whether a file imports what a chain of names begins with.
fn is_imported(here: &CurrentFile, chain: &str) -> bool {
    let first = chain.split('.').next().unwrap_or_default();
    let is_bound = |import: Import<'_>| match import.bound() {
        Some(bound) => bound == first,
        None => import.imported == Imported::Module && import.module.split('.').next() == Some(first),
    };
    here.imports().iter().any(is_bound)
}
