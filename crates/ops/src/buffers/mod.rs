//! The documents that editors have open, of all editors of a project. A buffer whose text differs from what was
//! saved is laid over its file, for every question ([`Engine::set_unsaved`]). Invariants: what an editor had
//! open is forgotten when it is gone; of several texts of one file the one that changed last is shown; one text
//! after the other is laid over a file, in the order of the changes.

mod agreement;
mod buffer_changes;
mod concerned_buffers;
mod deadlines;
mod editors_present;
mod late_answers;
mod open_buffer;
mod port;
mod reloads;
mod settled_conflicts;
mod turn;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use symd_base::RelPath;
use symd_edit::{Applied, Originator, UnsavedParts};
use symd_engine::{Engine, EngineError};
use symd_vfs::{Root, VfsError};
use tokio::sync::watch;
use tokio::time::Instant;

pub(crate) use agreement::{AgreedBuffers, Disagreement, KeptChanges, UnsettledBuffers};
pub use deadlines::EditorDeadlines;
pub use editors_present::SilentEditor;
use open_buffer::OpenBuffer;
pub use open_buffer::{BufferChange, LostBuffer};
pub use port::{BufferAbilities, DocumentChanges, EditNotice, EditorAnswer, EditorPort};

/// The open documents of a project.
#[derive(Debug)]
pub struct Buffers {
    engine: Engine,
    /// The files as they are on the disk.
    disk: Arc<Root>,
    table: Mutex<BufferTable>,
    /// Held while a text is laid over its file, so that a later one cannot come first.
    order: tokio::sync::Mutex<()>,
    /// Held by an edit from its staging until its buffers count as saved.
    edits: Arc<tokio::sync::Mutex<()>>,
    /// The directory in which the processes of editors are present that have files of this project.
    presences: PathBuf,
    /// What was not saved of edits, to be told what becomes of the texts.
    unsaved_parts: Arc<UnsavedParts>,
    /// Changed whenever an editor told of a document.
    told: watch::Sender<()>,
    /// The present processes that have not told of their documents, with the time when a question first waited for each.
    awaited: Mutex<BTreeMap<String, Instant>>,
    /// The editor whose answer an edit waits for.
    asked_editor: watch::Sender<Option<String>>,
    deadlines: EditorDeadlines,
}

#[derive(Debug, Default)]
struct BufferTable {
    /// By the editor's number and the path by which it knows the document.
    buffers: BTreeMap<(u64, RelPath), OpenBuffer>,
    editors: BTreeMap<u64, AttachedEditor>,
    /// Files of which questions see no new text, because edits are being made, with the number of these.
    held: BTreeMap<RelPath, usize>,
    /// Number of editors and of changes so far.
    last_editor: u64,
    changes: u64,
    /// Number of texts laid over files and taken away so far.
    published: i64,
}

impl BufferTable {
    /// Records that a buffer is gone, if it was the last one with an unsaved text of its file.
    fn record_closed(&self, closed: &OpenBuffer, parts: &UnsavedParts) {
        let is_left = |other: &OpenBuffer| other.file == closed.file && other.is_dirty();
        if closed.is_dirty() && !self.buffers.values().any(is_left) {
            parts.record_closed(&closed.file);
        }
    }
}

/// An editor that is connected.
#[derive(Debug)]
struct AttachedEditor {
    name: String,
    abilities: BufferAbilities,
    port: Arc<dyn EditorPort>,
    /// The name of its process among those that are present, once it has told of all its documents.
    has_told_as: Option<String>,
}

/// What is known of a file in editors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferState {
    /// The editors that have unsaved changes of it.
    pub dirty_in: Vec<String>,
    /// Whether open buffers of it have different texts, one of them unsaved.
    pub differs: bool,
}

impl Buffers {
    /// Returns an empty set. `disk` is the root without unsaved texts.
    /// `presences` is the directory in which the editors' processes are present.
    pub fn new(
        engine: Engine,
        disk: Arc<Root>,
        unsaved_parts: Arc<UnsavedParts>,
        presences: PathBuf,
        deadlines: EditorDeadlines,
    ) -> Arc<Buffers> {
        let (table, order, edits) = (Mutex::default(), tokio::sync::Mutex::default(), Arc::default());
        let (told, asked_editor) = (watch::Sender::new(()), watch::Sender::new(None));
        Arc::new(Buffers {
            engine,
            disk,
            table,
            order,
            edits,
            presences,
            unsaved_parts,
            told,
            awaited: Mutex::default(),
            asked_editor,
            deadlines,
        })
    }

    /// Adds an editor. Its documents are kept until [`EditorBuffers::detach`], or until the value is dropped.
    pub fn attach(
        self: &Arc<Buffers>,
        editor: &str,
        abilities: BufferAbilities,
        port: Arc<dyn EditorPort>,
    ) -> EditorBuffers {
        let mut table = self.table();
        table.last_editor += 1;
        let number = table.last_editor;
        table
            .editors
            .insert(number, AttachedEditor { name: editor.to_owned(), abilities, port, has_told_as: None });
        EditorBuffers { all: Arc::clone(self), number, is_detached: false }
    }

    /// Returns the names of the connected editors, longest connected first.
    pub fn editors(&self) -> Vec<String> {
        self.table().editors.values().map(|editor| editor.name.clone()).collect()
    }

    /// Returns what editors have of `file`, a path without links.
    pub fn state(&self, file: &RelPath) -> BufferState {
        let table = self.table();
        let of_file = || table.buffers.iter().filter(|(_, buffer)| buffer.file == *file);
        let dirty = of_file().filter(|(_, buffer)| !buffer.is_lost && buffer.is_dirty());
        let dirty_in: Vec<String> =
            dirty.filter_map(|((editor, _), _)| Some(table.editors.get(editor)?.name.clone())).collect();
        let mut texts = of_file().map(|(_, buffer)| buffer.seen());
        let first = texts.next();
        let differs = !dirty_in.is_empty() && texts.any(|text| Some(text) != first);
        BufferState { dirty_in, differs }
    }

    /// Whether the editor of that name has unsaved changes of the document that it knows as `path`.
    pub(crate) fn is_unsaved_in(&self, editor: &str, path: &RelPath) -> bool {
        let table = self.table();
        let is_of = |number: &u64| table.editors.get(number).is_some_and(|one| one.name == editor);
        table
            .buffers
            .iter()
            .any(|((number, known), buffer)| known == path && is_of(number) && buffer.is_dirty())
    }

    /// Tells each editor, but the one that made the edit, which of its open files an edit changed.
    pub(crate) fn tell_edit(&self, applied: &Applied, by: &Originator) {
        let Some(operation) = applied.id else { return };
        let table = self.table();
        for (number, editor) in table.editors.iter().filter(|(_, editor)| editor.name != by.who) {
            let is_changed = |file: &RelPath| applied.files.iter().any(|change| change.path == *file);
            let open =
                table.buffers.iter().filter(|((of, _), buffer)| of == number && is_changed(&buffer.file));
            let files: Vec<RelPath> = open.map(|((_, path), _)| path.clone()).collect();
            if !files.is_empty() {
                let (by, title) = (by.who.clone(), by.title.clone());
                editor.port.tell_edit(EditNotice { by, title, operation, files });
            }
        }
    }

    /// Whether `file` is gone from the disk, so that an unsaved text of it is all there is.
    pub fn is_file_gone(&self, file: &RelPath) -> bool {
        matches!(self.disk.stat_link(file), Err(VfsError::NotFound { .. }))
    }

    fn table(&self) -> MutexGuard<'_, BufferTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lays the text over `file` that is to be shown, or takes it away.
    async fn publish(&self, file: &RelPath) -> Result<(), EngineError> {
        self.told.send_replace(());
        let _turn = self.order.lock().await;
        let (number, text) = {
            let mut table = self.table();
            if table.held.contains_key(file) {
                return Ok(());
            }
            table.published += 1;
            let newest = table
                .buffers
                .values()
                .filter(|buffer| buffer.file == *file && !buffer.is_lost && buffer.is_dirty())
                .max_by_key(|buffer| buffer.change);
            (table.published, newest.map(|buffer| (buffer.seen().into_owned(), buffer.origin())))
        };
        if let Some((text, _)) = &text {
            self.unsaved_parts.record_text(file, text);
        }
        let laid = match text {
            Some((text, origin)) => self.engine.set_unsaved(file.clone(), number, &text, origin).await,
            None => self.engine.remove_unsaved(file.clone()).await,
        };
        // Only now the text is seen.
        self.told.send_replace(());
        laid
    }

    fn remove_editor(&self, editor: u64) -> Vec<RelPath> {
        let mut table = self.table();
        table.editors.remove(&editor);
        let gone = table.buffers.extract_if(.., |(of, _), _| *of == editor);
        let gone: Vec<OpenBuffer> = gone.map(|(_, buffer)| buffer).collect();
        for buffer in &gone {
            table.record_closed(buffer, &self.unsaved_parts);
        }
        let mut files: Vec<RelPath> = gone.into_iter().map(|buffer| buffer.file).collect();
        files.dedup();
        files
    }

    async fn publish_all(&self, files: Vec<RelPath>) {
        for file in files {
            // The engine has ended: no question will see anything.
            let _ = self.publish(&file).await;
        }
    }
}

/// The documents of one editor.
#[derive(Debug)]
pub struct EditorBuffers {
    all: Arc<Buffers>,
    number: u64,
    is_detached: bool,
}

impl EditorBuffers {
    /// Adds a document, or replaces it. `path` may lead through links. A document outside the project is ignored, which is
    /// no error.
    pub async fn open(&self, path: RelPath, version: i64, text: String) -> Result<(), EngineError> {
        let (disk, asked) = (Arc::clone(&self.all.disk), path.clone());
        let read = tokio::task::spawn_blocking(move || {
            let file = disk.resolve(&asked).unwrap_or(asked);
            let content = disk.read(&file).ok();
            (file, content)
        });
        let Ok((file, content)) = read.await else { return Ok(()) };
        let mut buffer = OpenBuffer::new(file.clone(), (version, text), content);
        let replaced = {
            let mut table = self.all.table();
            table.changes += 1;
            buffer.change = table.changes;
            let key = (self.number, path);
            if let Some(replaced) = table.buffers.get(&key) {
                buffer.inherit(replaced);
            }
            let is_saved = !buffer.is_dirty();
            let replaced = table.buffers.insert(key, buffer);
            // The editor sends the text whole that it has saved.
            let was_unsaved = |one: &OpenBuffer| one.file == file && one.is_dirty();
            if is_saved && replaced.as_ref().is_some_and(was_unsaved) {
                self.all.unsaved_parts.record_saved(&file);
            }
            replaced
        };
        if let Some(replaced) = replaced.filter(|replaced| replaced.file != file) {
            self.all.publish(&replaced.file).await?;
        }
        self.all.publish(&file).await
    }

    /// Changes a document; `length` is that of the whole text afterwards, in bytes. Returns whether the
    /// document's text is known now: if not, it must be opened again, and until then no text of it is shown.
    pub async fn change(
        &self,
        path: &RelPath,
        version: i64,
        changes: &[BufferChange],
        length: usize,
    ) -> Result<bool, EngineError> {
        let (changed, file) = {
            let mut table = self.all.table();
            table.changes += 1;
            let number = table.changes;
            let Some(buffer) = table.buffers.get_mut(&(self.number, path.clone())) else { return Ok(false) };
            if buffer.is_lost {
                return Ok(false);
            }
            (buffer.version, buffer.change) = (version, number);
            (buffer.change(changes, length), buffer.file.clone())
        };
        if changed.is_ok() {
            self.compare(path).await;
        }
        self.all.publish(&file).await?;
        Ok(changed.is_ok())
    }

    /// Records that the editor has told of all documents that it had open when it connected. `presence` is the
    /// name under which its process is present.
    pub fn record_told(&self, presence: String) {
        if let Some(editor) = self.all.table().editors.get_mut(&self.number) {
            editor.has_told_as = Some(presence);
        }
        self.all.told.send_replace(());
    }

    /// Records that the editor saved a document.
    pub async fn save(&self, path: &RelPath) -> Result<(), EngineError> {
        let file =
            self.all.table().buffers.get(&(self.number, path.clone())).map(|buffer| buffer.file.clone());
        let Some(file) = file else { return Ok(()) };
        let disk = Arc::clone(&self.all.disk);
        let read = tokio::task::spawn_blocking(move || disk.read(&file).ok());
        let on_disk = read.await.unwrap_or_default();
        let parts = Arc::clone(&self.all.unsaved_parts);
        self.update(path, |buffer| {
            buffer.record_save(on_disk);
            if !buffer.is_dirty() {
                parts.record_saved(&buffer.file);
            }
        })
        .await
    }

    /// Compares a changed text that would be unsaved with its file: the editor may have read it again.
    async fn compare(&self, path: &RelPath) {
        let key = (self.number, path.clone());
        let asked = self.all.table().buffers.get(&key).filter(|buffer| buffer.is_dirty()).map(|buffer| {
            let (disk, file, look) = (Arc::clone(&self.all.disk), buffer.file.clone(), buffer.next_look());
            // Not every keystroke reads the file.
            move || {
                let (_, stat) = disk.stat(&file).ok()?;
                look.is_due(&stat).then(|| disk.read(&file).ok())?
            }
        });
        let Some(asked) = asked else { return };
        if let Ok(Some(read)) = tokio::task::spawn_blocking(asked).await
            && let Some(buffer) = self.all.table().buffers.get_mut(&key)
        {
            buffer.record_if_equal(read);
            if !buffer.is_dirty() {
                self.all.unsaved_parts.record_saved(&buffer.file);
            }
        }
    }

    /// Records that the text of a document is not known, until it is opened again.
    pub async fn lose(&self, path: &RelPath) -> Result<(), EngineError> {
        self.update(path, |buffer| buffer.is_lost = true).await
    }

    async fn update(&self, path: &RelPath, change: impl FnOnce(&mut OpenBuffer)) -> Result<(), EngineError> {
        let file = {
            let mut table = self.all.table();
            let Some(buffer) = table.buffers.get_mut(&(self.number, path.clone())) else { return Ok(()) };
            change(buffer);
            buffer.file.clone()
        };
        self.all.publish(&file).await
    }

    /// Records that the editor renamed a file, or a directory. Its documents are closed and opened again under their
    /// new names, before or after that: what was not saved of edits goes with them.
    pub fn rename(&self, from: &RelPath, to: &RelPath) {
        for file in self.all.unsaved_parts.record_renamed(from, to) {
            let table = self.all.table();
            let of_file = table.buffers.values().filter(|buffer| buffer.file == file && buffer.is_dirty());
            if let Some(newest) = of_file.max_by_key(|buffer| buffer.change) {
                self.all.unsaved_parts.record_text(&file, &newest.seen());
            }
        }
    }

    /// Removes a document.
    pub async fn close(&self, path: &RelPath) -> Result<(), EngineError> {
        let closed = {
            let mut table = self.all.table();
            let closed = table.buffers.remove(&(self.number, path.clone()));
            closed.inspect(|closed| table.record_closed(closed, &self.all.unsaved_parts))
        };
        match closed {
            Some(closed) => self.all.publish(&closed.file).await,
            None => Ok(()),
        }
    }

    /// Removes the editor with its documents. Afterwards every question sees the files.
    pub async fn detach(mut self) {
        self.is_detached = true;
        let files = self.all.remove_editor(self.number);
        self.all.publish_all(files).await;
    }
}

impl Drop for EditorBuffers {
    fn drop(&mut self) {
        if self.is_detached {
            return;
        }
        let files = self.all.remove_editor(self.number);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let all = Arc::clone(&self.all);
            runtime.spawn(async move { all.publish_all(files).await });
        }
    }
}
