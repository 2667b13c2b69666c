//! Edits of files that editors have open: the stage of an edit between its journal and the change of its files.
//! Every editor that has a file open with unsaved changes, or that can save, makes the change itself; it counts
//! when the editor has told the text that was planned, and not before. Invariants: while that is awaited no
//! question sees a text of these files that the edit made; what one editor made is taken back if another
//! one, or the disk, fails; no file changes beneath a buffer that was changed while the edit waited.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use symd_base::RelPath;
use symd_edit::{EditError, StagedEdit};
use tokio::time::Instant;

use super::Buffers;
use super::buffer_changes::{DIFF_DEADLINE, changes_between};
use super::concerned_buffers::{BufferTarget, ConcernedBuffers};
use super::port::{DocumentChanges, EditorPort, problems_of};
use super::reloads::AwaitedReload;

/// The buffers that made an edit's changes. Questions see the old texts until [`AgreedBuffers::show`].
#[derive(Debug)]
pub(crate) struct AgreedBuffers {
    pub(super) all: Arc<Buffers>,
    targets: Vec<BufferTarget>,
    /// The buffers of its files that their editors read again by themselves.
    pub(super) reloads: Vec<AwaitedReload>,
    held: BTreeSet<RelPath>,
    is_released: AtomicBool,
    /// The editors that were asked and did not refuse.
    progress: Mutex<BTreeMap<u64, EditorProgress>>,
}

/// How far an editor is that was asked for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EditorProgress {
    /// It has not answered.
    Asked,
    /// It says that it made the change.
    Made,
}

/// An edit that failed before a file changed, because of an editor.
#[derive(Debug)]
pub(crate) struct Disagreement {
    pub(crate) reason: EditError,
    pub(crate) kept: KeptChanges,
}

impl From<EditError> for Disagreement {
    fn from(reason: EditError) -> Disagreement {
        Disagreement { reason, kept: KeptChanges::default() }
    }
}

/// What editors have left of an edit that failed.
#[derive(Debug, Default)]
pub(crate) struct KeptChanges {
    /// What the user is told of it; `None` if nothing is left.
    pub(crate) told: Option<String>,
    /// The state of each file whose buffer has the change.
    pub(crate) files: BTreeMap<RelPath, String>,
}

/// What editors have not done of an edit that was made, each with its file and editor.
#[derive(Debug, Default)]
pub(crate) struct UnsettledBuffers {
    /// Not saved, each with the reason.
    pub(crate) not_saved: Vec<String>,
    pub(crate) not_reloaded: Vec<String>,
}

impl Buffers {
    /// Whether an edit must ask before it changes files.
    pub(crate) fn are_open(&self) -> bool {
        let table = self.table();
        !table.buffers.is_empty() || !self.engine.unsaved().paths().is_empty()
    }

    /// Returns the saved files that editors change and save themselves.
    pub(crate) fn asked_files(&self) -> BTreeSet<RelPath> {
        let table = self.table();
        let is_asked = |editor: &u64| {
            table.editors.get(editor).is_some_and(|editor| editor.abilities.applies && editor.abilities.saves)
        };
        let asked = table.buffers.iter().filter(|((editor, _), buffer)| is_asked(editor) && !buffer.is_lost);
        asked.map(|(_, buffer)| buffer.file.clone()).collect()
    }

    /// Has all editors make the changes of an edit that concern their buffers, and waits until they have told
    /// the planned texts.
    pub(crate) async fn agree(
        self: &Arc<Buffers>,
        staged: &StagedEdit,
    ) -> Result<AgreedBuffers, Disagreement> {
        let ConcernedBuffers { targets, reloads } = {
            let table = self.table();
            table.check_created(&staged.created())?;
            table.check_untouched(&staged.touched(), &[])?;
            table.concerned(&staged.contents())?
        };
        let held: BTreeSet<RelPath> = targets.iter().map(|target| target.file.clone()).collect();
        held.iter().for_each(|file| *self.table().held.entry(file.clone()).or_default() += 1);
        let agreed = AgreedBuffers {
            all: Arc::clone(self),
            targets,
            reloads,
            held,
            is_released: AtomicBool::new(false),
            progress: Mutex::default(),
        };
        match agreed.ask_all(staged.title()).await {
            Ok(()) => {
                agreed.await_reloads();
                Ok(agreed)
            }
            Err(why) => {
                Err(Disagreement { reason: EditError::NotInEditor(why), kept: agreed.take_back().await })
            }
        }
    }
}

/// The changes that one editor is asked for.
type EditorChanges = BTreeMap<u64, (Arc<dyn EditorPort>, Vec<DocumentChanges>)>;

impl AgreedBuffers {
    /// Returns each editor's port with the changes that turn one text of its buffers into another. A buffer with
    /// a third text is left out.
    fn requests(&self, texts: fn(&BufferTarget) -> (&str, &str)) -> EditorChanges {
        let mut by_editor = EditorChanges::new();
        for target in &self.targets {
            let (from, to) = texts(target);
            // Compared without the table's lock, which every keystroke needs.
            let changes = changes_between(from, to, DIFF_DEADLINE);
            let Some((version, port)) = self.all.table().version_of(target, from) else { continue };
            let (_, documents) = by_editor.entry(target.editor).or_insert_with(|| (port, Vec::new()));
            documents.push(DocumentChanges { path: target.path.clone(), version, changes });
        }
        by_editor
    }

    /// Returns the ports of the editors that are to make changes.
    fn ports(&self) -> BTreeMap<u64, Arc<dyn EditorPort>> {
        let table = self.all.table();
        let port = |target: &BufferTarget| {
            Some((target.editor, Arc::clone(&table.editors.get(&target.editor)?.port)))
        };
        self.targets.iter().filter_map(port).collect()
    }

    /// Asks all editors and waits for the planned texts. The error names the editor and its file.
    async fn ask_all(&self, title: &str) -> Result<(), String> {
        let deadlines = self.all.deadlines;
        for (editor, port) in self.ports() {
            self.greet(editor, port.as_ref()).await?;
        }
        // Made only now: an editor that was busy may have told another text meanwhile.
        let requests = self.requests(|target| (&target.before, &target.after));
        if let Some(target) = self.targets.iter().find(|target| !is_asked_for(target, &requests)) {
            let table = self.all.table();
            let name = table.name_of(target.editor);
            let is_open = table.buffers.contains_key(&(target.editor, target.path.clone()));
            let what = if is_open { "changed" } else { "closed" };
            return Err(format!("{} was {what} in {name} meanwhile", target.file));
        }
        let deadline = Instant::now() + deadlines.change;
        for (editor, (port, changes)) in requests {
            let files: Vec<String> = changes.iter().map(|one| one.path.to_string()).collect();
            let files = files.join(", ");
            let name = self.all.table().name_of(editor);
            self.progress().insert(editor, EditorProgress::Asked);
            let _asked = self.all.ask_editor(name.clone());
            self.await_planned(editor);
            let mut answer = port.apply(changes, title.to_owned());
            match tokio::time::timeout_at(deadline, &mut answer).await {
                Ok(Ok(())) => {
                    self.progress().insert(editor, EditorProgress::Made);
                }
                Ok(Err(why)) => {
                    self.progress().remove(&editor);
                    return Err(format!("{name} did not change {files}: {why}"));
                }
                Err(_) => {
                    let asked = self.targets.iter().filter(|target| target.editor == editor);
                    self.all.await_late(asked.cloned().collect(), answer);
                    let seconds = deadlines.change.as_secs();
                    return Err(format!(
                        "{name} did not answer within {seconds} s whether it changed {files}"
                    ));
                }
            }
        }
        match self.wait_for_planned(deadline.min(Instant::now() + deadlines.tell)).await {
            None => Ok(()),
            Some(target) => {
                let name = self.all.table().name_of(target.editor);
                Err(format!("{name} said that it changed {}, and its text is another one", target.file))
            }
        }
    }

    /// Fails if an editor that should answer at once does not: it may be waiting for this very edit, or would make the change after the
    /// edit was given up.
    async fn greet(&self, editor: u64, port: &dyn EditorPort) -> Result<(), String> {
        let (name, answers) = {
            let table = self.all.table();
            (table.name_of(editor), table.editors.get(&editor).is_some_and(|one| one.abilities.answers))
        };
        let _asked = self.all.ask_editor(name.clone());
        let deadline = self.all.deadlines.greet;
        if !answers || tokio::time::timeout(deadline, port.greet()).await.is_ok() {
            return Ok(());
        }
        Err(format!(
            "{name} does not answer within {} s: it waits for its user or for a program; if it waits for this edit (a command \
             that it runs when it saves a file, say), have it run that in the background or after the save",
            deadline.as_secs()
        ))
    }

    /// Has the buffers of an editor notice their planned texts. An editor's user may type on before it answers.
    fn await_planned(&self, editor: u64) {
        let mut table = self.all.table();
        for target in self.targets.iter().filter(|target| target.editor == editor) {
            if let Some(buffer) = table.buffers.get_mut(&(editor, target.path.clone())) {
                buffer.await_planned(&target.after);
            }
        }
    }

    /// Waits until all buffers have had their planned texts; returns one that has not in time.
    async fn wait_for_planned(&self, deadline: Instant) -> Option<&BufferTarget> {
        let mut told = self.all.told.subscribe();
        loop {
            told.mark_unchanged();
            let missing = {
                let table = self.all.table();
                self.targets.iter().find(|target| !table.has_had_planned(target))
            };
            let missing = missing?;
            if !matches!(tokio::time::timeout_at(deadline, told.changed()).await, Ok(Ok(()))) {
                return Some(missing);
            }
        }
    }

    /// Fails if the edit may no longer change files: a buffer lost the change, or another one was changed
    /// meanwhile. To be called while no question runs.
    pub(crate) fn check(&self, staged: &StagedEdit) -> Result<(), EditError> {
        let table = self.all.table();
        table.check_made(&self.targets)?;
        table.check_untouched(&staged.touched(), &self.targets)
    }

    /// Has questions see the new texts: to be called while none runs.
    pub(crate) async fn show(&self) {
        self.release();
        self.all.publish_all(self.held.iter().cloned().collect()).await;
    }

    /// Ends the holds of this edit, once.
    fn release(&self) {
        if self.is_released.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut table = self.all.table();
        for file in &self.held {
            if let Entry::Occupied(mut holds) = table.held.entry(file.clone()) {
                *holds.get_mut() -= 1;
                if *holds.get() == 0 {
                    holds.remove();
                }
            }
        }
        for target in &self.targets {
            if let Some(buffer) = table.buffers.get_mut(&(target.editor, target.path.clone())) {
                buffer.end_planned();
            }
        }
    }

    /// Ends the edit after its files are changed: buffers that were saved are so again, by their editors where
    /// they still have the planned text. Returns what editors did not do.
    pub(crate) async fn complete(&self) -> UnsettledBuffers {
        let requests = {
            let mut table = self.all.table();
            let mut requests = Vec::new();
            for target in &self.targets {
                let Some(saved) = &target.saved else { continue };
                let document = (target.editor, target.path.clone());
                let Some(buffer) = table.buffers.get_mut(&document) else {
                    continue;
                };
                buffer.record_file(saved);
                let asked = (buffer.text() == target.after).then_some((document, buffer.version));
                let editor = table.editors.get(&target.editor);
                requests.extend(asked.zip(editor.map(|editor| Arc::clone(&editor.port))));
            }
            requests
        };
        self.show().await;
        let deadline = self.all.deadlines.save;
        let asked = requests.into_iter().map(|((document, version), port)| {
            let answer = port.save(document.1.clone(), version);
            (document, answer)
        });
        let late = format!("it did not answer within {} s", deadline.as_secs());
        let problems = problems_of(asked, Instant::now() + deadline, &late).await;
        // The files have the new texts already; an editor that does not save shows its buffer as changed.
        let name = |((editor, path), why)| format!("{path} in {} ({why})", self.all.table().name_of(editor));
        let not_saved = problems.into_iter().map(name).collect();
        UnsettledBuffers { not_saved, not_reloaded: self.not_reloaded().await }
    }

    /// Whether an editor makes a part of the edit, so that it may keep that part of an edit that fails.
    pub(crate) fn has_targets(&self) -> bool {
        !self.targets.is_empty()
    }

    /// Returns the state of each file of which an editor would keep its part if it were not heard of again.
    pub(crate) fn states_if_kept(&self) -> BTreeMap<RelPath, String> {
        let changed = self.targets.iter().filter(|target| target.before != target.after);
        let state = |target: &BufferTarget| {
            let editor = self.all.table().name_of(target.editor);
            (target.file.clone(), format!("may have the change in {editor}, unsaved"))
        };
        changed.map(state).collect()
    }

    /// Has the editors take their changes back. Returns what could not be taken back.
    pub(crate) async fn take_back(&self) -> KeptChanges {
        let deadline = Instant::now() + self.all.deadlines.change;
        for (editor, (port, changes)) in self.requests(|target| (&target.after, &target.before)) {
            let _asked = self.all.ask_editor(self.all.table().name_of(editor));
            let _ =
                tokio::time::timeout_at(deadline, port.apply(changes, "take back an edit".to_owned())).await;
        }
        let has_change = |target: &&BufferTarget| {
            target.before != target.after && self.all.table().has(target, &target.after)
        };
        let mut told = self.all.told.subscribe();
        let deadline = Instant::now() + self.all.deadlines.tell;
        while self.targets.iter().any(|target| has_change(&target))
            && matches!(tokio::time::timeout_at(deadline, told.changed()).await, Ok(Ok(())))
        {}
        let may_have_change = |target: &&BufferTarget| {
            let progress = self.progress().get(&target.editor).copied();
            let is_known = || {
                let table = self.all.table();
                let buffer = table.buffers.get(&(target.editor, target.path.clone()));
                // A document that was closed took the change with it.
                let is_closed = buffer.is_none() && table.editors.contains_key(&target.editor);
                is_closed || table.has(target, &target.before)
            };
            target.before != target.after
                && !has_change(target)
                && match progress {
                    None => false,
                    // It may still make the change.
                    Some(EditorProgress::Asked) => true,
                    Some(EditorProgress::Made) => !is_known(),
                }
        };
        let name =
            |target: &BufferTarget| format!("{} in {}", target.file, self.all.table().name_of(target.editor));
        let left: Vec<String> = self.targets.iter().filter(has_change).map(name).collect();
        let state = |target: &BufferTarget| {
            let editor = self.all.table().name_of(target.editor);
            (target.file.clone(), format!("has the change in {editor}, unsaved"))
        };
        let files = self.targets.iter().filter(has_change).map(state).collect();
        let doubtful: Vec<String> = self.targets.iter().filter(may_have_change).map(name).collect();
        self.show().await;
        let mut told = Vec::new();
        if !left.is_empty() {
            told.push(format!("not taken back, undo it there: the unsaved change of {}", left.join(", ")));
        }
        if !doubtful.is_empty() {
            let doubtful = doubtful.join(", ");
            told.push(format!("may still have or make the change, look there and undo it: {doubtful}"));
        }
        KeptChanges { told: (!told.is_empty()).then(|| told.join("; ")), files }
    }

    fn progress(&self) -> MutexGuard<'_, BTreeMap<u64, EditorProgress>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AgreedBuffers {
    fn drop(&mut self) {
        self.release();
        self.end_reloads();
    }
}

/// Whether the requests contain the change of this buffer. They do not if the buffer now has another text.
fn is_asked_for(target: &BufferTarget, requests: &EditorChanges) -> bool {
    let is_of = |(_, documents): &(Arc<dyn EditorPort>, Vec<DocumentChanges>)| {
        documents.iter().any(|document| document.path == target.path)
    };
    requests.get(&target.editor).is_some_and(is_of)
}
