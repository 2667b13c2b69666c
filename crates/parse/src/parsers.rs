//! The interface by which the rest of symd parses texts. Outside of tests, outlines are obtained only here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::attempts::{Attempt, ParseError, attempt, now, try_out};
use super::living_workers::WorkerMemory;
use super::parse_task::ParseTask;
use super::pool::{ParsePurpose, RunningTrial, WorkerPool};
use super::quarantine::Quarantine;
use symd_base::state::StateError;
use symd_base::{Cancel, ContentHash, RelPath, TextRange};
use symd_index::cache::StoredParses;
use symd_syntax::{self as syntax, FlatTree, Grammar, Inspected, LocalBindings, Outline, OutlineError};

/// The means by which texts are parsed. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Parsers(Arc<ParseBackend>);

#[derive(Debug)]
enum ParseBackend {
    /// This process.
    InProcess,
    /// Worker processes.
    Workers { program: PathBuf, crew: WorkerPool, quarantine: Quarantine, stored: Option<Box<StoredParses>> },
}

/// Options of a crew of workers.
#[derive(Clone, Debug)]
pub struct ParserOptions {
    /// Path of symd itself.
    pub program: PathBuf,
    /// File that stores the quarantine; `None` stores it nowhere.
    pub quarantine: Option<PathBuf>,
    /// Directory of what was parsed for questions; `None` stores it nowhere.
    pub parses: Option<PathBuf>,
}

/// A guard that keeps a worker ready while it lives.
#[derive(Debug)]
pub struct Warm(Parsers);

impl Drop for Warm {
    fn drop(&mut self) {
        if let ParseBackend::Workers { crew, .. } = &*self.0.0 {
            crew.client_left();
        }
    }
}

impl Parsers {
    /// Parses in this process, which a text may crash: for tests and measurements.
    pub fn in_this_process() -> Parsers {
        Parsers(Arc::new(ParseBackend::InProcess))
    }

    pub fn in_workers(options: ParserOptions) -> std::io::Result<Parsers> {
        let crew = WorkerPool::new(options.program.clone())?;
        let quarantine = Quarantine::open(options.quarantine);
        // Without them, questions parse again; nothing else changes.
        let stored = options.parses.as_deref().and_then(|directory| {
            let opened = StoredParses::open(directory);
            opened
                .map(Box::new)
                .map_err(|error| tracing::warn!(%error, "parses for questions are not stored"))
                .ok()
        });
        Ok(Parsers(Arc::new(ParseBackend::Workers { program: options.program, crew, quarantine, stored })))
    }

    /// Returns the program that the workers run, or `None` if everything is parsed in this process.
    pub fn program(&self) -> Option<&Path> {
        match &*self.0 {
            ParseBackend::InProcess => None,
            ParseBackend::Workers { program, .. } => Some(program),
        }
    }

    /// Keeps a worker ready until the returned guard is dropped, at the disconnect of a client.
    pub fn keep_warm(&self) -> Warm {
        if let ParseBackend::Workers { crew, .. } = &*self.0 {
            crew.client_came();
        }
        Warm(self.clone())
    }

    /// Returns the quarantined texts, or `None` if everything is parsed in this process.
    pub fn quarantine(&self) -> Option<&Quarantine> {
        match &*self.0 {
            ParseBackend::InProcess => None,
            ParseBackend::Workers { quarantine, .. } => Some(quarantine),
        }
    }

    /// Records that the file at `path` is quarantined, and why, for [`Parsers::why_unparsable`].
    pub fn record_quarantined(&self, path: &RelPath, why: String) {
        if let Some(quarantine) = self.quarantine() {
            quarantine.record_path(path, why);
        }
    }

    /// Returns why the file at `path` is quarantined; empty if unknown.
    pub fn why_unparsable(&self, path: &RelPath) -> String {
        self.quarantine().and_then(|quarantine| quarantine.why_of(path)).unwrap_or_default()
    }

    /// Returns the maximum number of concurrent trials.
    pub fn trials(&self) -> usize {
        match &*self.0 {
            ParseBackend::InProcess => 1,
            ParseBackend::Workers { crew, .. } => crew.trials(),
        }
    }

    /// Returns the number of texts sent to workers so far: for tests and measurements.
    pub fn requests(&self) -> u64 {
        match &*self.0 {
            ParseBackend::InProcess => 0,
            ParseBackend::Workers { crew, .. } => crew.requests(),
        }
    }

    /// Returns the resident memory of each worker, the oldest worker first. Reads /proc.
    pub fn worker_memory(&self) -> Vec<WorkerMemory> {
        match &*self.0 {
            ParseBackend::InProcess => Vec::new(),
            ParseBackend::Workers { crew, .. } => crew.memory(),
        }
    }

    /// Returns the outline of an ordinary file whose bytes have the hash `hash`. A slow text is set aside.
    pub fn outline_of_file(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        cancel: &Cancel,
    ) -> Result<Attempt, ParseError> {
        match &*self.0 {
            ParseBackend::InProcess => Ok(Attempt::Parsed(syntax::outline(grammar, text, cancel)?)),
            ParseBackend::Workers { crew, quarantine, .. } => attempt(
                crew,
                (quarantine, None),
                ParsePurpose::File,
                &ParseTask::outline(grammar, text, hash),
                cancel,
            ),
        }
    }

    /// Returns the outline of a file that was set aside: it gets the full time that a file may take, in the
    /// worker that is already parsing it, or alone in a fresh one, and if necessary once more.
    pub fn try_out(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        running: Option<RunningTrial>,
        cancel: &Cancel,
    ) -> Result<Outline, ParseError> {
        match &*self.0 {
            ParseBackend::InProcess => Ok(syntax::outline(grammar, text, cancel)?),
            ParseBackend::Workers { crew, quarantine, .. } => {
                try_out(crew, quarantine, &ParseTask::outline(grammar, text, hash), running, cancel)
            }
        }
    }

    /// Returns the outline of a text that a request waits for: tries it as an ordinary file, and then as one
    /// that was set aside.
    pub fn outline_now(&self, grammar: Grammar, text: &str, cancel: &Cancel) -> Result<Outline, ParseError> {
        match &*self.0 {
            ParseBackend::InProcess => Ok(syntax::outline(grammar, text, cancel)?),
            ParseBackend::Workers { crew, quarantine, .. } => {
                let hash = ContentHash::of(text.as_bytes());
                now(crew, quarantine, &ParseTask::outline(grammar, text, hash), cancel)
            }
        }
    }

    /// Returns what an edit must know of a proposed text, by one request and one parse; `range` selects the
    /// lines to classify.
    pub fn inspect(
        &self,
        grammar: Grammar,
        text: &str,
        range: TextRange,
        cancel: &Cancel,
    ) -> Result<Inspected, ParseError> {
        match &*self.0 {
            ParseBackend::InProcess => Ok(syntax::inspect(grammar, text, range, cancel)?),
            ParseBackend::Workers { crew, quarantine, .. } => {
                now(crew, quarantine, &ParseTask::inspection(grammar, text, range), cancel)
            }
        }
    }

    /// Returns what a text binds as locals. A slow text is set aside.
    pub fn local_bindings(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        cancel: &Cancel,
    ) -> Result<Attempt<LocalBindings>, ParseError> {
        let task = ParseTask::local_bindings(grammar, text, hash);
        self.attempt_for_question(&task, cancel, || syntax::local_bindings(grammar, text, cancel))
    }

    /// Returns the outline of a text with the types that an outline hides. A slow text is set aside.
    pub fn outline_with_hidden_types(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        cancel: &Cancel,
    ) -> Result<Attempt, ParseError> {
        let parse = || syntax::outline_with_hidden_types(grammar, text, cancel);
        self.attempt_for_question(&ParseTask::hidden_types(grammar, text, hash), cancel, parse)
    }

    /// Returns the outline of a text with the types and functions that an outline hides. A slow text is set aside.
    pub fn outline_with_hidden_functions(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        cancel: &Cancel,
    ) -> Result<Attempt, ParseError> {
        let task = ParseTask::hidden_functions(grammar, text, hash);
        self.attempt_for_question(&task, cancel, || {
            syntax::outline_with_hidden_functions(grammar, text, cancel)
        })
    }

    /// Returns the tree of a text. A slow text is set aside.
    pub fn flat_tree(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        cancel: &Cancel,
    ) -> Result<Attempt<FlatTree>, ParseError> {
        self.attempt_for_question(&ParseTask::tree(grammar, text, hash), cancel, || {
            syntax::flat_tree(grammar, text, cancel)
        })
    }

    /// Whether the tree of a text is stored and, of one whose outline hides types, the outline with them.
    pub fn has_parses(&self, grammar: Grammar, hash: ContentHash, hides_types: bool) -> bool {
        let has = |stored: &StoredParses| {
            stored.contains(ParseTask::tree(grammar, "", hash).key)
                && (!hides_types || stored.contains(ParseTask::hidden_types(grammar, "", hash).key))
        };
        self.stored().is_some_and(has)
    }

    /// Parses a text ahead of questions and stores its tree and, if its outline hides types, the outline with them; `false` if the
    /// text is slow, or parses are not stored.
    pub fn parse_ahead(
        &self,
        grammar: Grammar,
        text: &str,
        hash: ContentHash,
        hides_types: bool,
        cancel: &Cancel,
    ) -> Result<bool, ParseError> {
        let tree = self.store(&ParseTask::tree(grammar, text, hash), cancel)?;
        Ok(tree && (!hides_types || self.store(&ParseTask::hidden_types(grammar, text, hash), cancel)?))
    }

    fn store<T>(&self, task: &ParseTask<'_, T>, cancel: &Cancel) -> Result<bool, ParseError> {
        let ParseBackend::Workers { crew, quarantine, stored: Some(stored), .. } = &*self.0 else {
            return Ok(false);
        };
        if stored.contains(task.key) {
            return Ok(true);
        }
        let attempt = attempt(crew, (quarantine, Some(stored)), ParsePurpose::File, task, cancel)?;
        Ok(matches!(attempt, Attempt::Parsed(_)))
    }

    /// Whether what is parsed for questions is stored.
    pub fn store_parses(&self) -> bool {
        self.stored().is_some()
    }

    /// Whether there is room for more parses before older ones go, in memory and on disk.
    pub fn has_room_for_parses(&self) -> bool {
        self.stored().is_some_and(StoredParses::has_room)
    }

    /// Writes the parses that are to be stored, if they are at least `worth` bytes.
    pub fn write_parses(&self, worth: usize) -> Result<(), StateError> {
        self.stored().map_or(Ok(()), |stored| stored.write(worth))
    }

    /// Returns how many bytes of parses are in memory until they are written.
    pub fn unwritten_parses(&self) -> usize {
        self.stored().map_or(0, StoredParses::unwritten_bytes)
    }

    fn stored(&self) -> Option<&StoredParses> {
        match &*self.0 {
            ParseBackend::InProcess => None,
            ParseBackend::Workers { stored, .. } => stored.as_deref(),
        }
    }

    /// Attempts a task that a question waits for, in a worker, or by `parse` in this process.
    fn attempt_for_question<T>(
        &self,
        task: &ParseTask<'_, T>,
        cancel: &Cancel,
        parse: impl FnOnce() -> Result<T, OutlineError>,
    ) -> Result<Attempt<T>, ParseError> {
        match &*self.0 {
            ParseBackend::InProcess => Ok(Attempt::Parsed(parse()?)),
            ParseBackend::Workers { crew, quarantine, stored, .. } => {
                let stored = stored.as_deref();
                let known = stored.and_then(|stored| stored.get(task.key));
                match known.and_then(|payload| (task.decode)(&payload, task.grammar, task.text)) {
                    Some(parsed) => Ok(Attempt::Parsed(parsed)),
                    None => attempt(crew, (quarantine, stored), ParsePurpose::Question, task, cancel),
                }
            }
        }
    }
}
