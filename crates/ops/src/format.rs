//! Formatting a file, or lines of it, by its language server; and applying one of the code actions that a server offers.
//! Both are the server's edits, checked and made a plan. Nothing is written here.

use std::sync::Arc;

use super::Project;
use super::code_actions::{Over, place, range_of};
use super::edits::{ApplyError, WholeEdit};
use super::question::{QuestionError, no_language};
use super::server_edit::{self, ServerEditError, anything};
use crate::view_tree::ViewTree;
use symd_base::{Cancel, ContentHash, RelPath, Text};
use symd_edit::Plan;
use symd_engine::View;
use symd_files::tree::FileOpError;
use symd_index::Snapshot;
use symd_lsp::{At, Formatting, Indent, NoAnswer, Said, Waiting, WorkspaceEdit};

/// Columns of a tab where nothing else is known.
const TAB_SIZE: u32 = 4;

/// A server's edit that can be made.
#[derive(Clone, Debug)]
pub struct ServerPlan {
    /// The edit.
    pub plan: Plan,
    /// Changes of text by file, in path order.
    pub files: Vec<(RelPath, usize)>,
    /// Files that get other names.
    pub renamed: Vec<(RelPath, RelPath)>,
    /// What the server says about its changes.
    pub notes: Vec<String>,
    /// Which server.
    pub server: String,
    /// The index revision that the plan is made for, at least.
    pub revision: u64,
    /// The file that was asked about, and what it held.
    pub asked_at: (RelPath, ContentHash),
}

impl WholeEdit for ServerPlan {
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

/// Why there is no such plan. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ServerPlanError {
    /// Nobody could be asked, or nothing is meant.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// The path is of no use.
    #[error(transparent)]
    Path(#[from] FileOpError),
    /// The server's edit cannot be meant.
    #[error("{server}: {problem}; nothing was written")]
    Server {
        /// Which server.
        server: String,
        /// What is wrong with it.
        problem: ServerEditError,
    },
    /// The edit was not made.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

impl ServerPlanError {
    /// Whether a file changed while the server was asked.
    pub fn is_beaten(&self) -> bool {
        let changed =
            |error: &QuestionError| matches!(error, QuestionError::NoAnswer(NoAnswer::Changed { .. }));
        matches!(self, ServerPlanError::Question(error) if changed(error))
    }
}

/// What is to be formatted.
#[derive(Clone, Debug)]
pub struct AskFormat {
    /// The file.
    pub relative_path: String,
    /// Lines of it, 0-based, inclusive; `None`: all.
    pub lines: Option<(usize, usize)>,
    /// How long to wait for a server that is not ready.
    pub waiting: Waiting,
}

/// Which code action is to be applied.
#[derive(Clone, Debug)]
pub struct ApplyCodeAction {
    /// Where it is on offer.
    pub over: Over,
    /// Its title.
    pub title: String,
    /// How long to wait for a server that is not ready.
    pub waiting: Waiting,
}

/// What formatting would change.
pub async fn format(project: &Project, ask: &AskFormat) -> Result<ServerPlan, ServerPlanError> {
    let (path, lines) = (ask.relative_path.clone(), ask.lines);
    let work = move |view: &View, _: &Cancel| {
        view.tree(|tree| symd_files::read_file::read_file(tree, &path))
            .map(|file| (file, Arc::clone(&view.snapshot)))
    };
    let (file, asked) = project.look(work).await??;
    let revision = asked.revision;
    let language = project
        .languages
        .language_of(&file.path)
        .ok_or_else(|| QuestionError::from(no_language(&file.path)))?;
    let range =
        lines.map(|(first, last)| range_of(file.path.as_str(), &file.text, first, last)).transpose()?;
    let at = At { path: file.path.clone(), offset: 0, hash: file.hash, revision };
    let how = Formatting { tab_size: TAB_SIZE, indent: indent_of(&file.text) };
    let said = project.servers.formatting(language, &at, range, how, ask.waiting).await;
    planned(project, said.map_err(QuestionError::from)?, at, asked).await
}

/// What a code action would change.
pub async fn code_action(project: &Project, ask: &ApplyCodeAction) -> Result<ServerPlan, ServerPlanError> {
    let (at, range, language) = place(project, &ask.over).await?;
    let asked = project.snapshot().await?;
    let at = At { revision: asked.revision, ..at };
    let said = project.servers.code_action_edit(language, &at, range, &ask.title, ask.waiting).await;
    planned(project, said.map_err(QuestionError::from)?, at, asked).await
}

async fn planned(
    project: &Project,
    said: Said<WorkspaceEdit>,
    at: At,
    asked: Arc<Snapshot>,
) -> Result<ServerPlan, ServerPlanError> {
    let (server, edit) = (said.server, said.value);
    let work = move |view: &View, cancel: &Cancel| server_edit::check(view, &edit, &asked, &anything, cancel);
    let wrong = |problem| match problem {
        ServerEditError::Changed(path) => {
            QuestionError::from(NoAnswer::Changed { path: path.to_string() }).into()
        }
        problem => ServerPlanError::Server { server: server.clone(), problem },
    };
    let edit = project.look(work).await?.map_err(wrong)?;
    let files = edit.counts();
    let (renamed, notes) = (edit.renamed(), edit.notes.clone());
    let plan = edit.plan().map_err(wrong)?;
    let (revision, asked_at) = (at.revision, (at.path, at.hash));
    Ok(ServerPlan { plan, files, renamed, notes, server, revision, asked_at })
}

/// What most indented lines begin with.
fn indent_of(text: &Text) -> Indent {
    let starts = |with: char| {
        (0..text.line_count())
            .filter(|&line| text.line(line).is_some_and(|line| line.starts_with(with)))
            .count()
    };
    if starts('\t') > starts(' ') { Indent::Tabs } else { Indent::Spaces }
}
