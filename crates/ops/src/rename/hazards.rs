//! Effects of a rename that no use of the name shows, by what the language and its libraries do with names.

use super::answer::{RenameError, RenameNote};
use super::linked::LinkedSymbol;
use super::places::listed;
use super::{DoubtPolicy, Draft, Rename};
use crate::Project;
use crate::question::QuestionError;
use symd_engine::View;
use symd_resolve::{self as resolve, HazardCertainty};

/// Rejects the rename if it breaks the program; notes what may.
pub(super) async fn with_hazards(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    let (of, new_name, edit) = (symbol.resolved(), ask.new_name.clone(), draft.edit.clone());
    let work = move |view: &View, cancel: &_| {
        let mut told = Vec::new();
        for mut one in resolve::rename_hazards(view, &of, &new_name, cancel)? {
            if one.keep_causes(|place| edit.changes(&place.0, place.1)) {
                told.push((one.text, listed(view, &one.places, cancel)?, one.certainty));
            }
        }
        Ok::<_, QuestionError>(told)
    };
    for (text, places, certainty) in project.with_view(work).await?? {
        if certainty == HazardCertainty::Breaks && ask.doubts != DoubtPolicy::Note {
            return Err(RenameError::Doubtful { why: text, places });
        }
        draft.notes.push(RenameNote::doubt(text, places));
    }
    Ok(draft)
}
