//! Exports of CommonJS modules that keep the old name of what a server renames: `exports.run = go`, `module.exports = { run: go }`. Other
//! files use the export, although the server's definitions lead from there to the declaration.

use super::answer::RenameNote;
use super::by_server::touched;
use super::definition_index::{DefinitionIndex, Placed};
use super::linked::LinkedSymbol;
use super::places::listed;
use crate::Project;
use crate::question::QuestionError;
use crate::references::JudgedOccurrences;
use crate::server_edit::ServerEdit;
use symd_engine::View;
use symd_resolve as resolve;

/// Records of the places that mean such an export that they do not mean the symbol. Returns a note on the exports; `None` where the
/// edit renames them, or there are none.
pub(super) async fn keep_exports(
    project: &Project,
    symbol: &LinkedSymbol,
    edit: &ServerEdit,
    judged: &JudgedOccurrences,
    leads: &mut DefinitionIndex,
) -> Result<Option<RenameNote>, QuestionError> {
    let (target, name) = (symbol.target.resolved(), symbol.target.name.clone());
    let own = symbol.target.at.path.clone();
    let touched = touched(edit);
    let untouched = judged.occurrences.iter().filter(|one| !touched.contains(&(&one.path, one.range.start)));
    let untouched: Vec<Placed> = untouched.map(|one| (one.path.clone(), one.range)).collect();
    // A shorthand that becomes a pair is changed, and keeps the key.
    let renamed: Vec<u32> = edit.files.get(&own).map_or(Vec::new(), |file| {
        file.edits.iter().filter(|one| !one.new_text.contains(':')).map(|one| one.range.start).collect()
    });
    let work = move |view: &View, cancel: &_| {
        let keys = resolve::own_export_names(view, &target);
        if keys.is_empty() || keys.iter().any(|key| renamed.contains(&key.start)) {
            return Ok::<_, QuestionError>(None);
        }
        let current = view.current(&target.file).ok();
        let is_member = |start: u32| {
            let before = current.as_ref().and_then(|current| current.text.as_str().get(..start as usize));
            before.is_some_and(|before| before.trim_end().ends_with('.'))
        };
        let of_export: Vec<Placed> =
            untouched.into_iter().filter(|(path, range)| *path != own || is_member(range.start)).collect();
        let keys: Vec<Placed> = keys.into_iter().map(|key| (own.clone(), key)).collect();
        Ok(Some((of_export, RenameNote::fact(kept_text(&name), listed(view, &keys, cancel)?))))
    };
    let Some((of_export, note)) = project.with_view(work).await?? else { return Ok(None) };
    of_export.into_iter().for_each(|place| leads.record_other(place));
    Ok(Some(note))
}

/// Returns what a note says of an export that keeps its name.
pub(super) fn kept_text(name: &str) -> String {
    format!("the module keeps exporting it as '{name}', by which other files use it")
}
