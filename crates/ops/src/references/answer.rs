//! What is known of a symbol's uses.

use crate::question::Source;
use crate::spot::{Dropped, OutsideSpot, Spot};
use crate::target::Target;
use crate::unread::Unread;
use symd_resolve::{Judgement, Role};
use symd_syntax::SymbolKind;

/// A use of the symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Where.
    pub spot: Spot,
    /// What it does there.
    pub role: Role,
    /// How sure it is; what a server tells is likely.
    pub judgement: Judgement,
}

/// Whether these are all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// As far as anybody can tell.
    Complete,
    /// Occurrences that likely mean the symbol are not told by the server.
    Incomplete {
        /// How many.
        missing: usize,
        /// From how many of them the server itself leads to the symbol.
        confirmed: usize,
    },
    /// So many occurrences of the name stand where syntax cannot tell what they mean.
    Unchecked(usize),
}

impl References {
    /// Keeps the references inside symbols of these kinds (files count as kind `File`): all of them where `include`
    /// is empty; `exclude` wins.
    pub fn keep_kinds(&mut self, include: &[SymbolKind], exclude: &[SymbolKind]) {
        let wanted = |one: &Reference| {
            let kind = one.spot.inside.as_ref().map_or(SymbolKind::File, |inside| inside.kind);
            (include.is_empty() || include.contains(&kind)) && !exclude.contains(&kind)
        };
        self.list.retain(wanted);
        self.silent.retain(wanted);
        self.elsewhere.retain(wanted);
    }
}

/// All that is known of a symbol's uses.
#[derive(Clone, Debug)]
pub struct References {
    /// The symbol.
    pub target: Target,
    /// In path order, then by offset.
    pub list: Vec<Reference>,
    /// Likely uses that the server is silent about, likewise.
    pub silent: Vec<Reference>,
    /// Likely uses in files of other languages, likewise.
    pub elsewhere: Vec<Reference>,
    /// Uses in files outside the project.
    pub outside: Vec<OutsideSpot>,
    /// Whether that is all.
    pub completeness: Completeness,
    /// What of the server's answer is left out.
    pub dropped: Dropped,
    /// Where the list comes from.
    pub source: Source,
    /// What was not looked into and may hold more.
    pub unread: Unread,
    /// Whether the server may still have been indexing.
    pub maybe_indexing: bool,
    /// The index revision that the answer reflects, at least.
    pub revision: u64,
}
