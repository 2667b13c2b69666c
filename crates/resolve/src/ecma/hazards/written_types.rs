//! Types that comments of JavaScript write out, `@param {{ size: number }} box`: objects of a class that has the member fit them, and no
//! compiler tells where one no longer does.

use super::{RenamedSymbol, SymbolOwner};
use crate::context::last_word;
use crate::family_texts::{FamilyText, FamilyTexts};
use crate::rename_hazard::RenameHazard;

/// How the names of JavaScript files end.
const SCRIPTS: [&str; 4] = [".js", ".jsx", ".mjs", ".cjs"];

/// Finds the members of such types that have the name of a class's member, in files that name the class.
pub(super) fn find(symbol: &RenamedSymbol, texts: &FamilyTexts) -> Option<RenameHazard> {
    let SymbolOwner::Type { class, is_static: false } = &symbol.owner else { return None };
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| one.path == class.file.path || one.holds(class.name())) {
        if !SCRIPTS.iter().any(|ending| one.path.as_str().ends_with(ending)) {
            continue;
        }
        let is_member = |&at: &usize| is_member_in_comment(&one, at, symbol.old.len());
        places.extend(one.words(&symbol.old).filter(is_member).map(|at| one.place(at, symbol.old.len())));
    }
    let text = format!(
        "comments write out types with a member '{}', and objects of {} may be used as one of them",
        symbol.old,
        class.name()
    );
    RenameHazard::doubt(text, places)
}

/// Whether the name at byte `at` declares a member of a type that a comment writes out: `{{ name: … }}`, `@property {…} name`.
fn is_member_in_comment(text: &FamilyText, at: usize, length: usize) -> bool {
    let code = text.text.as_str();
    let line = code[..at].rsplit('\n').next().unwrap_or_default();
    if !line.trim_start().starts_with(['*', '/']) {
        return false;
    }
    let behind = code[at + length..].trim_start_matches('?');
    let is_in_braces = line.rfind("{{").is_some_and(|open| !line[open..].contains("}}"));
    let is_property = || {
        let (tag, name) = line.split_at(line.rfind('}').map_or(0, |close| close + 1));
        name.trim_matches([' ', '[']).is_empty() && (tag.contains("@property") || tag.contains("@prop "))
    };
    is_in_braces && behind.starts_with(':') && last_word(line).is_empty() || is_property()
}
