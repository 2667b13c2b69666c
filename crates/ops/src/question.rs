//! What the ops that ask language servers have in common: how long to wait, where an answer comes from, why there
//! is none. Invariant: a file that changes between question and answer makes the question be put again, never a
//! mixed answer.

use std::future::Future;
use std::sync::Arc;

use super::Project;
use super::naming::one_thing;
use super::needed_words::NeededWords;
use super::server_outlines::{self, Outlined, Patience};
use super::target::{SymbolSelector, Target, TargetError, declarations, target, targets};
use symd_base::Cancel;
use symd_base::cancel::Cancelled;
use symd_config::{LanguageId, Languages};
use symd_engine::{EngineError, View};
use symd_index::Snapshot;
use symd_lsp::NoAnswer;
use symd_syntax::name_path::Matching;

/// How often a question is put again because its file changed under it.
const ATTEMPTS: usize = 3;

/// Where an answer comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A language server, by name.
    Server(String),
    /// Syntax alone, and why.
    Syntax(NoAnswer),
}

/// Why there is no answer at all.
#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    /// No single symbol is meant.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The place that was named is none.
    #[error("{0}")]
    Place(String),
    /// The engine has stopped, or failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Syntax cannot say it, and no server does.
    #[error(transparent)]
    NoAnswer(#[from] NoAnswer),
    /// The asker went away.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl Source {
    /// `ty`, or `syntax`.
    pub fn name(&self) -> &str {
        match self {
            Source::Server(name) => name,
            Source::Syntax(_) => "syntax",
        }
    }
}

/// Puts a question again as long as its file changes under it, but not for ever.
pub(super) async fn unchanged<T, F>(mut once: impl FnMut() -> F) -> Result<T, QuestionError>
where
    F: Future<Output = Result<T, QuestionError>>,
{
    for _ in 1..ATTEMPTS {
        match once().await {
            Err(QuestionError::NoAnswer(NoAnswer::Changed { .. })) => {}
            answer => return answer,
        }
    }
    once().await
}

/// What is said when no server can be asked because the file is of no language that has one.
pub(super) fn no_language(path: &symd_base::RelPath) -> NoAnswer {
    NoAnswer::NoServer {
        language: path.extension().unwrap_or("this file").to_owned(),
        reason: format!("{path} is of no language that symd knows a server for"),
        install: None,
    }
}

impl Project {
    /// Asks the engine; dropping the future stops the work.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&View, &Cancel) -> T + Send + 'static,
    ) -> Result<T, QuestionError> {
        let cancel = Cancel::new();
        let _stops_with_us = cancel.on_drop();
        Ok(self.engine.ask(move |view| work(view, &cancel)).await?)
    }

    /// The index as of now: what a server is asked about, held against what it then says.
    pub(super) async fn snapshot(&self) -> Result<Arc<Snapshot>, QuestionError> {
        self.look(|view, _| Arc::clone(&view.snapshot)).await
    }

    /// The one symbol that a client named. Where it is not found and language servers have files yet to outline, they
    /// do that first.
    pub(super) async fn target(&self, wanted: &SymbolSelector) -> Result<Target, QuestionError> {
        self.named(wanted, target).await
    }

    /// The one symbol, or, where that is wanted, all declarations of the name that are one thing; never none.
    pub(super) async fn declarations_of(
        &self,
        wanted: &SymbolSelector,
    ) -> Result<Vec<Target>, QuestionError> {
        self.named(wanted, declarations).await
    }

    /// The symbols that a question about a name is about: one, or, where that is wanted, all overloads of the name in their
    /// container, in path order, then by position.
    pub(super) async fn targets(&self, wanted: &SymbolSelector) -> Result<Vec<Target>, QuestionError> {
        self.named(wanted, targets).await
    }

    async fn named<T: Send + 'static>(
        &self,
        wanted: &SymbolSelector,
        find: fn(&View, &Languages, &SymbolSelector, &Cancel) -> Result<T, TargetError>,
    ) -> Result<T, QuestionError> {
        let found = self.in_index(wanted, find).await;
        if !matches!(found, Err(QuestionError::Target(TargetError::None { .. })))
            || !server_outlines::are_missing(self)
        {
            return found;
        }
        let needed = NeededWords::of_name_path(&wanted.name_path, Matching::Exact);
        let outlined = server_outlines::ensure(self, &wanted.relative_path, &needed, Patience::Brief).await;
        let Outlined::Tried(gaps) = outlined else { return found };
        let mut found = self.in_index(wanted, find).await;
        if let Err(QuestionError::Target(TargetError::None { gaps: unsearched, .. })) = &mut found {
            unsearched.not_outlined.extend(gaps.iter().map(ToString::to_string));
        }
        found
    }

    async fn in_index<T: Send + 'static>(
        &self,
        wanted: &SymbolSelector,
        find: fn(&View, &Languages, &SymbolSelector, &Cancel) -> Result<T, TargetError>,
    ) -> Result<T, QuestionError> {
        let (wanted, languages) = (wanted.clone(), self.languages.clone());
        Ok(self.look(move |view, cancel| find(view, &languages, &wanted, cancel)).await??)
    }

    /// All declarations of the thing that `target` declares, itself among them, in path order, then by position: an
    /// overload set or a property's accessors have several, most things one. What renames or deletes the thing takes
    /// them all.
    pub async fn declarations(&self, target: &Target) -> Result<Vec<Target>, QuestionError> {
        let (target, languages) = (target.clone(), self.languages.clone());
        let work =
            move |view: &View, cancel: &Cancel| one_thing::declarations(view, &languages, &target, cancel);
        Ok(self.look(work).await??)
    }

    /// Several symbols, each with the other declarations of its thing ([`Project::declarations`]), each thing once.
    pub(super) async fn things(&self, targets: Vec<Target>) -> Result<Vec<Vec<Target>>, QuestionError> {
        if let [_] = &*targets {
            return Ok(vec![targets]);
        }
        let mut things: Vec<Vec<Target>> = Vec::new();
        for target in targets {
            let is_known = |thing: &Vec<Target>| thing.iter().any(|one| one.is_same(&target));
            if things.iter().any(is_known) {
                continue;
            }
            things.push(self.declarations(&target).await?);
        }
        Ok(things)
    }

    /// The language to ask about a target.
    pub(super) fn language_of(&self, target: &Target) -> Result<LanguageId, NoAnswer> {
        target.language.ok_or_else(|| no_language(&target.at.path))
    }
}
