//! An effect of a rename beyond the uses of the name: what the program, the language or a library does with names.

use crate::cpp::hazards::c_hazards;
use crate::ecma::hazards::ecma_hazards;
use crate::family::{Family, has_types};
use crate::go::hazards::go_hazards;
use crate::jvm::hazards::java_hazards;
use crate::kotlin::hazards::kotlin_hazards;
use crate::python::hazards::python_hazards;
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
    /// Which of the places give cause for it.
    shown_at: HazardPlaces,
}

/// Which places give cause for a hazard, once it is known what the rename changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HazardPlaces {
    /// All, whether they change or not.
    All,
    /// Those that keep the old name.
    Left,
    /// Those that get the new name.
    Renamed,
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
    /// Keeps the places that give cause for the hazard, where `is_changed` tells those that the rename changes. Returns whether there
    /// is any cause left.
    pub fn keep_causes(&mut self, is_changed: impl Fn(&(RelPath, TextRange)) -> bool) -> bool {
        let needs_none = self.places.is_empty();
        match self.shown_at {
            HazardPlaces::All => {}
            HazardPlaces::Left => self.places.retain(|place| !is_changed(place)),
            HazardPlaces::Renamed => self.places.retain(is_changed),
        }
        needs_none || !self.places.is_empty()
    }

    /// Returns a hazard that breaks the program, and that the names alone show.
    pub(super) fn breaks(text: String) -> RenameHazard {
        let (certainty, shown_at) = (HazardCertainty::Breaks, HazardPlaces::Left);
        RenameHazard { text, places: Vec::new(), certainty, shown_at }
    }

    /// Returns a hazard that breaks the program; `None` without a place that gives cause for it.
    pub(super) fn breaks_at(text: String, places: Vec<(RelPath, TextRange)>) -> Option<RenameHazard> {
        RenameHazard::at(HazardCertainty::Breaks, text, places)
    }

    /// Returns a doubt; `None` without a place that gives cause for it.
    pub(super) fn doubt(text: String, places: Vec<(RelPath, TextRange)>) -> Option<RenameHazard> {
        RenameHazard::at(HazardCertainty::MayBreak, text, places)
    }

    /// Returns a doubt that no place shows.
    pub(super) fn doubt_without_place(text: String) -> RenameHazard {
        let (certainty, shown_at) = (HazardCertainty::MayBreak, HazardPlaces::Left);
        RenameHazard { text, places: Vec::new(), certainty, shown_at }
    }

    fn at(
        certainty: HazardCertainty,
        text: String,
        mut places: Vec<(RelPath, TextRange)>,
    ) -> Option<RenameHazard> {
        places.sort();
        places.dedup();
        let shown_at = HazardPlaces::Left;
        (!places.is_empty()).then_some(RenameHazard { text, places, certainty, shown_at })
    }

    /// Returns the same hazard with other places as its cause than those that keep the old name.
    pub(crate) fn shown_at(self, shown_at: HazardPlaces) -> RenameHazard {
        RenameHazard { shown_at, ..self }
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
        Some(Family::Python) => python_hazards(sources, targets, new_name, cancel),
        Some(Family::Ecma) => ecma_hazards(sources, targets, new_name, cancel),
        Some(Family::Go) => go_hazards(sources, targets, new_name, cancel),
        Some(Family::Rust) => rust_hazards(sources, targets, new_name, cancel),
        Some(Family::Jvm) if has_types(&target.file) => kotlin_hazards(sources, targets, cancel),
        Some(Family::Jvm) => java_hazards(sources, targets, new_name, cancel),
        Some(Family::C) => c_hazards(sources, targets, new_name, cancel),
        _ => Ok(Vec::new()),
    }
}
