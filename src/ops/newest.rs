//! Files that fit a glob, the one that was written last first. Invariant: what is listed was a file beneath the
//! directory when it was looked at, and links are never followed.

use std::cmp::Reverse;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::glob::Glob;
use super::tree::FileOpError;
use crate::base::{Cancel, RelPath};
use crate::engine::View;
use crate::vfs::{EntryKind, Root};

/// A folder that is never looked into, whatever is ignored: it is full of other people's code.
const PACKAGES: &str = "node_modules";

/// Files that a thread takes at a time; with fewer in all, one looks at them alone.
const CHUNK: usize = 256;

/// Which files there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    /// Those that no rule leaves out: the index knows them.
    NotIgnored,
    /// All on the disk, except git's own and those of [`PACKAGES`].
    All,
}

/// A file with the time of its last write, in the order of the answer.
type Dated = (Reverse<i64>, RelPath);

/// The files beneath `directory` that fit `glob`, the newest first by the time of their last write, those of the same
/// time in path order.
pub fn newest(
    view: &View,
    directory: &RelPath,
    glob: &Glob,
    among: Among,
    cancel: &Cancel,
) -> Result<Vec<RelPath>, FileOpError> {
    let mut dated = match among {
        Among::NotIgnored => {
            let files = view.snapshot.files.within(directory).map(|file| &file.path);
            let fits = |path: &&RelPath| glob.matches(path.as_str()) && !is_of_a_package(path);
            with_dates(view, &files.filter(fits).collect::<Vec<_>>(), cancel)?
        }
        Among::All => on_disk(view, directory, glob, cancel)?,
    };
    dated.sort_unstable();
    Ok(dated.into_iter().map(|(_, path)| path).collect())
}

fn is_of_a_package(path: &RelPath) -> bool {
    path.components().any(|component| component == PACKAGES)
}

/// Those of `files`, which are in path order, that are there. The index remembers a time too, but a time may change
/// without the content.
fn with_dates(view: &View, files: &[&RelPath], cancel: &Cancel) -> Result<Vec<Dated>, FileOpError> {
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(files.len())));
    let work = || {
        let (mut stats, mut mine) = (Stats { root: &view.root, last: None }, Vec::new());
        while let Some(chunk) = files.chunks(CHUNK).nth(next.fetch_add(1, Ordering::Relaxed)) {
            if cancel.is_cancelled() {
                break;
            }
            mine.extend(chunk.iter().filter_map(|path| stats.dated(path)));
        }
        all.lock().unwrap_or_else(PoisonError::into_inner).append(&mut mine);
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..threads.min(files.len().div_ceil(CHUNK)) {
            // A thread that cannot be had leaves the work to the others.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    cancel.check()?;
    Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Looks at files one after the other. A directory stays open while the next file is in it too.
struct Stats<'r> {
    root: &'r Root,
    last: Option<(RelPath, OwnedFd)>,
}

impl Stats<'_> {
    /// `None` for what is gone, or something else than a file, since it was listed.
    fn dated(&mut self, path: &RelPath) -> Option<Dated> {
        let directory = path.parent()?;
        if self.last.as_ref().is_none_or(|(last, _)| *last != directory) {
            let opened = self.root.open_directory_itself(&directory).ok()?;
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
    let mut waiting = vec![directory.clone()];
    while let Some(path) = waiting.pop() {
        cancel.check()?;
        // What was removed since its parent was listed, or is not ours to read, holds nothing for us.
        let Ok(opened) = view.root.open_directory(&path) else { continue };
        let Ok((entries, _)) = view.root.list(&path, &opened) else { continue };
        for entry in entries {
            let child = path.join(&entry.name);
            match entry.kind {
                EntryKind::Directory if entry.name == ".git" || entry.name == PACKAGES => {}
                EntryKind::Directory => waiting.push(child),
                EntryKind::File if glob.matches(child.as_str()) => {
                    if let Ok((EntryKind::File, stat)) = Root::stat_in(&opened, &entry.name) {
                        fitting.push((Reverse(stat.mtime), child));
                    }
                }
                EntryKind::File | EntryKind::Link | EntryKind::Other => {}
            }
        }
    }
    Ok(fitting)
}
