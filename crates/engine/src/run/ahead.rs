//! Parsing ahead of questions: the trees of files whose names are resolved by types, and their outlines with hidden types. A question
//! about a common name reads hundreds of them. They are stored on disk, so it is done once for each content, and waits for questions. It
//! ends where the store has no more room.

use std::collections::HashMap;
use std::sync::Arc;

use super::Run;
use crate::event::Event;
use crate::run::send;
use crate::scan::{MAX_PARSED_BYTES, Scanner};
use crate::view::MAX_TREE_TEXT;
use symd_base::{ContentHash, Text};
use symd_index::FileEntry;
use symd_syntax::{Grammar, flat_tree::node_kinds};

/// After this many files the next job begins.
const FILES_PER_JOB: usize = 256;
/// On a busy machine a text may fail once.
const MAX_FAILURES: u8 = 3;
/// Bytes of trees that are written before the daemon stops.
const WORTH_WRITING: usize = 1 << 20;

/// How far it has got.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// Whether there are files of a language whose trees are read.
    has_files: bool,
    is_running: bool,
    /// Whether what is parsed for questions has been stored for the last time.
    pub(super) is_stored: bool,
    /// The revision all of whose trees are stored.
    done: Option<u64>,
    /// How often contents could not be parsed. Questions try them again.
    failures: HashMap<ContentHash, u8>,
}

impl Ahead {
    /// Notes a file of the index.
    pub(super) fn note(&mut self, file: &FileEntry) {
        self.has_files |= tree_of(file).is_some();
    }

    /// Whether nothing of a revision is left to be parsed ahead.
    pub(super) fn is_done(&self, revision: u64) -> bool {
        !self.has_files || self.done == Some(revision)
    }
}

impl Run {
    /// Begins to parse the files whose trees are not stored, unless all are.
    pub(super) fn parse_ahead(&mut self) {
        let revision = self.state.revision();
        if self.ahead.is_running || self.ahead.is_done(revision) {
            return;
        }
        self.ahead.is_running = true;
        let (scanner, sender, failures) =
            (self.scanner.clone(), self.sender.clone(), self.ahead.failures.clone());
        let (files, rule) = (self.state.snapshot().files.clone(), self.pool.background_rule());
        self.pool.background(move || {
            let lacks_parses = |file: &&Arc<FileEntry>| {
                tree_of(file).is_some_and(|(grammar, hash)| {
                    failures.get(&hash).is_none_or(|count| *count < MAX_FAILURES)
                        && !scanner.parsers.has_parses(grammar, hash, file.hides_types())
                })
            };
            let lacking: Vec<&Arc<FileEntry>> =
                files.iter().filter(lacks_parses).take(FILES_PER_JOB).collect();
            let (mut failed, mut parsed) = (Vec::new(), 0);
            for file in &lacking {
                if rule.holds_back()
                    || scanner.cancel.is_cancelled()
                    || !scanner.parsers.has_room_for_parses()
                {
                    break;
                }
                failed.extend(parse(&scanner, file).err());
                parsed += 1;
            }
            if let Err(error) = scanner.parsers.write_parses(WORTH_WRITING) {
                tracing::warn!(%error, "cannot store trees; questions parse them again");
            }
            // What has no room would take that of others, which would be parsed again and take it back.
            let is_full = !scanner.parsers.has_room_for_parses();
            let is_done = is_full || failed.is_empty() && parsed == lacking.len() && parsed < FILES_PER_JOB;
            send(&sender, Event::ParsedAhead { revision, is_done, failed });
        });
    }

    pub(super) fn parsed_ahead(&mut self, revision: u64, is_done: bool, failed: Vec<ContentHash>) {
        self.ahead.is_running = false;
        for hash in failed {
            *self.ahead.failures.entry(hash).or_default() += 1;
        }
        if is_done {
            self.ahead.done = Some(revision);
        }
    }
}

/// Returns the grammar and content of a file whose tree is read.
fn tree_of(file: &FileEntry) -> Option<(Grammar, ContentHash)> {
    let grammar = file.grammar().filter(|grammar| node_kinds(*grammar).is_some())?;
    Some((grammar, file.hash()?))
}

/// Parses a file and stores its tree.
///
/// # Errors
/// The content of the file, if it was not parsed or is not as it was indexed.
fn parse(scanner: &Scanner, file: &FileEntry) -> Result<(), ContentHash> {
    let Some((grammar, hash)) = tree_of(file) else { return Ok(()) };
    let bytes = scanner.files.read_no_follow(&file.path, MAX_PARSED_BYTES).map_err(|_| hash)?.bytes;
    if ContentHash::of(&bytes) != hash || bytes.len() > MAX_TREE_TEXT {
        return Err(hash);
    }
    let text = Text::decode(bytes).map_err(|_| hash)?;
    match scanner.parsers.parse_ahead(grammar, text.as_str(), hash, file.hides_types(), &scanner.cancel) {
        Ok(true) => Ok(()),
        Ok(false) | Err(_) => Err(hash),
    }
}
