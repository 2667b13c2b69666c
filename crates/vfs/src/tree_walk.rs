//! The one walk of the project's directories: breadth first, many directories at a time. The caller decides what it needs of a
//! directory and which directories beneath it are entered. Invariants: every directory is opened beneath the
//! root's descriptor; below the start no link is entered, so that a walk ends; it stops soon after it is cancelled.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::Instant;

use super::files::Files;
use super::root::{Entry, VfsError};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, cores};

/// The number of directories that justifies another thread.
const DIRS_PER_THREAD: usize = 32;
/// The number of directories listed together at most, which bounds what is listed without being asked for.
const BATCH: usize = 1024;

/// How a walk is made.
#[derive(Clone, Copy, Debug)]
pub struct TreeWalk<'a> {
    pub files: &'a dyn Files,
    /// Whether the start may be a link to a directory.
    pub follows_start: bool,
    /// How many levels of directories are listed at most; the start is one, and always listed.
    pub levels: usize,
    /// The deadline, if there is one.
    pub until: Option<Instant>,
    pub cancel: &'a Cancel,
}

/// What a walk did not list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkRest {
    /// Whether there were directories below the last level.
    pub is_deeper: bool,
    /// Whether the time ran out before every directory was listed.
    pub timed_out: bool,
}

impl<'a> TreeWalk<'a> {
    /// Returns a walk to the end, however deep and long, that follows no link.
    pub fn whole(files: &'a dyn Files, cancel: &'a Cancel) -> TreeWalk<'a> {
        TreeWalk { files, follows_start: false, levels: usize::MAX, until: None, cancel }
    }

    /// Walks the directory `start`. On several threads, `look` is given each listing (sorted, with
    /// the number of names that are not UTF-8) and returns what the caller needs of it and the directories to enter, by
    /// name. On this thread, level by level and in the order in which they were named, `take` is given the results, or
    /// the error of a directory that could not be listed ([`VfsError::NotFound`] if it was removed since it was named);
    /// it ends the walk by `Break` or an error.
    pub fn run<T: Send, E: From<Cancelled>>(
        &self,
        start: &RelPath,
        look: impl Fn(&RelPath, Vec<Entry>, usize) -> (T, Vec<String>) + Sync,
        mut take: impl FnMut(&RelPath, Result<T, VfsError>) -> Result<ControlFlow<()>, E>,
    ) -> Result<WalkRest, E> {
        let mut rest = WalkRest::default();
        let mut listed = 0;
        let mut waiting = VecDeque::from([(start.clone(), 1)]);
        while !waiting.is_empty() && !rest.timed_out {
            let batch: Vec<_> = waiting.drain(..waiting.len().min(batch(listed))).collect();
            let looked = cores::parallel_map(&batch, DIRS_PER_THREAD, |(path, level)| {
                if self.cancel.is_cancelled() || self.until.is_some_and(|until| Instant::now() >= until) {
                    return None;
                }
                let listing = match *level {
                    1 if self.follows_start => self.files.list(path),
                    _ => self.files.list_no_follow(path),
                };
                Some(listing.map(|(entries, unnamed)| look(path, entries, unnamed)))
            });
            self.cancel.check()?;
            listed += batch.len();
            for ((path, level), looked) in batch.into_iter().zip(looked) {
                let result = match looked {
                    Some(Ok((result, below))) if level < self.levels => {
                        waiting.extend(below.iter().map(|name| (path.join(name), level + 1)));
                        Ok(result)
                    }
                    Some(Ok((result, below))) => {
                        rest.is_deeper |= !below.is_empty();
                        Ok(result)
                    }
                    Some(Err(error)) => Err(error),
                    None => {
                        rest.timed_out = true;
                        continue;
                    }
                };
                if take(&path, result)?.is_break() {
                    return Ok(rest);
                }
            }
        }
        rest.is_deeper &= !rest.timed_out;
        Ok(rest)
    }
}

/// Returns how many directories to list together: few at first, then no more than were listed before, so that
/// the beginning of a large tree costs little.
fn batch(listed: usize) -> usize {
    listed.clamp(DIRS_PER_THREAD, BATCH)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use crate::{EntryKind, Root};
    use std::os::unix::fs::symlink;

    /// Walks `start` and returns the directories in the order in which they were taken.
    fn walked(walk: TreeWalk<'_>, start: &str) -> Result<(Vec<String>, WalkRest), Cancelled> {
        let look = |_: &RelPath, entries: Vec<Entry>, _| {
            let links_too = |entry: &Entry| matches!(entry.kind, EntryKind::Directory | EntryKind::Link);
            ((), entries.into_iter().filter(links_too).map(|entry| entry.name).collect())
        };
        let mut taken = Vec::new();
        let rest = walk.run(&RelPath::new(start).expect(start), look, |path, result| {
            taken.push(format!("{path}{}", if result.is_ok() { "" } else { " cannot be listed" }));
            Ok::<_, Cancelled>(ControlFlow::Continue(()))
        })?;
        Ok((taken, rest))
    }

    #[test]
    fn directories_are_taken_level_by_level_and_a_link_only_as_the_start() {
        let scratch = tempfile::tempdir().expect("scratch");
        for directory in ["a/x/deep", "b", "c/y"] {
            std::fs::create_dir_all(scratch.path().join(directory)).expect("made");
        }
        symlink("..", scratch.path().join("c/up")).expect("linked");
        symlink("c", scratch.path().join("link")).expect("linked");
        let root = Root::open(scratch.path()).expect("opened");
        let cancel = Cancel::new();
        let whole = TreeWalk::whole(&root, &cancel);
        let (taken, rest) = walked(whole, "").expect("walked");
        let up = "c/up cannot be listed";
        let all = [".", "a", "b", "c", "link cannot be listed", "a/x", up, "c/y", "a/x/deep"];
        assert_eq!((taken, rest), (all.map(str::to_owned).to_vec(), WalkRest::default()));
        let (taken, _) = walked(TreeWalk { follows_start: true, ..whole }, "link").expect("walked");
        assert_eq!(taken, ["link", "link/up cannot be listed", "link/y"]);
        assert_eq!(walked(whole, "link").expect("walked").0, ["link cannot be listed"]);
        let (taken, rest) = walked(TreeWalk { levels: 2, ..whole }, "a").expect("walked");
        assert_eq!((taken.len(), rest), (2, WalkRest { is_deeper: true, timed_out: false }));
        let late = TreeWalk { until: Some(Instant::now()), ..whole };
        assert_eq!(walked(late, ""), Ok((Vec::new(), WalkRest { is_deeper: false, timed_out: true })));
        cancel.cancel();
        assert_eq!(walked(whole, ""), Err(Cancelled));
    }
}
