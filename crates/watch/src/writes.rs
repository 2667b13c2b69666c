//! Files that are being written and not closed yet. They are reported at the next barrier, once each, so that
//! a question sees what was written before it, and a program that writes without end costs nothing while
//! there are no questions. Invariant: everything written since the last barrier is reported before the next,
//! by its name or by examining its directory.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::AsFd;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::AtFlags;

use super::backend::{WatchId, WriteReports};
use super::sweep::RACY_NANOSECONDS;
use super::tree::WatchPurpose;
use super::watcher::Watcher;
use symd_base::RelPath;
use symd_vfs::{EntryKind, stat_of};

/// Number of names kept between two barriers. With more of them, directories are examined instead.
const MAX_NAMES: usize = 4_096;
/// Number of repeated writes to files whose names are kept already, in one directory between two barriers.
/// Beyond it, writes in that directory are not reported until the barrier, which examines it: a log that is
/// written line by line would wake the watcher at every line, and two of them would fill the kernel's queue
/// (it merges an event only with the last one).
const MAX_REPEATS: usize = 64;

/// Number of writes reported in spite of that, after which reporting is turned off once more. Events that
/// were queued already are fewer in most cases, and listing a directory again makes its watch report
/// everything.
const MAX_STRAYS: usize = 1_024;

/// Files written to since the last barrier.
#[derive(Debug, Default)]
pub(super) struct Written {
    directories: BTreeMap<WatchId, Directory>,
    names: usize,
}

#[derive(Debug, Default)]
struct Directory {
    names: BTreeSet<String>,
    repeats: usize,
    strays: usize,
    /// If writes are no longer reported: since when they may have been missed, nanoseconds since 1970.
    flooded: Option<i64>,
}

impl Written {
    /// Records a write. Returns whether reporting of writes in the directory of this watch should be turned
    /// off.
    fn record(&mut self, watch: WatchId, name: String) -> bool {
        let directory = self.directories.entry(watch).or_default();
        if directory.flooded.is_some() {
            directory.strays += 1;
            return directory.strays.is_multiple_of(MAX_STRAYS);
        }
        let is_too_much = if directory.names.contains(&name) {
            directory.repeats += 1;
            directory.repeats > MAX_REPEATS
        } else {
            self.names += 1;
            directory.names.insert(name);
            self.names > MAX_NAMES
        };
        if is_too_much {
            self.names -= directory.names.len();
            directory.names.clear();
            directory.flooded = Some(now().saturating_sub(RACY_NANOSECONDS));
        }
        is_too_much
    }

    /// Whether there is nothing to report. What was counted of directories for which nothing is kept is dropped then, as it
    /// is at a barrier.
    pub(super) fn is_settled(&mut self) -> bool {
        let is_settled = self.names == 0 && self.directories.values().all(|one| one.flooded.is_none());
        if is_settled {
            self.directories.clear();
        }
        is_settled
    }

    /// Removes the name of a file that is examined for another reason.
    pub(super) fn forget(&mut self, watch: WatchId, name: &str) {
        if let Some(directory) = self.directories.get_mut(&watch) {
            self.names -= usize::from(directory.names.remove(name));
        }
    }
}

impl Watcher {
    /// Records that `name` in the directory of `watch` was written to.
    pub(super) fn note_written(&mut self, watch: WatchId, name: String) {
        // Git writes often in the directory that contains its patterns.
        if !self.tree.is_of_directory(watch) && name != "exclude" {
            return;
        }
        if self.written.record(watch, name) {
            self.choose(watch, WriteReports::Off);
        }
    }

    /// Reports the files written to since the last barrier.
    pub(super) fn tell_written(&mut self) {
        for (watch, written) in std::mem::take(&mut self.written).directories {
            if written.flooded.is_some() {
                // Before examining the directory: writes in between would be lost.
                self.choose(watch, WriteReports::On);
            }
            for place in self.tree.places(watch) {
                let directory = match place {
                    WatchPurpose::Directory(directory) => directory,
                    WatchPurpose::GitInfo(work_tree) => {
                        self.due.insert(work_tree);
                        continue;
                    }
                };
                let found = written.flooded.map(|since| self.changed_since(&directory, since));
                for name in found.as_ref().unwrap_or(&written.names) {
                    self.examine(&directory, name);
                }
            }
        }
    }

    /// Returns the files of a directory that changed at or after `since`, by their ctime.
    fn changed_since(&self, path: &RelPath, since: i64) -> BTreeSet<String> {
        let Ok(directory) = self.root.open_directory_no_follow(path) else { return BTreeSet::new() };
        let Ok((entries, _)) = self.root.list_opened(path, &directory) else { return BTreeSet::new() };
        let is_new = |name: &str| {
            let raw = rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW);
            // Unlike the time of the last write, ctime cannot be set by programs.
            raw.is_ok_and(|raw| stat_of(&raw).ctime >= since)
        };
        let files = entries.into_iter().filter(|entry| entry.kind == EntryKind::File).map(|entry| entry.name);
        files.filter(|name| is_new(name)).collect()
    }

    fn choose(&mut self, watch: WatchId, writes: WriteReports) {
        for place in self.tree.places(watch) {
            let WatchPurpose::Directory(path) = place else { continue };
            let Some(known) = self.tree.get(&path).map(|known| known.identity) else { continue };
            let Ok(directory) = self.root.open_directory_no_follow(&path) else { continue };
            let is_it = |raw: rustix::fs::Stat| (raw.st_dev, raw.st_ino) == (known.device, known.inode);
            if rustix::fs::fstat(&directory).is_ok_and(is_it) {
                self.backend().set_write_reports(watch, directory.as_fd(), writes);
                return;
            }
        }
    }
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    i64::try_from(now).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded() {
        let mut written = Written::default();
        let (one, other) = (WatchId(1), WatchId(2));
        for number in 0..MAX_NAMES {
            assert!(!written.record(one, number.to_string()));
        }
        written.forget(one, "7");
        written.forget(one, "7");
        written.forget(other, "7");
        assert!(!written.record(other, "a".to_owned()));
        assert!(written.record(other, "b".to_owned()), "one too many");
        for _ in 1..MAX_STRAYS {
            assert!(!written.record(other, "c".to_owned()), "known to flood");
        }
        assert!(written.record(other, "c".to_owned()), "and goes on");
        assert_eq!(written.names, MAX_NAMES - 1);
        for _ in 0..MAX_REPEATS {
            assert!(!written.record(one, "0".to_owned()));
        }
        assert!(written.record(one, "0".to_owned()));
        assert_eq!((written.names, written.directories.len()), (0, 2));
    }
}
