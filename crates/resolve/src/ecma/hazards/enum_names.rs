//! Constants of an enumeration that the program has as texts: `Color[value]` gives the name of a constant, or takes it, as
//! `Object.keys(Color)` does.

use super::{RenamedSymbol, SymbolOwner};
use crate::context::{is_word, last_word};
use crate::family_texts::FamilyTexts;
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;

/// Functions that give the names of an object's members.
const LISTING: [&str; 6] = [
    "Object.keys",
    "Object.entries",
    "Object.getOwnPropertyNames",
    "Object.assign",
    "Reflect.ownKeys",
    "JSON.stringify",
];

pub(super) fn find(symbol: &RenamedSymbol, texts: &FamilyTexts) -> Result<Option<RenameHazard>, Cancelled> {
    let SymbolOwner::Enum(of) = &symbol.owner else { return Ok(None) };
    let name = of.name();
    let has_texts = has_text_values(symbol);
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| one.holds(name)) {
        symbol.resolver.cancel.check()?;
        for at in one.words(name) {
            let behind = one.text[at + name.len()..].trim_start();
            let before = one.text[..at].trim_end();
            if reads_key(behind) || is_listed(before, behind, has_texts) {
                places.push(one.place(at, name.len()));
            }
        }
    }
    let text = format!(
        "the program has the names of the constants of '{name}' as texts, and '{}' is one of them",
        symbol.old
    );
    Ok(RenameHazard::doubt(text, places))
}

/// Whether a constant by a key that is not written out follows: `[value]`.
fn reads_key(behind: &str) -> bool {
    let Some(key) = behind.strip_prefix('[').map(str::trim_start) else { return false };
    // `Color["Red"]` is found as a use; `Color[]` is a type.
    !key.starts_with(['"', '\'', '`', ']'])
}

/// Whether the object between `before` and `behind` is passed to what gives the names of its members, or a loop goes through them.
/// `has_texts`: its values are no names.
pub(super) fn is_listed(before: &str, behind: &str, has_texts: bool) -> bool {
    // How many there are stays the same.
    if behind.starts_with(").length") || !behind.starts_with([')', ',']) && !behind.starts_with("as ") {
        return false;
    }
    // The values of an enumeration of numbers hold the names, too.
    let of_values = || !has_texts && before.ends_with("Object.values(");
    let takes = |function: &&str| before.strip_suffix('(').is_some_and(|rest| rest.ends_with(*function));
    let is_loop =
        || last_word(before) == "in" && before.len() > 2 && !before[..before.len() - 2].ends_with(is_word);
    LISTING.iter().any(takes) || of_values() || is_loop()
}

/// Whether the constants' values are texts.
fn has_text_values(symbol: &RenamedSymbol) -> bool {
    let own = symbol.here.text.slice(symbol.row.range());
    own.split_once('=').is_some_and(|(_, value)| value.trim_start().starts_with(['"', '\'', '`']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_constants_as_texts() {
        assert!(reads_key("[Color.Red]") && reads_key("[ n ]"));
        assert!(!reads_key("[\"Red\"]") && !reads_key("[]") && !reads_key(".Red"));
        assert!(is_listed("Object.keys(", ").join()", true));
        assert!(is_listed("for (const k in", ") {", true));
        assert!(is_listed("x = Object.values(", ")", false) && !is_listed("Object.values(", ")", true));
        assert!(!is_listed("Object.keys(", ").length", true));
        assert!(!is_listed("f(", ")", true) && !is_listed("Object.keys(", ".Red)", true));
    }
}
