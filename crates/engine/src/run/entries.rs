//! The index's entries: put, replaced and removed, each with the news for those who follow changes.

use std::sync::Arc;

use super::Run;
use crate::{OnChange, OutlinedFile};
use symd_base::RelPath;
use symd_index::{Content, FileEntry, Origin};
use symd_vfs::Change;

impl Run {
    /// Adds outlines of files that have no grammar. Each file is scanned once more: it may have changed
    /// since, and the scan that found this may be over.
    pub(super) fn outlined(&mut self, files: Vec<OutlinedFile>) {
        let mut taken = Vec::new();
        for OutlinedFile { path, hash, stat, fingerprint, outline } in files {
            let Some(old) = self.state.file(&path) else { continue };
            if matches!(&old.content, Content::Code { origin: Origin::Grammar(_), .. }) {
                continue;
            }
            let content =
                Content::Code { origin: Origin::Server(fingerprint), hash, stat, outline: outline.into() };
            let entry = Arc::new(FileEntry { path: path.clone(), content });
            self.changes += 1;
            self.unstored += 1;
            self.tally.remove(old);
            self.tally.add(&entry);
            self.state.put(entry);
            taken.push(path);
        }
        self.scan_paths(taken);
    }

    pub(super) fn replace_entry(&mut self, entry: Arc<FileEntry>) {
        self.changes += 1;
        let change = self.state.file(&entry.path).map_or(Some(Change::Created), |old| {
            self.tally.remove(old);
            (!old.same_text(&entry)).then_some(Change::Written)
        });
        if let Some(change) = change {
            self.notify(&entry.path, change);
        }
        self.tally.add(&entry);
        if self.scanner.parsers.store_parses() {
            self.ahead.note(&entry);
        }
        self.state.put(entry);
    }

    pub(super) fn notify(&self, path: &RelPath, change: Change) {
        if let Some(OnChange(tell)) = self.on_change.as_ref().filter(|_| self.crawled) {
            tell(path, change);
        }
    }

    pub(super) fn remove(&mut self, path: &RelPath) {
        self.removals += 1;
        if let Some(old) = self.state.file(path) {
            self.changes += 1;
            self.tally.remove(old);
            self.state.remove(path);
            self.trials.end(path);
            self.links.remove(path);
            self.notify(path, Change::Deleted);
        }
    }
}
