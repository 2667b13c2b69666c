//! The scan of one file: reads it, and gets its outline from the previous scan, from the cache, or by
//! parsing. Runs on pool threads. Invariant: a scan always has a result, whatever the file contains; nothing
//! here fails.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use super::claim::Claim;
use super::preparsed::PreparsedOutlines;
use super::recorded::RecordedFiles;
use super::stored_outlines::StoredOutlines;
use super::verification::VerifiedBytes;
use symd_base::{Cancel, ContentHash, RelPath, text};
use symd_config::Languages;
use symd_index::cache::{Cache, Key};
use symd_index::{Content, EntryOutline, FileEntry, Origin, Skipped};
use symd_parse::{Attempt, ParseError, Parsers, RunningTrial};
use symd_syntax::{Grammar, grammar_of_text, grammars_of_name};
use symd_vfs::{EntryKind, FileBytes, Files, Stat, VfsError};

/// Size in bytes above which files are listed and searched, but not parsed: a syntax tree takes many times
/// the text's memory, and larger files are generated.
pub const MAX_PARSED_BYTES: u64 = 8 << 20;
/// Length of a line in bytes, including its line break, above which it was hardly written by hand.
const LONG_LINE: usize = 4096;
/// Bytes read for a `#!` line.
const SHEBANG_BYTES: usize = 128;

/// A file to scan.
#[derive(Debug)]
pub(super) struct ScanTarget {
    pub(super) path: RelPath,
    /// Its entry in the index.
    pub(super) known: Option<Arc<FileEntry>>,
    /// Taken by the job that scans it.
    pub(super) claim: Claim,
    /// The claim of the job whose scan this one replaces: if that one has begun, this one is needless.
    pub(super) instead_of: Option<Claim>,
}

impl ScanTarget {
    /// Reports whether this scan is the one that reads the file.
    pub(super) fn take(&self) -> bool {
        self.instead_of.as_ref().is_none_or(Claim::take) && self.claim.take()
    }
}

/// The result of a scan.
#[derive(Debug)]
pub(super) struct ScanResult {
    pub(super) path: RelPath,
    pub(super) found: ScanOutcome,
    /// Set for a file that is code, or may become code.
    pub(super) stat: Option<Stat>,
}

#[derive(Debug)]
pub(super) enum ScanOutcome {
    /// The path is not a regular file.
    Gone,
    /// The file is unchanged: the known entry that the scan was given.
    Same(Arc<FileEntry>),
    /// There is no result: the engine is stopping, or another job scans the file.
    Cancelled,
    /// The file has long lines and is postponed until other files are scanned.
    Later,
    /// A new entry. The engine's task puts it behind a pointer: made on a pool thread, between outlines that come and go, each would keep a
    /// page of memory.
    New {
        entry: FileEntry,
        /// Whether it was parsed by this scan, so that the cache does not have it.
        parsed: bool,
    },
    /// A file that is slow to parse, with its entry for the time until it is tried out.
    SetAside {
        entry: Arc<FileEntry>,
        /// When parsing began, or the file was postponed.
        since: Instant,
        trial: Trial,
    },
}

/// A file that was set aside, to be tried out.
#[derive(Debug)]
pub(super) struct Trial {
    path: RelPath,
    /// The text that a worker is already parsing.
    running: Option<(ContentHash, RunningTrial)>,
}

impl Trial {
    /// Reports whether a worker is already parsing it.
    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }
}

/// The scanner, with everything that a scan needs.
#[derive(Debug)]
pub(super) struct Scanner {
    pub(super) files: Arc<dyn Files>,
    pub(super) languages: Arc<Languages>,
    pub(super) cache: Option<Arc<Cache>>,
    pub(super) cancel: Cancel,
    pub(super) preparsed: Arc<PreparsedOutlines>,
    /// The outlines of the files that are known.
    pub(super) stored: Arc<StoredOutlines>,
    pub(super) parsers: Parsers,
    /// `None` without a cache, or on a file system whose states say nothing about bytes.
    pub(super) recorded: Option<RecordedFiles>,
}

/// When a file with long lines is parsed. Such files are generated, take longest to parse or never finish,
/// and most questions are about other files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanOrder {
    /// In order.
    AsListed,
    /// After all other files: the scan returns [`ScanOutcome::Later`].
    LongLinesLast,
    /// Now: the file was postponed at this time, and questions have waited for it since.
    Postponed(Instant),
}

/// The parsing time that a scan may take.
#[derive(Debug)]
enum Effort<'c> {
    /// The expected time of any file.
    Usual(ScanOrder),
    /// The maximum time of a file, until the flag is raised.
    Trial(Option<(ContentHash, RunningTrial)>, &'c Cancel),
}

impl Scanner {
    /// Scans `path`; `known` is its entry in the index.
    pub(super) fn scan(&self, order: ScanOrder, path: RelPath, known: Option<&Arc<FileEntry>>) -> ScanResult {
        self.scan_with(Effort::Usual(order), path, known)
    }

    /// Scans a file that was set aside, for as long as it takes, or until `cancel` is raised.
    pub(super) fn try_out(&self, trial: Trial, cancel: &Cancel) -> ScanResult {
        self.scan_with(Effort::Trial(trial.running, cancel), trial.path, None)
    }

    fn scan_with(&self, effort: Effort<'_>, path: RelPath, known: Option<&Arc<FileEntry>>) -> ScanResult {
        let find = || self.find(effort, &path, known);
        let found = catch_unwind(AssertUnwindSafe(find)).unwrap_or_else(|_| {
            tracing::error!(%path, "scanning this file panicked; it is omitted from the index");
            let content = Content::Skipped { why: Skipped::Unreadable, stat: self.stat(&path) };
            ScanOutcome::New { entry: FileEntry { path: path.clone(), content }, parsed: false }
        });
        let stat = match &found {
            ScanOutcome::New { entry, .. } => self.stat_of_code(entry),
            ScanOutcome::Same(entry) | ScanOutcome::SetAside { entry, .. } => self.stat_of_code(entry),
            ScanOutcome::Gone | ScanOutcome::Cancelled | ScanOutcome::Later => None,
        };
        ScanResult { path, found, stat }
    }

    /// Returns the state of a file that is code, or may become code by its first line.
    fn stat_of_code(&self, entry: &FileEntry) -> Option<Stat> {
        let may_become_code = || entry.path.extension().is_none().then(|| self.stat(&entry.path));
        entry.stat().or_else(may_become_code)
    }

    fn find(&self, effort: Effort<'_>, path: &RelPath, known: Option<&Arc<FileEntry>>) -> ScanOutcome {
        if self.cancel.is_cancelled() {
            return ScanOutcome::Cancelled;
        }
        match self.grammar_of(path) {
            Ok(Some(grammar)) => return self.code(effort, path, grammar, known),
            Ok(None) => {}
            Err(error) => return self.unreadable(path, known, &error),
        }
        if let Some(known) = known
            && matches!(known.content, Content::Code { origin: Origin::Server(_), .. })
        {
            return self.scan_server_outlined(path, known);
        }
        match (self.files.stat_link(path), known) {
            (Ok((EntryKind::File, _)), Some(known)) if matches!(known.content, Content::Plain) => {
                ScanOutcome::Same(known.clone())
            }
            (Ok((EntryKind::File, _)), _) => new(path, Content::Plain),
            (Err(error), _) if is_transient(&error) => self.unreadable(path, known, &error),
            _ => ScanOutcome::Gone,
        }
    }

    /// Reports whether `path` has a grammar. Fails if that may be known later.
    pub(super) fn may_be_code(&self, path: &RelPath) -> Result<bool, VfsError> {
        Ok(self.grammar_of(path)?.is_some())
    }

    /// Reports whether a file of this name may have a grammar, whatever its content.
    pub(super) fn may_be_code_by_name(&self, path: &RelPath) -> bool {
        match self.languages.language_of(path) {
            Some(language) => self.languages.get(language).grammar.is_some(),
            None => path.extension().is_none(),
        }
    }

    /// Returns the grammar for `path`, by its name, or by its first line if the name has no extension. Fails
    /// if that line may be readable later.
    fn grammar_of(&self, path: &RelPath) -> Result<Option<Grammar>, VfsError> {
        let mut language = self.languages.language_of(path);
        if language.is_none() && path.extension().is_none() {
            let head = match self.files.read_at(path, 0, SHEBANG_BYTES) {
                Ok(read) => read.bytes,
                Err(error) if is_transient(&error) => return Err(error),
                Err(_) => return Ok(None),
            };
            let line = head.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
            language = self.languages.by_shebang(&String::from_utf8_lossy(line));
        }
        let grammar = language.and_then(|language| self.languages.get(language).grammar.as_deref());
        Ok(grammar.and_then(Grammar::named))
    }

    fn code(
        &self,
        effort: Effort<'_>,
        path: &RelPath,
        grammar: Grammar,
        known: Option<&Arc<FileEntry>>,
    ) -> ScanOutcome {
        let skipped = |why, stat| new(path, Content::Skipped { why, stat });
        let FileBytes { bytes, stat } = match self.files.read_no_follow(path, MAX_PARSED_BYTES) {
            Ok(read) => read,
            Err(VfsError::NotFound { .. } | VfsError::NotAFile { .. } | VfsError::Outside { .. }) => {
                return ScanOutcome::Gone;
            }
            Err(VfsError::TooLarge { .. }) => return skipped(Skipped::TooLarge, self.stat(path)),
            Err(error) => return self.unreadable(path, known, &error),
        };
        let grammar = grammar_of_text(grammar, path.extension(), &bytes);
        let hash = ContentHash::of(&bytes);
        if let Some(known) = known
            && let Content::Code { origin, hash: old, stat: then, outline } = &known.content
            && (origin.fingerprint(), *old) == (grammar.fingerprint(), hash)
            && self.stored.is_readable(known)
        {
            if *then == stat {
                return ScanOutcome::Same(known.clone());
            }
            return new(path, Content::Code { origin: *origin, hash, stat, outline: outline.clone() });
        }
        let key = Key { content: hash, fingerprint: grammar.fingerprint() };
        let content =
            |outline: EntryOutline| Content::Code { origin: Origin::Grammar(grammar), hash, stat, outline };
        let parsed = |outline| {
            let content = content(self.stored.shared.share(key, outline).into());
            ScanOutcome::New { entry: FileEntry { path: path.clone(), content }, parsed: true }
        };
        if let Some(outline) = self.preparsed.take(hash, grammar) {
            return parsed(outline);
        }
        if let Some(outline) = self.stored.known(key) {
            return new(path, content(outline));
        }
        let Ok((text, _)) = text::decode(bytes) else { return skipped(Skipped::Binary, stat) };
        let since = match effort {
            Effort::Usual(ScanOrder::LongLinesLast) if has_long_line(&text) => return ScanOutcome::Later,
            Effort::Usual(ScanOrder::Postponed(since)) => since,
            _ => Instant::now(),
        };
        let attempt = match effort {
            Effort::Usual(_) => self.parsers.outline_of_file(grammar, &text, hash, &self.cancel),
            Effort::Trial(running, cancel) => {
                // A running parse of an earlier text of the file is dropped.
                let running = running.filter(|(of, _)| *of == hash).map(|(_, running)| running);
                self.parsers.try_out(grammar, &text, hash, running, cancel).map(Attempt::Parsed)
            }
        };
        match attempt {
            Ok(Attempt::Parsed(outline)) => parsed(Arc::new(outline)),
            Ok(Attempt::SetAside(running)) => {
                let content = Content::Skipped { why: Skipped::StillParsing, stat };
                let entry = Arc::new(FileEntry { path: path.clone(), content });
                let running = running.map(|running| (hash, running));
                ScanOutcome::SetAside { entry, since, trial: Trial { path: path.clone(), running } }
            }
            Err(ParseError::Cancelled) => ScanOutcome::Cancelled,
            // The file may become parsable without a change.
            Err(ParseError::SetAside | ParseError::Unavailable(_)) => {
                skipped(Skipped::Unreadable, Stat::default())
            }
            Err(ParseError::Quarantined(why)) => {
                self.parsers.record_quarantined(path, why);
                skipped(Skipped::Unparsable, stat)
            }
            Err(ParseError::Refused(_)) => skipped(Skipped::TooLarge, stat),
        }
    }

    /// Whether a file in its recorded state is still parsed by the grammar that made its outline, which the cache has.
    pub(super) fn may_take_recorded(&self, entry: &FileEntry) -> bool {
        let named = self.grammar_of(&entry.path).ok().flatten();
        let mut may_be = named.into_iter().flat_map(|named| grammars_of_name(named, entry.path.extension()));
        may_be.any(|grammar| Some(grammar) == entry.grammar()) && self.stored.is_readable(entry)
    }

    /// Reads the file at `path` from disk, and compares its bytes with those that have this hash.
    pub(super) fn verify(&self, path: &RelPath, hash: ContentHash) -> VerifiedBytes {
        match self.files.read_saved(path, MAX_PARSED_BYTES) {
            Ok(read) if ContentHash::of(&read.bytes) == hash => VerifiedBytes::AsRecorded,
            Ok(_) => VerifiedBytes::Others,
            Err(error) if is_transient(&error) => VerifiedBytes::Unreadable,
            // A file that is gone, is something else now or may not be read any more has an event of its own.
            Err(_) => VerifiedBytes::AsRecorded,
        }
    }

    /// Scans a file that a language server outlined: once its text has changed, the outline is invalid.
    fn scan_server_outlined(&self, path: &RelPath, known: &Arc<FileEntry>) -> ScanOutcome {
        let read = match self.files.read_no_follow(path, MAX_PARSED_BYTES) {
            Ok(read) => read,
            Err(VfsError::TooLarge { .. } | VfsError::Io { .. }) => return new(path, Content::Plain),
            Err(_) => return ScanOutcome::Gone,
        };
        match &known.content {
            Content::Code { origin, hash, stat, outline } if ContentHash::of(&read.bytes) == *hash => {
                if *stat == read.stat {
                    return ScanOutcome::Same(known.clone());
                }
                let (origin, hash, outline) = (*origin, *hash, outline.clone());
                new(path, Content::Code { origin, hash, stat: read.stat, outline })
            }
            _ => new(path, Content::Plain),
        }
    }

    /// Returns the entry of an unreadable file. If the error may disappear without an event, the entry gets a
    /// state that no file has, so that the next question causes a rescan
    /// ([`symd_index::IndexState::may_be_readable`]).
    fn unreadable(&self, path: &RelPath, known: Option<&Arc<FileEntry>>, error: &VfsError) -> ScanOutcome {
        let stat = if is_transient(error) { Stat::default() } else { self.stat(path) };
        let is_known = |known: &&Arc<FileEntry>| matches!(&known.content, Content::Skipped { why: Skipped::Unreadable, stat: then } if *then == stat);
        match known.filter(is_known) {
            Some(known) => ScanOutcome::Same(known.clone()),
            None => new(path, Content::Skipped { why: Skipped::Unreadable, stat }),
        }
    }

    fn stat(&self, path: &RelPath) -> Stat {
        self.files.stat_link(path).map_or_else(|_| Stat::default(), |(_, stat)| stat)
    }
}

/// Reports whether the file may become readable without a change: too few descriptors, too little memory, a
/// server that does not respond. A change of permissions causes an event, and a directory is not a file.
fn is_transient(error: &VfsError) -> bool {
    use std::io::ErrorKind::{IsADirectory, PermissionDenied};
    matches!(error, VfsError::Io { source, .. } if !matches!(source.kind(), PermissionDenied | IsADirectory))
}

fn has_long_line(text: &str) -> bool {
    text.split_inclusive('\n').any(|line| line.len() > LONG_LINE)
}

fn new(path: &RelPath, content: Content) -> ScanOutcome {
    ScanOutcome::New { entry: FileEntry { path: path.clone(), content }, parsed: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_those_of_programs() {
        let line = "x".repeat(LONG_LINE);
        for short in ["", "\n\n", &line, &format!("a\n{}\nb", &line[1..])] {
            assert!(!has_long_line(short), "{}", short.len());
        }
        for long in [format!("{line}x"), format!("a\n{line}\nb"), format!("{line}x\n")] {
            assert!(has_long_line(&long), "{}", long.len());
        }
    }
}
