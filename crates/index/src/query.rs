//! Questions to a snapshot: which symbols match a name pattern. Invariant: hits stand in path order, then in
//! order of position.

use std::sync::Arc;

use super::file::FileEntry;
use super::snapshot::Snapshot;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_syntax::name_path::Matching;
use symd_syntax::{NamePattern, Outline, Row, SymbolKind};

/// Which symbols are asked for.
#[derive(Clone, Debug)]
pub struct Query {
    /// The name path pattern.
    pub pattern: NamePattern,
    /// Where to look.
    pub scope: Scope,
    /// Only these kinds; empty for all.
    pub include_kinds: Vec<SymbolKind>,
    /// None of these kinds; wins over `include_kinds`.
    pub exclude_kinds: Vec<SymbolKind>,
    /// Whether parameters and local variables count.
    pub locals: Locals,
}

/// Whether parameters and local variables are among the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locals {
    /// They are.
    Included,
    /// They are not.
    LeftOut,
}

/// Where a question looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In the whole project.
    Project,
    /// At one path: that file, or every file beneath that directory.
    Within(RelPath),
}

/// A symbol that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Its file.
    pub file: Arc<FileEntry>,
    /// Its row number in the file's outline.
    pub row: usize,
}

impl Query {
    /// Whether the row passes everything but the scope.
    fn accepts(&self, outline: &Outline, row: usize) -> bool {
        self.accepts_kind(&outline.rows[row]) && self.pattern.matches(outline, row)
    }

    fn accepts_kind(&self, row: &Row) -> bool {
        let kind = row.kind();
        (self.locals == Locals::Included || !row.is_local())
            && (self.include_kinds.is_empty() || self.include_kinds.contains(&kind))
            && !self.exclude_kinds.contains(&kind)
    }

    /// The rows of one outline that match, in order of position. The scope is not looked at.
    pub fn rows_in(&self, outline: &Outline) -> Vec<usize> {
        let mut rows: Vec<usize> =
            (0..outline.rows.len()).filter(|&row| self.accepts(outline, row)).collect();
        rows.sort_by_key(|&row| (outline.rows[row].start, row));
        rows
    }
}

impl Snapshot {
    /// All symbols that match, in path order, then in order of position.
    pub fn find(&self, query: &Query, cancel: &Cancel) -> Result<Vec<Hit>, Cancelled> {
        let mut hits = match &query.scope {
            Scope::Within(path) if self.files.get(path.as_str()).is_some() => {
                self.scan(self.files.get(path.as_str()), query)
            }
            _ => self.look_up(query, cancel)?,
        };
        let position = |hit: &Hit| hit.file.outline().map_or(0, |outline| outline.rows[hit.row].start);
        hits.sort_by(|a, b| {
            if Arc::ptr_eq(&a.file, &b.file) {
                (position(a), a.row).cmp(&(position(b), b.row))
            } else {
                a.file.path.cmp(&b.file.path)
            }
        });
        // A table holds a file as it was when the table was built; one that was merely touched since has the same
        // symbols and another state.
        for hits in hits.chunk_by_mut(|a, b| Arc::ptr_eq(&a.file, &b.file)) {
            if let Some(now) = self.files.get(hits[0].file.path.as_str())
                && !Arc::ptr_eq(now, &hits[0].file)
            {
                hits.iter_mut().for_each(|hit| hit.file = now.clone());
            }
        }
        Ok(hits)
    }

    fn look_up(&self, query: &Query, cancel: &Cancel) -> Result<Vec<Hit>, Cancelled> {
        let in_scope = |file: &FileEntry| match &query.scope {
            Scope::Project => true,
            Scope::Within(directory) => file.path.is_within(directory),
        };
        let name = query.pattern.last_name();
        let mut hits = self.scan(self.loose.iter().filter(|file| in_scope(file)), query);
        for live in &self.segments {
            let mut take = |postings| {
                for (file, row) in live.living(postings) {
                    if in_scope(file) && file.outline().is_some_and(|outline| query.accepts(outline, row)) {
                        hits.push(Hit { file: file.clone(), row });
                    }
                }
                cancel.check()
            };
            match query.pattern.matching() {
                Matching::Exact => {
                    take(live.segment.exact(name))?;
                    // A name that itself holds a `/` or an index is found by the whole pattern only.
                    let whole = query.pattern.whole();
                    if whole != name {
                        take(live.segment.exact(whole))?;
                    }
                }
                Matching::Substring => live.segment.containing(name).try_for_each(take)?,
            }
        }
        Ok(hits)
    }

    fn scan<'a>(&self, files: impl IntoIterator<Item = &'a Arc<FileEntry>>, query: &Query) -> Vec<Hit> {
        let rows_of =
            |file: &'a Arc<FileEntry>| file.outline().map_or_else(Vec::new, |outline| query.rows_in(outline));
        files
            .into_iter()
            .flat_map(|file| rows_of(file).into_iter().map(|row| Hit { file: file.clone(), row }))
            .collect()
    }
}
