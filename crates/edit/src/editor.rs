//! The edits of one project, executed one after the other. Does not notify the index or servers: the caller
//! gets the changes and notifies them. Invariant: under the lock, the remains of a crash are put back before
//! anything else is done.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::apply;
use super::change::{Change, Changes, FileChange};
use super::deferred::{DeferredItem, DeferredWork};
use super::diff::{FileDiff, diffs};
use super::entry::{Journal, Kind};
use super::error::EditError;
use super::gate::ReaderGate;
use super::history::{self, Operation, UndoTarget};
use super::plan::{Originator, Plan};
use super::put_back::{self, PutBack, Recovered, RecoveredOperation, Resolution, UnrestoredFile, put_back};
use super::steps::{Hook, Step};
use super::store::{JournalLocation, Leftover, OperationId, Pending, Store};
use super::tree::{self, Links};
use symd_base::RelPath;
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
}

/// The edits of one project.
#[derive(Debug)]
pub struct Editor {
    root: Arc<Root>,
    store: Store,
    hook: Hook,
    gate: ReaderGate,
    unsaved: Arc<UnsavedTexts>,
    /// Lock within this process; the lock file excludes other processes.
    turn: Mutex<()>,
    afterwards: DeferredWork,
}

/// The right to edit, held until it is dropped.
struct EditLock<'e> {
    _here: MutexGuard<'e, ()>,
    everywhere: File,
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
        let editor = Editor {
            root,
            store,
            hook: options.hook,
            gate: ReaderGate::default(),
            unsaved: Arc::default(),
            turn: Mutex::new(()),
            afterwards,
        };
        let recovered = editor.recover()?;
        Ok((editor, recovered))
    }

    /// Returns the editor, set to close `gate` whenever it changes files.
    #[must_use]
    pub fn with_gate(mut self, gate: ReaderGate) -> Editor {
        self.gate = gate;
        self
    }

    /// Returns the editor, set to refuse changes of files that have a text in `unsaved`.
    #[must_use]
    pub fn with_unsaved(mut self, unsaved: Arc<UnsavedTexts>) -> Editor {
        self.unsaved = unsaved;
        self
    }

    fn files(&self) -> (&Root, &UnsavedTexts) {
        (&self.root, &self.unsaved)
    }

    /// Returns the project's root: absolute, with links resolved.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Waits until no edit of this process is in progress.
    pub fn idle(&self) {
        drop(self.turn.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Puts back what a crash left, if anything, and returns every operation that is not resolved yet.
    pub fn recover(&self) -> Result<Recovered, EditError> {
        let _turn = self.wait_for_turn()?;
        let (found, is_unreadable) = self.put_back_pending()?;
        let mut operations: Vec<RecoveredOperation> =
            found.into_iter().map(|found| found.operation).collect();
        for id in self.store.cut_short()? {
            if operations.iter().any(|known| known.id == id) {
                continue;
            }
            let Some(journal) = self.store.read_cut_short(id)? else { continue };
            let beyond_repair = put_back::beyond_repair(&self.root, &journal.entry);
            let left = if beyond_repair.is_empty() {
                put_back::changed_by_others(&self.root, &journal.entry)
            } else {
                beyond_repair
            };
            if left.is_empty() {
                // The user has restored the old content: no decision is needed.
                self.store.drop_cut_short(id)?;
                continue;
            }
            operations.push(RecoveredOperation {
                id,
                title: journal.entry.title,
                put_back: Vec::new(),
                left,
            });
        }
        operations.sort_by_key(|operation| operation.id);
        Ok(Recovered { operations, is_unreadable })
    }

    /// Resolves the files that recovery left of operation `id`, as the user decided.
    pub fn resolve(
        &self,
        id: OperationId,
        resolution: Resolution,
        by: Originator,
    ) -> Result<Applied, EditError> {
        let turn = self.wait_for_turn()?;
        for found in self.put_back_pending()?.0 {
            if found.operation.id != id {
                found.ensure_settled()?;
            } else if let Some(pending) = found.due {
                // The operation could not be put back; the user's decision replaces that.
                self.set_aside(&pending, &found.operation.left)?;
            }
        }
        let journal = self.cut_short(id)?;
        let applied = match resolution {
            Resolution::Keep => Applied::default(),
            Resolution::PutBack => {
                let changes = self.restoration_of(id, &journal)?;
                self.carry_out(&turn, &changes, by, Kind::Recovery)?
            }
        };
        put_back::unstage_all(&self.root, &journal.entry);
        self.store.drop_cut_short(id)?;
        Ok(applied)
    }

    /// Checks whether `plan` could be applied to the current tree. Writes nothing and does not block.
    pub fn check(&self, plan: &Plan) -> Result<(), EditError> {
        tree::changes_of(self.files(), plan, Links::Followed).map(|_| ())
    }

    /// Returns the changes of `plan`, by path. Also checks the plan; writes nothing and does not block.
    pub fn preview(&self, plan: &Plan) -> Result<Vec<FileDiff>, EditError> {
        tree::changes_of(self.files(), plan, Links::Followed).map(|changes| diffs(&changes))
    }

    /// Returns the changes that [`Editor::resolve`] would make to the files that recovery left of operation
    /// `id`.
    pub fn preview_resolve(
        &self,
        id: OperationId,
        resolution: Resolution,
    ) -> Result<Vec<FileDiff>, EditError> {
        let journal = self.cut_short(id)?;
        match resolution {
            Resolution::Keep => Ok(Vec::new()),
            Resolution::PutBack => self.restoration_of(id, &journal).map(|changes| diffs(&changes)),
        }
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
        self.apply_after(plan, by, || ())
    }

    /// Like [`Editor::apply`], but calls `ready` and waits for it before the first file changes. What `ready`
    /// waits for runs in parallel with the slow steps (journal, staged files, syncing). `ready` is not called
    /// if the edit fails before that or changes nothing.
    pub fn apply_after(
        &self,
        plan: &Plan,
        by: Originator,
        ready: impl FnOnce(),
    ) -> Result<Applied, EditError> {
        let turn = self.take_turn()?;
        let changes = tree::changes_of(self.files(), plan, Links::Followed)?;
        self.carry_out_after(&turn, &changes, by, Kind::Edit, ready)
    }

    /// Applies `plan` to files that are notes rather than the project's content (memories): undo without a
    /// number skips the operation, earlier undone edits can still be redone, and a path through a link is
    /// rejected.
    pub fn apply_notes(&self, plan: &Plan, by: Originator) -> Result<Applied, EditError> {
        let turn = self.take_turn()?;
        let changes = tree::changes_of(self.files(), plan, Links::Refused)?;
        self.carry_out(&turn, &changes, by, Kind::Aside)
    }

    /// Undoes an edit: rejected if a file is not as the edit left it.
    pub fn undo(&self, which: UndoTarget, by: Originator) -> Result<Applied, EditError> {
        let turn = self.take_turn()?;
        let of = history::to_undo(&self.store.entries()?, which)?;
        self.invert(&turn, of, by, Kind::Undo { of })
    }

    /// Redoes the edit that was undone last; not possible after another edit.
    pub fn redo(&self, by: Originator) -> Result<Applied, EditError> {
        let turn = self.take_turn()?;
        let (undo, of) = history::to_redo(&self.store.entries()?)?;
        self.invert(&turn, undo, by, Kind::Redo { of })
    }

    /// Returns the last `limit` operations, newest first. Does not block: an operation is either complete or
    /// not listed yet.
    pub fn history(&self, limit: usize) -> Result<Vec<Operation>, EditError> {
        Ok(history::operations(&self.store.entries()?, limit))
    }

    fn preview_inverse(&self, id: OperationId) -> Result<Vec<FileDiff>, EditError> {
        tree::inverse_of(self.files(), &self.journal(id)?).map(|changes| diffs(&changes))
    }

    fn journal(&self, id: OperationId) -> Result<Journal, EditError> {
        let gone = || EditError::NoOperation(format!("the journal of operation {id} is damaged or gone"));
        self.store.read(id)?.ok_or_else(gone)
    }

    fn restoration_of(&self, id: OperationId, journal: &Journal) -> Result<Changes, EditError> {
        let left = put_back::beyond_repair(&self.root, &journal.entry);
        if left.is_empty() {
            return tree::restoration_of(self.files(), journal);
        }
        let left: Vec<String> = left.iter().map(UnrestoredFile::to_string).collect();
        Err(EditError::NoOperation(format!(
            "operation {id} cannot be put back: {}; restore these files from version control, then run `symd resolve {id} \
             keep`",
            left.join(", ")
        )))
    }

    fn cut_short(&self, id: OperationId) -> Result<Journal, EditError> {
        let unknown = || EditError::NoOperation(format!("operation {id} was not cut short, or is resolved"));
        self.store.read_cut_short(id)?.ok_or_else(unknown)
    }

    fn invert(
        &self,
        turn: &EditLock<'_>,
        id: OperationId,
        by: Originator,
        kind: Kind,
    ) -> Result<Applied, EditError> {
        let changes = tree::inverse_of(self.files(), &self.journal(id)?)?;
        self.carry_out(turn, &changes, by, kind)
    }

    fn carry_out(
        &self,
        turn: &EditLock<'_>,
        changes: &Changes,
        by: Originator,
        kind: Kind,
    ) -> Result<Applied, EditError> {
        self.carry_out_after(turn, changes, by, kind, || ())
    }

    fn carry_out_after(
        &self,
        turn: &EditLock<'_>,
        changes: &Changes,
        by: Originator,
        kind: Kind,
        ready: impl FnOnce(),
    ) -> Result<Applied, EditError> {
        self.hook.after(Step::Checked)?;
        let is_nothing = changes.list.is_empty() && changes.make.is_empty();
        if is_nothing && matches!(kind, Kind::Edit | Kind::Aside | Kind::Recovery) {
            return Ok(Applied::default());
        }
        let journal = Journal::of(self.store.next_id(&turn.everywhere)?, changes, by, kind);
        let place = self.store.begin(&journal, &turn.everywhere)?;
        let mut held = apply::Held::default();
        let touched = journal.entry.records.len();
        let applied = self
            .hook
            .after(Step::Journalled)
            .map_err(|reason| apply::Stopped { reason, touched: 0 })
            .and_then(|()| {
                let way = (&self.hook, ready, &self.gate);
                apply::apply(&self.root, way, changes, &journal.entry, &mut held)
            })
            .and_then(|()| {
                let committed = self.store.commit(&journal, place);
                committed.map_err(|error| apply::Stopped { reason: error.into(), touched })
            });
        let entry = match applied {
            Ok(entry) => entry,
            Err(stopped) => {
                return Err(self.roll_back(&Pending { journal, place, is_salvaged: false }, stopped, held));
            }
        };
        self.afterwards.enqueue(DeferredItem { replaced: held.replaced, entry });
        // The edit is committed, whatever fails from here on: an error would claim the opposite.
        let after = self.hook.after(Step::Committed);
        if let Err(error) = after.and(self.store.prune().map_err(EditError::from)) {
            tracing::warn!(%error, "cannot remove old operations from the history");
        }
        let mut files: Vec<FileChange> = changes.list.iter().flat_map(Change::file_changes).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let directories = changes.make.clone();
        Ok(Applied { id: Some(journal.entry.id), files, directories })
    }

    fn roll_back(&self, pending: &Pending, stopped: apply::Stopped, held: apply::Held) -> EditError {
        let reason = Box::new(stopped.reason);
        // If readers do not finish in time, they may see a mixed tree; not rolling back would be worse.
        let _closed = held.closed.or_else(|| self.gate.close().ok().flatten());
        let back = put_back(&self.root, &self.hook, &pending.journal, stopped.touched);
        let id = pending.journal.entry.id;
        let left: Vec<String> = back.left().map(UnrestoredFile::to_string).collect();
        // After a failure the journal stays in place: the next turn tries again.
        let forgotten = if back.failed.is_empty() { self.forget(pending, &back) } else { Ok(()) };
        match forgotten {
            // The message of a conflict says that nothing was written, which is true now.
            Ok(()) if left.is_empty() && matches!(*reason, EditError::Conflict { .. }) => *reason,
            Ok(()) if left.is_empty() => EditError::Failed { reason },
            Ok(()) => EditError::RollbackFailed { id, reason, left },
            Err(error) => EditError::RollbackFailed { id, reason, left: vec![error.to_string()] },
        }
    }

    /// Ends an edit that was put back, except for files that another program wrote.
    fn forget(&self, pending: &Pending, back: &PutBack) -> Result<(), EditError> {
        if back.foreign.is_empty() {
            return Ok(self.store.drop_pending(pending.place)?);
        }
        self.set_aside(pending, &back.foreign)
    }

    /// Keeps the part of `pending` that concerns the files `left`, for the user's decision.
    fn set_aside(&self, pending: &Pending, left: &[UnrestoredFile]) -> Result<(), EditError> {
        let journal = pending.journal.about(&left.iter().map(|left| &left.path).collect());
        Ok(self.store.set_aside(&journal, pending.place)?)
    }

    fn wait_for_turn(&self) -> Result<EditLock<'_>, EditError> {
        // The mutex protects no data that a panic could have left inconsistent.
        let here = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(EditLock { _here: here, everywhere: self.store.lock()? })
    }

    /// Takes a turn, after putting back what an earlier one left: another process may have died during its
    /// turn.
    fn take_turn(&self) -> Result<EditLock<'_>, EditError> {
        let turn = self.wait_for_turn()?;
        self.put_back_pending()?.0.iter().try_for_each(InterruptedEdit::ensure_settled)?;
        Ok(turn)
    }

    /// Ends every edit that was in progress when its process ended: commits a complete one, puts any other
    /// back. Usually there is none, rarely one; of a reported edit the commit may be lost if the machine
    /// loses power. The second value tells whether an edit may have been in progress that cannot be read.
    fn put_back_pending(&self) -> Result<(Vec<InterruptedEdit>, bool), EditError> {
        let mut all = Vec::new();
        loop {
            let pending = match self.store.left()? {
                Leftover::Nothing => return Ok((all, false)),
                Leftover::Unreadable => return Ok((all, true)),
                Leftover::Pending(pending) => *pending,
            };
            if put_back::is_fully_applied(&self.root, &pending.journal.entry) {
                self.finish(&pending)?;
                continue;
            }
            let is_salvaged = pending.is_salvaged;
            let found = self.end(pending)?;
            let is_due = found.due.is_some();
            // The process died while it wrote the journal, before it changed anything: nothing to report.
            let is_nothing =
                is_salvaged && found.operation.put_back.is_empty() && found.operation.left.is_empty();
            if !is_nothing {
                all.push(found);
            }
            if is_due {
                return Ok((all, false));
            }
        }
    }

    /// Commits an edit that is complete except for the commit.
    fn finish(&self, pending: &Pending) -> Result<(), EditError> {
        let entry = &pending.journal.entry;
        apply::finish(&self.root, entry)?;
        if entry.lost.is_empty() {
            if pending.is_salvaged {
                // The stored journal is damaged, so the entry is written anew.
                self.store.commit(&pending.journal, JournalLocation::Slot)?;
                self.store.drop_pending(pending.place)?;
            } else {
                self.store.commit(&pending.journal, pending.place)?;
            }
            self.store.sync()?;
            tracing::info!(operation = entry.id.0, title = entry.title, "completed the commit of an edit");
            return Ok(());
        }
        tracing::warn!(
            operation = entry.id.0,
            title = entry.title,
            "an edit is complete, but its journal is damaged: it cannot be undone"
        );
        Ok(self.store.drop_pending(pending.place)?)
    }

    /// Puts back an edit that was cut short. If its journal is too damaged for that, nothing is touched.
    fn end(&self, pending: Pending) -> Result<InterruptedEdit, EditError> {
        let entry = &pending.journal.entry;
        let (id, title) = (entry.id, entry.title.clone());
        let beyond_repair = put_back::beyond_repair(&self.root, entry);
        if !beyond_repair.is_empty() {
            tracing::error!(operation = id.0, title, "the journal of an edit that was cut short is damaged");
            self.set_aside(&pending, &beyond_repair)?;
            let operation = RecoveredOperation { id, title, put_back: Vec::new(), left: beyond_repair };
            return Ok(InterruptedEdit { operation, due: None });
        }
        let back = put_back(&self.root, &self.hook, &pending.journal, entry.records.len());
        tracing::warn!(operation = id.0, title, "an edit had been cut short and was put back");
        let left = back.left().cloned().collect();
        let due = if back.failed.is_empty() {
            self.forget(&pending, &back)?;
            None
        } else {
            Some(pending)
        };
        Ok(InterruptedEdit { operation: RecoveredOperation { id, title, put_back: back.done, left }, due })
    }
}

/// An edit that was cut short.
struct InterruptedEdit {
    operation: RecoveredOperation,
    /// The journal, if the edit could not be put back now.
    due: Option<Pending>,
}

impl InterruptedEdit {
    /// Returns an error if the edit must still be put back, before anything else is done.
    fn ensure_settled(&self) -> Result<(), EditError> {
        if self.due.is_none() {
            return Ok(());
        }
        let left = self.operation.left.iter().map(UnrestoredFile::to_string).collect();
        Err(EditError::RecoveryDue { id: self.operation.id, left })
    }
}
