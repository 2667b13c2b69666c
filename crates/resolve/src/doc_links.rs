//! What links in documentation, and examples in it, mean.

use crate::family::Family;
use crate::kotlin::kdoc_links::kdoc_links;
use crate::rust::doc_links::rust_doc_links;
use crate::sources::{IndexedDeclaration, Sources};
use crate::string_name::StringName;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// For each of `places`, where the targets' name stands in a documentation comment: tells whether it is a link, or a use in an
/// example, and what that means. The targets are one symbol, in several declarations. `Unknown` where nothing is known.
pub fn doc_links(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    places: &[(RelPath, TextRange)],
    cancel: &Cancel,
) -> Result<Vec<StringName>, Cancelled> {
    match targets.first().and_then(|first| Family::of(&first.file)).filter(|_| !places.is_empty()) {
        Some(Family::Jvm) => kdoc_links(sources, targets, places, cancel),
        Some(Family::Rust) => rust_doc_links(sources, targets, places, cancel),
        _ => Ok(vec![StringName::Unknown; places.len()]),
    }
}
