//! Files that match a glob, most recently written first. Invariant: each listed path was a file beneath the
//! directory when it was checked, and links are never followed.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::os::fd::OwnedFd;

use symd_base::cores;
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_files::glob::Glob;
use symd_files::scope::NamedDirectory;
use symd_files::tree::FileOpError;
use symd_vfs::{EntryKind, Root};

/// A directory that is never searched, even if it is not ignored: it is full of third-party code.
const PACKAGES: &str = "node_modules";

/// Files per unit of work for a thread; up to this many are processed on one thread.
const FILES: usize = 256;

/// Number of directories that justify a thread.
const DIRECTORIES: usize = 32;

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
            let scope = NamedDirectory::of(&view.root, directory)?;
            let files = view.snapshot.files.within(scope.real()).map(|file| &file.path);
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
    let dated = cores::parallel_map(&chunks, 1, |chunk| {
        let mut stats = Stats { root: &view.root, last: None };
        let there = chunk.iter().take_while(|_| !cancel.is_cancelled());
        there.filter_map(|path| stats.dated(path)).collect::<Vec<_>>()
    });
    cancel.check()?;
    Ok(dated.into_iter().flatten().collect())
}

/// Stats files one after the other. Keeps a directory open while the next file is in it too.
struct Stats<'r> {
    root: &'r Root,
    last: Option<(RelPath, OwnedFd)>,
}

impl Stats<'_> {
    /// Returns `None` for a path that is gone or no longer a file since it was listed.
    fn dated(&mut self, path: &RelPath) -> Option<Dated> {
        let directory = path.parent()?;
        if self.last.as_ref().is_none_or(|(last, _)| *last != directory) {
            let opened = self.root.open_directory_no_follow(&directory).ok()?;
            self.last = Some((directory, opened));
        }
        let (_, opened) = self.last.as_ref()?;
        match Root::stat_in(opened, path.file_name()) {
            Ok((EntryKind::File, stat)) => Some((Reverse(stat.mtime), path.clone())),
            _ => None,
        }
    }
}

fn on_disk(
    view: &View,
    directory: &RelPath,
    glob: &Glob,
    cancel: &Cancel,
) -> Result<Vec<Dated>, FileOpError> {
    let mut fitting = Vec::new();
    let mut level = vec![directory.clone()];
    while !level.is_empty() {
        let looked = cores::parallel_map(&level, DIRECTORIES, |path| match cancel.is_cancelled() {
            true => InDirectory::default(),
            false => in_directory(&view.root, path, glob),
        });
        cancel.check()?;
        level.clear();
        for mut found in looked {
            fitting.append(&mut found.fitting);
            level.append(&mut found.below);
        }
    }
    Ok(fitting)
}

/// The relevant contents of one directory.
#[derive(Default)]
struct InDirectory {
    fitting: Vec<Dated>,
    below: Vec<RelPath>,
}

/// Returns nothing for a directory that was removed since its parent was listed or that may not be read.
fn in_directory(root: &Root, path: &RelPath, glob: &Glob) -> InDirectory {
    let mut found = InDirectory::default();
    let Ok(opened) = root.open_directory(path) else { return found };
    let Ok((entries, _)) = root.list(path, &opened) else { return found };
    for entry in entries {
        let child = path.join(&entry.name);
        match entry.kind {
            EntryKind::Directory if entry.name == ".git" || entry.name == PACKAGES => {}
            EntryKind::Directory => found.below.push(child),
            EntryKind::File if glob.matches(child.as_str()) => {
                if let Ok((EntryKind::File, stat)) = Root::stat_in(&opened, &entry.name) {
                    found.fitting.push((Reverse(stat.mtime), child));
                }
            }
            EntryKind::File | EntryKind::Link | EntryKind::Other => {}
        }
    }
    found
}
