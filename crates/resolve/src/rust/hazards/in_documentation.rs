//! Links and examples in documentation that may mean the renamed item, and are not known to.

use super::RustRenamed;
use crate::family_texts::FamilyTexts;
use crate::rename_hazard::RenameHazard;
use crate::rust::doc_links::{DocPlace, doc_place};

pub(super) fn find(symbol: &RustRenamed, texts: &FamilyTexts) -> Option<RenameHazard> {
    let name = symbol.old.as_str();
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| one.text.contains(name)) {
        let is_doc = |at: &usize| {
            let line = one.text[..*at].rsplit('\n').next().unwrap_or("").trim_start();
            line.starts_with("///") || line.starts_with("//!")
        };
        for at in one.words(name).filter(is_doc) {
            let place = one.place(at, name.len());
            match doc_place(&one.text, place.1) {
                DocPlace::Link(_) | DocPlace::Example { is_bound: false, .. } => places.push(place),
                DocPlace::Prose | DocPlace::Example { .. } => {}
            }
        }
    }
    let text = format!("a link or an example in documentation may mean '{name}' here, and is not changed");
    RenameHazard::doubt(text, places)
}
