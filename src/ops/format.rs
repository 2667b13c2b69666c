//! Formatting a file, or lines of it, by its language server; and applying one of the code actions that a server offers.
//! Both are the server's edits, checked and made a plan. Nothing is written here.

use super::Project;
use super::code_actions::{Over, place};
use super::edits::{ApplyError, Caused, Report};
use super::question::{QuestionError, no_language};
use super::server_edit::{self, ServerEditError, anything};
use crate::base::{Cancel, RelPath, Text, TextRange};
use crate::edit::{Applied, By, Plan};
use crate::engine::View;
use crate::lsp::{At, Formatting, Indent, NoAnswer, Said, Waiting, WorkspaceEdit};
use crate::ops::tree::FileOpError;

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
        view.tree(|tree| super::read_file::read_file(tree, &path)).map(|file| (file, view.snapshot.revision))
    };
    let (file, revision) = project.look(work).await??;
    let language = project
        .languages
        .language_of(&file.path)
        .ok_or_else(|| QuestionError::from(no_language(&file.path)))?;
    let range = lines.map(|(first, last)| range_of(&file.path, &file.text, first, last)).transpose()?;
    let at = At { path: file.path.clone(), offset: 0, hash: file.hash, revision };
    let how = Formatting { tab_size: TAB_SIZE, indent: indent_of(&file.text) };
    let said = project.servers.formatting(language, &at, range, how, ask.waiting).await;
    planned(project, said.map_err(QuestionError::from)?, revision).await
}

/// What a code action would change.
pub async fn code_action(project: &Project, ask: &ApplyCodeAction) -> Result<ServerPlan, ServerPlanError> {
    let (at, range, language) = place(project, &ask.over).await?;
    let said = project.servers.code_action_edit(language, &at, range, &ask.title, ask.waiting).await;
    planned(project, said.map_err(QuestionError::from)?, at.revision).await
}

/// Makes the edit, tells the servers of files that have other names now, and asks what is wrong that was not before.
pub async fn apply(
    project: &Project,
    planned: &ServerPlan,
    by: By,
) -> Result<(Applied, Caused), ServerPlanError> {
    let files: Vec<RelPath> = planned.files.iter().map(|(path, _)| path.clone()).collect();
    let before = super::edits::before(project, Report::NewDiagnostics, &files).await;
    let applied = super::edits::apply(project, planned.plan.clone(), by).await?;
    if !planned.renamed.is_empty() {
        project.servers.renamed_files(&planned.renamed).await;
    }
    let now = |path: RelPath| {
        let renamed = planned.renamed.iter().find(|(from, _)| *from == path);
        renamed.map_or(path, |(_, to)| to.clone())
    };
    let files: Vec<RelPath> = files.into_iter().map(now).collect();
    let caused = super::edits::caused(project, before, &files).await;
    Ok((applied, caused))
}

async fn planned(
    project: &Project,
    said: Said<WorkspaceEdit>,
    revision: u64,
) -> Result<ServerPlan, ServerPlanError> {
    let (server, edit) = (said.server, said.value);
    let work = move |view: &View, cancel: &Cancel| server_edit::check(view, &edit, &anything, cancel);
    let wrong = |problem| match problem {
        ServerEditError::Changed(path) => {
            QuestionError::from(NoAnswer::Changed { path: path.to_string() }).into()
        }
        problem => ServerPlanError::Server { server: server.clone(), problem },
    };
    let edit = project.look(work).await?.map_err(wrong)?;
    let files = edit.files.iter().map(|(path, file)| (path.clone(), file.edits.len())).collect();
    let (renamed, notes) = (edit.renamed(), edit.notes.clone());
    let plan = edit.plan().map_err(wrong)?;
    Ok(ServerPlan { plan, files, renamed, notes, server, revision })
}

fn range_of(path: &RelPath, text: &Text, first: usize, last: usize) -> Result<TextRange, QuestionError> {
    let count = text.line_count();
    if first > last || last >= count {
        return Err(QuestionError::Place(format!(
            "{path} has {count} lines; lines {} to {} are none of them",
            first + 1,
            last + 1
        )));
    }
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let end = text.line_start(last) + text.line(last).map_or(0, str::len);
    Ok(TextRange::new(offset(text.line_start(first)), offset(end)))
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
