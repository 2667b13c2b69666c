//! One level of a relation: the related symbols, each with the places that show the relation.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::Omitted;
use crate::question::Source;
use crate::spot::Spot;
use crate::target::{Target, declared_at};
use symd_base::RelPath;
use symd_config::Languages;
use symd_engine::View;
use symd_syntax::SymbolKind;

/// The identity of a symbol: its file, and where its name begins; a file's top level has no such place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolKey {
    pub file: FileLocation,
    /// Offset of the name in a file of the project, its line in another; `None` for a file's top level.
    pub at: Option<u32>,
}

/// A file inside or outside the project.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileLocation {
    Project(RelPath),
    Outside(PathBuf),
}

/// A related symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolSummary {
    /// The name path; for a file's top level, the file's stem; outside the project, the name alone.
    pub name_path: String,
    pub kind: SymbolKind,
    /// The 0-based line of the name.
    pub line: u32,
}

/// One symbol of a level.
#[derive(Clone, Debug)]
pub struct RelatedSymbol {
    pub key: SymbolKey,
    pub summary: SymbolSummary,
    /// The 0-based lines that show the relation, ascending: those of the calls, in the caller's file; those
    /// of the subtypes' heads.
    pub lines: Vec<u32>,
    /// Whether any of these places is certain.
    pub is_likely: bool,
    pub(crate) target: Option<Target>,
}

/// The result for one level.
pub(crate) struct Level {
    pub(crate) branches: Vec<RelatedSymbol>,
    pub(crate) source: Source,
    pub(crate) omitted: Omitted,
}

impl SymbolKey {
    pub(super) fn of(target: &Target) -> SymbolKey {
        SymbolKey { file: FileLocation::Project(target.at.path.clone()), at: Some(target.name_range.start) }
    }

    /// Returns the key of the function or file that encloses a spot.
    pub(super) fn around(spot: &Spot) -> SymbolKey {
        let at = spot.inside.as_ref().map(|inside| inside.name_start);
        SymbolKey { file: FileLocation::Project(spot.path.clone()), at }
    }
}

/// Places, grouped by related symbol.
#[derive(Default)]
pub(super) struct PlacesBySymbol(BTreeMap<SymbolKey, (Vec<u32>, bool, Option<SymbolSummary>)>);

impl PlacesBySymbol {
    /// Adds a place at `line` (0-based). `summary` describes the symbol if the key does not lead to a
    /// declaration.
    pub(super) fn add(
        &mut self,
        key: SymbolKey,
        line: Option<u32>,
        is_likely: bool,
        summary: Option<SymbolSummary>,
    ) {
        let entry = self.0.entry(key).or_default();
        entry.0.extend(line);
        entry.1 |= is_likely;
        if entry.2.is_none() {
            entry.2 = summary;
        }
    }

    pub(super) fn has(&self, key: &SymbolKey) -> bool {
        self.0.contains_key(key)
    }

    /// Returns each symbol with its lines, and with its description if the key does not lead to a
    /// declaration.
    pub(super) fn into_parts(self) -> impl Iterator<Item = (SymbolKey, Vec<u32>, Option<SymbolSummary>)> {
        self.0.into_iter().map(|(key, (lines, _, summary))| (key, lines, summary))
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &SymbolKey> {
        self.0.keys()
    }

    pub(super) fn merge(&mut self, other: PlacesBySymbol) {
        for (key, (lines, is_likely, summary)) in other.0 {
            let entry = self.0.entry(key).or_default();
            entry.0.extend(lines);
            entry.1 |= is_likely;
            entry.2 = entry.2.take().or(summary);
        }
    }

    /// Returns the branches, by file, then by position.
    pub(super) fn branches(self, view: &View, languages: &Languages) -> Vec<RelatedSymbol> {
        let branch =
            |(key, (mut lines, is_likely, summary)): (SymbolKey, (Vec<u32>, bool, Option<SymbolSummary>))| {
                lines.sort_unstable();
                lines.dedup();
                let target = match (&key.file, key.at) {
                    (FileLocation::Project(path), Some(at)) => declared_at(view, languages, path, at),
                    _ => None,
                };
                let summary = target.as_ref().map(party_of).or(summary);
                let summary = summary.unwrap_or_else(|| top_level(&key));
                RelatedSymbol { key, summary, lines, is_likely, target }
            };
        self.0.into_iter().map(branch).collect()
    }
}

pub(super) fn party_of(target: &Target) -> SymbolSummary {
    let line =
        target.file.outline().and_then(|outline| outline.rows.get(target.row)).map(|row| row.name_line);
    SymbolSummary {
        name_path: target.symbol.name_path.clone(),
        kind: target.symbol.kind,
        line: line.unwrap_or(target.symbol.start_line),
    }
}

pub(super) fn top_level(key: &SymbolKey) -> SymbolSummary {
    let name_path = match &key.file {
        FileLocation::Project(path) => path.file_stem().to_owned(),
        FileLocation::Outside(path) => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    };
    SymbolSummary { name_path, kind: SymbolKind::File, line: 0 }
}
