//! The known uses of a symbol.

use crate::question::Source;
use crate::spot::{Dropped, OutsideSpot, Spot};
use crate::target::Target;
use crate::unsearched::UnsearchedFiles;
use symd_resolve::{Judgement, Role};
use symd_syntax::SymbolKind;

/// A use of the symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub spot: Spot,
    pub role: Role,
    /// How certain the reference is; one reported by a server is `Likely`.
    pub judgement: Judgement,
}

/// Whether the list of references is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// No reference is known to be missing.
    Complete,
    /// The server's answer lacks occurrences that likely refer to the symbol.
    Incomplete {
        /// Number of missing occurrences.
        missing: usize,
        /// Number of these whose definition, according to the server itself, is the symbol.
        confirmed: usize,
    },
    /// Number of occurrences of the name whose meaning syntax cannot determine.
    Unchecked(usize),
}

impl References {
    /// Keeps only the references inside symbols of these kinds (a file counts as kind `File`). An empty
    /// `include` keeps all kinds; `exclude` takes precedence.
    pub fn keep_kinds(&mut self, include: &[SymbolKind], exclude: &[SymbolKind]) {
        let wanted = |one: &Reference| {
            let kind = one.spot.inside.as_ref().map_or(SymbolKind::File, |inside| inside.kind);
            (include.is_empty() || include.contains(&kind)) && !exclude.contains(&kind)
        };
        self.list.retain(wanted);
        self.possible.retain(wanted);
        self.unreported.retain(wanted);
        self.in_other_languages.retain(wanted);
        self.of_kin.iter_mut().for_each(|kin| kin.uses.retain(wanted));
        self.of_kin.retain(|kin| !kin.uses.is_empty());
    }
}

/// The uses of a member that the target overrides, or that overrides it.
#[derive(Clone, Debug)]
pub struct UsesOfKin {
    pub member: Target,
    /// In path order, then by offset; none is the target's own or another entry's.
    pub uses: Vec<Reference>,
}

/// All known uses of a symbol.
#[derive(Clone, Debug)]
pub struct References {
    pub target: Target,
    /// References in path order, then by offset.
    pub list: Vec<Reference>,
    /// Occurrences that types not known to symd decide, in the same order. Empty for languages whose types symd
    /// does not resolve: theirs are in `list`, as unchecked.
    pub possible: Vec<Reference>,
    /// Likely uses that the server does not report, in the same order.
    pub unreported: Vec<Reference>,
    /// Likely uses in files of other languages, in the same order.
    pub in_other_languages: Vec<Reference>,
    /// Uses that may arrive through other members of the target's override family, the nearest members first.
    pub of_kin: Vec<UsesOfKin>,
    /// Uses in files outside the project.
    pub outside: Vec<OutsideSpot>,
    pub completeness: Completeness,
    /// Omitted parts of the server's answer.
    pub dropped: Dropped,
    /// The source of `list`.
    pub source: Source,
    /// What was not searched and may hold more uses.
    pub unread: UnsearchedFiles,
    /// Whether the server may still have been indexing.
    pub maybe_indexing: bool,
    /// The index revision that the answer reflects, at least.
    pub revision: u64,
}
