//! Objects that are printed: `console.log(user)` shows the names of a class and of its data. Only where the value's type is seen to be,
//! or to hold, the symbol's.

use super::type_reach::TypeReach;
use super::{RenamedSymbol, SymbolOwner};
use crate::family_texts::{FamilyTexts, words_of};
use crate::hierarchy::heads::arguments_in;
use crate::profiles::LanguageProfile;
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// Functions that print the members of an object, or make a text of them.
const PRINTING: [&str; 9] = [
    "console.debug",
    "console.dir",
    "console.error",
    "console.info",
    "console.log",
    "console.table",
    "console.warn",
    "util.format",
    "util.inspect",
];

pub(super) fn find(
    symbol: &RenamedSymbol,
    reach: &TypeReach,
    texts: &FamilyTexts,
) -> Result<Option<RenameHazard>, Cancelled> {
    let Some(profile) = LanguageProfile::of(&symbol.here.file) else { return Ok(None) };
    let mut places = Vec::new();
    for one in texts.iter() {
        symbol.resolver.cancel.check()?;
        for function in PRINTING.iter().filter(|function| one.text.contains(**function)) {
            for at in words_of(&one.text, function) {
                let call = &one.text[at + function.len()..];
                for value in arguments_in(call, profile).into_iter().flatten() {
                    if is_object(value) && reach.holds(symbol, &one, value, at)? {
                        places.push(one.place(at, function.len()));
                        break;
                    }
                }
            }
        }
    }
    Ok(RenameHazard::doubt(format!("objects are printed with the name '{}'", symbol.old), places))
}

/// Whether the symbol is a class whose name is printed with its objects.
pub(super) fn is_printed_class(symbol: &RenamedSymbol) -> bool {
    matches!(symbol.owner, SymbolOwner::Module) && symbol.row.kind() == SymbolKind::Class
}

/// Whether an argument may be an object as a whole: a variable, a member, what a call gives, a new object; what operators or strings
/// make is none.
fn is_object(value: &str) -> bool {
    let value = value.trim();
    value.starts_with("new ")
        || !value.is_empty() && !value.contains(['"', '\'', '`', '+', '?', '=', '<', '&', '|'])
}

#[cfg(test)]
mod tests {
    use super::is_object;

    #[test]
    fn arguments_that_may_be_objects() {
        for value in ["user", "cart.items", "make(1)", "new User('a')", "...users"] {
            assert!(is_object(value), "{value}");
        }
        for value in ["", "'user'", "`${user}`", "\"a\" + user", "user === other", "user ? 1 : 2"] {
            assert!(!is_object(value), "{value}");
        }
    }
}
