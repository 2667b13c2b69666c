//! Names that are hard links of one file. Invariant: what is written through one name is read through all.

use std::collections::HashSet;
use std::sync::Arc;

use super::Run;
use symd_base::RelPath;
use symd_index::FileEntry;
use symd_vfs::{FileId, Stat};

impl Run {
    /// Records which file `path` names. Returns that file if an earlier scan may have found another name of
    /// it as its only one. `is_new` tells whether the index did not have `path` before; it is asked for few files.
    pub(super) fn note_link(
        &mut self,
        path: &RelPath,
        stat: Option<Stat>,
        is_new: impl FnOnce(&Run) -> bool,
    ) -> Option<FileId> {
        // Without links the file could not be examined, and must not be taken for a real file.
        let Some(stat) = stat.filter(|stat| stat.links > 0) else {
            self.links.remove(path);
            return None;
        };
        let file = stat.id();
        // Files without an extension are recorded too: the first line decides whether they are code. If
        // another name appears later, the index has no state by which to find this one.
        if stat.links > 1 || path.extension().is_none() {
            let is_first = self.links.add(path, file);
            self.scan_older_names(path, &stat, is_new);
            return (is_first && stat.links > 1).then_some(file);
        }
        self.links.remove(path);
        // Another name appeared while this scan was in progress, or was removed since.
        let others = self.links.names(file);
        if others.is_empty() {
            return None;
        }
        self.scan_paths(others);
        Some(file)
    }

    /// Rescans the names of a file that were read before it changed. During a crawl a write through a name in a directory that is not
    /// watched yet is told for no name, and the names have been read one after another.
    fn scan_older_names(&mut self, path: &RelPath, stat: &Stat, is_new: impl FnOnce(&Run) -> bool) {
        let others = self.links.others(path);
        if others.is_empty() {
            return;
        }
        let is_new = is_new(self);
        // Unsaved texts have times that say nothing about the file's.
        let changed_at = |name: &RelPath| {
            let known = self.state.file(name).and_then(|entry| entry.stat());
            known.map(|known| known.ctime).filter(|&ctime| ctime > 0 && stat.ctime > 0)
        };
        let mut older = Vec::new();
        for name in others {
            match changed_at(&name) {
                Some(ctime) if ctime < stat.ctime && !self.pending.is_scanned(&name) => older.push(name),
                // Only once: it must end where a file system tells different times for the names of a file.
                Some(ctime) if ctime > stat.ctime && is_new && !older.contains(path) => {
                    older.push(path.clone());
                }
                _ => {}
            }
        }
        self.scan_paths(older);
    }

    /// Rescans the files for which the index has a name that is not recorded.
    pub(super) fn scan_all_names(&mut self, files: &HashSet<FileId>) {
        if files.is_empty() {
            return;
        }
        let is_not_noted = |entry: &&Arc<FileEntry>| {
            let file = entry.stat().map(|stat| stat.id());
            file.is_some_and(|file| files.contains(&file) && !self.links.is_name(&entry.path, file))
        };
        let paths =
            self.state.snapshot().files.iter().filter(is_not_noted).map(|entry| entry.path.clone()).collect();
        self.scan_paths(paths);
    }
}
