//! What the engine tells about itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use symd_base::RelPath;
use symd_config::{LanguageId, Languages};
use symd_index::cache::CacheStatus;
use symd_index::{Content, FileEntry, Skipped};
use symd_watch::Counters;

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
    /// Files by language; those of no language that symd knows are in none.
    pub languages: BTreeMap<String, usize>,
    /// Files of languages without a grammar that have no outline, by language: a language server could make it.
    pub without_outline: BTreeMap<String, usize>,
    /// Files of a known language without symbols, by reason.
    pub skipped: SkippedFiles,
    /// Files that are parsed no more, because the parser did not get through them, in path order.
    pub unparsable: Vec<UnparsableFile>,
    /// Files that the parser takes long over, in path order.
    pub on_trial: Vec<RelPath>,
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

/// A file that is parsed no more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnparsableFile {
    /// Which file.
    pub path: RelPath,
    /// What it did to the parser; empty where that is not known any more.
    pub why: String,
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

/// Files of one language.
#[derive(Clone, Copy, Debug, Default)]
struct Files {
    all: usize,
    /// Those that nobody outlined.
    plain: usize,
}

/// Counts over the files of the index, kept up with every change.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    languages: Arc<Languages>,
    by_language: BTreeMap<LanguageId, Files>,
    /// Whether `by_language` is other than was written last: the status is written with every event.
    is_news: bool,
    parsed: usize,
    with_errors: usize,
    skipped: BTreeMap<Skipped, usize>,
    unparsable: BTreeSet<RelPath>,
    on_trial: BTreeSet<RelPath>,
    /// Whether one of these two is other than was written last.
    is_unparsed_news: bool,
}

impl Tally {
    pub(super) fn new(languages: Arc<Languages>) -> Tally {
        Tally {
            languages,
            by_language: BTreeMap::new(),
            is_news: true,
            parsed: 0,
            with_errors: 0,
            skipped: BTreeMap::new(),
            unparsable: BTreeSet::new(),
            on_trial: BTreeSet::new(),
            is_unparsed_news: false,
        }
    }

    pub(super) fn add(&mut self, file: &FileEntry) {
        let plain = usize::from(matches!(file.content, Content::Plain));
        if let Some(language) = self.language_of(file) {
            let files = self.by_language.entry(language).or_default();
            self.is_news = true;
            files.all += 1;
            files.plain += plain;
        }
        match &file.content {
            Content::Plain => {}
            Content::Code { outline, .. } => {
                self.parsed += 1;
                self.with_errors += usize::from(outline.has_errors);
            }
            Content::Skipped { why, .. } => {
                *self.skipped.entry(*why).or_default() += 1;
                if let Some(files) = self.unparsed(*why) {
                    files.insert(file.path.clone());
                    self.is_unparsed_news = true;
                }
            }
        }
    }

    pub(super) fn take(&mut self, file: &FileEntry) {
        let plain = usize::from(matches!(file.content, Content::Plain));
        if let Some(files) = self.language_of(file).and_then(|language| self.by_language.get_mut(&language)) {
            self.is_news = true;
            files.all -= 1;
            files.plain -= plain;
        }
        match &file.content {
            Content::Plain => {}
            Content::Code { outline, .. } => {
                self.parsed -= 1;
                self.with_errors -= usize::from(outline.has_errors);
            }
            Content::Skipped { why, .. } => {
                if let Some(count) = self.skipped.get_mut(why) {
                    *count -= 1;
                }
                if let Some(files) = self.unparsed(*why) {
                    files.remove(&file.path);
                    self.is_unparsed_news = true;
                }
            }
        }
    }

    /// The files that are skipped for this reason, where they are told by name.
    fn unparsed(&mut self, why: Skipped) -> Option<&mut BTreeSet<RelPath>> {
        match why {
            Skipped::Unparsable => Some(&mut self.unparsable),
            Skipped::OnTrial => Some(&mut self.on_trial),
            Skipped::Binary | Skipped::TooLarge | Skipped::Unreadable => None,
        }
    }

    /// By its name; a script without an extension by what parsed it.
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
        if std::mem::take(&mut self.is_unparsed_news) {
            let file = |path: &RelPath| UnparsableFile { path: path.clone(), why: String::new() };
            status.unparsable = self.unparsable.iter().map(file).collect();
            status.on_trial = self.on_trial.iter().cloned().collect();
        }
        if !std::mem::take(&mut self.is_news) {
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
