//! The files of JavaScript and TypeScript that import others: an error that an edit causes is often in one of them, as what a class
//! has to offer is written where the class is used.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::family::Family;
use crate::modules::{self, Module, ecma_stem};
use crate::resolver::Resolver;
use crate::sources::Sources;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_index::FileEntry;

/// Returns at most `at_most` files that import one of `paths`, directly or through others; of those at one distance the ones that
/// hold `name` come first. Always empty in other languages.
pub fn importers(
    sources: &dyn Sources,
    paths: &[RelPath],
    name: &str,
    at_most: usize,
    cancel: &Cancel,
) -> Result<Vec<RelPath>, Cancelled> {
    let resolver = Resolver::new(sources, Family::Ecma, cancel);
    let files = &sources.snapshot().files;
    let is_script =
        |path: &RelPath| files.get(path.as_str()).is_some_and(|file| Family::of(file) == Some(Family::Ecma));
    let mut open: HashSet<RelPath> = paths.iter().filter(|path| is_script(path)).cloned().collect();
    let mut known = open.clone();
    let mut found = Vec::new();
    while !open.is_empty() && found.len() < at_most {
        let stems: BTreeSet<&str> = open.iter().map(specifier_stem).collect();
        let mut next: Vec<&Arc<FileEntry>> = Vec::new();
        for file in files.iter() {
            cancel.check()?;
            let is_new = Family::of(file) == Some(Family::Ecma) && !known.contains(&file.path);
            if is_new && imports_one(&resolver, file, &stems, &open) {
                next.push(file);
            }
        }
        next.sort_by_key(|file| (!file.holds(name), &file.path));
        next.truncate(at_most - found.len());
        open = next.iter().map(|file| file.path.clone()).collect();
        known.extend(open.iter().cloned());
        found.extend(next.into_iter().map(|file| file.path.clone()));
    }
    Ok(found)
}

/// Returns what the last part of a specifier for the file is: `./a` for `a.ts`, `./b` or `./b/index` for `b/index.ts`.
fn specifier_stem(path: &RelPath) -> &str {
    let directory = || path.as_str().rsplit('/').nth(1);
    match ecma_stem(path) {
        "index" => directory().unwrap_or("index"),
        stem => stem,
    }
}

fn imports_one(
    resolver: &Resolver,
    file: &Arc<FileEntry>,
    stems: &BTreeSet<&str>,
    wanted: &HashSet<RelPath>,
) -> bool {
    let Some(imports) = resolver.imports_of(file) else { return false };
    imports.iter().any(|import| {
        // `.` and `..` mean the index of a directory, which no word names.
        let last = import.module.rsplit('/').next().unwrap_or(import.module);
        let stem = last.split('.').next().unwrap_or(last);
        let may_be = stem.is_empty() || stem == "index" || stems.iter().any(|one| one.starts_with(stem));
        may_be
            && matches!(
                modules::find(resolver, file, import.module, import.statement.start),
                Some(Module::File(found)) if wanted.contains(&found.path)
            )
    })
}
