//! Names that a package cannot declare, or that Go itself runs: `init`, `main`, and the names that other files of the package import.

use super::{GoOwner, GoRenamed};
use crate::family_texts::{FamilyTexts, words_of};
use crate::hierarchy::heads::without_comments;
use crate::meaning::binds;
use crate::rename_hazard::RenameHazard;
use symd_syntax::SymbolKind;

pub(super) fn find(symbol: &GoRenamed, texts: &FamilyTexts) -> Vec<RenameHazard> {
    if symbol.owner != GoOwner::Package {
        return Vec::new();
    }
    let new = symbol.new;
    if new == "init" || new == "_" {
        let text = match (new, symbol.row.kind()) {
            ("init", SymbolKind::Function) => {
                "Go runs a function called 'init' when the program starts, and no code may name it"
            }
            ("init", _) => "only a function may be called 'init' in a package",
            _ => "what is called '_' cannot be used",
        };
        return vec![RenameHazard::breaks(text.to_owned())];
    }
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| one.text.contains(new) && symbol.is_of_package(one)) {
        let Some(there) = one.current(symbol.resolver) else { continue };
        let imports = there.imports();
        let same = imports.iter().filter(|import| binds(symbol.resolver.family, import) == Some(new));
        places.extend(same.map(|import| (one.path.clone(), import.statement)));
    }
    let text = format!("a file of the package imports '{new}', which its package cannot declare then");
    let mut found: Vec<RenameHazard> = RenameHazard::breaks_at(text, places).into_iter().collect();
    found.extend(hidden_constant(symbol, texts));
    found
}

/// Finds where the package uses a constant of the language that the new name would hide. What else the language declares is found
/// like other names: it is an identifier for the grammar.
fn hidden_constant(symbol: &GoRenamed, texts: &FamilyTexts) -> Option<RenameHazard> {
    let new = symbol.new;
    if !matches!(new, "nil" | "true" | "false" | "iota") {
        return None;
    }
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| symbol.is_of_package(one)) {
        let Some(there) = one.current(symbol.resolver) else { continue };
        let code = without_comments(&one.text, there.language);
        places.extend(words_of(&code, new).map(|at| one.place(at, new.len())));
    }
    RenameHazard::breaks_at(format!("'{new}' of the language is used here, and would be hidden"), places)
}
