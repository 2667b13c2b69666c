//! Properties of Kotlin whose delegates use their names.

use super::answer::{RenameError, RenameNote};
use super::linked::LinkedSymbol;
use super::places::listed;
use super::{Draft, Rename};
use crate::Project;
use crate::question::QuestionError;
use symd_engine::View;
use symd_resolve as resolve;

/// Notes, as a doubt, that a delegate may look a value up by the property's name.
pub(super) async fn with_delegates(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut draft: Draft,
) -> Result<Draft, RenameError> {
    let of = symbol.resolved();
    let work = move |view: &View, cancel: &_| {
        listed(view, &resolve::delegates_that_read_name(view, &of, cancel), cancel)
    };
    let places = project.with_view(work).await?.map_err(QuestionError::from)?;
    if !places.is_empty() {
        let why = format!(
            "a delegate gets the property's name and may use it, as a key or in a text; '{}' replaces it there",
            ask.new_name
        );
        draft.notes.push(RenameNote::doubt(why, places));
    }
    Ok(draft)
}
