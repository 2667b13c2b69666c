//! An effect of a rename beyond the uses of the name: what the program, the language or a library does with names.

use crate::ecma::hazards::ecma_hazards;
use crate::family::Family;
use crate::go::hazards::go_hazards;
use crate::jvm::hazards::java_hazards;
use crate::rust::hazards::rust_hazards;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// An effect of a rename, in words for the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenameHazard {
    /// A sentence without a full stop.
    pub text: String,
    /// The places that show it, in path order, then by position; none if the name alone does.
    pub places: Vec<(RelPath, TextRange)>,
    pub certainty: HazardCertainty,
}

/// How certain it is that the rename changes what the program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HazardCertainty {
    /// The rename breaks the program, or changes what it does.
    Breaks,
    /// It may.
    MayBreak,
}

impl RenameHazard {
    pub(super) fn breaks(text: String, places: Vec<(RelPath, TextRange)>) -> RenameHazard {
        RenameHazard { text, places, certainty: HazardCertainty::Breaks }
    }

    /// Returns a doubt; `None` without a place that gives cause for it.
    pub(super) fn doubt(text: String, mut places: Vec<(RelPath, TextRange)>) -> Option<RenameHazard> {
        places.sort();
        places.dedup();
        (!places.is_empty()).then_some(RenameHazard { text, places, certainty: HazardCertainty::MayBreak })
    }
}

/// Finds the hazards of renaming the symbol that `targets` declare, the requested declaration first. Empty for languages of which
/// nothing is known.
pub fn rename_hazards(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    new_name: &str,
    cancel: &Cancel,
) -> Result<Vec<RenameHazard>, Cancelled> {
    let Some(target) = targets.first() else { return Ok(Vec::new()) };
    match Family::of(&target.file) {
        Some(Family::Ecma) => ecma_hazards(sources, targets, new_name, cancel),
        Some(Family::Go) => go_hazards(sources, targets, new_name, cancel),
        Some(Family::Rust) => rust_hazards(sources, targets, new_name, cancel),
        Some(Family::Jvm) => java_hazards(sources, targets, new_name, cancel),
        _ => Ok(Vec::new()),
    }
}
