//! The full names of Python names that come from outside the project: imports are followed through the
//! project's own modules to the one that is not the project's. Invariant: terminates on every input; where a
//! file imports one name twice, all candidates are returned, since one of them is a guess.

use crate::meaning::binds;
use crate::modules::{self, Module};
use crate::resolver::Resolver;
use symd_base::cancel::Cancelled;
use symd_index::FileEntry;
use symd_syntax::Imported;

/// The most modules through which a name is followed.
const MAX_HOPS: usize = 12;

/// Returns the full names (`threading.Thread`, `builtins.dict`) that `chain` may have in `file`, sorted.
pub(crate) fn origins(
    resolver: &Resolver,
    file: &FileEntry,
    chain: &[&str],
) -> Result<Vec<String>, Cancelled> {
    let mut found = Vec::new();
    follow(resolver, file, chain, 0, &mut found)?;
    found.sort();
    found.dedup();
    Ok(found)
}

fn follow(
    resolver: &Resolver,
    file: &FileEntry,
    chain: &[&str],
    hops: usize,
    found: &mut Vec<String>,
) -> Result<(), Cancelled> {
    resolver.cancel.check()?;
    let (Some((first, rest)), Some(imports)) = (chain.split_first(), resolver.imports_of(file)) else {
        return Ok(());
    };
    let mut is_imported = false;
    for import in imports.iter() {
        if binds(resolver.family, &import) != Some(first) || hops > MAX_HOPS {
            continue;
        }
        is_imported = true;
        let at = import.statement.start;
        let written = match (import.imported, import.alias) {
            // `import a.b` binds `a`.
            (Imported::Module, None) => first,
            _ => import.module,
        };
        let mut names: Vec<&str> = match import.imported {
            Imported::Name(name) => vec![name],
            _ => Vec::new(),
        };
        names.extend(rest);
        match modules::find(resolver, file, written, at) {
            None => found.push([&[written], &names[..]].concat().join(".")),
            Some(module) => within(resolver, module, &names, hops, found)?,
        }
    }
    if !is_imported && hops == 0 {
        found.push(format!("builtins.{}", chain.join(".")));
    }
    Ok(())
}

/// Follows `names` from a module of the project.
fn within(
    resolver: &Resolver,
    mut module: Module,
    names: &[&str],
    hops: usize,
    found: &mut Vec<String>,
) -> Result<(), Cancelled> {
    let mut names = names;
    while let [first, rest @ ..] = names
        && let Some(below) = modules::below(resolver, &module, first)
    {
        (module, names) = (below, rest);
    }
    match modules::file_of(resolver, &module) {
        Some(file) => follow(resolver, &file, names, hops + 1, found),
        None => Ok(()),
    }
}
