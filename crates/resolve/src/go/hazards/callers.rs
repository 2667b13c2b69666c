//! Functions of Go that read the names of those that call them: `runtime.FuncForPC(pc).Name()`.

use super::GoRenamed;
use crate::conflicts::SourcePlace;
use crate::family_texts::{FamilyTexts, words_of};
use symd_base::cancel::Cancelled;
use symd_syntax::Row;

/// Returns where functions that the renamed one calls read the names of functions from the stack.
pub(super) fn readers(symbol: &GoRenamed, texts: &FamilyTexts) -> Result<Vec<SourcePlace>, Cancelled> {
    let own = symbol.here.text_of(&symbol.row);
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| one.text.contains("\"runtime\"")) {
        symbol.resolver.cancel.check()?;
        let Some(here) = one.current(symbol.resolver) else { continue };
        for sign in ["FuncForPC", "CallersFrames"] {
            for at in one.words(sign) {
                let byte = u32::try_from(at).unwrap_or(u32::MAX);
                let is_around = |row: &&Row| row.parent().is_none() && row.start <= byte && byte < row.end;
                let name = here.outline.rows.iter().find(is_around).map_or("", |row| here.outline.name(row));
                if name != symbol.old && words_of(own, name).next().is_some() {
                    places.push(one.place(at, sign.len()));
                }
            }
        }
    }
    Ok(places)
}
