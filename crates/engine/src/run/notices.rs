//! What the watcher reports, applied to the index: files that changed, listings of directories, what is gone. Invariant: a listing is whole, so
//! what is not in it is gone.

use std::sync::Arc;

use super::Run;
use symd_base::RelPath;
use symd_index::{Content, FileEntry};
use symd_resolve::GradleModules;
use symd_vfs::{Change, EntryKind, Stat};
use symd_watch::Notice;

impl Run {
    pub(super) fn noticed(&mut self, notice: Notice) {
        match notice {
            Notice::Listed { directory, files, states, directories } => {
                self.state.record_listed(&directory);
                self.listed(&directory, (files, states), &directories);
            }
            Notice::Unlisted { directory, why } => {
                self.listed(&directory, (Vec::new(), Vec::new()), &[]);
                self.state.record_unlisted(directory, why);
            }
            Notice::Changed(path) => self.changed(path),
            Notice::Removed(path) => {
                self.caches.plain.changed_within(&path);
                self.remove_within(&path);
            }
            Notice::Crawled => self.crawled = true,
            Notice::Barrier(number) => self.barrier_arrived(number),
            Notice::RootGone => self.unwatched(),
        }
    }

    /// Scans a file that was written, or whose unsaved text was set or removed.
    pub(super) fn changed(&mut self, path: RelPath) {
        self.caches.plain.changed(&path);
        // For a plain file a scan finds nothing new, since its content is never read.
        if self.state.file(&path).is_some_and(|known| matches!(known.content, Content::Plain)) {
            self.notify(&path, Change::Written);
        }
        let mut paths = self.links.others(&path);
        paths.push(path);
        let is_read = |path: &RelPath| {
            self.state.file(path).is_some_and(|known| matches!(known.content, Content::Code { .. }))
        };
        if paths.iter().any(|path| GradleModules::may_read(path) && !is_read(path)) {
            self.build_changes += 1;
        }
        // What was changed last is asked about next.
        self.scan_changed(paths, |pool, scan| pool.urgent_background(scan));
    }

    /// Applies the complete listing of a directory: removes what is not in it, and scans what is and is not as it was recorded.
    fn listed(
        &mut self,
        directory: &RelPath,
        (files, states): (Vec<RelPath>, Vec<Option<Stat>>),
        directories: &[RelPath],
    ) {
        self.caches.plain.changed_within(directory);
        let is_gone = |path: &RelPath| !is_listed(directory, path, &files, directories);
        let gone = self.known_within(directory, is_gone);
        self.state.forget_unlisted(directory, is_gone);
        // Includes files not in the index yet, whose scan began before they were removed or ignored.
        self.pending.outdate(directory, is_gone);
        self.remove_unless_unsaved(gone);
        let (mut found, mut changed) = (Vec::new(), Vec::new());
        for (path, state) in files.into_iter().zip(states.into_iter().chain(std::iter::repeat(None))) {
            if self.is_plain_by_name(&path) {
                self.replace_entry(Arc::new(FileEntry { path, content: Content::Plain }));
            } else if let Some(stored) = state.and_then(|state| self.as_recorded(&path, &state)) {
                found.push(stored);
            } else {
                changed.push(path);
            }
        }
        changed.extend(self.take_recorded(found));
        self.scan_paths(changed);
    }

    /// Reports whether a listed file is new, and its name alone says that it is not parsed.
    fn is_plain_by_name(&self, path: &RelPath) -> bool {
        !self.scanner.may_be_code_by_name(path)
            && self.state.file(path).is_none()
            && !self.pending.is_scanned(path)
    }

    fn remove_within(&mut self, path: &RelPath) {
        let gone = self.known_within(path, |_| true);
        self.pending.removed(path);
        self.state.forget_unlisted(path, |_| true);
        self.remove_unless_unsaved(gone);
    }

    /// Returns the files at or beneath `directory` for which `is_meant` holds: those of the index, and those whose first
    /// scan is in progress.
    fn known_within(&self, directory: &RelPath, is_meant: impl Fn(&RelPath) -> bool) -> Vec<RelPath> {
        let listed = self.state.within(directory).map(|file| &file.path);
        let scanned = self.pending.scanned_within(directory).filter(|path| self.state.file(path).is_none());
        listed.chain(scanned).filter(|path| is_meant(path)).cloned().collect()
    }

    /// Removes files that are gone. Where an editor has an unsaved text, a scan decides: that text may outlast its file.
    fn remove_unless_unsaved(&mut self, gone: Vec<RelPath>) {
        let may_stay = |path: &RelPath| {
            self.scanner.files.is_unsaved(path) && !self.ignore.is_ignored(path, EntryKind::File)
        };
        let (unsaved, gone): (Vec<RelPath>, Vec<RelPath>) = gone.into_iter().partition(may_stay);
        gone.iter().for_each(|path| self.remove(path));
        if !unsaved.is_empty() {
            self.scan_paths(unsaved);
        }
    }
}

/// Reports whether `path`, which lies beneath `directory`, is in its listing or beneath a directory that is.
fn is_listed(directory: &RelPath, path: &RelPath, files: &[RelPath], directories: &[RelPath]) -> bool {
    let skip = if directory.is_root() { 0 } else { directory.as_str().len() + 1 };
    // A file whose path is now that of the directory is in no listing.
    let Some(rest) = path.as_str().get(skip..) else { return false };
    match rest.find('/') {
        None => files.binary_search(path).is_ok(),
        Some(slash) => {
            directories.binary_search_by(|known| known.as_str().cmp(&path.as_str()[..skip + slash])).is_ok()
        }
    }
}
