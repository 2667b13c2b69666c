//! Names that a module of JavaScript or TypeScript exports: its own clauses (`export { other as name }`) and the modules that export it
//! again as a whole (`export *`). Of two stars that export one name neither does, and an own export hides that of a star.

use std::collections::BTreeSet;

use super::{Renaming, SourcePlace, Visibility};
use crate::family::Family;
use crate::meaning::Meaning;
use crate::modules::{self, Module, ecma_stem};
use symd_base::RelPath;
use symd_base::cancel::Cancelled;
use symd_index::NeededWords;
use symd_syntax::{Import, ImportKind, ImportList, Imported};

impl Renaming<'_, '_> {
    /// Returns the export statements that offer the new name already where the declaration is exported.
    pub(super) fn conflicts_in_exports(&self) -> Result<Vec<SourcePlace>, Cancelled> {
        if self.resolver.family != Family::Ecma || self.visible != Visibility::File {
            return Ok(Vec::new());
        }
        let own = self.outline.imports.unpack();
        if !self.is_exported(&own) {
            return Ok(Vec::new());
        }
        let file = &self.target.file;
        let mut found: Vec<SourcePlace> = own
            .iter()
            .filter(|export| export.kind == ImportKind::Export && export.bound() == Some(self.new))
            .map(|export| (file.path.clone(), export.statement))
            .collect();
        let mut exporting = BTreeSet::from([file.path.clone()]);
        let mut open = vec![file.path.clone()];
        while let Some(exported) = open.pop() {
            for (path, star) in self.stars_of(&exported)? {
                let Some(entry) = self.resolver.file(path.as_str()) else { continue };
                if let Meaning::Declared(offered) =
                    self.resolver.exported(&Module::File(entry.clone()), self.new, 0)?
                    && !offered.iter().any(|one| self.is_ours(one))
                {
                    found.push((path.clone(), star));
                }
                if exporting.insert(path.clone()) {
                    open.push(path);
                }
            }
        }
        Ok(found)
    }

    /// Whether the file, which has these imports and exports, exports the declaration, under any name.
    fn is_exported(&self, own: &ImportList) -> bool {
        let is_it = |one: Import| one.kind == ImportKind::Export && one.imported == Imported::Name(self.old);
        let in_statement = || {
            let here = self.resolver.read_file(&self.target.file)?;
            let before = here.text.as_str().get(..self.row.name_start as usize)?;
            let statement = before.rsplit(['\n', ';', '}']).next()?;
            Some(statement.split(|c: char| !c.is_alphanumeric()).any(|word| word == "export"))
        };
        own.iter().any(is_it) || in_statement().unwrap_or(true)
    }

    /// Returns the statements that export all of what the file at `path` exports: `export * from './path'`.
    fn stars_of(&self, path: &RelPath) -> Result<Vec<SourcePlace>, Cancelled> {
        // `export * from '..'` names no file.
        let words = match ecma_stem(path) {
            "index" => NeededWords::of_name("export"),
            stem => NeededWords::of_name(&format!("export {stem}")),
        };
        let mut found = Vec::new();
        for file in self.resolver.sources.snapshot().files.with_words(words) {
            self.resolver.cancel.check()?;
            if Family::of(file) != Some(Family::Ecma) {
                continue;
            }
            let Some(imports) = self.resolver.imports_of(file) else { continue };
            for import in imports.iter() {
                let is_star = import.kind == ImportKind::Export && import.imported == Imported::Everything;
                let leads_here =
                    || match modules::find(self.resolver, file, import.module, import.statement.start) {
                        Some(Module::File(found)) => found.path == *path,
                        _ => false,
                    };
                if is_star && leads_here() {
                    found.push((file.path.clone(), import.statement));
                }
            }
        }
        Ok(found)
    }
}
