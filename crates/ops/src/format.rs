//! Plans the formatting of a file or of some of its lines, or one of the code actions that a server offers.
//! Both are the server's edits, validated and turned into a plan. Nothing is written here.

use std::sync::Arc;

use super::Project;
use super::code_actions::{Over, place, range_of};
use super::edits::{ApplyError, MultiFileEdit};
use super::question::{QuestionError, no_language};
use super::server_edit::{self, ServerEditError, accept_every_edit};
use crate::view_tree::ViewTree;
use symd_base::{Cancel, ContentHash, RelPath, Text};
use symd_edit::Plan;
use symd_engine::View;
use symd_files::tree::FileOpError;
use symd_index::Snapshot;
use symd_lsp::{DocumentPosition, Formatting, Indent, ServerAnswer, ServerError, WaitPolicy, WorkspaceEdit};

/// Columns of a tab, since nothing more specific is known.
const TAB_SIZE: u32 = 4;

/// A server's edit, validated and ready to be applied.
#[derive(Clone, Debug)]
pub struct ServerPlan {
    pub plan: Plan,
    /// Number of text changes per file, in path order.
    pub files: Vec<(RelPath, usize)>,
    /// Renamed files: old and new path.
    pub renamed: Vec<(RelPath, RelPath)>,
    /// The server's notes on its changes.
    pub notes: Vec<String>,
    pub server: String,
    /// The index revision that the plan is made for, at least.
    pub revision: u64,
    /// The file that the server was asked about, and the hash of its content.
    pub asked_at: (RelPath, ContentHash),
}

impl MultiFileEdit for ServerPlan {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn files(&self) -> &[(RelPath, usize)] {
        &self.files
    }

    fn renamed(&self) -> &[(RelPath, RelPath)] {
        &self.renamed
    }

    fn asked_at(&self) -> (&RelPath, ContentHash) {
        (&self.asked_at.0, self.asked_at.1)
    }
}

/// Why a server's edit could not be planned or applied. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ServerPlanError {
    /// No server could be asked, or the given symbol or place does not exist.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// The file at the given path cannot be used.
    #[error(transparent)]
    Path(#[from] FileOpError),
    /// The server's edit is invalid.
    #[error("{server}: {problem}; nothing was written")]
    Server { server: String, problem: ServerEditError },
    /// The edit was not applied.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

impl ServerPlanError {
    /// Whether the cause is that a file changed while the server was asked.
    pub fn is_conflict(&self) -> bool {
        let changed =
            |error: &QuestionError| matches!(error, QuestionError::NoAnswer(ServerError::Changed { .. }));
        matches!(self, ServerPlanError::Question(error) if changed(error))
    }
}

/// Parameters of `format`.
#[derive(Clone, Debug)]
pub struct AskFormat {
    pub relative_path: String,
    /// The lines to format, 0-based, inclusive; `None` formats the whole file.
    pub lines: Option<(usize, usize)>,
    /// How long to wait for a server that is not ready.
    pub waiting: WaitPolicy,
}

/// Parameters of `code_action`.
#[derive(Clone, Debug)]
pub struct ApplyCodeAction {
    /// The symbol or lines for which the action is offered.
    pub over: Over,
    pub title: String,
    /// How long to wait for a server that is not ready.
    pub waiting: WaitPolicy,
}

/// Asks a server to format a file, and plans its changes.
pub async fn format(project: &Project, ask: &AskFormat) -> Result<ServerPlan, ServerPlanError> {
    let (path, lines) = (ask.relative_path.clone(), ask.lines);
    let work = move |view: &View, _: &Cancel| {
        view.tree(|tree| symd_files::read_file::read_file(tree, &path))
            .map(|file| (file, Arc::clone(&view.snapshot)))
    };
    let (file, asked) = project.with_view(work).await??;
    let revision = asked.revision;
    let language = project
        .languages
        .language_of(&file.path)
        .ok_or_else(|| QuestionError::from(no_language(&file.path)))?;
    let range =
        lines.map(|(first, last)| range_of(file.path.as_str(), &file.text, first, last)).transpose()?;
    let at = DocumentPosition { path: file.path.clone(), offset: 0, hash: file.hash, revision };
    let how = Formatting { tab_size: TAB_SIZE, indent: indent_of(&file.text) };
    let said = project.servers.formatting(language, &at, range, how, ask.waiting).await;
    planned(project, said.map_err(QuestionError::from)?, at, asked).await
}

/// Asks a server for the changes of a code action, and plans them.
pub async fn code_action(project: &Project, ask: &ApplyCodeAction) -> Result<ServerPlan, ServerPlanError> {
    let (at, range, language) = place(project, &ask.over).await?;
    let asked = project.snapshot().await?;
    let at = DocumentPosition { revision: asked.revision, ..at };
    let said = project.servers.code_action_edit(language, &at, range, &ask.title, ask.waiting).await;
    planned(project, said.map_err(QuestionError::from)?, at, asked).await
}

async fn planned(
    project: &Project,
    said: ServerAnswer<WorkspaceEdit>,
    at: DocumentPosition,
    asked: Arc<Snapshot>,
) -> Result<ServerPlan, ServerPlanError> {
    let (server, edit) = (said.server, said.value);
    let work = move |view: &View, cancel: &Cancel| {
        server_edit::check(view, &edit, &asked, &accept_every_edit, cancel)
    };
    let wrong = |problem| match problem {
        ServerEditError::Changed(path) => QuestionError::from(ServerError::changed(&path)).into(),
        problem => ServerPlanError::Server { server: server.clone(), problem },
    };
    let edit = project.with_view(work).await?.map_err(wrong)?;
    let files = edit.counts();
    let (renamed, notes) = (edit.renamed(), edit.notes.clone());
    let plan = edit.plan().map_err(wrong)?;
    let (revision, asked_at) = (at.revision, (at.path, at.hash));
    Ok(ServerPlan { plan, files, renamed, notes, server, revision, asked_at })
}

/// Returns the indentation that most indented lines use.
fn indent_of(text: &Text) -> Indent {
    let starts = |with: char| {
        (0..text.line_count())
            .filter(|&line| text.line(line).is_some_and(|line| line.starts_with(with)))
            .count()
    };
    if starts('\t') > starts(' ') { Indent::Tabs } else { Indent::Spaces }
}
