//! Merges the server's renames of one symbol at each of its declarations into one edit. Invariant: every part
//! of it renames the symbol; equal parts occur once, parts that contradict each other reject the whole.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::answer::RenameError;
use super::files_with_bom::files_with_bom;
use super::linked::LinkedSymbol;
use super::shorthand::is_export;
use super::{DoubtPolicy, Rename, names};
use crate::Project;
use crate::question::QuestionError;
use crate::server_edit::{self, ServerEdit, ServerEditError};
use crate::spot::Source as SourceText;
use crate::target::Target;
use symd_base::{Cancel, RelPath, TextEdit};
use symd_config::server::Reliability;
use symd_engine::View;
use symd_index::Snapshot;
use symd_lsp::{
    DocumentPosition, EditStep, FileRef, RenameResult, ServerAnswer, ServerError, Span, WaitPolicy,
    WorkspaceEdit,
};

/// The server's answers at each declaration of a symbol.
pub(super) struct RenameAnswers {
    pub(super) server: String,
    pub(super) maybe_indexing: bool,
    /// Each declaration with its answer; the requested one first.
    said: Vec<(Target, RenameResult)>,
}

/// Asks the server to rename at each declaration. A declaration that it rejects and that no other edit
/// changes is detected when the edits are compared.
pub(super) async fn ask_server(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    asked: &Snapshot,
) -> Result<RenameAnswers, ServerError> {
    let language = project.language_of(&symbol.target)?;
    let place = |target: &Target| DocumentPosition { revision: asked.revision, ..target.at.clone() };
    // Without them the server is asked all the same: its wrong edits of such a file are rejected.
    let opened = files_with_bom(project, &symbol.target).await.unwrap_or_default();
    let first = place(&symbol.target);
    let first = project.servers.rename(language, &first, &ask.new_name, &opened, ask.waiting).await?;
    let ServerAnswer { value, server, maybe_indexing } = first;
    let mut all = RenameAnswers { server, maybe_indexing, said: vec![(symbol.target.clone(), value)] };
    let mut others = JoinSet::new();
    for (number, other) in symbol.others().enumerate() {
        let (servers, at, new_name) = (project.servers.clone(), place(other), ask.new_name.clone());
        let (other, waiting, opened) = (other.clone(), ask.waiting, opened.clone());
        others.spawn(async move {
            let said = servers.rename(language, &at, &new_name, &opened, waiting).await;
            (number, other, said)
        });
    }
    let mut answers = others.join_all().await;
    answers.sort_by_key(|(number, ..)| *number);
    for (_, other, said) in answers {
        match said {
            Ok(said) => all.said.push((other, said.value)),
            Err(changed @ ServerError::Changed { .. }) => return Err(changed),
            Err(_) => {}
        }
    }
    Ok(all)
}

/// Merges the edits of all answers, and the changes that follow from renamed files.
pub(super) async fn united(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    all: &RenameAnswers,
    asked: &Arc<Snapshot>,
) -> Result<ServerEdit, RenameError> {
    let mut edit = ServerEdit::default();
    for (at, renaming) in &all.said {
        let mut more = checked(project, at, ask, &all.server, renaming, asked).await?;
        more.leave_out(&edit);
        edit.join(more).map_err(|problem| rename_error(all.server.clone(), problem))?;
    }
    let renamed = edit.renamed();
    if !renamed.is_empty() {
        let asked = project.snapshot().await?;
        let more = file_rename_edits(project, &symbol.target, &renamed, &asked).await?;
        let work = move |view: &View, cancel: &Cancel| {
            server_edit::check(view, &more, &asked, &server_edit::accept_every_edit, cancel)
        };
        let wrong = |problem| rename_error(all.server.clone(), problem);
        let more = project.with_view(work).await?.map_err(wrong)?;
        edit.join(more).map_err(wrong)?;
    }
    Ok(edit)
}

impl RenameAnswers {
    /// Returns the files outside the project that the server would change, too, each once.
    pub(super) fn files_outside(&self) -> Vec<String> {
        let steps = self.said.iter().flat_map(|(_, said)| &said.edit.steps);
        let mut files: Vec<String> = steps.filter_map(outside).collect();
        files.sort();
        files.dedup();
        files
    }
}

/// Returns the file outside the project whose text a step changes.
fn outside(step: &EditStep) -> Option<String> {
    match step {
        EditStep::Text { file: FileRef::Outside(path), .. } => Some(path.display().to_string()),
        _ => None,
    }
}

fn is_outside(step: &EditStep) -> bool {
    outside(step).is_some()
}

/// Validates the edit of one answer, every part of which has to rename the symbol.
async fn checked(
    project: &Project,
    at: &Target,
    ask: &Rename,
    server: &str,
    renaming: &RenameResult,
    asked: &Arc<Snapshot>,
) -> Result<ServerEdit, RenameError> {
    let asked = Arc::clone(asked);
    let (of, new_name, mut renaming) = (at.clone(), ask.new_name.clone(), renaming.clone());
    if ask.doubts == DoubtPolicy::Note {
        renaming.edit.steps.retain(|step| !is_outside(step));
    }
    let is_unproven = is_unproven(project, server);
    let work = move |view: &View, cancel: &Cancel| {
        if let Some(prepared) = &renaming.prepared {
            is_meant(view, &of, prepared)?;
        }
        let fits = |text: &str, edit: TextEdit| {
            let place =
                is_unproven.then(|| names::widened(text, edit.clone(), &of.name, &new_name)).flatten();
            let edit = place.or_else(|| names::fit(text, edit, &of.name, &new_name))?;
            let is_kept = edit.new_text != new_name && is_export(text, edit.range);
            let new_text = if is_kept { new_name.clone() } else { edit.new_text };
            Some(TextEdit { new_text, ..edit })
        };
        server_edit::check(view, &renaming.edit, &asked, &fits, cancel)
    };
    project.with_view(work).await?.map_err(|problem| rename_error(server.to_owned(), problem))
}

/// Whether every edit of the server has to be compared with syntax.
pub(super) fn is_unproven(project: &Project, server: &str) -> bool {
    project.languages.server(server).is_some_and(|known| known.rename == Reliability::Unproven)
}

/// Checks that the server means the same name: the range that it reports must hold it.
fn is_meant(view: &View, target: &Target, prepared: &Span) -> Result<(), ServerEditError> {
    let Some(source) = SourceText::read(view, &target.at.path) else { return Ok(()) };
    let name = target.name_range;
    match prepared.resolve(&source.text) {
        Some(range) if range.start <= name.start && name.start < range.end.max(name.end) => Ok(()),
        _ => Err(ServerEditError::OutsideText {
            path: target.at.path.clone(),
            line: prepared.start.line,
            column: prepared.start.character,
        }),
    }
}

/// Requests the other changes that follow from renamed files.
async fn file_rename_edits(
    project: &Project,
    target: &Target,
    renamed: &[(RelPath, RelPath)],
    asked: &Snapshot,
) -> Result<WorkspaceEdit, RenameError> {
    let Ok(language) = project.language_of(target) else { return Ok(WorkspaceEdit::default()) };
    let said =
        project.servers.will_rename_files(language, renamed, asked.revision, WaitPolicy::DontWait).await;
    match said {
        Ok(said) => Ok(said.value),
        Err(ServerError::Unsupported { .. }) => Ok(WorkspaceEdit::default()),
        Err(why) => Err(QuestionError::from(why).into()),
    }
}

/// Converts the reason for rejecting an edit; if a file changed, the question is asked again.
pub(super) fn rename_error(server: String, problem: ServerEditError) -> RenameError {
    match problem {
        ServerEditError::Changed(path) => QuestionError::from(ServerError::changed(&path)).into(),
        ServerEditError::Cancelled(cancelled) => QuestionError::from(cancelled).into(),
        problem => RenameError::Server { server, problem },
    }
}
