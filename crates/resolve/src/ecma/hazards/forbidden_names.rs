//! New names that are no keywords, and yet cannot be declared: those that strict code, the language or a CommonJS module has.

use super::{RenamedSymbol, SymbolOwner};
use crate::context::last_word;
use crate::rename_hazard::RenameHazard;

/// Names that strict code must not bind; modules and classes are strict.
const OF_STRICT_CODE: [&str; 2] = ["arguments", "eval"];

/// Global values that cannot be declared at a file's top level.
const OF_LANGUAGE: [&str; 4] = ["Infinity", "NaN", "globalThis", "undefined"];

/// What Node.js declares in each CommonJS module.
const OF_COMMONJS: [&str; 5] = ["__dirname", "__filename", "exports", "module", "require"];

/// Types of TypeScript that have names of their own.
const TYPES: [&str; 10] =
    ["any", "bigint", "boolean", "never", "number", "object", "string", "symbol", "undefined", "unknown"];

pub(super) fn find(symbol: &RenamedSymbol) -> Option<RenameHazard> {
    if symbol.is_member() || matches!(symbol.owner, SymbolOwner::Enum(_)) {
        return None;
    }
    let new = symbol.new;
    let is_top = matches!(symbol.owner, SymbolOwner::Module) && symbol.row.parent().is_none();
    let declares_type =
        matches!(last_word(symbol.head().trim_end()), "class" | "enum" | "interface" | "type");
    let text = if OF_STRICT_CODE.contains(&new) {
        format!("strict code must not declare '{new}', and modules and classes are strict")
    } else if declares_type && TYPES.contains(&new) {
        format!("'{new}' is a type of TypeScript's own")
    } else if OF_LANGUAGE.contains(&new) {
        format!("'{new}' is a value of the language's own")
    } else if is_top && OF_COMMONJS.contains(&new) && may_be_commonjs(symbol) {
        format!("Node.js declares '{new}' itself in each CommonJS module")
    } else if is_top && new == "__esModule" {
        "compilers mark modules by '__esModule'".to_owned()
    } else {
        return None;
    };
    Some(RenameHazard::breaks(text))
}

/// Whether the file is, or is compiled to, a CommonJS module. TypeScript is compiled to what the nearest package.json says, if the
/// compiler is told to do so; without one to CommonJS.
fn may_be_commonjs(symbol: &RenamedSymbol) -> bool {
    let path = symbol.here.file.path.as_str();
    if [".mjs", ".mts"].iter().any(|ending| path.ends_with(ending)) {
        return false;
    }
    if [".cjs", ".cts"].iter().any(|ending| path.ends_with(ending)) {
        return true;
    }
    let is_script = [".js", ".jsx"].iter().any(|ending| path.ends_with(ending));
    let text = symbol.here.text.as_str();
    let has_statement = |word: &str| text.lines().any(|line| line.trim_start().starts_with(word));
    !(is_script && (has_statement("export ") || has_statement("import "))) && !is_in_module_package(symbol)
}

/// Whether the nearest package.json says that the package's scripts are modules of the language: `"type": "module"`.
fn is_in_module_package(symbol: &RenamedSymbol) -> bool {
    let above = std::iter::successors(symbol.here.file.path.parent(), |at| at.parent());
    let manifest = above.map(|at| at.join("package.json"));
    let text = manifest.filter_map(|path| symbol.resolver.sources.text(&path)).next();
    text.is_some_and(|text| {
        let words: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        words.contains("\"type\":\"module\"")
    })
}
