//! Names that a program asks the linker for while it runs, put together of parts.

use super::CRenamed;
use super::macros::arguments_of;
use crate::family_texts::FamilyTexts;
use crate::rename_hazard::RenameHazard;

/// Calls that look a function or a variable up by its name.
const LOOKUPS: [&str; 4] = ["dlsym", "dlvsym", "GetProcAddress", "g_module_symbol"];

pub(super) fn find(symbol: &CRenamed, texts: &FamilyTexts) -> Option<RenameHazard> {
    if !symbol.is_global() || symbol.is_static() || symbol.is_type() {
        return None;
    }
    let old = symbol.old.as_str();
    let fits = |part: &str| part.len() >= 3 && part != old && (old.starts_with(part) || old.ends_with(part));
    let mut places = Vec::new();
    for one in texts.iter() {
        for call in LOOKUPS {
            for at in one.words(call) {
                let arguments = arguments_of(&one.text, at + call.len());
                // A name that stands there is found as a mention.
                let is_made = !arguments.is_empty() && !arguments.contains('"');
                if is_made && one.text.split('"').skip(1).step_by(2).any(fits) {
                    places.push(one.place(at, call.len()));
                }
            }
        }
    }
    RenameHazard::doubt(format!("a name that is put together is looked up here: it may be '{old}'"), places)
}
