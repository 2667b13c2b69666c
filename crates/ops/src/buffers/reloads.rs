//! Saved buffers of files that an edit changes on the disk, in editors that read a changed file again by themselves, or do
//! not. An edit is whole without them: the wait for them is bounded, and the answer names the buffers that have not read the file.

use symd_base::RelPath;
use tokio::time::Instant;

use super::BufferTable;
use super::agreement::AgreedBuffers;

/// A buffer whose editor is to read its file again.
#[derive(Debug)]
pub(super) struct AwaitedReload {
    pub(super) editor: u64,
    /// The path by which the editor knows the document.
    pub(super) path: RelPath,
    /// The text of the changed file, as the editor counts it.
    pub(super) after: String,
    /// Whether the buffer had the file's text before the edit. Another one has not read an earlier change either, and
    /// is not waited for again.
    pub(super) is_current: bool,
}

impl BufferTable {
    /// Whether a buffer has had the file's new text. One that was closed shows no old text.
    fn has_reloaded(&self, awaited: &AwaitedReload) -> bool {
        let buffer = self.buffers.get(&(awaited.editor, awaited.path.clone()));
        buffer.is_none_or(|buffer| buffer.text() == awaited.after || buffer.has_seen_planned())
    }

    /// Returns the names of the buffers that have not read their files again, each once until it has.
    fn named_behind(&mut self, missing: &[&AwaitedReload]) -> Vec<String> {
        let mut names = Vec::new();
        for awaited in missing {
            let editor = self.name_of(awaited.editor);
            let Some(buffer) = self.buffers.get_mut(&(awaited.editor, awaited.path.clone())) else {
                continue;
            };
            let was_named = std::mem::replace(&mut buffer.is_named_behind, true);
            if awaited.is_current || !was_named {
                names.push(format!("{} in {editor}", awaited.path));
            }
        }
        names
    }
}

impl AgreedBuffers {
    /// Has the buffers notice the new texts of their files: a user may type on at once.
    pub(super) fn await_reloads(&self) {
        let mut table = self.all.table();
        for awaited in &self.reloads {
            if let Some(buffer) = table.buffers.get_mut(&(awaited.editor, awaited.path.clone())) {
                buffer.await_planned(&awaited.after);
            }
        }
    }

    pub(super) fn end_reloads(&self) {
        let mut table = self.all.table();
        for awaited in &self.reloads {
            if let Some(buffer) = table.buffers.get_mut(&(awaited.editor, awaited.path.clone())) {
                buffer.end_planned();
            }
        }
    }

    /// Waits until the editors have read the changed files again; returns the documents that they have not in time, without
    /// those that an answer has named before.
    pub(super) async fn not_reloaded(&self) -> Vec<String> {
        let mut told = self.all.told.subscribe();
        let deadline = Instant::now() + self.all.deadlines.reload;
        let mut is_over = false;
        loop {
            told.mark_unchanged();
            let missing: Vec<&AwaitedReload> = {
                let table = self.all.table();
                self.reloads.iter().filter(|awaited| !table.has_reloaded(awaited)).collect()
            };
            if is_over || !missing.iter().any(|one| one.is_current) {
                return self.all.table().named_behind(&missing);
            }
            is_over = !matches!(tokio::time::timeout_at(deadline, told.changed()).await, Ok(Ok(())));
        }
    }
}
