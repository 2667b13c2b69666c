//! Editors that answer after the edit that asked them has failed: what they changed then is taken back in them. A
//! text that is not the one that was planned is the user's by then, and is left alone.

use std::sync::Arc;

use super::Buffers;
use super::buffer_changes::{DIFF_DEADLINE, changes_between};
use super::concerned_buffers::BufferTarget;
use super::port::{DocumentChanges, EditorAnswer};

impl Buffers {
    /// Awaits the answer of an editor that was asked to change these buffers, for as long as it is there.
    pub(super) fn await_late(self: &Arc<Buffers>, targets: Vec<BufferTarget>, answer: EditorAnswer) {
        let all = Arc::clone(self);
        tokio::spawn(async move {
            if answer.await.is_err() {
                return;
            }
            // Not beside another edit, which may have been planned for the changed text.
            let _turn = Arc::clone(&all.edits).lock_owned().await;
            for target in &targets {
                all.take_back_late(target).await;
            }
        });
    }

    async fn take_back_late(&self, target: &BufferTarget) {
        let mut told = self.told.subscribe();
        let deadline = tokio::time::Instant::now() + self.deadlines.tell;
        while !self.table().has(target, &target.after)
            && matches!(tokio::time::timeout_at(deadline, told.changed()).await, Ok(Ok(())))
        {}
        let (from, to) = (target.after.as_str(), target.before.as_str());
        let changes = changes_between(from, to, DIFF_DEADLINE);
        let Some((version, port)) = self.table().version_of(target, from) else { return };
        tracing::warn!(file = %target.file, "an editor made the change of an edit that had failed; it is taken back");
        let change = DocumentChanges { path: target.path.clone(), version, changes };
        let back = port.apply(vec![change], "take back an edit that came late".to_owned());
        // An editor that does not take it back keeps it as a change of its user's.
        let _ = tokio::time::timeout(self.deadlines.change, back).await;
    }
}
