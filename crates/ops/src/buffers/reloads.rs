//! Saved buffers of files that an edit changes on the disk, in editors that read a changed file again by themselves, on
//! request, or not at all. An edit is whole without them: the wait for them is bounded, and the answer names the buffers that have not read the file.

use std::collections::BTreeMap;

use symd_base::RelPath;
use tokio::time::Instant;

use super::BufferTable;
use super::agreement::AgreedBuffers;
use super::port::{DocumentKey, EditorAnswer, problems_of};

/// A buffer whose editor is to read its file again.
#[derive(Debug)]
pub(super) struct AwaitedReload {
    pub(super) editor: u64,
    /// The path by which the editor knows the document.
    pub(super) path: RelPath,
    /// The text of the changed file, as the editor counts it; `None` if symd does not know the file's encoding: then the
    /// editor's answer tells whether it has read it.
    pub(super) after: Option<String>,
    /// Whether the buffer had the file's text before the edit. Another one has not read an earlier change either, and
    /// is not waited for again.
    pub(super) is_current: bool,
}

impl AwaitedReload {
    /// Returns what identifies the buffer.
    fn key(&self) -> DocumentKey {
        (self.editor, self.path.clone())
    }
}

/// Why editors that were asked to read files again did not.
type ReloadProblems = BTreeMap<DocumentKey, String>;

impl BufferTable {
    /// Whether a buffer has had the file's new text. One that was closed shows no old text.
    fn has_reloaded(&self, awaited: &AwaitedReload, problems: &ReloadProblems) -> bool {
        let Some(buffer) = self.buffers.get(&awaited.key()) else { return true };
        match &awaited.after {
            Some(after) => buffer.text() == after || buffer.has_seen_planned(),
            None => !problems.contains_key(&awaited.key()),
        }
    }

    /// Returns the names of the buffers that have not read their files again, each once until it has.
    fn named_behind(&mut self, missing: &[&AwaitedReload], problems: &ReloadProblems) -> Vec<String> {
        let mut names = Vec::new();
        for awaited in missing {
            let editor = self.name_of(awaited.editor);
            let Some(buffer) = self.buffers.get_mut(&awaited.key()) else {
                continue;
            };
            let was_named = std::mem::replace(&mut buffer.is_named_behind, true);
            if awaited.is_current || !was_named {
                let why = problems.get(&awaited.key()).map(|why| format!(" ({why})"));
                names.push(format!("{} in {editor}{}", awaited.path, why.unwrap_or_default()));
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
            if let Some(after) = &awaited.after
                && let Some(buffer) = table.buffers.get_mut(&awaited.key())
            {
                buffer.await_planned(after);
            }
        }
    }

    pub(super) fn end_reloads(&self) {
        let mut table = self.all.table();
        for awaited in &self.reloads {
            if let Some(buffer) = table.buffers.get_mut(&awaited.key()) {
                buffer.end_planned();
            }
        }
    }

    /// Asks the editors that do so on request to read the changed files again. Each document is a request of its own and all
    /// are sent at once, so an answer is about one document and a slow editor delays no other.
    async fn ask_reloads(&self, deadline: Instant) -> ReloadProblems {
        let asked: Vec<(DocumentKey, EditorAnswer)> = {
            let table = self.all.table();
            let ask = |awaited: &AwaitedReload| {
                let editor = table.editors.get(&awaited.editor).filter(|editor| editor.abilities.reloads)?;
                Some((awaited.key(), editor.port.reload(awaited.path.clone())))
            };
            self.reloads.iter().filter_map(ask).collect()
        };
        problems_of(asked, deadline, "it did not answer in time").await
    }

    /// Waits until the editors have read the changed files again; returns the documents that they have not in time, without
    /// those that an answer has named before.
    pub(super) async fn not_reloaded(&self) -> Vec<String> {
        let mut told = self.all.told.subscribe();
        let deadline = Instant::now() + self.all.deadlines.reload;
        let problems = self.ask_reloads(deadline).await;
        let mut is_over = false;
        loop {
            told.mark_unchanged();
            let missing: Vec<&AwaitedReload> = {
                let table = self.all.table();
                self.reloads.iter().filter(|awaited| !table.has_reloaded(awaited, &problems)).collect()
            };
            // Nothing more is told of a text that symd cannot compare.
            if is_over || !missing.iter().any(|one| one.is_current && one.after.is_some()) {
                return self.all.table().named_behind(&missing, &problems);
            }
            is_over = !matches!(tokio::time::timeout_at(deadline, told.changed()).await, Ok(Ok(())));
        }
    }
}
