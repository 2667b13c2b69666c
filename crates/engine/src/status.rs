//! The engine's report on its own state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use symd_base::RelPath;
use symd_config::{LanguageId, Languages};
use symd_index::cache::CacheStatus;
use symd_index::{Content, FileEntry, IndexMemory, Skipped};
use symd_watch::Counters;

/// A summary of the engine's state; `symd status` prints it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EngineStatus {
    /// The index revision: increases with every applied change.
    pub revision: u64,
    /// Number of regular files that are not ignored.
    pub files: usize,
    /// Number of parsed files.
    pub parsed_files: usize,
    /// Number of symbols in parsed files.
    pub symbols: usize,
    /// Number of parsed files with syntax errors.
    pub files_with_errors: usize,
    /// Number of files by language; files without a known language are not included.
    pub languages: BTreeMap<String, usize>,
    /// Number of files by language that have neither a grammar nor an outline: a language server could
    /// provide one.
    pub without_outline: BTreeMap<String, usize>,
    /// Number of files of a known language without symbols, by reason.
    pub skipped: SkippedFiles,
    /// Quarantined files, on which the parser failed, in path order.
    pub unparsable: Vec<UnparsableFile>,
    /// Files that are slow to parse and on trial, in path order.
    pub on_trial: Vec<RelPath>,
    /// Whether the first crawl is over and everything that it found has been scanned.
    pub ready: bool,
    /// Number of files being scanned.
    pub pending_files: usize,
    /// Number of code files whose present content is not known yet: a question that needs one of them has it read first.
    pub unread_files: usize,
    /// Whether all is indexed, and the trees that questions read are stored, as far as there is room for them.
    pub is_parsed_ahead: bool,
    /// Number of files that were not read at the start, since their state was as the last daemon recorded it.
    pub recorded_files: usize,
    /// Number of those whose bytes were not held against the record yet.
    pub unverified_files: usize,
    /// Number of those whose bytes were others: changed without a trace in their state.
    pub corrected_files: usize,
    /// Number of scans that found a change.
    pub changes: u64,
    /// Number of name tables in use.
    pub segments: usize,
    /// The number of files whose outlines were let go of, since the cache has them.
    pub stored_outlines: usize,
    /// What the index takes. Not serialized: [`super::Engine::memory`] tells it with all the rest.
    #[serde(skip)]
    pub memory: IndexMemory,
    pub watcher: Counters,
    pub cache: CacheStatus,
}

/// A quarantined file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnparsableFile {
    pub path: RelPath,
    /// The parser's failure; empty if it is no longer known.
    pub why: String,
}

/// Numbers of skipped files, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SkippedFiles {
    /// Files that contain NUL bytes.
    pub binary: usize,
    /// Files too large to parse.
    pub too_large: usize,
    /// Files that the system did not allow to be read.
    pub unreadable: usize,
}

/// Numbers of files of one language.
#[derive(Clone, Copy, Debug, Default)]
struct Files {
    all: usize,
    /// Files without an outline.
    plain: usize,
}

/// Counts over the files of the index, updated with every change.
#[derive(Clone, Debug)]
pub(super) struct StatusTally {
    languages: Arc<Languages>,
    by_language: BTreeMap<LanguageId, Files>,
    /// How often a plain file of a language was added or removed.
    plain_changes: u64,
    /// Whether `by_language` changed since it was last written to the status, which happens with every event.
    has_changed: bool,
    parsed: usize,
    with_errors: usize,
    skipped: BTreeMap<Skipped, usize>,
    unparsable: BTreeSet<RelPath>,
    on_trial: BTreeSet<RelPath>,
    /// Whether `unparsable` or `on_trial` changed since then.
    has_unparsed_changed: bool,
}

impl StatusTally {
    pub(super) fn new(languages: Arc<Languages>) -> StatusTally {
        StatusTally {
            languages,
            by_language: BTreeMap::new(),
            plain_changes: 0,
            has_changed: true,
            parsed: 0,
            with_errors: 0,
            skipped: BTreeMap::new(),
            unparsable: BTreeSet::new(),
            on_trial: BTreeSet::new(),
            has_unparsed_changed: false,
        }
    }

    pub(super) fn add(&mut self, file: &FileEntry) {
        let plain = usize::from(matches!(file.content, Content::Plain));
        if let Some(language) = self.language_of(file) {
            let files = self.by_language.entry(language).or_default();
            self.has_changed = true;
            files.all += 1;
            files.plain += plain;
            self.plain_changes += plain as u64;
        }
        match &file.content {
            Content::Plain | Content::Unread => {}
            Content::Code { outline, .. } => {
                self.parsed += 1;
                self.with_errors += usize::from(outline.has_errors());
            }
            Content::Skipped { why, .. } => {
                *self.skipped.entry(*why).or_default() += 1;
                if let Some(files) = self.unparsed(*why) {
                    files.insert(file.path.clone());
                    self.has_unparsed_changed = true;
                }
            }
        }
    }

    /// Returns a number that grows whenever a plain file of a language is added or removed.
    pub(super) fn plain_changes(&self) -> u64 {
        self.plain_changes
    }

    pub(super) fn remove(&mut self, file: &FileEntry) {
        let plain = usize::from(matches!(file.content, Content::Plain));
        if let Some(files) = self.language_of(file).and_then(|language| self.by_language.get_mut(&language)) {
            self.has_changed = true;
            files.all -= 1;
            files.plain -= plain;
            self.plain_changes += plain as u64;
        }
        match &file.content {
            Content::Plain | Content::Unread => {}
            Content::Code { outline, .. } => {
                self.parsed -= 1;
                self.with_errors -= usize::from(outline.has_errors());
            }
            Content::Skipped { why, .. } => {
                if let Some(count) = self.skipped.get_mut(why) {
                    *count -= 1;
                }
                if let Some(files) = self.unparsed(*why) {
                    files.remove(&file.path);
                    self.has_unparsed_changed = true;
                }
            }
        }
    }

    /// Returns the set of paths skipped for this reason, if the status lists them by name.
    fn unparsed(&mut self, why: Skipped) -> Option<&mut BTreeSet<RelPath>> {
        match why {
            Skipped::Unparsable => Some(&mut self.unparsable),
            Skipped::StillParsing => Some(&mut self.on_trial),
            Skipped::Binary | Skipped::TooLarge | Skipped::Unreadable => None,
        }
    }

    /// Returns the file's language by its name; for a script without an extension by its grammar.
    fn language_of(&self, file: &FileEntry) -> Option<LanguageId> {
        let by_grammar = || self.languages.by_name(file.grammar()?.name());
        self.languages.language_of(&file.path).or_else(by_grammar)
    }

    pub(super) fn write(&mut self, status: &mut EngineStatus) {
        let count = |why| self.skipped.get(&why).copied().unwrap_or(0);
        status.parsed_files = self.parsed;
        status.files_with_errors = self.with_errors;
        status.skipped = SkippedFiles {
            binary: count(Skipped::Binary),
            too_large: count(Skipped::TooLarge),
            unreadable: count(Skipped::Unreadable),
        };
        if std::mem::take(&mut self.has_unparsed_changed) {
            let file = |path: &RelPath| UnparsableFile { path: path.clone(), why: String::new() };
            status.unparsable = self.unparsable.iter().map(file).collect();
            status.on_trial = self.on_trial.iter().cloned().collect();
        }
        if !std::mem::take(&mut self.has_changed) {
            return;
        }
        let named = |count: fn(&Files) -> usize| {
            let name = |language: &LanguageId| self.languages.get(*language).name.clone();
            let counts = self.by_language.iter().map(move |(language, files)| (language, count(files)));
            counts.filter(|(_, count)| *count > 0).map(|(language, count)| (name(language), count)).collect()
        };
        status.languages = named(|files| files.all);
        status.without_outline = named(|files| files.plain);
    }
}
