//! The project's files as a question's view sees them.

use symd_base::RelPath;
use symd_engine::View;
use symd_files::tree::Tree;
use symd_vfs::EntryKind;

pub trait ViewTree {
    /// Runs `work` on the project's files as this view sees them.
    fn tree<T>(&self, work: impl FnOnce(&Tree<'_>) -> T) -> T;

    /// Same as [`ViewTree::tree`], but no path that a client names is rejected for being ignored. The list of
    /// files is the same.
    fn whole_tree<T>(&self, work: impl FnOnce(&Tree<'_>) -> T) -> T;
}

impl ViewTree for View {
    fn tree<T>(&self, work: impl FnOnce(&Tree<'_>) -> T) -> T {
        tree_without(self, &|path, kind| self.is_ignored(path, kind), work)
    }

    fn whole_tree<T>(&self, work: impl FnOnce(&Tree<'_>) -> T) -> T {
        tree_without(self, &|_, _| false, work)
    }
}

fn tree_without<T>(
    view: &View,
    ignored: &(dyn Fn(&RelPath, EntryKind) -> bool + Sync),
    work: impl FnOnce(&Tree<'_>) -> T,
) -> T {
    let program = view.parsers.program();
    let is_code = |path: &RelPath| view.languages.language_of(path).is_some();
    work(&Tree { files: &*view.files, listed: &view.snapshot.files, ignored, is_code: &is_code, program })
}
