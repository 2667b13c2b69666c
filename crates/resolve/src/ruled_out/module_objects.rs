//! Whether a receiver can be the module that declares the target: a top-level declaration is a member of the
//! module object alone. Invariant: a module that any file binds as an object, or from which the symbol is
//! imported and offered elsewhere, can be any receiver.

use crate::context::Receiver;
use crate::modules::{self, Module};
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::RelPath;
use symd_base::cancel::Cancelled;
use symd_index::FileEntry;
use symd_syntax::{Import, Imported};

/// Names by which programs obtain modules that no import names.
const LOADERS: [&str; 6] =
    ["import_module", "__import__", "modules", "importlib", "load_module", "exec_module"];

/// What is known about the modules that declare the targets.
pub(super) struct ModuleObjects<'t> {
    /// The targets' name and the stem of their module, if no file binds, as an object, that module or another
    /// one that offers the name.
    hidden: Option<(&'t str, &'t str)>,
}

impl<'t> ModuleObjects<'t> {
    pub(super) fn of(
        resolver: &Resolver,
        targets: &'t [IndexedDeclaration],
    ) -> Result<ModuleObjects<'t>, Cancelled> {
        Ok(ModuleObjects { hidden: hidden(resolver, targets)? })
    }

    /// Whether the receiver cannot be a module that declares the targets.
    pub(super) fn are_out_of_reach(&self, here: &CurrentFile, receiver: &Receiver) -> bool {
        let Some((_, stem)) = self.hidden else { return false };
        // The value of a plain name may come from anywhere.
        let Receiver::Chain(chain, _) = receiver else { return false };
        chain.len() > 1
            && !chain.contains(&stem)
            && !LOADERS.iter().any(|loader| here.outline.occurrences.contains(loader))
    }
}

fn hidden<'t>(
    resolver: &Resolver,
    targets: &'t [IndexedDeclaration],
) -> Result<Option<(&'t str, &'t str)>, Cancelled> {
    let [target] = targets else { return Ok(None) };
    let is_top_level = target.row().is_some_and(|(_, row)| row.parent().is_none() && !row.is_local());
    let (name, stem) = (target.name(), target.file.path.file_stem());
    if !is_top_level {
        return Ok(None);
    }
    let files = || {
        let files = resolver.sources.snapshot().files.iter();
        files.filter(|file| resolver.file(file.path.as_str()).is_some())
    };
    let mut offering = vec![target.file.path.clone()];
    for file in files() {
        let Some(imports) = file.imports() else { continue };
        resolver.cancel.check()?;
        for import in imports.unpack().iter() {
            match offers(&import, stem, name) {
                Offer::Nothing => {}
                Offer::Name => offering.push(file.path.clone()),
                Offer::Everything => return Ok(None),
            }
        }
    }
    // A package that offers the name is bound wherever something beneath it is imported.
    let is_whole = |path: &RelPath| !matches!(path.file_stem(), "__init__" | "__main__");
    if !offering.iter().all(is_whole) {
        return Ok(None);
    }
    for file in files() {
        let Some(imports) = file.imports() else { continue };
        resolver.cancel.check()?;
        let imports = imports.unpack();
        if imports
            .iter()
            .any(|import| offering.iter().any(|path| binds_module(resolver, file, &import, path)))
        {
            return Ok(None);
        }
    }
    Ok(Some((name, stem)))
}

/// Whether the import binds the module at `path` as an object.
fn binds_module(resolver: &Resolver, from: &FileEntry, import: &Import, path: &RelPath) -> bool {
    let is_it = |module: Option<Module>| matches!(module, Some(Module::File(file)) if file.path == *path);
    let (stem, at) = (path.file_stem(), import.statement.start);
    match import.imported {
        Imported::Module => {
            import.module.rsplit('.').next() == Some(stem)
                && is_it(modules::find(resolver, from, import.module, at))
        }
        Imported::Name(name) => {
            let below = || modules::below(resolver, &modules::find(resolver, from, import.module, at)?, name);
            name == stem && is_it(below())
        }
        Imported::Everything => false,
    }
}

/// The names that an import takes from a module.
enum Offer {
    /// Names other than the given one.
    Nothing,
    /// The name, under any alias.
    Name,
    /// All names.
    Everything,
}

/// Returns what the import takes: the name from any module, or all names from a module of that stem.
fn offers(import: &Import, stem: &str, name: &str) -> Offer {
    match import.imported {
        Imported::Name(imported) if imported == name => Offer::Name,
        Imported::Everything if import.module.rsplit('.').next() == Some(stem) => Offer::Everything,
        _ => Offer::Nothing,
    }
}
