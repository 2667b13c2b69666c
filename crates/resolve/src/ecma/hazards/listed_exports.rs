//! Names that a module exports, where the program lists them: `Object.keys(views)` of `import * as views`.

use super::computed_keys::stands_for_module;
use super::enum_names::is_listed;
use super::{RenamedSymbol, SymbolOwner};
use crate::context::first_word;
use crate::family_texts::{FamilyTexts, words_of};
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;

pub(super) fn find(symbol: &RenamedSymbol, texts: &FamilyTexts) -> Result<Option<RenameHazard>, Cancelled> {
    if !matches!(symbol.owner, SymbolOwner::Module) || symbol.row.parent().is_some() {
        return Ok(None);
    }
    let mut places = Vec::new();
    for one in texts.iter() {
        symbol.resolver.cancel.check()?;
        for mark in ["(", " in "] {
            for (at, _) in one.text.match_indices(mark) {
                let start = at + mark.len();
                let listed = first_word(&one.text[start..]);
                let (before, behind) = (&one.text[..start], &one.text[start + listed.len()..]);
                if !listed.is_empty()
                    && is_listed(before.trim_end(), behind.trim_start(), true)
                    && words_of(&one.text, listed).nth(1).is_some()
                    && stands_for_module(symbol, &one, listed)
                {
                    places.push(one.place(start, listed.len()));
                }
            }
        }
    }
    let text = format!("the program lists the names of this module, and '{}' is one of them", symbol.old);
    Ok(RenameHazard::doubt(text, places))
}
