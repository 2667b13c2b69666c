//! Queries on a snapshot: which symbols match a name pattern. Invariant: hits are in path order, then in
//! order of position.

use std::sync::Arc;

use super::file::FileEntry;
use super::live_segment::LiveSegment;
use super::needed_words::NeededWords;
use super::postings::PostingList;
use super::snapshot::Snapshot;
use super::unread::Need;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_syntax::name_path::Matching;
use symd_syntax::{NamePattern, Outline, Row, SymbolKind};

/// Which symbols to find.
#[derive(Clone, Debug)]
pub struct Query {
    /// The name path pattern.
    pub pattern: NamePattern,
    pub scope: Scope,
    /// Only these kinds; empty for all.
    pub include_kinds: Vec<SymbolKind>,
    /// None of these kinds; takes precedence over `include_kinds`.
    pub exclude_kinds: Vec<SymbolKind>,
    pub locals: Locals,
}

/// Whether parameters and local variables are among the hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locals {
    Included,
    Excluded,
}

/// Where a query searches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The whole project.
    Project,
    /// One path: that file, or every file beneath that directory.
    Within(RelPath),
}

/// A symbol that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    pub file: Arc<FileEntry>,
    /// Its row number in the file's outline.
    pub row: usize,
}

impl Query {
    /// Returns the query for the symbols of any kind in the whole project that `pattern` matches.
    pub fn in_project(pattern: NamePattern, locals: Locals) -> Query {
        let (include_kinds, exclude_kinds) = (Vec::new(), Vec::new());
        Query { pattern, scope: Scope::Project, include_kinds, exclude_kinds, locals }
    }

    /// Whether the row meets all criteria but the scope.
    fn accepts(&self, outline: &Outline, row: usize) -> bool {
        self.accepts_kind(&outline.rows[row]) && self.pattern.matches(outline, row)
    }

    fn accepts_kind(&self, row: &Row) -> bool {
        let kind = row.kind();
        (self.locals == Locals::Included || !row.is_local())
            && (self.include_kinds.is_empty() || self.include_kinds.contains(&kind))
            && !self.exclude_kinds.contains(&kind)
    }

    /// Returns the rows of one outline that match, in order of position. Ignores the scope.
    pub fn rows_in(&self, outline: &Outline) -> Vec<usize> {
        let mut rows: Vec<usize> =
            (0..outline.rows.len()).filter(|&row| self.accepts(outline, row)).collect();
        rows.sort_by_key(|&row| (outline.rows[row].start, row));
        rows
    }
}

impl Snapshot {
    /// Returns all symbols that match, in path order, then in order of position.
    pub fn find(&self, query: &Query, cancel: &Cancel) -> Result<Vec<Hit>, Cancelled> {
        let mut hits = match &query.scope {
            Scope::Within(path) if self.files.contains(path.as_str()) => {
                self.scan(self.files.get(path.as_str()), query)
            }
            scope => {
                let root = RelPath::root();
                let within = if let Scope::Within(path) = scope { path } else { &root };
                let words = NeededWords::of_pattern(&query.pattern);
                self.files.need(if words.is_empty() {
                    Need::Within(within.clone())
                } else {
                    Need::Words(words, within.clone())
                });
                let mut hits = self.look_up(query, cancel)?;
                hits.retain(|hit| !self.files.is_unread(&hit.file.path));
                hits
            }
        };
        let position = |hit: &Hit| hit.file.outline().map_or(0, |outline| outline.rows[hit.row].start);
        hits.sort_by(|a, b| {
            if Arc::ptr_eq(&a.file, &b.file) {
                (position(a), a.row).cmp(&(position(b), b.row))
            } else {
                a.file.path.cmp(&b.file.path)
            }
        });
        Ok(hits)
    }

    fn look_up(&self, query: &Query, cancel: &Cancel) -> Result<Vec<Hit>, Cancelled> {
        let in_scope = |file: &FileEntry| match &query.scope {
            Scope::Project => true,
            Scope::Within(directory) => file.path.is_within(directory),
        };
        let mut hits = self.scan(self.loose.iter().filter(|file| in_scope(file)), query);
        for live in &self.segments {
            let found_before = hits.len();
            if self.look_up_in(live, query, in_scope, &mut hits, cancel)? {
                continue;
            }
            hits.truncate(found_before);
            for file in live.living_files().filter(|file| in_scope(file)).map(|file| self.now(file)) {
                cancel.check()?;
                // Most have no hit, and all outlines together may take more memory than there is.
                let rows = file.outline_once().map_or_else(Vec::new, |outline| query.rows_in(&outline));
                hits.extend(rows.into_iter().map(|row| Hit { file: file.clone(), row }));
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

    /// Adds the table's hits. Returns whether they are all: `false` if some of its rows are lost.
    fn look_up_in(
        &self,
        live: &LiveSegment,
        query: &Query,
        in_scope: impl Fn(&FileEntry) -> bool,
        hits: &mut Vec<Hit>,
        cancel: &Cancel,
    ) -> Result<bool, Cancelled> {
        let mut take = |postings: Option<PostingList<'_>>| {
            let Some(postings) = postings else { return Ok(false) };
            for (file, row) in live.living(postings).filter(|(file, _)| in_scope(file)) {
                let file = self.now(file);
                if file.outline().is_some_and(|outline| query.accepts(outline, row)) {
                    hits.push(Hit { file: file.clone(), row });
                }
            }
            cancel.check().map(|()| true)
        };
        let name = query.pattern.last_name();
        match query.pattern.matching() {
            Matching::Exact => {
                // A name that itself contains a `/` or an index is found by the whole pattern only.
                let whole = query.pattern.whole();
                Ok(take(live.segment.exact(name))? && (whole == name || take(live.segment.exact(whole))?))
            }
            Matching::Substring => {
                for postings in live.segment.containing(name) {
                    if !take(postings)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// Returns the file of a table as it is now. A table contains it as it was when the table was built; one that was only touched since
    /// has the same symbols and another state, and nothing lets go of what is read of the old one. Looking up each file takes as long as
    /// finding the symbols, so it is done only for files that were touched.
    fn now<'a>(&'a self, file: &'a Arc<FileEntry>) -> &'a Arc<FileEntry> {
        if self.touched.is_empty() || !self.touched.contains(&file.path) {
            return file;
        }
        self.files.known.get(file.path.as_str()).unwrap_or(file)
    }
}
