//! A script and the declarations that TypeScript reads for it: `a.d.ts` says what `a.js` has. A server reads one of the two.

use super::RenamedSymbol;
use crate::family_texts::{FamilyText, FamilyTexts};
use crate::modules::ecma_stem;
use crate::rename_hazard::RenameHazard;

pub(super) fn find(symbol: &RenamedSymbol, texts: &FamilyTexts) -> Option<RenameHazard> {
    let own = &symbol.here.file.path;
    let is_typed = own.as_str().ends_with(".d.ts");
    let is_script = |path: &str| [".js", ".jsx", ".mjs", ".cjs"].iter().any(|ending| path.ends_with(ending));
    let is_other = |one: &FamilyText| {
        let path = &one.path;
        let fits = if is_typed { is_script(path.as_str()) } else { path.as_str().ends_with(".d.ts") };
        fits && path.parent() == own.parent() && ecma_stem(path) == ecma_stem(own)
    };
    if !is_typed && !is_script(own.as_str()) {
        return None;
    }
    let other = texts.iter().filter(|one| one.holds(&symbol.old)).find(is_other)?;
    let places = other.words(&symbol.old).map(|at| other.place(at, symbol.old.len()));
    let text = format!(
        "{} declares what {} has, and both have to change",
        declaring(symbol, &other),
        other_of(symbol, &other)
    );
    RenameHazard::doubt(text, places.collect())
}

fn declaring<'n>(symbol: &'n RenamedSymbol, other: &'n FamilyText) -> &'n str {
    let own = symbol.here.file.path.file_name();
    if own.ends_with(".d.ts") { own } else { other.path.file_name() }
}

fn other_of<'n>(symbol: &'n RenamedSymbol, other: &'n FamilyText) -> &'n str {
    let own = symbol.here.file.path.file_name();
    if own.ends_with(".d.ts") { other.path.file_name() } else { own }
}
