//! Members and functions that the program may look up by a name of which it writes the beginning or the end: `this["on_" + event]()`,
//! `views[`view_${page}`]`. What is computed whole (`object[key]`) is no cause for doubt: it is everywhere.

use std::collections::HashMap;

use super::key_text::KeyText;
use super::{RenamedSymbol, SymbolOwner};
use crate::brackets::close_bracket;
use crate::context::{first_word, is_word, last_word};
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::modules::{self, Module};
use crate::rename_hazard::RenameHazard;
use crate::scope;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

/// The longest expression between brackets that is read, in bytes.
const MAX_EXPRESSION: usize = 200;

/// Objects of the platform that have no members of the project.
const OF_PLATFORM: [&str; 9] =
    ["JSON", "Math", "console", "document", "env", "localStorage", "process", "sessionStorage", "style"];

/// Objects that hold what a module or a script declares.
const OF_MODULE: [&str; 5] = ["exports", "global", "globalThis", "self", "window"];

pub(super) fn find(symbol: &RenamedSymbol, texts: &FamilyTexts) -> Result<Option<RenameHazard>, Cancelled> {
    let kin = match &symbol.owner {
        SymbolOwner::Type { .. } => kin(symbol)?,
        SymbolOwner::Module => Vec::new(),
        // A constant of an enumeration is looked up by its own rules.
        SymbolOwner::Enum(_) | SymbolOwner::Function => return Ok(None),
    };
    let mut places = Vec::new();
    for one in texts.iter() {
        symbol.resolver.cancel.check()?;
        // A script that was made smaller has thousands of subscripts by few variables.
        let mut of_variables: HashMap<&str, bool> = HashMap::new();
        for (open, expression) in subscripts(&one.text) {
            let is_it = |key: KeyText| key.may_be(&symbol.old);
            let told = match KeyText::read(expression) {
                Some(key) => is_it(key),
                None => *of_variables.entry(expression.trim()).or_insert_with_key(|variable| {
                    value_of(&one.text, variable).and_then(KeyText::read).is_some_and(is_it)
                }),
            };
            if told && may_have(symbol, &one, &kin, open) {
                places.push(one.place(open, expression.len() + 2));
            }
        }
    }
    let text = format!(
        "names that begin or end like '{}' are computed and looked up, and it may be one of them",
        symbol.old
    );
    Ok(RenameHazard::doubt(text, places))
}

/// Returns the classes whose objects may have the member: those of the family, with all above and below them.
fn kin(symbol: &RenamedSymbol) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    let owners = symbol.owners();
    let graph = ClassGraph::of_kin(symbol.resolver, &owners, Kin::Around)?;
    let around = &graph.all_descendants(&owners) | &graph.all_ancestors(&owners);
    // An owner may be an object that is no class.
    Ok(owners.into_iter().chain(graph.classes(around)).collect())
}

/// Returns the expressions between brackets behind a value, each with the byte of its bracket.
fn subscripts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('[').filter_map(|(open, _)| {
        let before = text[..open].trim_end_matches("?.");
        let is_value = before.ends_with(is_word) || before.ends_with([')', ']', '!']);
        // `return ["a" + b]` is a list.
        let is_list =
            matches!(last_word(before), "return" | "of" | "in" | "case" | "yield" | "await" | "typeof");
        if !is_value || is_list {
            return None;
        }
        let behind = &text[open..];
        let mut end = behind.len().min(MAX_EXPRESSION);
        while !behind.is_char_boundary(end) {
            end -= 1;
        }
        let close = close_bracket(&behind[..end], 0);
        let inside = behind[..close].strip_prefix('[')?.strip_suffix(']')?;
        let may_compute = inside.contains('+') || inside.contains("${") || first_word(inside) == inside;
        (may_compute && !inside.is_empty()).then_some((open, inside))
    })
}

/// Returns the expression that the file assigns to a variable, up to the line's end.
fn value_of<'t>(text: &'t str, variable: &str) -> Option<&'t str> {
    if variable.is_empty()
        || first_word(variable) != variable
        || variable.starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    words_of(text, variable).find_map(|at| {
        let behind = text[at + variable.len()..].trim_start();
        let value = behind.strip_prefix('=').filter(|rest| !rest.starts_with(['=', '>']))?;
        let value = value.split(['\n', ';']).next()?.trim();
        value.starts_with(['"', '\'', '`']).then_some(value)
    })
}

/// Whether the object before the bracket may have the symbol.
fn may_have(symbol: &RenamedSymbol, text: &FamilyText, kin: &[IndexedDeclaration], open: usize) -> bool {
    let before = text.text[..open].trim_end_matches("?.").trim_end_matches('!');
    // `(this as any)[…]`
    let cast = before
        .strip_suffix(')')
        .and_then(|before| before.rsplit_once('('))
        .map(|(_, inside)| first_word(inside));
    let object = cast.filter(|word| !word.is_empty()).unwrap_or_else(|| last_word(before));
    if OF_PLATFORM.contains(&object) {
        return false;
    }
    if let SymbolOwner::Module = symbol.owner {
        return stands_for_module(symbol, text, object);
    }
    if object != "this" {
        return true;
    }
    let Some(there) = text.current(symbol.resolver) else { return true };
    let at = u32::try_from(open).unwrap_or(u32::MAX);
    match scope::class_around(&there, at) {
        Some(class) => kin.iter().any(|one| one.is_same_declaration(&class)),
        None => true,
    }
}

/// Whether a name stands for the module that declares the symbol, or for an object that it was put into.
pub(super) fn stands_for_module(symbol: &RenamedSymbol, text: &FamilyText, object: &str) -> bool {
    let is_own = text.path == symbol.here.file.path;
    if is_own && OF_MODULE.contains(&object) {
        return true;
    }
    let code = text.text.as_str();
    if object.is_empty() {
        return false;
    }
    let is_table = |at: usize| {
        let Some(value) = code[at + object.len()..].trim_start().strip_prefix('=') else { return false };
        let value = value.trim_start();
        value.starts_with('{') && words_of(&value[..close_bracket(value, 0)], &symbol.old).next().is_some()
    };
    if (is_own || text.holds(&symbol.old)) && words_of(code, object).any(is_table) {
        return true;
    }
    // `import * as object from "./file"`, `const object = require("./file")`, `await import("./file")`
    words_of(code, object).any(|at| {
        let behind = code[at + object.len()..].trim_start();
        let Some(source) = behind.strip_prefix("from ").or_else(|| behind.strip_prefix('=')) else {
            return false;
        };
        let source = source.split(['\n', ';']).next().unwrap_or("");
        let mut quoted = source.split(['"', '\'']);
        let (call, Some(written)) = (quoted.next().unwrap_or(""), quoted.next()) else { return false };
        let loads = behind.starts_with("from ") || call.contains("require(") || call.contains("import(");
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        loads
            && text.file(symbol.resolver).is_some_and(|file| {
                matches!(
                    modules::find(symbol.resolver, file, written, at),
                    Some(Module::File(file)) if file.path == symbol.here.file.path
                )
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_the_brackets_of_a_subscript() {
        let text = "a[\"on_\" + b]; (c as any)[`x${d}`]; [\"e\" + f]; g[0]; h[key]; return [\"i\" + j]";
        let found: Vec<&str> = subscripts(text).map(|(_, inside)| inside).collect();
        assert_eq!(found, ["\"on_\" + b", "`x${d}`", "0", "key"]);
    }

    #[test]
    fn the_text_that_a_variable_is_put_together_from() {
        let text = "const key = \"on_\" + event;\nif (key == other) call(key);\n";
        assert_eq!(value_of(text, "key"), Some("\"on_\" + event"));
        assert_eq!(value_of(text, "other"), None);
    }
}
