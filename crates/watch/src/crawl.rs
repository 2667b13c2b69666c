//! Crawls a subtree: watches every directory and lists it. Invariant: a directory is listed only after it is
//! watched, so that nothing created in between is lost.

use std::os::fd::AsFd;

use rustix::io::Errno;

use super::Notice;
use super::backend::WatchId;
use super::opener::{DirectoryContent, DirectoryListing, DirectoryOpener, states};
use super::tree::{Detection, DirectoryState, Identity, WatchPurpose};
use super::watcher::Watcher;
use symd_base::{RelPath, cores};
use symd_vfs::{Entry, Stat, VfsError};

/// Number of new directories that are opened and listed at once: few enough that the first files are reported soon.
const DIRECTORIES_AT_A_TIME: usize = 64;
/// Number of directories that are worth another thread.
const WORTH_A_THREAD: usize = 4;

/// What to do with a directory that is watched or polled already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visit {
    /// List it again.
    Anyway,
    /// Skip it: its events report what changes. A directory whose permissions changed is listed again.
    IfNew,
}

/// A listing; and, if the rules were applied to it, what they leave, with the states of these files, if they were taken.
type SeenDirectory = (DirectoryListing, Option<(DirectoryContent, Vec<Option<Stat>>)>);

impl Watcher {
    /// Lists `start` and everything beneath it that is not ignored, each directory before those in it. New directories
    /// are listed on all cores.
    pub(super) fn crawl(&mut self, start: &RelPath, first: Visit, below: Visit) {
        if !start.is_root() && !self.tree.contains(start) {
            // There may have been a file here, and the following notices do not say that it is gone.
            self.report(Notice::Removed(start.clone()));
        }
        let mut stack = self.visit(start, first);
        while !stack.is_empty() {
            if self.is_over() {
                return;
            }
            let mut next = stack.split_off(stack.len().saturating_sub(DIRECTORIES_AT_A_TIME));
            next.reverse();
            let (known, new): (Vec<RelPath>, Vec<RelPath>) =
                next.into_iter().partition(|path| self.tree.contains(path));
            let mut inside: Vec<RelPath> = known.iter().flat_map(|path| self.visit(path, below)).collect();
            inside.extend(self.visit_new(&new));
            stack.extend(inside);
        }
    }

    /// Watches one directory and lists it. Returns the directories in it, last first.
    fn visit(&mut self, path: &RelPath, visit: Visit) -> Vec<RelPath> {
        let opened = match self.opener().open(path, self.parent_identity(path)) {
            Ok(opened) => opened,
            Err(error) => return self.cannot_enter(path, &error),
        };
        if let Some(known) = self.tree.get(path) {
            let same = match (&known.detection, opened.watch) {
                (Detection::Watched(before), Some(now)) => *before == now,
                (Detection::Polled(_), None) => true,
                _ => false,
            };
            if visit == Visit::IfNew && same && known.identity == opened.identity {
                return Vec::new();
            }
            if !same || known.identity.inode != opened.identity.inode {
                // Another directory has replaced the old one.
                self.leave(path);
            }
        }
        self.add_directory(path, opened.watch);
        let listed = self.opener().list(path, &opened).map(|listing| (listing, None));
        self.enter(path, (opened.identity, opened.watch), listed)
    }

    /// Watches directories that are not known yet, and lists them, on all cores. Returns the directories in them.
    fn visit_new(&mut self, paths: &[RelPath]) -> Vec<RelPath> {
        let (opener, takes_states) = (self.opener(), self.takes_states);
        let with_parents: Vec<(&RelPath, Option<Identity>)> =
            paths.iter().map(|path| (path, self.parent_identity(path))).collect();
        let seen = cores::parallel_map(&with_parents, WORTH_A_THREAD, |(path, parent)| {
            let opened = opener.open(path, *parent)?;
            let listed = opener.list(path, &opened).map(|listing| {
                // Where a work tree begins, git's rules are to be watched first.
                let content = (!has_git(&listing.entries)).then(|| {
                    let content = opener.content(path, &listing.entries);
                    let files: &[RelPath] = if takes_states { &content.files } else { &[] };
                    let states = states(&opened.directory, files);
                    (content, states)
                });
                (listing, content)
            });
            Ok::<_, VfsError>(((opened.identity, opened.watch), listed))
        });
        // First of all: a directory that was moved here has the watch that it had, and its old place may be left next.
        for (path, seen) in paths.iter().zip(&seen) {
            if let Ok(((_, watch), _)) = seen {
                self.add_directory(path, *watch);
            }
        }
        let mut inside = Vec::new();
        for (path, seen) in paths.iter().zip(seen) {
            inside.extend(match seen {
                Ok((identity, listed)) => self.enter(path, identity, listed),
                Err(error) => self.cannot_enter(path, &error),
            });
        }
        inside
    }

    fn opener(&self) -> DirectoryOpener<'_> {
        DirectoryOpener { root: &self.root, ignore: &self.ignore, backend: &self.backend, tally: &self.tally }
    }

    fn parent_identity(&self, path: &RelPath) -> Option<Identity> {
        path.parent().and_then(|parent| self.tree.get(&parent)).map(|known| known.identity)
    }

    fn add_directory(&mut self, path: &RelPath, watch: Option<WatchId>) {
        if let Some(watch) = watch {
            self.tree.add_place(watch, WatchPurpose::Directory(path.clone()));
        }
    }

    /// Stores a directory that was listed, or could not be. Returns the directories in it, last first.
    fn enter(
        &mut self,
        path: &RelPath,
        (identity, watch): (Identity, Option<WatchId>),
        listed: Result<SeenDirectory, VfsError>,
    ) -> Vec<RelPath> {
        match listed {
            Ok(seen) => self.note(path, seen, identity),
            Err(error) => {
                if let Some(unused) = watch
                    .and_then(|watch| self.tree.remove_place(watch, &WatchPurpose::Directory(path.clone())))
                {
                    self.backend().unwatch(unused);
                }
                self.cannot_enter(path, &error)
            }
        }
    }

    /// Applies the rules to a listing, unless that was done, reports it, and stores the directory.
    fn note(
        &mut self,
        path: &RelPath,
        (DirectoryListing { entries, detection }, content): SeenDirectory,
        identity: Identity,
    ) -> Vec<RelPath> {
        // Watch before reading here, too.
        let git = if has_git(&entries) { self.watch_git_info(path) } else { Vec::new() };
        let (content, states) = content.unwrap_or_else(|| {
            let content = self.opener().content(path, &entries);
            let is_new = self.takes_states && !self.tree.contains(path);
            let directory = is_new.then(|| self.root.open_directory_no_follow(path).ok()).flatten();
            let states = directory.map(|directory| states(directory, &content.files)).unwrap_or_default();
            (content, states)
        });
        let DirectoryContent { rules, files, mut directories } = content;
        let before = self.tree.get(path).map(|known| (known.children.clone(), known.git.clone()));
        let (old_children, old_git) = before.unwrap_or_default();
        for child in old_children.iter().filter(|child| directories.binary_search(child).is_err()) {
            self.leave(child);
        }
        for watch in old_git.into_iter().filter(|watch| !git.contains(watch)) {
            if let Some(unused) = self.tree.remove_place(watch, &WatchPurpose::GitInfo(path.clone())) {
                self.backend().unwatch(unused);
            }
        }
        self.failing.remove(path);
        let known = DirectoryState {
            detection,
            rules,
            children: directories.iter().cloned().collect(),
            git,
            identity,
        };
        self.tree.insert(path.clone(), known);
        self.count_directories();
        let listed =
            Notice::Listed { directory: path.clone(), files, states, directories: directories.clone() };
        self.report(listed);
        directories.reverse();
        directories
    }

    /// Watches the directory that contains the `info/exclude` of the work tree `path`, and the directory
    /// above it, in case `info` does not exist yet. A refused watch does no harm: the patterns are then read
    /// again with the next rescan.
    fn watch_git_info(&mut self, path: &RelPath) -> Vec<WatchId> {
        let mut watches = Vec::new();
        let Some(info) = self.ignore.git_info(&self.root, path) else { return watches };
        for directory in info.parent().into_iter().chain([info.as_path()]) {
            let flags =
                rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::CLOEXEC;
            let Ok(opened) = rustix::fs::open(directory, flags, rustix::fs::Mode::empty()) else { continue };
            if let Ok(watch) = self.backend().watch(opened.as_fd(), directory) {
                self.tree.add_place(watch, WatchPurpose::GitInfo(path.clone()));
                watches.push(watch);
            }
        }
        watches
    }

    /// Reports that `path` cannot be read, and notes whether that may change without an event.
    fn cannot_enter(&mut self, path: &RelPath, error: &VfsError) -> Vec<RelPath> {
        self.leave(path);
        let VfsError::Io { source, .. } = error else {
            self.report(Notice::Removed(path.clone()));
            return Vec::new();
        };
        let errno = Errno::from_io_error(source);
        match errno {
            // A change of permissions is an event of the parent directory. For the root there is no such
            // event.
            Some(Errno::ACCESS | Errno::PERM) if !path.is_root() => self.tally.denied.one(),
            Some(Errno::NAMETOOLONG) => self.tally.too_deep.one(),
            _ => {
                tracing::warn!(%path, error = %source, "cannot read this directory; retrying at each barrier");
                self.failing.insert(path.clone());
            }
        }
        self.count_directories();
        // Replaces what the listing of its parent announced.
        self.report(Notice::Unlisted { directory: path.clone(), why: error_text(source) });
        Vec::new()
    }
}

fn has_git(entries: &[Entry]) -> bool {
    entries.binary_search_by(|entry| entry.name.as_str().cmp(".git")).is_ok()
}

/// Returns the error message of the system without its number.
fn error_text(error: &std::io::Error) -> String {
    // "Permission denied (os error 13)": the number is of no help to the reader.
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
