//! Looking at one file: read it, and tell its symbols from the last look, from the cache, or by parsing. Runs on
//! pool threads. Invariant: whatever is in the file, the answer is an answer; nothing here fails.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use super::foretold::Foretellings;
use symd_base::{Cancel, ContentHash, RelPath, text};
use symd_config::Languages;
use symd_index::cache::{Cache, Key};
use symd_index::{Content, FileEntry, Origin, Skipped};
use symd_parse::{Attempt, ParseError, Parsers, RunningTrial};
use symd_syntax::Grammar;
use symd_vfs::{EntryKind, FileBytes, Root, Stat, VfsError};

/// Larger files are listed and searched, not parsed: a syntax tree takes many times the text's memory, and
/// what is larger than this was written by a program.
pub const MAX_PARSED_BYTES: u64 = 8 << 20;
/// Bytes of a line with its line break: a longer one was hardly written by hand.
const LONG_LINE: usize = 4096;
/// Enough for any `#!` line.
const SHEBANG_BYTES: usize = 128;

/// A path to look at, and what the index holds of it.
pub(super) type ToLookAt = (RelPath, Option<Arc<FileEntry>>);

/// What a look found.
#[derive(Debug)]
pub(super) struct Looked {
    pub(super) path: RelPath,
    pub(super) found: LookOutcome,
    /// Of a file that is code, or may become it.
    pub(super) stat: Option<Stat>,
}

#[derive(Debug)]
pub(super) enum LookOutcome {
    /// There is no regular file.
    Gone,
    /// As it was when this was found, which is what the look was given as known.
    Same(Arc<FileEntry>),
    /// Nobody wants to know any more: the engine is stopping.
    Cancelled,
    /// It has long lines, and other files are to be looked at first.
    Later,
    /// Something new.
    New {
        entry: Arc<FileEntry>,
        /// Whether it was parsed just now, so that the cache has not got it.
        parsed: bool,
    },
    /// Something new that the parser takes long over; the file as it is shown until it is tried out.
    SetAside {
        entry: Arc<FileEntry>,
        /// When the parser began with it, or the file was postponed.
        since: Instant,
        trial: Trial,
    },
}

/// What a file that was set aside is tried out with.
#[derive(Debug)]
pub(super) struct Trial {
    path: RelPath,
    /// The text that the parser is at already.
    running: Option<(ContentHash, RunningTrial)>,
}

impl Trial {
    /// Whether a worker is at it already.
    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }
}

/// What looking takes.
#[derive(Debug)]
pub(super) struct Looker {
    pub(super) root: Arc<Root>,
    pub(super) languages: Arc<Languages>,
    pub(super) cache: Option<Arc<Cache>>,
    pub(super) cancel: Cancel,
    pub(super) foretold: Arc<Foretellings>,
    pub(super) parsers: Parsers,
}

/// When a file with long lines is parsed. Programs write such files, parsers take longest over them or never end, and most
/// questions are about other files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookOrder {
    /// In its turn.
    AsListed,
    /// Behind all other files: this look answers [`LookOutcome::Later`].
    LongLinesLast,
    /// Now: the file was postponed at this time, and questions have waited for it since.
    Postponed(Instant),
}

/// How much of the parser's time a look may take.
#[derive(Debug)]
enum Effort<'c> {
    /// As much as is expected of any file.
    Usual(LookOrder),
    /// All that a file may take, until this is raised.
    Trial(Option<(ContentHash, RunningTrial)>, &'c Cancel),
}

impl Looker {
    /// Looks at `path`, of which `known` is what the index holds.
    pub(super) fn look(&self, order: LookOrder, path: RelPath, known: Option<&Arc<FileEntry>>) -> Looked {
        self.look_with(Effort::Usual(order), path, known)
    }

    /// Looks at a file that was set aside, for as long as it takes, or until `cancel` is raised.
    pub(super) fn try_out(&self, trial: Trial, cancel: &Cancel) -> Looked {
        self.look_with(Effort::Trial(trial.running, cancel), trial.path, None)
    }

    fn look_with(&self, effort: Effort<'_>, path: RelPath, known: Option<&Arc<FileEntry>>) -> Looked {
        let find = || self.find(effort, &path, known);
        let found = catch_unwind(AssertUnwindSafe(find)).unwrap_or_else(|_| {
            tracing::error!(%path, "looking at this file panicked; it is left out of the index");
            let content = Content::Skipped { why: Skipped::Unreadable, stat: self.stat(&path) };
            LookOutcome::New { entry: Arc::new(FileEntry { path: path.clone(), content }), parsed: false }
        });
        let stat = match &found {
            LookOutcome::Same(entry)
            | LookOutcome::New { entry, .. }
            | LookOutcome::SetAside { entry, .. } => self.stat_of_code(entry),
            LookOutcome::Gone | LookOutcome::Cancelled | LookOutcome::Later => None,
        };
        Looked { path, found, stat }
    }

    /// The state of a file that is code, or may become it by its first line.
    fn stat_of_code(&self, entry: &FileEntry) -> Option<Stat> {
        let may_become_code = || entry.path.extension().is_none().then(|| self.stat(&entry.path));
        entry.stat().or_else(may_become_code)
    }

    fn find(&self, effort: Effort<'_>, path: &RelPath, known: Option<&Arc<FileEntry>>) -> LookOutcome {
        if self.cancel.is_cancelled() {
            return LookOutcome::Cancelled;
        }
        match self.grammar_of(path) {
            Ok(Some(grammar)) => return self.code(effort, path, grammar, known),
            Ok(None) => {}
            Err(error) => return self.unreadable(path, known, &error),
        }
        if let Some(known) = known
            && matches!(known.content, Content::Code { origin: Origin::Server(_), .. })
        {
            return self.outlined_elsewhere(path, known);
        }
        match (self.root.stat_link(path), known) {
            (Ok((EntryKind::File, _)), Some(known)) if matches!(known.content, Content::Plain) => {
                LookOutcome::Same(known.clone())
            }
            (Ok((EntryKind::File, _)), _) => new(path, Content::Plain),
            (Err(error), _) if may_pass(&error) => self.unreadable(path, known, &error),
            _ => LookOutcome::Gone,
        }
    }

    /// What to parse `path` with, by its name, or by its first line where the name has no extension. Fails where that line
    /// may be readable later.
    fn grammar_of(&self, path: &RelPath) -> Result<Option<Grammar>, VfsError> {
        let mut language = self.languages.language_of(path);
        if language.is_none() && path.extension().is_none() {
            let head = match self.root.read_at(path, 0, SHEBANG_BYTES) {
                Ok(read) => read.bytes,
                Err(error) if may_pass(&error) => return Err(error),
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
    ) -> LookOutcome {
        let skipped = |why, stat| new(path, Content::Skipped { why, stat });
        let FileBytes { bytes, stat } = match self.root.read_unlinked(path, MAX_PARSED_BYTES) {
            Ok(read) => read,
            Err(VfsError::NotFound { .. } | VfsError::NotAFile { .. } | VfsError::Outside { .. }) => {
                return LookOutcome::Gone;
            }
            Err(VfsError::TooLarge { .. }) => return skipped(Skipped::TooLarge, self.stat(path)),
            Err(error) => return self.unreadable(path, known, &error),
        };
        let hash = ContentHash::of(&bytes);
        if let Some(known) = known
            && let Content::Code { origin, hash: old, stat: then, outline } = &known.content
            && (origin.fingerprint(), *old) == (grammar.fingerprint(), hash)
        {
            if *then == stat {
                return LookOutcome::Same(known.clone());
            }
            return new(path, Content::Code { origin: *origin, hash, stat, outline: outline.clone() });
        }
        if let Some(outline) = self.foretold.take(hash, grammar) {
            let content = Content::Code { origin: Origin::Grammar(grammar), hash, stat, outline };
            return LookOutcome::New {
                entry: Arc::new(FileEntry { path: path.clone(), content }),
                parsed: true,
            };
        }
        let key = Key { content: hash, fingerprint: grammar.fingerprint() };
        if let Some(outline) = self.cache.as_ref().and_then(|cache| cache.get(key)) {
            return new(
                path,
                Content::Code { origin: Origin::Grammar(grammar), hash, stat, outline: Arc::new(outline) },
            );
        }
        let Ok((text, _)) = text::decode(bytes) else { return skipped(Skipped::Binary, stat) };
        let since = match effort {
            Effort::Usual(LookOrder::LongLinesLast) if has_long_line(&text) => return LookOutcome::Later,
            Effort::Usual(LookOrder::Postponed(since)) => since,
            _ => Instant::now(),
        };
        let attempt = match effort {
            Effort::Usual(_) => self.parsers.outline_of_file(grammar, &text, hash, &self.cancel),
            Effort::Trial(running, cancel) => {
                // Of another text, which the file held then, it is dropped.
                let running = running.filter(|(of, _)| *of == hash).map(|(_, running)| running);
                self.parsers.try_out(grammar, &text, hash, running, cancel).map(Attempt::Parsed)
            }
        };
        let entry = |content| Arc::new(FileEntry { path: path.clone(), content });
        match attempt {
            Ok(Attempt::Parsed(outline)) => {
                let outline = Arc::new(outline);
                let content = Content::Code { origin: Origin::Grammar(grammar), hash, stat, outline };
                LookOutcome::New { entry: entry(content), parsed: true }
            }
            Ok(Attempt::SetAside(running)) => {
                let entry = entry(Content::Skipped { why: Skipped::OnTrial, stat });
                let running = running.map(|running| (hash, running));
                LookOutcome::SetAside { entry, since, trial: Trial { path: path.clone(), running } }
            }
            Err(ParseError::Cancelled) => LookOutcome::Cancelled,
            // It may be parsed later without having changed.
            Err(ParseError::SetAside | ParseError::Unavailable(_)) => {
                skipped(Skipped::Unreadable, Stat::default())
            }
            Err(ParseError::Quarantined(why)) => {
                self.parsers.met_in_quarantine(path, why);
                skipped(Skipped::Unparsable, stat)
            }
            Err(ParseError::Refused(_)) => skipped(Skipped::TooLarge, stat),
        }
    }

    /// A file that a language server outlined: once its text is another, its outline is nobody's.
    fn outlined_elsewhere(&self, path: &RelPath, known: &Arc<FileEntry>) -> LookOutcome {
        let read = match self.root.read_unlinked(path, MAX_PARSED_BYTES) {
            Ok(read) => read,
            Err(VfsError::TooLarge { .. } | VfsError::Io { .. }) => return new(path, Content::Plain),
            Err(_) => return LookOutcome::Gone,
        };
        match &known.content {
            Content::Code { origin, hash, stat, outline } if ContentHash::of(&read.bytes) == *hash => {
                if *stat == read.stat {
                    return LookOutcome::Same(known.clone());
                }
                let (origin, hash, outline) = (*origin, *hash, outline.clone());
                new(path, Content::Code { origin, hash, stat: read.stat, outline })
            }
            _ => new(path, Content::Plain),
        }
    }

    /// A refusal that may pass without an event leaves a state that no file is in: the next question has it looked at again
    /// ([`symd_index::State::may_be_readable`]).
    fn unreadable(&self, path: &RelPath, known: Option<&Arc<FileEntry>>, error: &VfsError) -> LookOutcome {
        let stat = if may_pass(error) { Stat::default() } else { self.stat(path) };
        let is_known = |known: &&Arc<FileEntry>| matches!(&known.content, Content::Skipped { why: Skipped::Unreadable, stat: then } if *then == stat);
        match known.filter(is_known) {
            Some(known) => LookOutcome::Same(known.clone()),
            None => new(path, Content::Skipped { why: Skipped::Unreadable, stat }),
        }
    }

    fn stat(&self, path: &RelPath) -> Stat {
        self.root.stat_link(path).map_or_else(|_| Stat::default(), |(_, stat)| stat)
    }
}

/// Whether the file may be readable later without having changed: too few descriptors or too little memory, a server
/// that does not answer. A change of permissions is an event, and a directory is no file.
fn may_pass(error: &VfsError) -> bool {
    use std::io::ErrorKind::{IsADirectory, PermissionDenied};
    matches!(error, VfsError::Io { source, .. } if !matches!(source.kind(), PermissionDenied | IsADirectory))
}

fn has_long_line(text: &str) -> bool {
    text.split_inclusive('\n').any(|line| line.len() > LONG_LINE)
}

fn new(path: &RelPath, content: Content) -> LookOutcome {
    LookOutcome::New { entry: Arc::new(FileEntry { path: path.clone(), content }), parsed: false }
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
