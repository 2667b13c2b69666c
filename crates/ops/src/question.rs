//! What the ops that query language servers share: retries, the source of an answer, the reason for having
//! none. Invariant: if a file changes between question and answer, the question is asked again; an answer
//! never mixes two versions.

use std::future::Future;
use std::sync::Arc;

use super::Project;
use super::naming::entity;
use super::server_outlines::{self, OutlineWait, Outlined};
use super::target::{SymbolSelector, Target, TargetError, declarations, target, targets};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_config::{LanguageId, Languages};
use symd_engine::{EngineError, View};
use symd_index::{NeededWords, Snapshot};
use symd_lsp::ServerError;
use symd_syntax::name_path::Matching;

/// Maximum number of attempts at a question whose file changes meanwhile.
const ATTEMPTS: usize = 3;

/// The source of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A language server, by name.
    Server(String),
    /// Syntax alone, with the reason why no server answered.
    Syntax(ServerError),
}

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    /// The selector does not identify a single symbol.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The given place does not exist.
    #[error("{0}")]
    Place(String),
    /// The engine has stopped, or failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Syntax cannot answer the question, and no server does.
    #[error(transparent)]
    NoAnswer(#[from] ServerError),
    /// The client disconnected or cancelled the request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The view lacks a file that the question needs: [`Project::by_need`] runs it again. No client sees this.
    #[error("internal error (a bug in symd): the question was not run again when its files were read")]
    Lacking,
}

impl Source {
    /// Returns the server's name (for example `ty`), or `syntax`.
    pub fn name(&self) -> &str {
        match self {
            Source::Server(name) => name,
            Source::Syntax(_) => "syntax",
        }
    }
}

/// Returns the reason why no server can be asked about a file without a known language.
pub(super) fn no_language(path: &RelPath) -> ServerError {
    ServerError::NoServer {
        language: path.extension().unwrap_or("this file").to_owned(),
        reason: format!("symd does not know the language of {path}"),
        install: None,
    }
}

impl Project {
    /// Answers a question of several steps on one view: `once` gets the project at that view. It is run again,
    /// as a whole, if a file that it read has changed since the view was made, up to `ATTEMPTS` times in all.
    /// Within another question it is a step of that one: on its view, and not repeated by itself.
    pub(super) async fn on_one_view<T, F>(&self, once: impl Fn(Project) -> F) -> Result<T, QuestionError>
    where
        F: Future<Output = Result<T, QuestionError>>,
    {
        if self.view.is_some() {
            return once(self.clone()).await;
        }
        let mut left = ATTEMPTS;
        loop {
            left -= 1;
            let project = self.at_one_view().await?;
            let answer = once(project.clone()).await;
            let is_changed = matches!(&answer, Err(QuestionError::NoAnswer(ServerError::Changed { .. })));
            if left == 0 || !is_changed && project.changed_file().is_none() {
                return answer;
            }
        }
    }

    /// Like [`Project::on_one_view`], for a question that does not wait for files that it needs nothing of: it is run
    /// again as long as its view lacks something, whatever came of it.
    pub(super) async fn by_need<T, F>(&self, once: impl Fn(Project) -> F) -> Result<T, QuestionError>
    where
        F: Future<Output = Result<T, QuestionError>>,
    {
        if self.view.is_some() {
            return once(self.clone()).await;
        }
        let mut left = ATTEMPTS;
        let mut view = self.engine.view_by_need().await?;
        loop {
            let answer = once(Project { view: Some(view.clone()), ..self.clone() }).await;
            if view.is_lacking() {
                drop(answer);
                view = self.engine.next_view(view).await?;
                continue;
            }
            left -= 1;
            let is_changed = matches!(&answer, Err(QuestionError::NoAnswer(ServerError::Changed { .. })));
            if left == 0 || !is_changed && view.changed_file().is_none() {
                return answer;
            }
            view = self.engine.view_by_need().await?;
        }
    }

    /// Returns the project at one view, which contains everything written before this call.
    pub(super) async fn at_one_view(&self) -> Result<Project, QuestionError> {
        Ok(Project { view: Some(self.engine.view().await?), ..self.clone() })
    }

    /// Returns a file that changed between the question's view and the moment when the question read it.
    pub(super) fn changed_file(&self) -> Option<RelPath> {
        self.view.as_ref()?.changed_file()
    }

    /// Runs `work` on the question's view, or else on a new one; dropping the future cancels it.
    pub(super) async fn with_view<T: Send + 'static>(
        &self,
        work: impl FnOnce(&View, &Cancel) -> T + Send + 'static,
    ) -> Result<T, QuestionError> {
        let cancel = Cancel::new();
        let _stops_with_us = cancel.on_drop();
        let Some(view) = self.view.clone() else {
            return Ok(self.engine.ask(move |view| work(view, &cancel)).await?);
        };
        if view.is_lacking() {
            return Err(QuestionError::Lacking);
        }
        let done = match &self.here {
            Some(here) => here.run(&self.engine, &view, work).await,
            None => self.engine.ask_on(view.clone(), move |view| work(view, &cancel)).await,
        };
        // Even a panic is discarded then.
        if view.is_lacking() { Err(QuestionError::Lacking) } else { Ok(done?) }
    }

    /// Returns the current index snapshot: the state that a server is asked about and that its answer is
    /// checked against.
    pub(super) async fn snapshot(&self) -> Result<Arc<Snapshot>, QuestionError> {
        // What is asked of it outside of steps is noted too: the view is looked at when the whole run is over.
        self.with_view(|view: &View, _: &Cancel| Arc::clone(&view.snapshot)).await
    }

    /// Resolves the one symbol that a client named. If it is not found and language servers have files left
    /// to outline, lets them outline these files and searches again.
    pub(super) async fn target(&self, wanted: &SymbolSelector) -> Result<Target, QuestionError> {
        self.named(wanted, target).await
    }

    /// Resolves the one symbol or, if the selector requests it, all declarations of the name that are one
    /// entity; never empty.
    pub(super) async fn declarations_of(
        &self,
        wanted: &SymbolSelector,
    ) -> Result<Vec<Target>, QuestionError> {
        self.named(wanted, declarations).await
    }

    /// Resolves the symbols that a question about a name concerns: one or, if requested, all overloads of the
    /// name in their container, in path order, then by position.
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
        let outlined =
            server_outlines::ensure(self, &wanted.relative_path, &needed, OutlineWait::Brief).await;
        let Outlined::Tried(gaps) = outlined else { return found };
        let mut found = Project { view: None, ..self.clone() }.in_index(wanted, find).await;
        match &mut found {
            Err(QuestionError::Target(TargetError::None { gaps: unsearched, .. })) => {
                unsearched.not_outlined.extend(gaps.iter().map(ToString::to_string));
            }
            // The view of the question lacks the symbol.
            Ok(_) if self.view.is_some() => {
                return Err(ServerError::Changed { path: wanted.relative_path.clone() }.into());
            }
            _ => {}
        }
        found
    }

    async fn in_index<T: Send + 'static>(
        &self,
        wanted: &SymbolSelector,
        find: fn(&View, &Languages, &SymbolSelector, &Cancel) -> Result<T, TargetError>,
    ) -> Result<T, QuestionError> {
        let (wanted, languages) = (wanted.clone(), self.languages.clone());
        Ok(self.with_view(move |view, cancel| find(view, &languages, &wanted, cancel)).await??)
    }

    /// Returns all declarations of the entity that `target` declares, including `target`, in path order, then
    /// by position: several for an overload set or a property's accessors, one for most symbols. Renaming or
    /// deleting the entity affects all of them.
    pub async fn declarations(&self, target: &Target) -> Result<Vec<Target>, QuestionError> {
        let (target, languages) = (target.clone(), self.languages.clone());
        let work =
            move |view: &View, cancel: &Cancel| entity::declarations(view, &languages, &target, cancel);
        Ok(self.with_view(work).await??)
    }

    /// Resolves the symbols that a question about a name concerns, as [`Project::targets`] does, grouped by entity.
    pub(super) async fn entities(&self, wanted: &SymbolSelector) -> Result<Vec<Vec<Target>>, QuestionError> {
        self.group_by_entity(self.targets(wanted).await?).await
    }

    /// Groups symbols by entity, each entity once and with all its declarations ([`Project::declarations`]).
    /// A single symbol is returned alone, except where its other declarations may be in other files (C, C++).
    pub(super) async fn group_by_entity(
        &self,
        targets: Vec<Target>,
    ) -> Result<Vec<Vec<Target>>, QuestionError> {
        if let [only] = &*targets
            && !symd_resolve::has_prototypes(&only.file)
        {
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

    /// Returns the language whose servers are asked about a target.
    pub(super) fn language_of(&self, target: &Target) -> Result<LanguageId, ServerError> {
        let path = &target.at.path;
        self.asked_about(target.language.ok_or_else(|| no_language(path))?, path)
    }

    /// Returns the language whose servers are asked about a place in `path`. If one may answer, the question needs
    /// every file: a server is told of a change when the file is scanned.
    pub(super) fn asked_about(
        &self,
        language: LanguageId,
        path: &RelPath,
    ) -> Result<LanguageId, ServerError> {
        let is_partial = |view: &&Arc<View>| !view.snapshot.files.is_complete();
        if let Some(view) = self.view.as_ref().filter(is_partial)
            && self.servers.may_answer(language)
        {
            view.snapshot.files.need_everything();
            // The question ends here, and runs again.
            return Err(ServerError::Changed { path: path.to_string() });
        }
        Ok(language)
    }
}
