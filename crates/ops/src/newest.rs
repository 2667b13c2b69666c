//! Files that match a glob, most recently written first. Invariant: each listed path was a file beneath the
//! directory when it was checked, and links are never followed.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::ControlFlow;

use symd_base::cores;
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_files::glob::Glob;
use symd_files::scope::NamedDirectory;
use symd_files::tree::FileOpError;
use symd_vfs::{Entry, EntryKind, Files, TreeWalk};

/// A directory that is never searched, even if it is not ignored: it is full of third-party code.
const PACKAGES: &str = "node_modules";

/// Files per unit of work for a thread; up to this many are processed on one thread.
const FILES: usize = 256;

/// Which files are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSet {
    /// Files that no ignore rule excludes: those of the index.
    NotIgnored,
    /// All files on the disk, except git's own and those in [`PACKAGES`].
    All,
}

/// A file with the time of its last write, in the order of the answer.
type Dated = (Reverse<i64>, RelPath);

/// Returns the files beneath `directory` that match `glob`, newest first by the time of their last write;
/// files with the same time are in path order.
pub fn newest(
    view: &View,
    directory: &RelPath,
    glob: &Glob,
    among: FileSet,
    cancel: &Cancel,
) -> Result<Vec<RelPath>, FileOpError> {
    let mut dated = match among {
        FileSet::NotIgnored => {
            let scope = NamedDirectory::of(&*view.files, directory)?;
            let files = view.snapshot.files.paths_within(scope.real());
            let fits = |path: &&RelPath| glob.matches(scope.shown(path).as_str()) && !is_of_a_package(path);
            let mut dated = with_dates(view, &files.filter(fits).collect::<Vec<_>>(), cancel)?;
            for (_, path) in &mut dated {
                if let Cow::Owned(shown) = scope.shown(path) {
                    *path = shown;
                }
            }
            dated
        }
        FileSet::All => on_disk(view, directory, glob, cancel)?,
    };
    dated.sort_unstable();
    Ok(dated.into_iter().map(|(_, path)| path).collect())
}

fn is_of_a_package(path: &RelPath) -> bool {
    path.components().any(|component| component == PACKAGES)
}

/// Returns those of `files` (in path order) that still exist, with the time of their last write. The index
/// holds a time too, but the time may change without the content.
fn with_dates(view: &View, files: &[&RelPath], cancel: &Cancel) -> Result<Vec<Dated>, FileOpError> {
    let chunks: Vec<_> = files.chunks(FILES).collect();
    let dated = cores::parallel_map(&chunks, 1, |chunk| match cancel.is_cancelled() {
        true => Vec::new(),
        false => dates(&*view.files, chunk),
    });
    cancel.check()?;
    Ok(dated.into_iter().flatten().collect())
}

/// Returns the files (in path order) with the time of their last write, without those that are gone or no longer
/// files since they were listed.
fn dates(files: &dyn Files, paths: &[&RelPath]) -> Vec<Dated> {
    let mut dated = Vec::new();
    for together in paths.chunk_by(|a, b| a.parent() == b.parent()) {
        let Some(directory) = together.first().and_then(|path| path.parent()) else { continue };
        let names: Vec<&str> = together.iter().map(|path| path.file_name()).collect();
        for (path, found) in together.iter().zip(files.stat_children(&directory, &names)) {
            if let Some((EntryKind::File, stat)) = found {
                dated.push((Reverse(stat.mtime), (*path).clone()));
            }
        }
    }
    dated
}

fn on_disk(
    view: &View,
    directory: &RelPath,
    glob: &Glob,
    cancel: &Cancel,
) -> Result<Vec<Dated>, FileOpError> {
    let mut fitting = Vec::new();
    let look = |path: &RelPath, entries: Vec<Entry>, _| in_directory(&*view.files, path, entries, glob);
    let walk = TreeWalk { follows_start: true, ..TreeWalk::whole(&*view.files, cancel) };
    walk.run(directory, look, |_, looked| {
        // An error is that of a directory that was removed since its parent was listed, or may not be read.
        fitting.extend(looked.into_iter().flatten());
        Ok::<_, FileOpError>(ControlFlow::Continue(()))
    })?;
    Ok(fitting)
}

/// Returns the files of one directory that match, and the names of the directories to search.
fn in_directory(
    files: &dyn Files,
    path: &RelPath,
    entries: Vec<Entry>,
    glob: &Glob,
) -> (Vec<Dated>, Vec<String>) {
    let (mut fitting, mut below) = (Vec::new(), Vec::new());
    for entry in entries {
        match entry.kind {
            EntryKind::Directory if entry.name == ".git" || entry.name == PACKAGES => {}
            EntryKind::Directory => below.push(entry.name),
            EntryKind::File => fitting.push(path.join(&entry.name)),
            EntryKind::Link | EntryKind::Other => {}
        }
    }
    fitting.retain(|path| glob.matches(path.as_str()));
    (dates(files, &fitting.iter().collect::<Vec<_>>()), below)
}
