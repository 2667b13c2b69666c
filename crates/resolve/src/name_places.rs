//! Where files have an identifier of a name.

use std::rc::Rc;

use crate::family::Family;
use crate::resolver::{CurrentFile, Resolver};
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_index::NeededWords;
use symd_syntax::name_hash;

/// Returns the files of the resolver's languages that have an identifier of this name.
pub(crate) fn with_name(resolver: &Resolver, name: &str) -> Result<Vec<Rc<CurrentFile>>, Cancelled> {
    let hash = name_hash(name.as_bytes());
    let mut found = Vec::new();
    for file in resolver.sources.snapshot().files.with_words(NeededWords::of_name(name)) {
        if Family::of(file) != Some(resolver.family) || !file.holds_hash(hash) {
            continue;
        }
        resolver.cancel.check()?;
        found.extend(resolver.read_file(file));
    }
    Ok(found)
}

/// Returns the places of the name in a file, in their order.
pub(crate) fn places_of(here: &CurrentFile, name: &str) -> Vec<TextRange> {
    let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
    let range = |start: u32| TextRange::new(start, start.saturating_add(length));
    let all = here.outline.occurrences.offsets_of(name).map(range);
    all.filter(|range| here.text.slice(*range) == name).collect()
}
