//! The edits of one project, executed one after the other. Does not notify the index or servers: the caller
//! gets the changes and notifies them. Invariant: under the lock, the remains of a crash are put back before
//! anything else is done.

mod recovery;
mod unsaved_texts;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use tokio::sync::Mutex;

use self::recovery::InterruptedEdit;
use super::change::{Changes, FileChange};
use super::deferred::DeferredWork;
use super::diff::{FileDiff, diffs};
use super::entry::{Journal, Kind};
use super::error::EditError;
use super::history::{self, Operation, UndoTarget};
use super::plan::{Originator, Plan};
use super::put_back::Recovered;
use super::stages::{EditLock, EditStage, EditorTurn};
use super::steps::Hook;
use super::store::{OperationId, Store};
use super::tree::{self, Links};
use super::unsaved_parts::{PartState, UnsavedPart, UnsavedParts};
use symd_base::{ContentHash, RelPath, Text};
use symd_vfs::{Root, UnsavedTexts};

/// Maximum size of the history on disk, in bytes.
const DEFAULT_HISTORY_BYTES: u64 = 100 << 20;

/// Options of a project's editor.
#[derive(Clone, Debug)]
pub struct Options {
    /// Maximum size of the history on disk, in bytes; the oldest operations are removed. The newest is kept,
    /// however large.
    pub history_bytes: u64,
    /// For tests.
    pub hook: Hook,
}

impl Default for Options {
    fn default() -> Options {
        Options { history_bytes: DEFAULT_HISTORY_BYTES, hook: Hook::default() }
    }
}

/// The result of an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Its number in the history; `None` if the plan changed nothing.
    pub id: Option<OperationId>,
    /// Every file that changed, by path, with links resolved.
    pub files: Vec<FileChange>,
    /// Every directory that was created, outermost first.
    pub directories: Vec<RelPath>,
    /// Buffers that have the change and that their editors did not save, each with the reason: their files have it too.
    pub not_saved: Vec<String>,
    /// Saved buffers that still show the text before the edit, since their editors have not read the file again.
    pub not_reloaded: Vec<String>,
}

/// The edits of one project.
#[derive(Debug)]
pub struct Editor {
    pub(super) root: Arc<Root>,
    pub(super) store: Store,
    pub(super) hook: Hook,
    unsaved: Arc<UnsavedTexts>,
    /// What editors have not saved of committed edits.
    pub(super) unsaved_parts: Arc<UnsavedParts>,
    /// Lock within this process; the lock file excludes other processes.
    pub(super) turn: Arc<Mutex<()>>,
    pub(super) afterwards: DeferredWork,
}

impl Editor {
    /// Opens the project's journals in `state_directory`, which is created if missing, and first puts back
    /// what a crash left. Blocks while another process edits this project.
    pub fn open(root: Arc<Root>, state_directory: &Path) -> Result<(Editor, Recovered), EditError> {
        Editor::open_with(root, state_directory, Options::default())
    }

    /// Like [`Editor::open`], with options.
    pub fn open_with(
        root: Arc<Root>,
        state_directory: &Path,
        options: Options,
    ) -> Result<(Editor, Recovered), EditError> {
        let store = Store::open(state_directory, options.history_bytes)?;
        let afterwards = DeferredWork::new(store.directory());
        let unsaved_parts = UnsavedParts::new(store.directory());
        let editor = Editor {
            root,
            store,
            hook: options.hook,
            unsaved: Arc::default(),
            unsaved_parts: Arc::new(unsaved_parts),
            turn: Arc::default(),
            afterwards,
        };
        let lock = editor.lock(editor.turn_here())?;
        let recovered = editor.recover_locked()?;
        // An edit that recovery has just committed may have unsaved parts.
        let known = || Ok(editor.store.entries()?.iter().map(|entry| entry.id).collect());
        editor.unsaved_parts.load(known)?;
        drop(lock);
        Ok((editor, recovered))
    }

    /// Returns the editor, set to edit a text in `unsaved` in place of its file: such a change is journalled,
    /// and made by the program that shows the text ([`StagedEdit::contents`](super::StagedEdit::contents)).
    #[must_use]
    pub fn with_unsaved(mut self, unsaved: Arc<UnsavedTexts>) -> Editor {
        self.unsaved = unsaved;
        self
    }

    /// Returns what editors have not saved of committed edits, to be told what becomes of it.
    pub fn unsaved_parts(&self) -> Arc<UnsavedParts> {
        Arc::clone(&self.unsaved_parts)
    }

    pub(super) fn files(&self) -> (&Root, &UnsavedTexts) {
        (&self.root, &self.unsaved)
    }

    /// Returns the project's root: absolute, with links resolved.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Checks whether `plan` could be applied to the current tree. Writes nothing and does not block.
    pub fn check(&self, plan: &Plan) -> Result<(), EditError> {
        tree::changes_of(self.files(), plan, Links::Followed).map(|_| ())
    }

    /// Returns the changes of `plan`, by path. Also checks the plan; writes nothing and does not block.
    pub fn preview(&self, plan: &Plan) -> Result<Vec<FileDiff>, EditError> {
        tree::changes_of(self.files(), plan, Links::Followed).map(|changes| diffs(&changes))
    }

    /// Returns the changes that undo would make.
    pub fn preview_undo(&self, which: UndoTarget) -> Result<Vec<FileDiff>, EditError> {
        self.preview_inverse(history::to_undo(&self.store.entries()?, which)?)
    }

    /// Returns the changes that redo would make.
    pub fn preview_redo(&self) -> Result<Vec<FileDiff>, EditError> {
        self.preview_inverse(history::to_redo(&self.store.entries()?)?.0)
    }

    /// Applies `plan` as a whole, or leaves the tree unchanged and returns the reason.
    pub fn apply(&self, plan: &Plan, by: Originator) -> Result<Applied, EditError> {
        self.settle(self.stage(self.turn_here(), plan, by))
    }

    /// Begins [`Editor::apply`].
    pub fn stage(&self, turn: EditorTurn, plan: &Plan, by: Originator) -> EditStage {
        self.stage_with(turn, by, || Ok((tree::changes_of(self.files(), plan, Links::Followed)?, Kind::Edit)))
    }

    /// Applies `plan` to files that are notes rather than the project's content (memories): undo without a
    /// number skips the operation, earlier undone edits can still be redone, and a path through a link is
    /// rejected.
    pub fn apply_notes(&self, plan: &Plan, by: Originator) -> Result<Applied, EditError> {
        self.settle(self.stage_notes(self.turn_here(), plan, by))
    }

    /// Begins [`Editor::apply_notes`].
    pub fn stage_notes(&self, turn: EditorTurn, plan: &Plan, by: Originator) -> EditStage {
        self.stage_with(turn, by, || Ok((tree::changes_of(self.files(), plan, Links::Refused)?, Kind::Aside)))
    }

    /// Undoes an edit: rejected if a file is not as the edit left it.
    pub fn undo(&self, which: UndoTarget, by: Originator) -> Result<Applied, EditError> {
        self.settle(self.stage_undo(self.turn_here(), which, by))
    }

    /// Begins [`Editor::undo`].
    pub fn stage_undo(&self, turn: EditorTurn, which: UndoTarget, by: Originator) -> EditStage {
        self.stage_with(turn, by, || {
            let of = history::to_undo(&self.store.entries()?, which)?;
            Ok((self.inverse(of)?, Kind::Undo { of }))
        })
    }

    /// Redoes the edit that was undone last; not possible after another edit.
    pub fn redo(&self, by: Originator) -> Result<Applied, EditError> {
        self.settle(self.stage_redo(self.turn_here(), by))
    }

    /// Begins [`Editor::redo`].
    pub fn stage_redo(&self, turn: EditorTurn, by: Originator) -> EditStage {
        self.stage_with(turn, by, || {
            let (undo, of) = history::to_redo(&self.store.entries()?)?;
            Ok((self.inverse(undo)?, Kind::Redo { of }))
        })
    }

    /// Stages the changes that `read` returns under the lock.
    fn stage_with(
        &self,
        turn: EditorTurn,
        by: Originator,
        read: impl FnOnce() -> Result<(Changes, Kind), EditError>,
    ) -> EditStage {
        let begun = self.lock_settled(turn).and_then(|lock| Ok((lock, read()?)));
        match begun {
            Ok((lock, (changes, kind))) => self.stage_changes(lock, changes, by, kind),
            Err(error) => EditStage::Ended(Err(error)),
        }
    }

    /// Returns the last `limit` operations, newest first. Does not block: an operation is either complete or
    /// not listed yet.
    pub fn history(&self, limit: usize) -> Result<Vec<Operation>, EditError> {
        let entries = self.store.entries()?;
        let mut operations = history::operations(&entries, limit);
        for operation in operations.iter_mut().filter(|operation| !operation.undone) {
            let mut parts = self.unsaved_parts.of(operation.id);
            if !parts.is_empty() && history::finished_by(&entries, operation.id).is_some() {
                parts.retain(|part| part.state != PartState::Closed);
            }
            operation.unsaved = parts.into_iter().map(|part| (part.path, part.state)).collect();
        }
        Ok(operations)
    }

    fn preview_inverse(&self, id: OperationId) -> Result<Vec<FileDiff>, EditError> {
        self.inverse(id).map(|changes| diffs(&changes))
    }

    fn inverse(&self, id: OperationId) -> Result<Changes, EditError> {
        let journal = self.journal(id)?;
        let parts = self.unsaved_parts.of(id);
        let is_gone = |part: &&UnsavedPart| part.is_gone(self.text_of(&part.path).map(|text| text.hash));
        let mut gone: BTreeSet<RelPath> =
            parts.iter().filter(is_gone).map(|part| part.path.clone()).collect();
        let names = parts.iter().filter(|part| part.path != part.journalled);
        let names: BTreeMap<RelPath, RelPath> =
            names.map(|part| (part.journalled.clone(), part.path.clone())).collect();
        let journal = if names.is_empty() { journal } else { journal.renamed(&names) };
        // What was finished is undone where that was done.
        let finishing = history::finished_by(&self.store.entries()?, id);
        let finishing = finishing.map(|by| self.journal(by)).transpose()?;
        let finished = finishing.iter().flat_map(|journal| journal.entry.files());
        gone.extend(finished.map(|file| file.path));
        if gone.is_empty() {
            return tree::inverse_of(self.files(), &journal);
        }
        let left =
            journal.entry.files().into_iter().map(|file| file.path).filter(|path| !gone.contains(path));
        let left: Vec<RelPath> = left.collect();
        let left = journal.about(&left.iter().collect());
        let whole = match finishing {
            Some(finishing) => left.with(finishing),
            None => left,
        };
        tree::inverse_of(self.files(), &whole)
    }

    /// Returns what questions see of a file: its unsaved text, or what is on the disk.
    fn text_of(&self, path: &RelPath) -> Option<SeenText> {
        let unsaved = self.unsaved.bytes(path).map(|bytes| bytes.to_vec());
        let bytes = unsaved.or_else(|| self.root.read(path).ok().map(|read| read.bytes))?;
        let hash = ContentHash::of(&bytes);
        Some(SeenText { hash, text: Text::decode(bytes).ok()? })
    }

    fn journal(&self, id: OperationId) -> Result<Journal, EditError> {
        let gone = || EditError::NoOperation(format!("the journal of operation {id} is damaged or gone"));
        self.store.read(id)?.ok_or_else(gone)
    }

    /// Blocks until no other edit of this process has a turn.
    pub(super) fn turn_here(&self) -> EditorTurn {
        // A free turn is taken without blocking, which is forbidden where async tasks run.
        let free = Arc::clone(&self.turn).try_lock_owned();
        let guard = free.unwrap_or_else(|_| Arc::clone(&self.turn).blocking_lock_owned());
        EditorTurn { _guard: guard, asked: BTreeSet::new() }
    }

    /// Blocks while another process edits this project.
    pub(super) fn lock(&self, turn: EditorTurn) -> Result<EditLock, EditError> {
        Ok(EditLock { turn, everywhere: self.store.lock()? })
    }

    /// Like [`Editor::lock`], and puts back what an earlier edit left: another process may have died during
    /// its turn.
    fn lock_settled(&self, turn: EditorTurn) -> Result<EditLock, EditError> {
        let lock = self.lock(turn)?;
        self.put_back_pending()?.0.iter().try_for_each(InterruptedEdit::ensure_settled)?;
        Ok(lock)
    }
}

/// A text as questions see it.
struct SeenText {
    /// Of its bytes.
    hash: ContentHash,
    text: Text,
}
