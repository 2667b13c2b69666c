//! What the engine tells about itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::config::{LanguageId, Languages};
use crate::index::cache::CacheStatus;
use crate::index::{Content, FileEntry, Skipped};
use crate::watch::Counters;

/// The engine's state at a glance; `symd status` prints it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EngineStatus {
    /// The index revision: grows with every change taken in.
    pub revision: u64,
    /// Regular files that are not ignored.
    pub files: usize,
    /// Those that were parsed.
    pub parsed_files: usize,
    /// Their symbols.
    pub symbols: usize,
    /// Parsed files in which the parser met errors.
    pub files_with_errors: usize,
    /// Files of languages without a grammar that have no outline, by language: a language server could make it.
    pub without_outline: BTreeMap<String, usize>,
    /// Files of a known language without symbols, by reason.
    pub skipped: SkippedFiles,
    /// Whether the first crawl is over and everything found has been looked at.
    pub ready: bool,
    /// Files being looked at.
    pub pending_files: usize,
    /// Looks that found a change.
    pub changes: u64,
    /// Name tables in use.
    pub segments: usize,
    /// The watcher's counters.
    pub watcher: Counters,
    /// The cache's counters.
    pub cache: CacheStatus,
}

/// How many files were skipped, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SkippedFiles {
    /// They hold NUL bytes.
    pub binary: usize,
    /// Too large to parse.
    pub too_large: usize,
    /// The system refused to read them.
    pub unreadable: usize,
}

/// Counts over the files of the index, kept up with every change.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    languages: Arc<Languages>,
    without_outline: BTreeMap<LanguageId, usize>,
    parsed: usize,
    with_errors: usize,
    skipped: BTreeMap<Skipped, usize>,
}

impl Tally {
    pub(super) fn new(languages: Arc<Languages>) -> Tally {
        Tally {
            languages,
            without_outline: BTreeMap::new(),
            parsed: 0,
            with_errors: 0,
            skipped: BTreeMap::new(),
        }
    }

    pub(super) fn add(&mut self, file: &FileEntry) {
        match &file.content {
            Content::Plain => {
                if let Some(language) = self.languages.language_of(&file.path) {
                    *self.without_outline.entry(language).or_default() += 1;
                }
            }
            Content::Code { outline, .. } => {
                self.parsed += 1;
                self.with_errors += usize::from(outline.has_errors);
            }
            Content::Skipped { why, .. } => *self.skipped.entry(*why).or_default() += 1,
        }
    }

    pub(super) fn take(&mut self, file: &FileEntry) {
        match &file.content {
            Content::Plain => {
                let language = self.languages.language_of(&file.path);
                if let Some(count) = language.and_then(|language| self.without_outline.get_mut(&language)) {
                    *count -= 1;
                }
            }
            Content::Code { outline, .. } => {
                self.parsed -= 1;
                self.with_errors -= usize::from(outline.has_errors);
            }
            Content::Skipped { why, .. } => {
                if let Some(count) = self.skipped.get_mut(why) {
                    *count -= 1;
                }
            }
        }
    }

    pub(super) fn write(&self, status: &mut EngineStatus) {
        let count = |why| self.skipped.get(&why).copied().unwrap_or(0);
        let named = |(language, count): (&LanguageId, &usize)| {
            (*count > 0).then(|| (self.languages.get(*language).name.clone(), *count))
        };
        status.without_outline = self.without_outline.iter().filter_map(named).collect();
        status.parsed_files = self.parsed;
        status.files_with_errors = self.with_errors;
        status.skipped = SkippedFiles {
            binary: count(Skipped::Binary),
            too_large: count(Skipped::TooLarge),
            unreadable: count(Skipped::Unreadable),
        };
    }
}
