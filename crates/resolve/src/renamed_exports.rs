//! Uses of an export under another name than its own: `export default function run`, `import go from './a'`, or
//! `export { run as walk }`. Its own name does not lead to them.

use std::collections::BTreeSet;

use super::definitions::definitions;
use super::family::Family;
use super::occurrence::{Judgement, Occurrence, Role};
use super::profiles::ModuleLookup;
use super::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_index::{FileEntry, NeededWords};
use symd_syntax::call_site::is_called;
use symd_syntax::{ImportKind, Imported};

/// The name of a default export in imports and exports; no name in a text.
const DEFAULT: &str = "default";

/// Returns the places where `target` goes by another name under which it is exported, each with that name.
pub(super) fn renamed_export_uses(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Vec<(String, Occurrence)>, Cancelled> {
    let mut found = Vec::new();
    let family = Family::of(&target.file);
    if family.is_none_or(|family| family.profile().imports.lookup != ModuleLookup::EcmaPath) {
        return Ok(found);
    }
    let exported = exported_names(sources, target, cancel)?;
    if exported.is_empty() {
        return Ok(found);
    }
    // `import go from './a'` does not hold the name that it imports.
    let imports = exported.contains(DEFAULT).then_some("import");
    let words = exported.iter().map(String::as_str).chain(imports).map(NeededWords::of_name);
    let files = &sources.snapshot().files;
    for file in files.with_any_words(words).filter(|file| Family::of(file) == family) {
        for name in bound_names(file, &exported, target.name()) {
            cancel.check()?;
            of_name(sources, target, (file, &name), &mut found, cancel)?;
        }
    }
    Ok(found)
}

/// Returns the other names under which the target may be exported, by its file or by those that export it
/// again. By name alone: what they mean is looked up where they are used.
fn exported_names(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<BTreeSet<String>, Cancelled> {
    let family = Family::of(&target.file);
    let mut renamed: Vec<(String, String)> = Vec::new();
    let mut exported = BTreeSet::new();
    let files = &sources.snapshot().files;
    let _own = files.get(target.file.path.as_str());
    for file in files.known_within(&RelPath::root()).filter(|file| Family::of(file) == family) {
        cancel.check()?;
        let Some(outline) = file.outline() else { continue };
        for export in outline.imports.unpack().iter().filter(|one| one.kind == ImportKind::Export) {
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
    // What exports one of these names again holds it.
    let names = exported.iter().map(String::as_str).chain([target.name()]);
    files.need_any_words(names.map(|name| NeededWords::of_name(&format!("export {name}"))));
    exported.remove(target.name());
    Ok(exported)
}

/// Returns the names, other than the target's own, that a file gives to what is exported under these names.
fn bound_names(file: &FileEntry, exported: &BTreeSet<String>, own: &str) -> BTreeSet<String> {
    let Some(outline) = file.outline() else { return BTreeSet::new() };
    let imports = outline.imports.unpack();
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
