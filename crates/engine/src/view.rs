//! A question's view of the project: one snapshot, and the files behind it. Invariant: a text and the outline
//! returned with it match, even if the file has changed since the snapshot was made.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::by_need::PartialView;
use super::kept_classes::KeptClasses;
use super::kept_kotlin::{KeptKotlin, KeptState, KotlinKey};
use super::kept_plain::KeptPlain;
use super::operator_facts::KeptOperatorFacts;
use super::read_texts::ReadTexts;
use super::recent_parses::RecentParses;
use super::scan::MAX_PARSED_BYTES;
use super::step_texts::{StepText, StepTexts};
use super::stored_outlines::StoredOutlines;
use symd_base::text::Binary;
use symd_base::{Cancel, ContentHash, RelPath, Text};
use symd_config::Languages;
use symd_index::{Content, FileEntry, Origin, Skipped, Snapshot};
use symd_parse::{Attempt, ParseError, Parsers};
pub use symd_resolve::CurrentText;
use symd_resolve::{ClassGraphs, GradleModules, KotlinState, OperatorFacts, Sources, TextSigns};
use symd_syntax::{Grammar, LocalBindings, Outline};
use symd_types::kotlin::SourceFile;
use symd_vfs::{EntryKind, Files, Ignore, VfsError};

/// Maximum size in bytes of a text whose tree is read. Hand-written Kotlin files are smaller; a tree takes about
/// ten times the memory of its text.
pub(super) const MAX_TREE_TEXT: usize = 2 << 20;

/// One question's view of the project.
#[derive(Debug)]
pub struct View {
    /// The index as of the question.
    pub snapshot: Arc<Snapshot>,
    /// The files' contents and states.
    pub files: Arc<dyn Files>,
    /// The ignore rules.
    pub ignore: Arc<Ignore>,
    /// The languages that symd knows.
    pub languages: Arc<Languages>,
    /// The means by which texts are parsed.
    pub parsers: Parsers,
    /// `None` if all files are known.
    pub(super) partial: Option<PartialView>,
    /// Outlines that questions read back, …
    pub(super) stored: Arc<StoredOutlines>,
    /// … and how many of them had been lost before.
    pub(super) lost_before: usize,
    /// What was parsed for questions.
    pub(super) parses: RecentParses,
    /// What was found out about Kotlin files for questions.
    pub(super) kept_kotlin: KeptKotlin,
    pub(super) kept_classes: KeptClasses,
    pub(super) operators: KeptOperatorFacts,
    pub(super) plain: KeptPlain,
    pub(super) build_changes: u64,
    pub(super) plain_changes: u64,
    pub(super) plain_set_changes: u64,
    /// What all steps of the question share.
    pub(super) steps: Arc<StepsState>,
    /// The texts that this step has read; `None` for what is no step, and may last.
    pub(super) texts: Option<StepTexts>,
}

/// What the steps of a question leave for the next ones.
#[derive(Debug, Default)]
pub(super) struct StepsState {
    /// Whether this question goes on from what another one found out.
    pub(super) goes_on: AtomicBool,
    /// The Gradle modules, once something asked for them.
    gradle_modules: OnceLock<Arc<GradleModules>>,
    /// The graphs of all classes, once something asked for them.
    class_graphs: Mutex<ClassGraphs>,
    /// The results of reading files.
    read: Mutex<ReadResults>,
    /// What was read last.
    read_texts: ReadTexts,
}

/// Files of the index that a question read with another result than expected.
#[derive(Debug, Default)]
pub(super) struct ReadResults {
    /// Files that could not be read or parsed.
    failed: BTreeSet<RelPath>,
    /// Files that are not as they were when the snapshot was made.
    changed: BTreeSet<RelPath>,
}

/// Reasons why a file's text and outline are not available.
#[derive(Debug, thiserror::Error)]
pub enum CurrentError {
    /// The file cannot be read.
    #[error(transparent)]
    Vfs(#[from] VfsError),
    /// The file has no language with a grammar.
    #[error("{0} has no symbols symd can read: it is not in a language with a grammar")]
    NoOutline(RelPath),
    /// The file exists, but the index has no file of that name.
    #[error(
        "{0} is not in the index: it is reached through a link, or was made just now; name the file itself, or ask again"
    )]
    NotIndexed(RelPath),
    /// The file was not parsed.
    #[error("{path} has no symbols symd can read: {why}")]
    Skipped {
        path: RelPath,
        /// The reason, and what can be done about it.
        why: &'static str,
    },
    /// The file changed, and its current content cannot be parsed.
    #[error("{path}: {error}")]
    Unparsed { path: RelPath, error: ParseError },
}

impl View {
    /// Returns the view of one step, which reads each text once. The next step has to see what changed meanwhile, so it has another one.
    pub(super) fn of_step(&self) -> View {
        View {
            snapshot: self.snapshot.clone(),
            files: self.files.clone(),
            ignore: self.ignore.clone(),
            languages: self.languages.clone(),
            parsers: self.parsers.clone(),
            partial: self.partial.clone(),
            stored: self.stored.clone(),
            lost_before: self.lost_before,
            parses: self.parses.clone(),
            kept_kotlin: self.kept_kotlin.clone(),
            kept_classes: self.kept_classes.clone(),
            operators: self.operators.clone(),
            plain: self.plain.clone(),
            build_changes: self.build_changes,
            plain_changes: self.plain_changes,
            plain_set_changes: self.plain_set_changes,
            steps: self.steps.clone(),
            texts: Some(StepTexts::default()),
        }
    }

    /// Reads `file`, and parses it again if it differs from the index (it changed after the question).
    pub fn current(&self, file: &FileEntry) -> Result<CurrentText, CurrentError> {
        let answer = self.read_and_outline(file);
        match &answer {
            Ok(text) if Some(text.hash) == file.hash() => {}
            // A file that is gone by now is not missing from the answer.
            Ok(_) | Err(CurrentError::Vfs(VfsError::NotFound { .. }) | CurrentError::NotIndexed(_)) => {
                self.read_results().changed.insert(file.path.clone());
            }
            Err(CurrentError::Vfs(VfsError::Io { .. }) | CurrentError::Unparsed { .. }) => {
                self.read_results().failed.insert(file.path.clone());
            }
            Err(_) => {}
        }
        answer
    }

    fn read_and_outline(&self, file: &FileEntry) -> Result<CurrentText, CurrentError> {
        let no_outline = || CurrentError::NoOutline(file.path.clone());
        let (origin, hash) = match &file.content {
            Content::Code { origin, hash, .. } => (origin, hash),
            Content::Skipped { why, .. } => return Err(skipped(file, *why)),
            Content::Plain => return Err(no_outline()),
            // The answer is discarded: the snapshot has noted that the question needs the file.
            Content::Unread => return Err(CurrentError::NotIndexed(file.path.clone())),
        };
        let (text, now) = self.read_text(&file.path, MAX_PARSED_BYTES)?;
        let text = text.map_err(|_| skipped(file, Skipped::Binary))?;
        let outline = match origin {
            _ if now == *hash => {
                file.outline().ok_or_else(|| CurrentError::NotIndexed(file.path.clone()))?.clone()
            }
            Origin::Grammar(grammar) => {
                let outline = self.outline(*grammar, &text, now);
                Arc::new(outline.map_err(|error| CurrentError::Unparsed { path: file.path.clone(), error })?)
            }
            // The language server has not seen this text yet.
            Origin::Server(_) => return Err(CurrentError::NotIndexed(file.path.clone())),
        };
        Ok(CurrentText { text, outline, hash: now })
    }

    /// Reads a file's text, once in a step, and the hash of its bytes. Fails if it has more than `most` bytes.
    pub fn read_text(
        &self,
        path: &RelPath,
        most: u64,
    ) -> Result<(Result<Text, Binary>, ContentHash), VfsError> {
        if let Some(StepText { text, hash, .. }) = self.texts.as_ref().and_then(|texts| texts.get(path, most))
        {
            return Ok((Ok(text), hash));
        }
        let bytes = self.files.read_no_follow(path, most)?.bytes;
        let length = bytes.len() as u64;
        match (&self.texts, self.steps.read_texts.decode(path, bytes)) {
            (Some(texts), (Ok(text), hash)) => {
                let StepText { text, hash, .. } = texts.keep(path, StepText { text, hash, length });
                Ok((Ok(text), hash))
            }
            (_, read) => Ok(read),
        }
    }

    /// Whether the question needed something of a file that the view lacks: whatever came of its steps so far is to be
    /// discarded, an error as well ([`super::Engine::next_view`]).
    pub fn is_lacking(&self) -> bool {
        self.snapshot.files.lacks_something()
    }

    /// Reads `file` as it was saved: an editor's unsaved text is not what was built.
    pub fn saved(&self, file: &FileEntry) -> Result<CurrentText, CurrentError> {
        if !self.files.is_unsaved(&file.path) {
            return self.current(file);
        }
        let bytes = self.files.read_saved(&file.path, MAX_PARSED_BYTES)?.bytes;
        self.outlined(&file.path, bytes)
    }

    /// Outlines a text that the file at `path` has in another version than the index knows.
    pub fn outlined(&self, path: &RelPath, bytes: Vec<u8>) -> Result<CurrentText, CurrentError> {
        let language = self.languages.language_of(path);
        let grammar = language.and_then(|language| self.languages.get(language).grammar.as_deref());
        let grammar =
            grammar.and_then(Grammar::named).ok_or_else(|| CurrentError::NoOutline(path.clone()))?;
        let hash = ContentHash::of(&bytes);
        let binary = "it is binary";
        let text =
            Text::decode(bytes).map_err(|_| CurrentError::Skipped { path: path.clone(), why: binary })?;
        let outline = self.outline(grammar, &text, hash);
        let outline = outline.map_err(|error| CurrentError::Unparsed { path: path.clone(), error })?;
        Ok(CurrentText { text, outline: Arc::new(outline), hash })
    }

    /// Returns the outline of a file's text with the types and functions that its outline hides; `None` if it cannot be parsed now.
    pub fn outline_with_hidden_functions(
        &self,
        file: &FileEntry,
        current: &CurrentText,
        cancel: &Cancel,
    ) -> Option<Outline> {
        let (text, hash, grammar) = (current.text.as_str(), current.hash, file.grammar()?);
        match self.parsers.outline_with_hidden_functions(grammar, text, hash, cancel).ok()? {
            Attempt::Parsed(outline) => Some(outline),
            Attempt::SetAside(_) => None,
        }
    }

    fn outline(&self, grammar: Grammar, text: &Text, hash: ContentHash) -> Result<Outline, ParseError> {
        match self.parsers.outline_of_file(grammar, text.as_str(), hash, &Cancel::new())? {
            Attempt::Parsed(outline) => Ok(outline),
            // The engine tries it out in its own scan, if the file is like that.
            Attempt::SetAside(_) => Err(ParseError::SetAside),
        }
    }

    /// Returns the files of the index that this question tried to read so far, but could not read or parse,
    /// in path order. Results of the question lack these files.
    pub fn unread_files(&self) -> Vec<RelPath> {
        let mut failed = self.read_results().failed.clone();
        failed.extend(self.stored.lost_since(self.lost_before));
        failed.into_iter().collect()
    }

    /// Returns a file of the index that changed between the snapshot and the moment when this question read
    /// it, if there is one.
    pub fn changed_file(&self) -> Option<RelPath> {
        let changed = self.read_results().changed.first().cloned();
        changed.or_else(|| self.stored.lost_since(self.lost_before).into_iter().next())
    }

    /// Notes a file whose parse is missing: what it declares is not known, so that no answer is complete.
    fn expect_parsed<T>(&self, file: &FileEntry, parsed: Option<T>, cancel: &Cancel) -> Option<T> {
        // A step that was given up ends in no answer, and the next one reads the file again.
        if parsed.is_none() && !cancel.is_cancelled() {
            self.read_results().failed.insert(file.path.clone());
        }
        parsed
    }

    /// Returns what is found out about Kotlin files depends on; `None` for a view that lacks files, since it may lack something, too.
    fn kotlin_key(&self) -> Option<KotlinKey> {
        self.partial.is_none().then(|| KotlinKey {
            revision: self.snapshot.revision,
            files: self.snapshot.files.clone(),
            build_changes: self.build_changes,
            languages: self.languages.clone(),
        })
    }

    /// Whether all files that the question has read so far were as the index knows them.
    fn is_as_indexed(&self) -> bool {
        let read = self.read_results();
        read.failed.is_empty() && read.changed.is_empty()
    }

    fn read_results(&self) -> MutexGuard<'_, ReadResults> {
        self.steps.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports whether symd ignores `path`.
    pub fn is_ignored(&self, path: &RelPath, kind: EntryKind) -> bool {
        self.ignore.is_ignored(path, kind)
    }

    /// Reports whether git ignores `path`.
    pub fn is_git_ignored(&self, path: &RelPath, kind: EntryKind) -> bool {
        self.ignore.is_git_ignored(path, kind)
    }
}

impl Sources for View {
    fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    fn current(&self, file: &FileEntry) -> Option<CurrentText> {
        View::current(self, file).ok()
    }

    fn text(&self, path: &RelPath) -> Option<String> {
        let bytes = self.files.read_no_follow(path, MAX_PARSED_BYTES).ok()?.bytes;
        Some(Text::decode(bytes).ok()?.as_str().to_owned())
    }

    fn local_bindings(&self, file: &FileEntry, text: &str, cancel: &Cancel) -> Option<Arc<LocalBindings>> {
        let (grammar, hash) = (file.grammar()?, file.hash()?);
        self.parses.get(hash, grammar, || {
            match self.parsers.local_bindings(grammar, text, hash, cancel).ok()? {
                Attempt::Parsed(bindings) => Some(bindings),
                Attempt::SetAside(_) => None,
            }
        })
    }

    fn outline_with_hidden_types(
        &self,
        file: &FileEntry,
        current: &CurrentText,
        cancel: &Cancel,
    ) -> Option<Arc<Outline>> {
        let (text, hash, grammar) = (current.text.as_str(), current.hash, file.grammar()?);
        let outline = self.parses.get(hash, grammar, || {
            match self.parsers.outline_with_hidden_types(grammar, text, hash, cancel).ok()? {
                Attempt::Parsed(outline) => Some(outline),
                Attempt::SetAside(_) => None,
            }
        });
        self.expect_parsed(file, outline, cancel)
    }

    fn kotlin_file(
        &self,
        file: &FileEntry,
        current: &CurrentText,
        cancel: &Cancel,
    ) -> Option<Arc<SourceFile>> {
        let (text, grammar) = (&current.text, file.grammar()?);
        // What was found out speaks of the text that was indexed. The question is asked again, since the file has changed.
        if file.hash() != Some(current.hash) && self.steps.goes_on.load(Ordering::Acquire) {
            return self.expect_parsed(file, None, cancel);
        }
        let parsed = self.parses.get(current.hash, grammar, || {
            if text.as_str().len() > MAX_TREE_TEXT {
                return None;
            }
            match self.parsers.flat_tree(grammar, text.as_str(), current.hash, cancel).ok()? {
                Attempt::Parsed(tree) => {
                    let file = SourceFile::new(text.clone(), tree);
                    self.operators.keep_conventions(current.hash, file.conventions());
                    Some(file)
                }
                Attempt::SetAside(_) => None,
            }
        });
        self.expect_parsed(file, parsed, cancel)
    }

    fn kotlin_text(&self, text: String, cancel: &Cancel) -> Option<Arc<SourceFile>> {
        if text.len() > MAX_TREE_TEXT {
            return None;
        }
        let grammar = Grammar::named("kotlin")?;
        let hash = ContentHash::of(text.as_bytes());
        match self.parsers.flat_tree(grammar, &text, hash, cancel).ok()? {
            Attempt::Parsed(tree) => {
                Some(Arc::new(SourceFile::new(Text::decode(text.into_bytes()).ok()?, tree)))
            }
            Attempt::SetAside(_) => None,
        }
    }

    fn kotlin_state(&self, cancel: &Cancel) -> KotlinState {
        let found = self.kotlin_key().and_then(|key| {
            let KeptState { key: of, state } = self.kept_kotlin.take(&key)?;
            let parsed_before = |file: &FileEntry| self.parses.get(file.hash()?, file.grammar()?, || None);
            let changes = key.files.changes_since(&of.files);
            let found = state.after_changes(changes, self, parsed_before, cancel);
            if found.is_none() && !cancel.is_cancelled() {
                self.kept_kotlin.forget_before(&key);
            }
            found
        });
        if found.is_some() {
            self.steps.goes_on.store(true, Ordering::Release);
        }
        found.unwrap_or_default()
    }

    fn keep_kotlin_state(&self, state: KotlinState) {
        if let Some(key) = self.kotlin_key().filter(|_| self.is_as_indexed()) {
            self.kept_kotlin.keep(key, state);
        }
    }

    fn operator_facts(&self, content: ContentHash) -> OperatorFacts {
        self.operators.get(content)
    }

    fn keep_signs(&self, content: ContentHash, signs: TextSigns) {
        self.operators.keep_signs(content, signs);
    }

    fn gradle_modules(&self) -> Arc<GradleModules> {
        let read = || match self.kotlin_key() {
            Some(key) => self.kept_kotlin.modules(&key, || GradleModules::read(self)),
            None => Arc::new(GradleModules::read(self)),
        };
        self.steps.gradle_modules.get_or_init(read).clone()
    }

    fn class_graphs(&self) -> ClassGraphs {
        let own = self.steps.class_graphs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if self.partial.is_some() || !own.is_empty() {
            return own;
        }
        self.kept_classes.get(&self.snapshot.files, &self.languages).unwrap_or_default()
    }

    fn keep_class_graphs(&self, graphs: ClassGraphs) {
        if self.partial.is_none() && self.is_as_indexed() {
            self.kept_classes.keep(&self.snapshot.files, &self.languages, graphs.clone());
        }
        *self.steps.class_graphs.lock().unwrap_or_else(PoisonError::into_inner) = graphs;
    }

    fn languages(&self) -> &Languages {
        &self.languages
    }
}

fn skipped(file: &FileEntry, why: Skipped) -> CurrentError {
    CurrentError::Skipped { path: file.path.clone(), why: reason(why) }
}

fn reason(why: Skipped) -> &'static str {
    match why {
        Skipped::Binary => "it is a binary file (it contains NUL bytes)",
        Skipped::TooLarge => "it is too large to be parsed; its text can be searched",
        Skipped::Unparsable => {
            "symd's parser fails on it (`symd status` shows why; `symd index --retry` tries again); its text can be searched"
        }
        Skipped::StillParsing => {
            "symd's parser takes long over it; ask again in a few seconds (its text can be searched)"
        }
        Skipped::Unreadable => "it could not be read; permission denied? (see its mode, and `symd logs`)",
    }
}
