//! An effect of a rename beyond the uses of the name: what the program, the language or a library does with names.

use symd_base::{RelPath, TextRange};

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
