//! New names that a class outside the project has already: the member would override that class's, or the extension would not be
//! called any more.

use super::answer::{RenameError, RenameNote};
use super::linked::LinkedSymbol;
use super::places::listed;
use super::{DoubtPolicy, Draft, Rename};
use crate::Project;
use crate::question::QuestionError;
use symd_base::{RelPath, TextRange};
use symd_engine::View;
use symd_resolve::{self as resolve, LibraryConflict};

/// Rejects, or notes, that a library declares a member of the new name.
pub(super) async fn with_library_names(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    let (of, new_name) = (symbol.resolved(), ask.new_name.clone());
    let work = move |view: &View, cancel: &_| {
        let found = resolve::find_library_conflicts(view, &of, &new_name, cancel)?;
        let places: Vec<(RelPath, TextRange)> = found.iter().map(|one| one.place.clone()).collect();
        let listed = listed(view, &places, cancel)?;
        Ok::<_, QuestionError>((found, listed))
    };
    let (found, places) = project.with_view(work).await??;
    let Some(first) = found.first() else { return Ok(draft) };
    let why = reason(&ask.new_name, first);
    if ask.doubts != DoubtPolicy::Note {
        return Err(RenameError::Linked { why, places });
    }
    draft.notes.push(RenameNote::doubt(why, places));
    Ok(draft)
}

fn reason(new_name: &str, conflict: &LibraryConflict) -> String {
    let class = &conflict.declared_by;
    match conflict.is_of_extension {
        true => format!(
            "'{new_name}' is a member of {class}, which is called instead of an extension of that name"
        ),
        false => format!("'{new_name}' would override the member of {class}, which is outside the project"),
    }
}
