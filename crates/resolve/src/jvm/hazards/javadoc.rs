//! Links of Javadoc that may mean the renamed declaration, and are not known to.

use super::JavaRenamed;
use crate::family_texts::FamilyTexts;
use crate::jvm::javadoc_links::{JavadocName, javadoc_name};
use crate::rename_hazard::RenameHazard;

pub(super) fn find(symbol: &JavaRenamed, texts: &FamilyTexts) -> Option<RenameHazard> {
    let name = symbol.old.as_str();
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| one.path.extension() == Some("java") && one.text.contains(name)) {
        for at in one.words(name) {
            let before = &one.text[..at];
            let is_comment = before.rfind("/**").is_some_and(|open| !before[open..].contains("*/"));
            let place = one.place(at, name.len());
            let link = javadoc_name(&one.text, place.1).filter(|_| is_comment);
            let fits = match link {
                Some(JavadocName::Class) => symbol.is_type(),
                Some(JavadocName::Member(_)) => !symbol.is_type(),
                None => false,
            };
            if fits {
                places.push(place);
            }
        }
    }
    let text = format!("a link in documentation may mean '{name}' here, and is not changed");
    RenameHazard::doubt(text, places)
}
