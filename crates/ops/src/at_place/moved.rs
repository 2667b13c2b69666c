//! The changes that follow from files which the editor is about to rename: what symd's language servers say of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::ranges::Ranges;
use super::{AnswerForm, PlacedEdit, PlacedRename};
use crate::Project;
use crate::question::QuestionError;
use crate::server_edit::{self, ServerEdit, ServerEditError};
use symd_base::{Cancel, RelPath};
use symd_config::LanguageId;
use symd_engine::View;
use symd_lsp::{ServerError, WorkspaceEdit};

/// Returns the changes of texts that follow from renaming these files or directories, pairs of old and new path, in
/// files of the languages with these LSP identifiers. Empty where no server knows: syntax rewrites no imports. The error says, for
/// people, why there are none.
pub async fn edits_of_moved_files(
    project: &Project,
    moved: &[(RelPath, RelPath)],
    languages: &[String],
    form: AnswerForm,
) -> Result<PlacedRename, String> {
    let failed = |error: QuestionError| error.to_string();
    let project = &project.at_one_view().await.map_err(failed)?;
    let (known, wanted, asked_about) = (project.languages.clone(), languages.to_vec(), moved.to_vec());
    let work = move |view: &View, _: &Cancel| {
        let mut files: BTreeMap<LanguageId, Vec<(RelPath, RelPath)>> = BTreeMap::new();
        for (from, to) in asked_about {
            let inside = view.snapshot.files.within(&from).filter_map(|file| known.language_of(&file.path));
            let inside: BTreeSet<LanguageId> =
                inside.filter(|id| wanted.iter().any(|one| one == known.get(*id).lsp_id())).collect();
            for language in inside {
                files.entry(language).or_default().push((from.clone(), to.clone()));
            }
        }
        (files, Arc::clone(&view.snapshot))
    };
    let (files, asked) = project.with_view(work).await.map_err(failed)?;
    let mut edit = ServerEdit::default();
    for (language, files) in files {
        let waiting = form.waiting.requiring_answer();
        let said = project.servers.will_rename_files(language, &files, asked.revision, waiting).await;
        let said = match said {
            Ok(said) => said,
            // Without an answer from a server nothing is known to follow.
            Err(
                ServerError::NoServer { .. }
                | ServerError::NotTrusted { .. }
                | ServerError::Unsupported { .. },
            ) => continue,
            Err(error) => return Err(error.to_string()),
        };
        let (server, value, asked) = (said.server, said.value, Arc::clone(&asked));
        let checked = project.with_view(move |view, cancel| checked(view, &value, &asked, cancel));
        let wrong = |problem: ServerEditError| format!("{server}: {problem}");
        let more = checked.await.map_err(failed)?.map_err(wrong)?;
        if !more.operations.is_empty() {
            return Err(format!(
                "{server} would create, rename or remove other files, too; change what refers to the renamed ones by hand"
            ));
        }
        edit.join(more).map_err(wrong)?;
    }
    let work = move |view: &View, _: &Cancel| {
        let mut ranges = Ranges::new(view, form.encoding);
        let edits = edit.files.into_iter().filter_map(|(path, file)| {
            let changes = file.edits.into_iter();
            let changes = changes.map(|edit| Some((ranges.span(&path, edit.range)?, edit.new_text)));
            let changes = changes.collect::<Option<Vec<_>>>()?;
            Some(PlacedEdit { path, changes })
        });
        PlacedRename { edits: edits.collect(), renamed: Vec::new() }
    };
    project.with_view(work).await.map_err(failed)
}

fn checked(
    view: &View,
    edit: &WorkspaceEdit,
    asked: &symd_index::Snapshot,
    cancel: &Cancel,
) -> Result<ServerEdit, ServerEditError> {
    server_edit::check(view, edit, asked, &server_edit::accept_every_edit, cancel)
}
