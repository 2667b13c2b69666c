//! Uses of an export under another name than its own: `export default function run`, `import go from './a'`, or
//! `export { run as walk }`. Its own name does not lead to them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::definitions::definitions;
use crate::family::Family;
use crate::modules::ecma_stem;
use crate::occurrence::{Judgement, Occurrence, Role};
use crate::profiles::ModuleLookup;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_index::{FileEntry, NeededWords};
use symd_syntax::call_site::is_called;
use symd_syntax::{Import, ImportKind, ImportList, Imported};

/// The name of a default export in imports and exports; no name in a text.
pub(crate) const DEFAULT: &str = "default";

/// Returns the places where `target` goes by another name under which it is exported, each with that name.
pub(crate) fn renamed_export_uses(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Vec<(String, Occurrence)>, Cancelled> {
    let mut found = Vec::new();
    let family = Family::of(&target.file);
    if family.is_none_or(|family| family.profile().imports.lookup != ModuleLookup::EcmaPath) {
        return Ok(found);
    }
    let ExportedNames { names: exported, words } = exported_names(sources, target, cancel)?;
    if exported.is_empty() {
        return Ok(found);
    }
    let files = &sources.snapshot().files;
    for file in files.with_any_words(words).filter(|file| Family::of(file) == family) {
        for name in bound_names(file, &exported, target.name()) {
            cancel.check()?;
            of_name(sources, target, (file, &name), &mut found, cancel)?;
        }
    }
    Ok(found)
}

/// The names of an export, and what a text holds that imports one of them.
struct ExportedNames {
    names: BTreeSet<String>,
    words: Vec<NeededWords>,
}

/// Returns the other names under which the target may be exported, by its file or by those that export it
/// again. By name alone: what they mean is looked up where they are used.
fn exported_names(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<ExportedNames, Cancelled> {
    let family = Family::of(&target.file);
    let mut renamed: Vec<(String, String)> = Vec::new();
    let mut exported = BTreeSet::new();
    let files = &sources.snapshot().files;
    let _own = files.get(target.file.path.as_str());
    for file in files.known_within(&RelPath::root()).filter(|file| Family::of(file) == family) {
        cancel.check()?;
        let Some(imports) = file.imports() else { continue };
        for export in imports.unpack().iter().filter(|one| one.kind == ImportKind::Export) {
            let (Imported::Name(name), Some(alias)) = (export.imported, export.alias) else { continue };
            if export.module.is_empty() {
                if file.path == target.file.path && name == target.name() {
                    exported.insert(alias.to_owned());
                }
            } else {
                renamed.push((name.to_owned(), alias.to_owned()));
            }
        }
    }
    loop {
        let is_new = |(name, alias): &&(String, String)| {
            (exported.contains(name) || name == target.name()) && !exported.contains(alias)
        };
        let Some((_, alias)) = renamed.iter().find(is_new) else { break };
        exported.insert(alias.clone());
    }
    // What exports one of these names again holds it, or, for a default export, the name of its module.
    let named = exported.iter().map(String::as_str).filter(|name| *name != DEFAULT);
    let mut words: Vec<String> = named.map(str::to_owned).collect();
    if exported.contains(DEFAULT) {
        let known = files.known_within(&RelPath::root()).filter(|file| Family::of(file) == family);
        let modules = default_modules(known, target, &exported);
        words.extend(modules.iter().map(|path| match ecma_stem(path) {
            // `import go from '..'`
            "index" => "import".to_owned(),
            stem => stem.to_owned(),
        }));
    }
    let again = words.iter().map(String::as_str).chain([target.name()]);
    files.need_any_words(again.map(|name| NeededWords::of_name(&format!("export {name}"))));
    exported.remove(target.name());
    let words = words.iter().map(|name| NeededWords::of_name(name)).collect();
    Ok(ExportedNames { names: exported, words })
}

/// Returns the modules whose default export may be the target: what imports that may call it anything, and holds only the
/// name of the module.
fn default_modules<'f>(
    files: impl Iterator<Item = &'f Arc<FileEntry>>,
    target: &IndexedDeclaration,
    exported: &BTreeSet<String>,
) -> BTreeSet<RelPath> {
    let imports = files.filter_map(|file| Some((&file.path, file.imports()?.unpack())));
    let mut open: Vec<(&RelPath, ImportList)> = imports.collect();
    let mut modules = BTreeSet::new();
    loop {
        let offers = |(path, imports): &mut (&RelPath, ImportList)| {
            let leads_to_it = |import: &Import| match import.imported {
                _ if import.module.is_empty() => false,
                Imported::Name(DEFAULT) => modules.iter().any(|path| import.module.contains(ecma_stem(path))),
                Imported::Name(name) => exported.contains(name) || name == target.name(),
                Imported::Module | Imported::Everything => false,
            };
            let is_own = **path == target.file.path;
            imports.iter().filter(|one| one.kind == ImportKind::Export && one.bound() == Some(DEFAULT)).any(
                |export| {
                    let Imported::Name(name) = export.imported else { return false };
                    let is_bound = |import: Import| {
                        import.kind == ImportKind::Import
                            && import.bound() == Some(name)
                            && leads_to_it(&import)
                    };
                    leads_to_it(&export)
                        || export.module.is_empty()
                            && (is_own && name == target.name() || imports.iter().any(is_bound))
                },
            )
        };
        let new: Vec<RelPath> = open.extract_if(.., offers).map(|(path, _)| path.clone()).collect();
        if new.is_empty() {
            return modules;
        }
        modules.extend(new);
    }
}

/// Returns the names, other than the target's own, that a file gives to what is exported under these names.
fn bound_names(file: &FileEntry, exported: &BTreeSet<String>, own: &str) -> BTreeSet<String> {
    let Some(imports) = file.imports() else { return BTreeSet::new() };
    let imports = imports.unpack();
    let names = imports.iter().filter_map(|import| match import.imported {
        Imported::Name(name) if exported.contains(name) => Some(import.alias.unwrap_or(name).to_owned()),
        _ => None,
    });
    names.filter(|name| name != own && name != DEFAULT).collect()
}

/// Adds the places in a file where `alias` means the target.
fn of_name(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    (file, alias): (&FileEntry, &str),
    found: &mut Vec<(String, Occurrence)>,
    cancel: &Cancel,
) -> Result<(), Cancelled> {
    let (Some(outline), Some(grammar)) = (file.outline(), file.grammar()) else { return Ok(()) };
    let path: &RelPath = &file.path;
    let statements: Vec<TextRange> = outline.imports.unpack().iter().map(|import| import.statement).collect();
    let Some(current) = sources.current(file) else { return Ok(()) };
    for start in outline.occurrences.offsets_of(alias) {
        let length = u32::try_from(alias.len()).unwrap_or(u32::MAX);
        let range = TextRange::new(start, start.saturating_add(length));
        // Two names can share a hash.
        if current.text.as_str().get(range.as_range()) != Some(alias) {
            continue;
        }
        let meant = definitions(sources, path, start, cancel)?;
        if !matches!(meant.declarations.as_slice(), [only] if only.is_same_declaration(target)) {
            continue;
        }
        let role = if statements.iter().any(|all| (all.start..all.end).contains(&start)) {
            Role::Import
        } else if is_called(grammar, current.text.as_str(), range) {
            Role::Call
        } else {
            Role::Use
        };
        let occurrence = Occurrence { path: path.clone(), range, judgement: Judgement::Likely, role };
        found.push((alias.to_owned(), occurrence));
    }
    Ok(())
}
