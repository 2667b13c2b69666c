//! Renames and generated files: what declares the symbol there comes back with its old name, so the rename is rejected; uses
//! there are left, since the generator writes them anew from the renamed sources.

use super::answer::{RenameError, RenameNote};
use super::linked::LinkedSymbol;
use super::places::listed;
use super::{DoubtPolicy, Draft, Rename, counted};
use crate::Project;
use crate::generated_files::generated_among;
use crate::question::QuestionError;
use symd_base::{RelPath, TextRange};
use symd_engine::View;

/// Takes the edits in generated files out of the rename, with a note; rejects it if one of these files declares the symbol. A forced
/// rename changes them, and the note says so.
pub(super) async fn without_generated(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    let generated = generated_among(project, draft.edit.files.keys().cloned().collect()).await?;
    if generated.is_empty() {
        return Ok(draft);
    }
    let is_forced = ask.doubts == DoubtPolicy::Note;
    let declared: Vec<(RelPath, TextRange)> = symbol
        .members
        .iter()
        .filter(|one| generated.contains(&one.at.path))
        .map(|one| (one.at.path.clone(), one.name_range))
        .collect();
    if !declared.is_empty() && !is_forced {
        let why = format!(
            "'{}' is declared in a generated file, which gets the old name again: rename it in what the file is generated from",
            symbol.target.name
        );
        let places =
            project.with_view(move |view: &View, cancel: &_| listed(view, &declared, cancel)).await?;
        return Err(RenameError::Linked { why, places: places.map_err(QuestionError::from)? });
    }
    let places: Vec<(RelPath, TextRange)> = draft
        .edit
        .files
        .iter()
        .filter(|(path, _)| generated.contains(*path))
        .flat_map(|(path, file)| file.edits.iter().map(|edit| (path.clone(), edit.range)))
        .collect();
    let uses = counted(places.len(), "use in generated files", "uses in generated files");
    let text = match is_forced {
        true => format!("{uses} renamed too: the generator may write the old name again"),
        false => {
            let it = if places.len() == 1 { "it" } else { "them" };
            draft.edit.files.retain(|path, _| !generated.contains(path));
            format!("{uses} left: generate {it} again")
        }
    };
    let places = project.with_view(move |view: &View, cancel: &_| listed(view, &places, cancel)).await?;
    draft.notes.push(RenameNote::doubt(text, places.map_err(QuestionError::from)?));
    Ok(draft)
}
