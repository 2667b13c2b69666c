//! The parts of edits that editors made in unsaved texts, until these are saved. They are kept in files beside
//! the history, one for each part, so that they outlive the daemon. Invariant: a part is forgotten only when its file
//! was saved, or its edit undone, finished or put back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::change::{Change, Changes};
use super::error::EditError;
use super::store::OperationId;
use symd_base::state::{self, StateError, durable};
use symd_base::{ContentHash, RelPath};

const EXTENSION: &str = "unsaved";

/// What became of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartState {
    /// An editor has it, not saved.
    Pending,
    /// Its editor closed the text without saving it, or is gone: the file does not have the change.
    Closed,
    /// It was undone in the editor.
    TakenBack,
}

/// A part of an edit in an unsaved text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsavedPart {
    /// The file, under the name that it has now.
    pub path: RelPath,
    /// The name under which the edit changed it.
    pub(super) journalled: RelPath,
    pub state: PartState,
    /// The unsaved text before and after the edit.
    pub before: String,
    pub after: String,
    /// Where it is kept; the number in the name.
    number: usize,
}

/// A part as it is kept.
#[derive(Serialize, Deserialize)]
struct KeptPart {
    path: RelPath,
    /// The name that the file had when it was edited, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    journalled: Option<RelPath>,
    before: String,
    after: String,
}

/// The unsaved parts of a project's edits.
#[derive(Debug)]
pub struct UnsavedParts {
    directory: PathBuf,
    by_edit: Mutex<BTreeMap<OperationId, Vec<UnsavedPart>>>,
}

impl UnsavedParts {
    /// Returns the parts that are kept in `directory`, none of them read yet.
    pub(super) fn new(directory: &Path) -> UnsavedParts {
        UnsavedParts { directory: directory.to_owned(), by_edit: Mutex::default() }
    }

    /// Reads the parts of edits that are in the history; forgets the others, so it is to be called when edits that were
    /// in progress are committed or put back, and while none is made. No editor has told yet what it still has, so all
    /// count as closed. `known` returns the edits of the history, and is called if there are parts.
    pub(super) fn load(
        &self,
        known: impl FnOnce() -> Result<BTreeSet<OperationId>, EditError>,
    ) -> Result<(), EditError> {
        let kept = self.kept();
        let known = if kept.is_empty() { BTreeSet::new() } else { known()? };
        for (id, number) in kept {
            let path = self.file(id, number);
            let read = state::read_file(&path).ok().flatten();
            let kept = read.and_then(|bytes| serde_json::from_slice::<KeptPart>(&bytes).ok());
            match kept.filter(|_| known.contains(&id)) {
                Some(KeptPart { path, journalled, before, after }) => {
                    let journalled = journalled.unwrap_or_else(|| path.clone());
                    let part =
                        UnsavedPart { path, journalled, state: PartState::Closed, before, after, number };
                    self.table().entry(id).or_default().push(part);
                }
                None => report(state::remove_file(&path)),
            }
        }
        Ok(())
    }

    /// Records the parts of an edit whose files are about to change.
    pub(super) fn record(&self, id: OperationId, changes: &Changes) {
        let in_editor = changes.list.iter().filter_map(|change| match change {
            Change::Content { path, before: Some(before), after: Some(after) } if before.in_editor => {
                Some((path.clone(), text_of(&before.bytes)?, text_of(&after.bytes)?))
            }
            _ => None,
        });
        for (number, (path, before, after)) in in_editor.enumerate() {
            let journalled = path.clone();
            let part = UnsavedPart { path, journalled, state: PartState::Pending, before, after, number };
            self.keep(id, &part);
            self.table().entry(id).or_default().push(part);
        }
    }

    fn keep(&self, id: OperationId, part: &UnsavedPart) {
        let journalled = (part.journalled != part.path).then(|| part.journalled.clone());
        let (path, before, after) = (part.path.clone(), part.before.clone(), part.after.clone());
        if let Ok(bytes) = serde_json::to_vec(&KeptPart { path, journalled, before, after }) {
            report(state::replace_file(&self.file(id, part.number), &[&bytes]));
        }
    }

    /// Records that a file, or the directory that holds it, was renamed, and that editors show its text under the
    /// new name. Returns the new names of the files concerned.
    pub fn record_renamed(&self, from: &RelPath, to: &RelPath) -> Vec<RelPath> {
        let mut renamed = Vec::new();
        for (id, parts) in self.table().iter_mut() {
            for part in parts.iter_mut().filter(|part| part.path.is_within(from)) {
                let rest = &part.path.as_str()[from.as_str().len()..];
                let Ok(path) = RelPath::new(&format!("{}{rest}", to.as_str())) else { continue };
                part.path = path.clone();
                self.keep(*id, part);
                renamed.push(path);
            }
        }
        renamed
    }

    /// Forgets the parts of an edit.
    pub(super) fn forget(&self, id: OperationId) {
        for part in self.table().remove(&id).unwrap_or_default() {
            report(state::remove_file(&self.file(id, part.number)));
        }
    }

    /// Returns the parts of an edit.
    pub(super) fn of(&self, id: OperationId) -> Vec<UnsavedPart> {
        self.table().get(&id).cloned().unwrap_or_default()
    }

    /// Records that an editor shows `text` of the file `path`, not saved.
    pub fn record_text(&self, path: &RelPath, text: &str) {
        for part in self.table().values_mut().flatten().filter(|part| part.path == *path) {
            part.state = if part.before == text { PartState::TakenBack } else { PartState::Pending };
        }
    }

    /// Records that the file `path` has what its editors show.
    pub fn record_saved(&self, path: &RelPath) {
        let mut table = self.table();
        for (id, parts) in table.iter_mut() {
            for saved in parts.extract_if(.., |part| part.path == *path) {
                report(state::remove_file(&self.file(*id, saved.number)));
            }
        }
        table.retain(|_, parts| !parts.is_empty());
    }

    /// Records that no editor has an unsaved text of the file `path` any longer.
    pub fn record_closed(&self, path: &RelPath) {
        for (id, parts) in self.table().iter_mut() {
            for part in parts.iter_mut().filter(|part| part.path == *path && part.state == PartState::Pending)
            {
                part.state = PartState::Closed;
                tracing::warn!(operation = id.0, file = %path, "an edit is half saved: its unsaved text was closed");
            }
        }
    }

    fn table(&self) -> MutexGuard<'_, BTreeMap<OperationId, Vec<UnsavedPart>>> {
        self.by_edit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self, id: OperationId, number: usize) -> PathBuf {
        self.directory.join(format!("{id}-{number}.{EXTENSION}"))
    }

    /// Returns the operations and numbers of the parts that are kept, in order.
    fn kept(&self) -> Vec<(OperationId, usize)> {
        let parsed = |name: &str| {
            let (id, number) = name.strip_suffix(EXTENSION)?.strip_suffix('.')?.split_once('-')?;
            Some((OperationId(id.parse().ok()?), number.parse().ok()?))
        };
        let names = durable::names(&self.directory).unwrap_or_default();
        let mut kept: Vec<(OperationId, usize)> = names.iter().filter_map(|name| parsed(name)).collect();
        kept.sort_unstable();
        kept
    }
}

impl UnsavedPart {
    /// Whether undoing its edit has nothing to do here: the change is gone. `now` is the hash of the text that is there.
    pub(super) fn is_gone(&self, now: Option<ContentHash>) -> bool {
        self.state != PartState::Pending && now != Some(ContentHash::of(self.after.as_bytes()))
    }
}

fn text_of(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes).ok().map(str::to_owned)
}

/// What is recorded here is for people: an edit does not fail because of it.
fn report(done: Result<(), StateError>) {
    if let Err(error) = done {
        tracing::warn!(%error, "cannot record what editors have not saved");
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Arc;

    use symd_vfs::{Root, TextOrigin, UnsavedTexts};

    use super::*;
    use crate::editor::{Editor, Options};
    use crate::plan::{Originator, Plan, PlanStep};
    use crate::rebase::rebase;
    use crate::stages::EditStage;
    use crate::steps::{Hook, Step};

    #[test]
    fn a_part_is_known_though_the_daemon_was_killed_before_the_commit() {
        let scratch = tempfile::tempdir().unwrap();
        let at = scratch.path().canonicalize().unwrap();
        let (project, state, killed) = (at.join("project"), at.join("state"), at.join("killed"));
        for directory in [&project, &killed] {
            std::fs::create_dir(directory).unwrap();
        }
        std::fs::set_permissions(&killed, Permissions::from_mode(0o700)).unwrap();
        let (saved, typed) = ("s\nt\nu\na = 1\n", "typed\ns\nt\nu\na = 1\n");
        let (changed, edited) = (saved.replace('1', "2"), typed.replace('1', "2"));
        let paths = ["a.py", "b.py"].map(|name| RelPath::new(name).unwrap());
        for path in &paths {
            std::fs::write(project.join(path.as_str()), saved).unwrap();
        }
        // What a daemon leaves that is killed when the files are changed and nothing is committed.
        let (from, to) = (state.clone(), killed.clone());
        let hook = Hook::new(move |step| {
            if step == Step::DirectoriesSynced {
                for entry in std::fs::read_dir(&from)? {
                    let entry = entry?;
                    std::fs::copy(entry.path(), to.join(entry.file_name()))?;
                }
            }
            Ok(())
        });
        let unsaved = Arc::<UnsavedTexts>::default();
        unsaved.set(&paths[0], 1, typed, TextOrigin::OfFile);
        let root = Arc::new(Root::open(&project).unwrap());
        let options = Options { hook, ..Options::default() };
        let (editor, _) = Editor::open_with(Arc::clone(&root), &state, options).unwrap();
        let editor = editor.with_unsaved(unsaved);
        let step = |path: &RelPath, before: &str, after: &str| {
            let edits = rebase(before, after, before).unwrap();
            PlanStep::Text { path: path.clone(), base: ContentHash::of(before.as_bytes()), edits }
        };
        let plan = Plan::new(vec![step(&paths[0], typed, &edited), step(&paths[1], saved, &changed)]);
        let staged = editor.stage(editor.turn_here(), &plan, Originator::default());
        // The editor has made its part.
        let EditStage::Staged(staged) = staged else { panic!("{staged:?}") };
        let EditStage::Ended(Ok(_)) = editor.finish(*staged, None) else { panic!("not finished") };

        let (editor, _) = Editor::open(root, &killed).unwrap();
        let history = editor.history(1).unwrap();
        assert_eq!(history[0].unsaved, [(paths[0].clone(), PartState::Closed)]);
        editor.finish_unsaved(history[0].id, Originator::default()).unwrap();
        assert_eq!(std::fs::read_to_string(project.join("a.py")).unwrap(), changed);
    }
}
